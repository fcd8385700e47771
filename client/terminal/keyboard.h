// The terminal of this process while a program elsewhere has it: every key goes there, ctrl-C included.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"
#include "schemas/wire/wire.h"

namespace band::client {

// Finds the keys that are for band itself, as ssh has them: at the beginning of a line `~.` disconnects, `~~` is `~`.
// Pure.
class EscapeKeys {
 public:
  struct Keys {
    std::string typed;  // for the program
    bool disconnect = false;
  };
  Keys read(std::string_view keys);

 private:
  bool line_begins_ = true, escaped_ = false;
};

// One at a time. Standard input is a terminal, and in its raw mode (termios(3)) for as long as this lives; SIGWINCH is
// watched. Afterwards the terminal has the modes that it had, and what was typed and not read is gone: answers of the
// terminal to what the program asked it are not for the shell that follows.
class Keyboard {
 public:
  using Keys = EscapeKeys::Keys;

  static bool is_terminal();  // are standard input and standard output both one?
  static TerminalSize size();
  // $TERM, if band's sandboxes know it (ncurses-base(7) of Debian), else a name that most terminals answer to.
  static std::string type();

  Keyboard() = default;
  ~Keyboard() { release(); }
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;

  Status take();   // from now on in raw mode
  void release();  // before the destructor does it

  int resized() const { return resized_.get(); }  // readable when the size has changed
  TerminalSize take_size();                       // the size; resized() is not readable any more
  Keys read(std::string_view piece) { return escape_.read(piece); }

 private:
  Fd resized_, changed_;  // a pipe's two ends
  bool taken_ = false;
  EscapeKeys escape_;
};

}  // namespace band::client
