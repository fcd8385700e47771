// Filters the output of a program that has a terminal of its own in a sandbox, before it is written to the user's
// terminal. The program is hostile. The filter passes what full-screen programs need for drawing, and removes
// everything that has an effect beyond the screen: the clipboard, titles, windows, files, printers, logs, the
// terminal's own parser. Pure: no I/O.
//
// Promises:
// - Only these pass: text, and sequences that are known to change only the screen or the encoding of keyboard and
// mouse, or to query something with a fixed answer (screen_changes.cc has the list, and the reasons). Unknown modes are
// removed from a list of modes.
// - The result is UTF-8 without C1 control characters. The only C0 ones are BEL BS HT LF VT FF CR SO SI, and ESC as the
// start of a complete sequence in printable ASCII. A terminal that does not support a sequence prints its rest.
// - Strings (OSC, DCS, SOS, PM, APC, screen's title) of any length are dropped; at most 64 bytes are buffered.
// - The result does not depend on how the stream is divided into pieces.
// - restore() undoes exactly the changes that have passed.
//
// Does not cover:
// - The program can draw anything on its screen: the prompt of a shell, a question for a password.
// - The terminal's answers to queries look like keyboard input. They contain nothing that the program chose except
// numbers. The caller must discard late answers (tcflush) before a shell reads them.
// - ESC c, the full reset, passes, and clears the scrollback of some terminals (xterm).
// - A terminal that is not in UTF-8 mode may parse a later byte of a character as a C1 control character.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_changes.h"

namespace band::client {

class ScreenFilter {
 public:
  // Returns the part of the bytes so far that may be written to the terminal. An incomplete character or sequence is
  // buffered until the next call; one that is never completed is dropped.
  std::string feed(std::string_view bytes);
  // Returns the sequences that restore the terminal's default modes. To be written after the last result of feed().
  std::string restore() const { return changes_.restore(); }

 private:
  enum class State { Ground, Escape, Csi, Skip, Osc, Palette, String };

  void take_byte(unsigned char byte, std::string& out);
  void take(char32_t c, std::string_view text, std::string& out);
  void take_control(char32_t c, std::string& out);
  void take_c1(char32_t c);
  void take_in_osc(char32_t c);
  void take_in_palette(char c, std::string& out);
  void take_in_escape(char c, std::string& out);
  void take_in_csi(char c, std::string& out);
  void begin(State state, std::string_view sequence = "");
  bool in_string() const { return state_ == State::Osc || state_ == State::String; }

  State state_ = State::Ground;
  std::string sequence_;   // Escape, Csi: from ESC onwards
  std::string character_;  // an incomplete UTF-8 character
  int string_bytes_ = 0;   // Osc: 0 at the start; Palette: digits still expected
  ScreenChanges changes_;
};

}  // namespace band::client
