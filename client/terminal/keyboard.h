// The caller's terminal in raw mode: all keys, also ctrl-C, are sent to a program in a sandbox.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Finds the escape keys that band itself handles, as ssh(1) does: at the beginning of the input and after Enter, `~.`
// disconnects, and `~~` sends `~`. Pure.
class EscapeKeys {
 public:
  struct Keys {
    std::string typed;        // the keys for the program
    bool disconnect = false;  // `~.` was typed; the keys after it are dropped
  };
  Keys read(std::string_view keys);  // the next keys; an escape may be divided between two calls

 private:
  bool line_begins_ = true, escaped_ = false;
};

// Only one Keyboard may exist at a time. From take() to release(), standard input is in raw mode (termios(3)) and
// SIGWINCH is handled. release() restores the previous modes and discards unread input, because this input can contain
// late answers of the terminal to queries of the program. These answers must not reach the shell in which band was
// started.
class Keyboard {
 public:
  using Keys = EscapeKeys::Keys;

  static bool is_terminal();   // whether standard input and standard output are both terminals
  static TerminalSize size();  // 80 columns and 24 rows if the size is unknown
  // Returns $TERM if it is one of the common types of Debian's package ncurses-base. Every sandbox has the types of
  // this package. Returns "xterm-256color" for any other type, and "dumb" without $TERM.
  static std::string type();

  Keyboard() = default;
  ~Keyboard() { release(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  Status take();  // enters raw mode; Code::Usage if standard input is not a terminal
  void release();

  int resized() const { return resized_.get(); }  // a descriptor; readable when the terminal's size has changed
  TerminalSize take_size();  // returns the size; resized() is then not readable until the next change
  Keys read(std::string_view piece) { return escape_.read(piece); }

 private:
  Fd resized_, changed_;  // the two ends of a pipe
  bool taken_ = false;
  EscapeKeys escape_;
};

}  // namespace band::client
