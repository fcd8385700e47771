// Decides which escape sequences of a sandboxed program may be written to the user's terminal. Returns sequences that
// undo the changes which the written sequences have made to the terminal. Uses an allow list: sequences, modes and
// queries that are not on the list are removed. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace band::client {

struct Csi;

class ScreenChanges {
 public:
  // `sequence` is complete: for escape(), ESC, intermediate bytes and a final byte; for csi(), ESC [ up to the final
  // byte. Returns the part of it that may be written to the terminal (all of it, or only some of its modes, or ""), and
  // records the changes that this part makes.
  std::string escape(std::string_view sequence);
  std::string csi(std::string_view sequence);
  void shift_out() { charset_ = true; }  // to be called when an SO is written to the terminal

  // Returns the sequences that undo the recorded changes. These sequences can move the cursor only in two cases. If the
  // alternate screen is shown, they leave it. If the program has set origin mode (?6), they reset it and put the cursor
  // into the last line, because the reset itself moves the cursor.
  std::string restore() const;

 private:
  // The stack of the kitty keyboard protocol for one screen.
  struct Keys {
    int pushed = 0;    // entries that the program has pushed
    bool set = false;  // the program has set flags while it had no entry on the stack
    std::string undo() const;
  };

  bool passes(const Csi& csi);            // sequences that only draw or query: returns whether `csi` may pass
  bool passes_and_stays(const Csi& csi);  // sequences whose effect restore() undoes: also records the effect
  std::string private_modes(const Csi& csi, bool set);
  std::string ansi_modes(const Csi& csi, bool set);
  std::string keys(std::string_view sequence, const Csi& csi);
  std::string restore_modes() const;
  std::string restore_margins_and_tabs() const;

  std::set<int> modes_, ansi_modes_;  // modes that differ from the default; limited by the allow lists
  int alternate_ = 0;                 // the mode that switched to the alternate screen (47, 1047 or 1049); 0: not shown
  Keys main_keys_, alternate_keys_;
  bool keypad_ = false, charset_ = false, style_ = false, region_ = false, tabs_ = false;
  bool cursor_shape_ = false, console_cursor_ = false, other_keys_ = false;
};

}  // namespace band::client
