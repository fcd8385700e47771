// Filters the output of a program that has a terminal of its own in a sandbox, before the output is written to the
// user's terminal. The program is hostile. The filter passes the sequences that full-screen programs need for drawing.
// It removes every sequence with an effect beyond the screen: on the clipboard, titles, windows, files, printers, logs,
// or the state of the terminal's parser. Pure: no I/O.
//
// Promises:
// - Only these pass: text; sequences that are known to change only the screen, or how the terminal encodes keyboard and
// mouse input; and queries with a fixed form of answer (screen_changes.cc has the list with reasons). If a sequence
// sets several modes, only the modes that are not allowed are removed from it.
// - The result is UTF-8 without C1 control characters. Its only C0 control characters are BEL BS HT LF VT FF CR SO SI,
// and ESC as the start of a complete sequence. The characters after the ESC are printable ASCII. Therefore a terminal
// that does not support the sequence can only print them.
// - Control strings (OSC, DCS, SOS, PM, APC, the title sequence of screen(1)) of any length are dropped. At most 64
// bytes are buffered; a longer sequence is dropped, too.
// - The result does not depend on how the stream is divided into pieces.
// - restore() undoes exactly the changes that have passed.
//
// Does not cover:
// - The program can draw anything on its screen: the prompt of a shell, a question for a password.
// - The terminal's answers to queries look like keyboard input. The program can choose only numbers in these answers.
// The caller must discard late answers (tcflush(3)) before the user's shell reads them as commands.
// - ESC c (full reset) passes. It clears the scrollback of some terminals (xterm).
// - A terminal that is not in UTF-8 mode may parse the second or a later byte of a character as a C1 control character.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_changes.h"

namespace band::client {

class ScreenFilter {
 public:
  // Returns the part of the buffered bytes and of `bytes` that may now be written to the terminal. An incomplete
  // character or sequence at the end of `bytes` is buffered until the next call.
  std::string feed(std::string_view bytes);
  // Returns the sequences that restore the terminal's default modes. The caller writes them after the last result of
  // feed().
  std::string restore() const { return changes_.restore(); }

 private:
  // Skip: in a sequence that is dropped. Palette: in the digits after ESC ] P (the Linux console). String: in a control
  // string other than OSC.
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
