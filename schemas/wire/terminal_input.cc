#include "schemas/wire/terminal_input.h"

#include <algorithm>
#include <utility>

#include "schemas/core/json_reader.h"

namespace band {
namespace {

constexpr char kKeys = 'k', kSize = 's';
constexpr std::size_t kMostKeys = 0xffff;

std::string two_bytes(std::size_t number) { return {static_cast<char>(number >> 8), static_cast<char>(number & 0xff)}; }

std::uint16_t number_at(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  return static_cast<std::uint16_t>(byte(at) << 8 | byte(at + 1));
}

std::size_t head_bytes(char kind) { return kind == kKeys ? 3 : kind == kSize ? 5 : 0; }

}  // namespace

std::string keys_frames(std::string_view keys) {
  std::string frames;
  for (; !keys.empty(); keys.remove_prefix(std::min(keys.size(), kMostKeys))) {
    const std::string_view piece = keys.substr(0, kMostKeys);
    frames.append(1, kKeys).append(two_bytes(piece.size())).append(piece);
  }
  return frames;
}

std::string size_frame(TerminalSize size) {
  return std::string(1, kSize) + two_bytes(size.columns) + two_bytes(size.rows);
}

Status TerminalInput::feed(std::string_view bytes, std::string& keys, std::optional<TerminalSize>& size) {
  while (!bytes.empty()) {
    if (left_ > 0) {
      const std::string_view part = bytes.substr(0, left_);
      keys.append(part);
      left_ -= part.size();
      bytes.remove_prefix(part.size());
      continue;
    }
    if (head_.empty() && head_bytes(bytes[0]) == 0)
      return wire::bad("the terminal's input has bytes that are not a frame", "send 'k' and keys, or 's' and a size");
    head_ += bytes[0];
    bytes.remove_prefix(1);
    if (head_.size() == head_bytes(head_[0])) BAND_CHECK(end_head(size));
  }
  return done();
}

Status TerminalInput::end_head(std::optional<TerminalSize>& size) {
  const std::string head = std::exchange(head_, "");
  const std::uint16_t first = number_at(head, 1);
  if (head[0] == kKeys) {
    left_ = first;
    if (left_ == 0) return wire::bad("the terminal's input has a frame without keys");
    return done();
  }
  const TerminalSize came{first, number_at(head, 3)};
  for (const std::uint16_t side : {came.columns, came.rows})
    if (side == 0 || side > kMostTerminalSide)
      return wire::bad("the terminal's input has a size of " + std::to_string(side) + " characters",
                       "1 to " + std::to_string(kMostTerminalSide));
  size = came;
  return done();
}

}  // namespace band
