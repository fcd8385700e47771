// The input of an execution's terminal: the keys that the user presses, and the new size of the window when it changes.
// If an execution has a terminal, the body of POST /v1/exec/{id}/input consists of frames of two kinds:
//
//   'k', N (2 bytes, big-endian, not 0), N bytes                   keys
//   's', columns (2 bytes, big-endian), rows (2 bytes, big-endian) size of the window
//
// Promises: TerminalInput accepts frames in pieces of any size, buffers at most one frame, and refuses all other input.
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band {

std::string keys_frames(std::string_view keys);  // "" if `keys` is empty; several frames if `keys` is too long for one
std::string size_frame(TerminalSize size);

class TerminalInput {
 public:
  // Reads the next `bytes` of the body. Appends the received keys to `keys`. If `bytes` has sizes, sets `size` to the
  // last of them. Error (Code::BadRequest): the bytes are not frames, or columns or rows are 0 or above
  // kMostTerminalSide. After an error, this object must not be used again.
  Status feed(std::string_view bytes, std::string& keys, std::optional<TerminalSize>& size);
  // Returns whether the bytes so far end with a complete frame.
  bool between_frames() const { return head_.empty() && left_ == 0; }

 private:
  Status end_head(std::optional<TerminalSize>& size);

  std::string head_;      // the received part of the current frame's head, while the head is not complete
  std::size_t left_ = 0;  // the number of keys of the current frame that are not yet received
};

}  // namespace band
