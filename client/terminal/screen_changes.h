// Which escape sequences of a sandboxed program may go to the user's terminal, and what undoes those that went.
// An allow list: a sequence, a mode or a question that is not known does not pass. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace band::client {

struct Csi;

class ScreenChanges {
 public:
  // `sequence` is whole: ESC, intermediates, a final byte; or ESC [ to the final byte. Returns what may go to the
  // terminal: the sequence, the part of it that may, or nothing; and remembers what that changes.
  std::string escape(std::string_view sequence);
  std::string csi(std::string_view sequence);
  void shift_out() { charset_ = true; }  // SO goes to the terminal

  // What puts back what has been changed. It moves the cursor only where the alternate screen is left, and after
  // origin mode (?6), which no sequence resets without moving it: to the last line then.
  std::string restore() const;

 private:
  // The kitty keyboard protocol's stack of one screen.
  struct Keys {
    int pushed = 0;
    bool set = false;  // below what was pushed
    std::string undo() const;
  };

  bool passes(const Csi& csi);            // what draws or asks
  bool passes_and_stays(const Csi& csi);  // what has to be put back
  std::string private_modes(const Csi& csi, bool set);
  std::string ansi_modes(const Csi& csi, bool set);
  std::string keys(std::string_view sequence, const Csi& csi);
  std::string restore_modes() const;
  std::string restore_margins_and_tabs() const;

  std::set<int> modes_, ansi_modes_;  // that differ from what is usual; bounded by the lists of what passes
  int alternate_ = 0;                 // the mode that entered the alternate screen: 47, 1047 or 1049
  Keys main_keys_, alternate_keys_;
  bool keypad_ = false, charset_ = false, style_ = false, region_ = false, tabs_ = false;
  bool cursor_shape_ = false, console_cursor_ = false, other_keys_ = false;
};

}  // namespace band::client
