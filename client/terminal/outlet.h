// Where the streams of a command go that passes them through (`band exec`): this process's own.
//
// What goes to a terminal is made harmless: on a terminal that the command has for its own (`-t`) by ScreenFilter; else
// control characters become visible escapes, as everywhere in band. Into files and pipes every byte goes as it is.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_filter.h"

namespace band::client {

class Outlet {
 public:
  enum class Kind { Streams, Screen };
  explicit Outlet(Kind kind);

  // False once a stream cannot be written any more; then nothing more is.
  bool write(bool is_stderr, std::string_view bytes);
  void finish();                        // what is held back; and a screen's own modes again
  int error() const { return error_; }  // errno of the write that failed, or 0

 private:
  struct Stream {
    int fd = -1;
    bool terminal = false;
    std::string held;  // an unfinished character, or a carriage return whose line may go on
  };
  std::string shown(Stream& stream, std::string_view bytes, bool last);
  bool put(int fd, std::string_view bytes);

  Kind kind_;
  Stream out_, err_;
  ScreenFilter screen_;
  int error_ = 0;
};

}  // namespace band::client
