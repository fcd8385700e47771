// Standard input on its way from band-http to an execution: pieces with their sizes, so that a client that broke off is
// known from one that has sent everything.
//
// On the socket of an `input` message (link.h) band-http writes frames: the size of a piece, four bytes in the
// machine's order, and the piece; a size of 0 is the end of the input. A socket that ends before that frame is a client
// that is gone. The engine's answer comes on the same socket, as ReplyWriter writes it: a refusal at any time, or
// {"status":200} when all of it was taken or nobody reads it any more.
//
// Promises: the reader takes at most kMaxPiece of a piece whose size anybody wrote. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band::http {

inline constexpr std::size_t kMaxPiece = 16 << 10;

// `piece`: 1 to kMaxPiece bytes. "" makes the frame that ends the input.
std::string input_frame(std::string_view piece);

class InputReader {
 public:
  // Appends the content of `bytes`, the next ones of the stream, to `out`. Error (Code::Internal): a size over
  // kMaxPiece, or bytes behind the end.
  Status feed(std::string_view bytes, std::string& out);
  bool ended() const { return ended_; }

 private:
  std::string size_;      // of the next piece, as far as it came
  std::size_t left_ = 0;  // of the piece
  bool ended_ = false;
};

}  // namespace band::http
