// Standard input from band-http to an execution: pieces with their sizes, so that EOF differs from a client that
// disconnected.
//
// On the socket of an `input` message (link.h) band-http writes frames: the size of a piece in four bytes (native byte
// order), then the piece; size 0 is EOF. When the socket ends before that frame, the client has disconnected. The
// engine answers on the same socket, in the format of ReplyWriter: a refusal at any time, or {"status":200} when the
// input was read completely or is no longer read.
//
// Promises: the reader accepts at most kMaxPiece bytes a piece, regardless of the size in the frame. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band::http {

inline constexpr std::size_t kMaxPiece = 16 << 10;

// `piece`: 1 to kMaxPiece bytes. "" returns the frame for EOF.
std::string input_frame(std::string_view piece);

class InputReader {
 public:
  // Appends the content of `bytes`, the next part of the stream, to `out`. Error (Code::Internal): a size above
  // kMaxPiece, or bytes after EOF.
  Status feed(std::string_view bytes, std::string& out);
  bool ended() const { return ended_; }

 private:
  std::string size_;      // the next piece's size, as far as received
  std::size_t left_ = 0;  // bytes of the piece
  bool ended_ = false;
};

}  // namespace band::http
