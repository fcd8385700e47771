// Writes stdout and stderr of a command in the sandbox to stdout and stderr of this process (`band exec`).
//
// If this process writes to a terminal, the output is filtered: by ScreenFilter if the command has a terminal of its
// own (`-t`); otherwise control characters become visible escapes, as in all output of band. Files and pipes receive
// every byte unchanged.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_filter.h"

namespace band::client {

class Outlet {
 public:
  // Screen: the command has a terminal of its own, and all its output is written to stdout.
  enum class Kind { Streams, Screen };
  explicit Outlet(Kind kind);

  // Returns false when writing failed. Calls after a failure write nothing and return false.
  bool write(bool is_stderr, std::string_view bytes);
  void finish();                        // writes Stream::held; for Kind::Screen, restores the terminal's modes
  int error() const { return error_; }  // errno of the first failed write; 0 if none failed

 private:
  struct Stream {
    int fd = -1;
    bool terminal = false;
    std::string held;  // an incomplete UTF-8 character or a final carriage return, for the next write()
  };
  std::string shown(Stream& stream, std::string_view bytes, bool last);
  bool put(int fd, std::string_view bytes);

  Kind kind_;
  Stream out_, err_;
  ScreenFilter screen_;
  int error_ = 0;
};

}  // namespace band::client
