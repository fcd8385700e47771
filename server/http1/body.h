// Where a request's body ends. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::http1 {

struct BodyPlan {
  enum class Kind { None, Length, Chunked } kind = Kind::None;
  std::uint64_t length = 0;
};

// Tells a body's content from what frames it. Chunks in the strict form only: up to eight hex digits, no
// extension, no trailer: parsers differ in what they take there (cpp-httplib 0.11.4: size lines without bound, signs,
// and "0x").
class BodyFrame {
 public:
  BodyFrame() = default;
  BodyFrame(BodyPlan plan, std::uint64_t max_content);

  // How many of these bytes are body, up to the end of the first run of `content`; the rest of them is a chunk's own
  // lines. 0: the body ended before, or failed().
  std::size_t consume(std::string_view bytes, std::string_view& content);

  bool done() const { return state_ == State::Done; }
  bool failed() const { return state_ == State::Failed || state_ == State::TooLarge; }
  bool too_large() const { return state_ == State::TooLarge; }

 private:
  enum class State { Length, SizeStart, Size, SizeLf, Data, DataCr, DataLf, LastCr, LastLf, Done, Failed, TooLarge };
  void step(char c);

  State state_ = State::Done;
  std::uint64_t left_ = 0;     // of the body, or of this chunk
  std::uint64_t content_ = 0;  // of all chunks so far
  std::uint64_t max_ = 0;
  int digits_ = 0;
};

}  // namespace band::http1
