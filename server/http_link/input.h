// The format in which band-http sends an execution's standard input to the engine. The format distinguishes the end of
// the input (EOF) from a client that disconnected.
//
// On the reply socket of an `input` message (link.h) band-http writes frames. A frame is the size of a piece in four
// bytes (native byte order), then the piece. A frame of size 0 is the frame for EOF. When band-http closes the socket
// without a frame for EOF, the client has disconnected. The engine answers on the same socket, in the format of
// ReplyWriter (reply_writer.h): a refusal at any time, or {"status":200} when the script has received the whole input
// or no longer reads.
//
// Promises: InputReader refuses a frame whose size is above kMaxPiece. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "schemas/core/result.h"

namespace band::http {

inline constexpr std::size_t kMaxPiece = 16 << 10;

// Returns the frame for `piece`, which has 1 to kMaxPiece bytes. If `piece` is "", returns the frame for EOF.
std::string input_frame(std::string_view piece);

class InputReader {
 public:
  // Reads `bytes`, the next part of the stream, and appends the content of the frames to `out`. Error (Code::Internal):
  // a size above kMaxPiece, or bytes after EOF.
  Status feed(std::string_view bytes, std::string& out);
  bool ended() const { return ended_; }  // the frame for EOF was read

 private:
  std::string size_;      // the next piece's size, as far as received
  std::size_t left_ = 0;  // bytes of the piece that are still to come
  bool ended_ = false;
};

}  // namespace band::http
