// The output of a program that runs on a terminal of its own in a sandbox, on its way to the user's terminal. The
// program is hostile. The filter lets through what full-screen programs draw with, and removes what reaches beyond
// the screen: the clipboard, titles, windows, files, printers, logs, the terminal's own parser. Pure: no I/O.
//
// What it promises:
// - Text and sequences that are known to change only the screen, the keyboard's and the mouse's encoding, or to ask a
//   question with a fixed answer pass (screen_changes.cc has the list, and why others are left out); nothing else does.
//   A list of modes passes without the modes that are not known.
// - What comes out is UTF-8 without C1 control characters, and of the C0 ones only BEL BS HT LF VT FF CR SO SI, and ESC
//   as the begin of a whole sequence in printable ASCII. So a terminal that knows no such sequence prints its rest.
// - Strings (OSC, DCS, SOS, PM, APC, screen's title) are dropped in any length; at most 64 bytes are held.
// - However the stream is cut into pieces, the same comes out.
// - restore() undoes what has gone through, and nothing else.
//
// What it does not:
// - The program draws what it likes on its screen: the prompt of a shell, a question for a password.
// - The terminal answers questions as if on the keyboard. Answers hold nothing that the program chose but numbers; one
//   that comes after the program's end must be thrown away by the caller (tcflush) before a shell reads it.
// - ESC c, the full reset, passes, and clears the scrollback of some terminals (xterm).
// - A terminal that is not set to UTF-8 may take a later byte of a character for a C1 control character.
#pragma once

#include <string>
#include <string_view>

#include "client/terminal/screen_changes.h"

namespace band::client {

class ScreenFilter {
 public:
  // What may go to the terminal of the bytes so far. A character or sequence that is not complete yet waits for the
  // next call; what never becomes complete never comes out.
  std::string feed(std::string_view bytes);
  // Puts the terminal back into its usual modes. To be written when the last of feed() has been.
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
  std::string sequence_;   // Escape, Csi: from its ESC on
  std::string character_;  // bytes of a UTF-8 character that lacks some
  int string_bytes_ = 0;   // Osc: 0 at its begin; Palette: digits that are still to come
  ScreenChanges changes_;
};

}  // namespace band::client
