// Finds the end of a request's body. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::http1 {

struct BodyPlan {
  enum class Kind { None, Length, Chunked } kind = Kind::None;
  std::uint64_t length = 0;
};

// Separates a body's content from its framing. Accepts only strict chunks: up to eight hex digits, no extension, no
// trailer. Parsers differ in what else they accept (cpp-httplib 0.11.4: size lines without a limit, signs, and "0x").
class BodyFrame {
 public:
  BodyFrame() = default;
  BodyFrame(BodyPlan plan, std::uint64_t max_content);

  // Consumes `bytes` through the first run of content. Returns the number of bytes consumed and sets
  // `content`; consumed bytes outside `content` are chunk framing. Returns 0 when the body has ended before, or
  // failed().
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
