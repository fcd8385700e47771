#include "schemas/wire/terminal_input.h"

#include <doctest/doctest.h>

using namespace band;

namespace {

struct Came {
  bool ok = true;
  std::string keys;
  std::optional<TerminalSize> size;
};

Came read(std::string_view bytes, std::size_t step = 1000) {
  TerminalInput input;
  Came came;
  for (; !bytes.empty() && came.ok; bytes.remove_prefix(std::min(step, bytes.size())))
    came.ok = input.feed(bytes.substr(0, step), came.keys, came.size).ok();
  return came;
}

}  // namespace

TEST_CASE("keys and sizes are read as they were written, for pieces of any size") {
  const std::string stream = keys_frames("ls\r") + size_frame({132, 50}) + keys_frames(std::string("\0\x03", 2));
  for (const std::size_t step : {1, 2, 3, 5, 1000}) {
    CAPTURE(step);
    const Came came = read(stream, step);
    CHECK(came.ok);
    CHECK(came.keys == std::string("ls\r\0\x03", 5));
    CHECK((came.size == TerminalSize{132, 50}));
  }
}

TEST_CASE("more keys than fit into a frame become several frames") {
  std::string keys(200'000, 'x');
  keys.back() = 'y';
  CHECK(read(keys_frames(keys)).keys == keys);
  CHECK(keys_frames("").empty());
}

TEST_CASE("bytes that are not a frame are refused") {
  using namespace std::string_literals;
  for (const std::string& bytes :
       {"x"s, "k\0\0"s, "s\0\0\0\x18"s, "s\0\x50\0\0"s, "s\x27\x11\0\x18"s, "\n"s, "k\0\1ab"s}) {
    CAPTURE(bytes.size());
    CHECK_FALSE(read(bytes).ok);
    CHECK_FALSE(read(bytes, 1).ok);
  }
  CHECK(read("s\x27\x10\x27\x10").size == TerminalSize{10'000, 10'000});  // the control
}

TEST_CASE("a stream that stops within a frame is detected") {
  TerminalInput input;
  std::string keys;
  std::optional<TerminalSize> size;
  CHECK(input.between_frames());
  REQUIRE(input.feed(std::string("k\0\3ab", 5), keys, size).ok());
  CHECK_FALSE(input.between_frames());
  REQUIRE(input.feed("c", keys, size).ok());
  CHECK(input.between_frames());
  CHECK(keys == "abc");
}
