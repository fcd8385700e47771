// The input of an execution's terminal: keys, and the window's size when it changes. For an execution with a terminal,
// the body of POST /v1/exec/{id}/input consists of frames:
//
//   'k', the number of bytes (2 bytes, big-endian, not 0), the bytes: keys
//   's', columns, rows (2 bytes each, big-endian): the size of the window
//
// Promises: the reader accepts frames in pieces of any size, buffers at most one, and refuses all other input. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band {

std::string keys_frames(std::string_view keys);  // "" for none
std::string size_frame(TerminalSize size);

class TerminalInput {
 public:
  // Appends the keys to `keys`; sets `size` to the last received size, if any. Error (Code::BadRequest): bytes that are
  // not a frame, or a size with a side of 0 or above kMostTerminalSide. After an error the reader must not be used.
  Status feed(std::string_view bytes, std::string& keys, std::optional<TerminalSize>& size);
  bool between_frames() const { return head_.empty() && left_ == 0; }

 private:
  Status end_head(std::optional<TerminalSize>& size);

  std::string head_;      // the received part of the current frame's head
  std::size_t left_ = 0;  // bytes of the current frame's keys that are still missing
};

}  // namespace band
