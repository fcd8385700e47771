// Writes the streams of a command that are passed through (`band exec`) to this process's stdout and stderr.
//
// Output to a terminal is filtered: by ScreenFilter if the command has a terminal of its own (`-t`); otherwise control
// characters become visible escapes, as in all output of band. Files and pipes receive every byte unchanged.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_filter.h"

namespace band::client {

class Outlet {
 public:
  enum class Kind { Streams, Screen };
  explicit Outlet(Kind kind);

  // Returns false when a stream could not be written; later calls write nothing.
  bool write(bool is_stderr, std::string_view bytes);
  void finish();                        // writes the held bytes, or restores the screen's modes
  int error() const { return error_; }  // errno of the write that failed, or 0

 private:
  struct Stream {
    int fd = -1;
    bool terminal = false;
    std::string held;  // an incomplete character, or a final carriage return
  };
  std::string shown(Stream& stream, std::string_view bytes, bool last);
  bool put(int fd, std::string_view bytes);

  Kind kind_;
  Stream out_, err_;
  ScreenFilter screen_;
  int error_ = 0;
};

}  // namespace band::client
