#include "server/http_link/input.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace band::http {

std::string input_frame(std::string_view piece) {
  const auto size = static_cast<std::uint32_t>(piece.size());
  std::string frame(sizeof size, '\0');
  std::memcpy(frame.data(), &size, sizeof size);
  return frame.append(piece);
}

Status InputReader::feed(std::string_view bytes, std::string& out) {
  const auto bad = [](const std::string& what) {
    return Error{.code = Code::Internal, .doing = "standard input from band-http: " + what};
  };
  while (!bytes.empty()) {
    if (ended_) return bad("bytes after EOF");
    if (left_ == 0) {
      std::uint32_t size = 0;
      const std::size_t more = std::min(sizeof size - size_.size(), bytes.size());
      size_.append(bytes.substr(0, more));
      bytes.remove_prefix(more);
      if (size_.size() < sizeof size) break;
      std::memcpy(&size, size_.data(), sizeof size);
      size_.clear();
      if (size > kMaxPiece)
        return bad("a piece of standard input is larger than " + std::to_string(kMaxPiece) + " bytes");
      left_ = size;
      ended_ = size == 0;
      continue;
    }
    const std::size_t part = std::min(left_, bytes.size());
    out.append(bytes.substr(0, part));
    bytes.remove_prefix(part);
    left_ -= part;
  }
  return done();
}

}  // namespace band::http
