// Decides which escape sequences of a sandboxed program may pass to the user's terminal, and restores what they
// changed. An allow list: unknown sequences, modes and queries do not pass. Pure.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

namespace band::client {

struct Csi;

class ScreenChanges {
 public:
  // `sequence` is complete: ESC, intermediates and a final byte; or ESC [ up to the final byte. Returns the part that
  // may pass: all of it, a part or nothing. Records the changes that the part makes.
  std::string escape(std::string_view sequence);
  std::string csi(std::string_view sequence);
  void shift_out() { charset_ = true; }  // to be called for an SO that passes

  // Returns the sequences that undo the recorded changes. They move the cursor only when they leave the alternate
  // screen, and after origin mode (?6), which cannot be reset without a move: then to the last line.
  std::string restore() const;

 private:
  // The stack of the kitty keyboard protocol for one screen.
  struct Keys {
    int pushed = 0;
    bool set = false;  // flags below the pushed entries were set
    std::string undo() const;
  };

  bool passes(const Csi& csi);            // sequences that draw or query
  bool passes_and_stays(const Csi& csi);  // sequences whose effect must be undone
  std::string private_modes(const Csi& csi, bool set);
  std::string ansi_modes(const Csi& csi, bool set);
  std::string keys(std::string_view sequence, const Csi& csi);
  std::string restore_modes() const;
  std::string restore_margins_and_tabs() const;

  std::set<int> modes_, ansi_modes_;  // modes that differ from the default; limited by the allow lists
  int alternate_ = 0;                 // the mode that switched to the alternate screen: 47, 1047 or 1049
  Keys main_keys_, alternate_keys_;
  bool keypad_ = false, charset_ = false, style_ = false, region_ = false, tabs_ = false;
  bool cursor_shape_ = false, console_cursor_ = false, other_keys_ = false;
};

}  // namespace band::client
