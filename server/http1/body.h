// Separates the content of a request's body from its framing, and finds the end of the body. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::http1 {

// How the end of a body is found. The caller derives the plan from the fields of the head: Length from Content-Length,
// Chunked from Transfer-Encoding, None when the request has no body (admit() in server/http/admission.h,
// read_http_request() in server/gateway/http_head.h).
struct BodyPlan {
  enum class Kind { None, Length, Chunked } kind = Kind::None;
  std::uint64_t length = 0;  // if `kind` is Length: the size of the body in bytes
};

// Reads one body. A chunked body must be strict: sizes of up to eight hex digits, no extension, no trailer. Other
// parsers accept more, and each of them accepts something else. For example, cpp-httplib 0.11.4 accepts size lines of
// any length, signs, and "0x". Two parsers could therefore find different content in a body that is not strict.
class BodyFrame {
 public:
  BodyFrame() = default;
  // `max_content`: limit for the bytes of content.
  BodyFrame(BodyPlan plan, std::uint64_t max_content);

  // Consumes bytes from the front of `bytes`, up to and including the first contiguous piece of content. Returns the
  // number of consumed bytes and sets `content` to that piece; the consumed bytes before the piece are chunk framing.
  // If `bytes` has only framing, `content` is empty. Returns 0 when the body has already ended, or when failed().
  std::size_t consume(std::string_view bytes, std::string_view& content);

  bool done() const { return state_ == State::Done; }
  bool failed() const { return state_ == State::Failed || state_ == State::TooLarge; }
  bool too_large() const { return state_ == State::TooLarge; }

 private:
  enum class State { Length, SizeStart, Size, SizeLf, Data, DataCr, DataLf, LastCr, LastLf, Done, Failed, TooLarge };
  void step(char c);

  State state_ = State::Done;
  std::uint64_t left_ = 0;     // bytes left in the body, or in this chunk
  std::uint64_t content_ = 0;  // bytes in all chunks so far
  std::uint64_t max_ = 0;
  int digits_ = 0;
};

}  // namespace band::http1
