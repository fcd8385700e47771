// What comes in at an execution's terminal: keys, and the size of the window when it changes. The body of
// POST /v1/exec/{id}/input is made of frames then:
//
//   'k', the number of bytes (2 bytes, the higher one first, not 0), the bytes: keys
//   's', columns, rows (2 bytes each, the higher one first): the size of the window
//
// Promises: the reader takes frames in any pieces, holds at most one, and refuses everything else. Pure.
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
  // Appends the keys to `keys`; `size` becomes the last size that came, if one came. Error (Code::BadRequest): bytes
  // that are no frame, a size with a side of 0 or over kMostTerminalSide. The reader is of no use then.
  Status feed(std::string_view bytes, std::string& keys, std::optional<TerminalSize>& size);
  bool between_frames() const { return head_.empty() && left_ == 0; }

 private:
  Status end_head(std::optional<TerminalSize>& size);

  std::string head_;      // of the frame, as far as it came
  std::size_t left_ = 0;  // keys of it that have not come
};

}  // namespace band
