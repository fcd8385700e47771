// The caller's terminal in raw mode: all keys are sent to a program in a sandbox, ctrl-C included.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Finds the escape keys of band itself, which are those of ssh(1): at the beginning of a line `~.` disconnects, and
// `~~` is `~`. Pure.
class EscapeKeys {
 public:
  struct Keys {
    std::string typed;  // the keys for the program
    bool disconnect = false;
  };
  Keys read(std::string_view keys);

 private:
  bool line_begins_ = true, escaped_ = false;
};

// Only one object may exist at a time. While it has taken the terminal, standard input is in raw mode (termios(3)) and
// SIGWINCH is handled. release() restores the previous modes and discards unread input: late answers of the terminal to
// the program must not reach the shell that follows.
class Keyboard {
 public:
  using Keys = EscapeKeys::Keys;

  static bool is_terminal();  // whether standard input and standard output are both terminals
  static TerminalSize size();
  // Returns $TERM if band's sandboxes support it (ncurses-base(7) of Debian), else a type that most terminals support.
  static std::string type();

  Keyboard() = default;
  ~Keyboard() { release(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  Status take();   // enters raw mode
  void release();  // as the destructor

  int resized() const { return resized_.get(); }  // becomes readable when the size has changed
  TerminalSize take_size();                       // returns the size and resets resized()
  Keys read(std::string_view piece) { return escape_.read(piece); }

 private:
  Fd resized_, changed_;  // the two ends of a pipe
  bool taken_ = false;
  EscapeKeys escape_;
};

}  // namespace band::client
