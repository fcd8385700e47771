#include "client/terminal/screen_changes.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace band::client {

// The parts of ESC [: `kind` is prefix, intermediates and final byte.
struct Csi {
  std::string kind;          // "m", "?h", " q"
  std::vector<int> numbers;  // -1: omitted
  bool colons = false;       // some numbers have subparameters, which are not in `numbers`

  int number(std::size_t i, int missing) const { return i < numbers.size() && numbers[i] >= 0 ? numbers[i] : missing; }
};

namespace {

// Sequences that only draw, for all numbers: insert, move, erase in the line, delete, scroll, repeat; save the cursor;
// the rectangles that tmux uses for clearing. Cursor movement stops at the edges of the screen.
constexpr std::string_view kDraws[] = {"@", "A", "B", "C", "D", "E", "F", "G", "H", "I", "K",  "?K", "L",
                                       "M", "P", "X", "Z", "`", "a", "b", "d", "e", "f", "$x", "$z"};

// More than the size of any screen; terminals have hung on larger repeat counts (CVE-2012-2738).
constexpr int kMaxNumber = 65535;

// Half of kitty's stack. When the stack is full, its oldest entry is dropped, which is not one of the sandbox.
constexpr int kMaxPushed = 4;

// The private modes that may pass.
struct Mode {
  int number;
  bool on = false;  // the default
  bool kept =
      false;  // some terminals save it with ESC 7 and restore it with ESC 8: after a change, restore() always resets it
};
constexpr Mode kModes[] = {
    {.number = 1},                            // cursor keys
    {.number = 4},                            // smooth scrolling
    {.number = 5},                            // reverse video: the visible bell
    {.number = 6, .kept = true},              // origin
    {.number = 7, .on = true, .kept = true},  // wrap at the right margin
    {.number = 8, .on = true},                // keys repeat
    {.number = 9},                            // mouse: presses
    {.number = 12},                           // the cursor blinks
    {.number = 25, .on = true},               // the cursor shows
    {.number = 66},                           // keypad
    {.number = 69},                           // left and right margins; their reset frees both
    {.number = 1000},                         // mouse: presses and releases
    {.number = 1002},                         // mouse: and drags
    {.number = 1003},                         // mouse: and all movement
    {.number = 1004},                         // reports of focus
    {.number = 1005},                         // mouse: coordinates in UTF-8,
    {.number = 1006},                         // in decimal,
    {.number = 1015},                         // in urxvt's form,
    {.number = 1016},                         // in pixels
    {.number = 1034, .on = true},             // Alt sets the eighth bit: readline's start
    {.number = 2004},                         // bracketed paste
    {.number = 2026},                         // hold the screen until it is drawn
    {.number = 2031},                         // reports of dark and light
    {.number = 2048},                         // reports of the window's size
};
// Known modes that are not allowed; all unknown modes are not allowed, either:
//   2 another parser (VT52)     3, 40 the window's width     18, 19 printing        38 another window and parser (Tek)
//   42 may disable UTF-8        46 a log file                1001 xterm waits for the program with the mouse
//   1007, 1036, 1039, 2027 have different defaults in terminals: restore() could not reset them
//   1041, 1044, 5522 the clipboard                           1042, 1043 window alerts, raising the window
// Also CSI ? s and CSI ? r, which restore modes that were set before.

constexpr int kSavedCursor = 1048;  // not a mode: set saves the cursor, reset restores it

const Mode* mode_of(int number) {
  const auto* found =
      std::find_if(std::begin(kModes), std::end(kModes), [&](const Mode& m) { return m.number == number; });
  return found == std::end(kModes) ? nullptr : found;
}

bool is_alternate_screen(int mode) { return mode == 47 || mode == 1047 || mode == 1049; }

// 4 insert, 20 newline. Not allowed: 2 locks the keyboard, 3 shows control characters, 12 local echo.
bool is_ansi_mode(int number) { return number == 4 || number == 20; }

bool is_between(char c, char first, char last) { return c >= first && c <= last; }

// Returns nothing when a number is too large.
std::optional<std::vector<int>> read_numbers(std::string_view text, bool& colons) {
  std::vector<int> numbers;
  if (text.empty()) return numbers;
  int number = -1;
  bool part = false;
  for (const char c : text) {
    if (is_between(c, '0', '9')) {
      number = std::max(number, 0) * 10 + (c - '0');
      if (number > kMaxNumber) return std::nullopt;
      continue;
    }
    if (!part) numbers.push_back(number);
    part = c == ':';
    colons = colons || part;
    number = -1;
  }
  if (!part) numbers.push_back(number);
  return numbers;
}

std::optional<Csi> read_csi(std::string_view sequence) {
  Csi csi;
  std::size_t at = 2;
  if (is_between(sequence[at], '<', '?')) csi.kind = sequence[at++];
  const std::size_t numbers_at = at;
  while (is_between(sequence[at], '0', ';')) ++at;
  auto numbers = read_numbers(sequence.substr(numbers_at, at - numbers_at), csi.colons);
  if (!numbers) return std::nullopt;
  csi.numbers = std::move(*numbers);
  while (is_between(sequence[at], ' ', '/')) csi.kind += sequence[at++];
  if (at + 1 != sequence.size()) return std::nullopt;  // a digit after an intermediate, or a second prefix
  csi.kind += sequence[at];
  if (csi.colons && csi.kind != "m") return std::nullopt;
  return csi;
}

// 11 and 12 disable UTF-8 on the Linux console, where each byte 0x9B, such as the second byte of U+00DB, is then a CSI.
// Numbers of a colour are skipped only after 38 and 48, as on that console: it does not support 58 (underline colour).
bool chooses_font(const Csi& csi) {
  if (csi.colons) return false;  // the Linux console ignores sequences with colons
  const auto& numbers = csi.numbers;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t behind = numbers.size() - i - 1;
    if (numbers[i] == 11 || numbers[i] == 12) return true;
    if (numbers[i] != 38 && numbers[i] != 48) continue;
    if (csi.number(i + 1, 0) == 5 && behind >= 2)
      i += 2;
    else if (csi.number(i + 1, 0) == 2 && behind >= 4)
      i += 4;
  }
  return false;
}

std::string modes_text(std::string_view prefix, const std::vector<int>& modes, char final) {
  std::string text;
  for (const int mode : modes) text += (text.empty() ? "" : ";") + std::to_string(mode);
  return text.empty() ? text : std::string(prefix) + text + final;
}

std::string mode_text(std::string_view prefix, int mode, bool set) {
  return modes_text(prefix, {mode}, set ? 'h' : 'l');
}

}  // namespace

// Not allowed, with their effect: % another character set, in which bytes 0x80-0x9F are controls; SP F and SP G
// eight-bit answers, SP L to N another level; # lines of double size, which persist; $ sets with two-byte characters; n
// o | } ~ shifts that SI does not end; N O Z obsolete; l m lock lines; < another parser; 6 9 # 8 not needed.
std::string ScreenChanges::escape(std::string_view sequence) {
  const char last = sequence.back();
  if (sequence.size() == 3 && std::string_view("()*+-./").find(sequence[1]) != std::string_view::npos) {
    if (!is_between(last, '0', '9') && !is_between(last, 'A', 'Z')) return "";
    charset_ = true;
    return std::string(sequence);
  }
  if (sequence.size() != 2 || std::string_view("78=>DEHMc").find(last) == std::string_view::npos) return "";
  if (last == 'c') *this = {};
  if (last == '=' || last == '>') keypad_ = last == '=';
  if (last == 'H') tabs_ = true;
  return std::string(sequence);
}

std::string ScreenChanges::csi(std::string_view sequence) {
  const auto csi = read_csi(sequence);
  if (!csi) return "";
  if (csi->kind == "?h" || csi->kind == "?l") return private_modes(*csi, csi->kind == "?h");
  if (csi->kind == "h" || csi->kind == "l") return ansi_modes(*csi, csi->kind == "h");
  if (csi->kind == ">u" || csi->kind == "<u" || csi->kind == "=u") return keys(sequence, *csi);
  return passes(*csi) ? std::string(sequence) : "";
}

// Not allowed, with their effect:
//   t (all forms) moves and sizes windows, reports their titles, and saves titles (22)
//   i prints    *y #y checksums: reveal the content of the screen    J 3 erases the scrollback: `clear` always sends it
//   n except 5, 6, ?6, ?996: answers of old terminals, the display's name (rxvt 7)    x $u $w &u unneeded answers
//   T with five numbers: mouse tracking for which xterm waits    "p another level of the parser    y a self-test
//   q #q the keyboard's LEDs; pushed colours    >s disables the user's Shift with the mouse    >p hides the pointer
//   $| *| the window's size    ] colours, sleep and the front console of the Linux console    >T >t titles
//   'z '{ '| another mouse, >n >f other keys, "q protected text, ?W: restore() could not undo them; not needed
//   $v $r ${ +p and the rest: not needed
bool ScreenChanges::passes(const Csi& csi) {
  const std::string_view kind = csi.kind;
  const std::size_t count = csi.numbers.size();
  const int first = csi.number(0, 0);
  if (std::find(std::begin(kDraws), std::end(kDraws), kind) != std::end(kDraws)) return true;
  if (kind == "J" || kind == "?J") return count <= 1 && first <= 2;
  if (kind == "S" || kind == "T") return count <= 1;
  if (kind == "s") return count == 0 || count == 2;  // with two numbers: the margins of mode 69
  if (kind == "u" || kind == "?u") return count == 0;
  if (kind == "n") return count == 1 && (first == 5 || first == 6);
  if (kind == "?n") return count == 1 && (first == 6 || first == 996);
  if (kind == "c" || kind == ">c" || kind == "=c" || kind == ">q") return count <= 1 && first == 0;
  if (kind == "$p" || kind == "?$p") return count == 1;  // queries a mode
  if (kind == "?m") return count == 1 && first == 4;     // queries how keys with modifiers are sent
  return passes_and_stays(csi);
}

bool ScreenChanges::passes_and_stays(const Csi& csi) {
  const std::string_view kind = csi.kind;
  const std::size_t count = csi.numbers.size();
  const int first = csi.number(0, 0);
  if (kind == "m") {
    if (chooses_font(csi)) return false;
    style_ = true;
    return true;
  }
  if (kind == ">m" && first == 4 && count <= 2) {  // how keys with modifiers are sent
    other_keys_ = csi.number(1, -1) >= 0;
    style_ = true;  // terminals that ignore the `>` underline
    return true;
  }
  if (kind == "r" && count <= 2) {
    region_ = region_ || first > 0 || csi.number(1, 0) > 0;
    return true;
  }
  if (kind == "g" && count <= 1 && (first == 0 || first == 3)) {
    tabs_ = true;
    return true;
  }
  if (kind == " q" && count <= 1 && first <= 6) {
    cursor_shape_ = first != 0;
    return true;
  }
  if (kind == "?c" && count <= 3) {  // the Linux console's cursor
    console_cursor_ = first != 0 || count > 1;
    return true;
  }
  // Soft reset. Afterwards DEC's terminals do not wrap; all else has its default.
  if (kind == "!p" && count == 0) {
    modes_.insert(7);
    return true;
  }
  return false;
}

std::string ScreenChanges::private_modes(const Csi& csi, bool set) {
  std::string before;
  std::vector<int> passed;
  for (const int number : csi.numbers) {
    const Mode* mode = mode_of(number);
    if (mode == nullptr && !is_alternate_screen(number) && number != kSavedCursor) continue;
    passed.push_back(number);
    if (is_alternate_screen(number)) {
      if (set && alternate_ == 0) alternate_ = number;
      if (set || alternate_ == 0) continue;
      before += alternate_keys_.undo();  // otherwise they would apply to the next program on that screen
      alternate_keys_ = {};
      alternate_ = 0;
    } else if (mode != nullptr) {
      if (set != mode->on)
        modes_.insert(number);
      else if (!mode->kept)
        modes_.erase(number);
    }
  }
  return before + modes_text("\033[?", passed, set ? 'h' : 'l');
}

std::string ScreenChanges::ansi_modes(const Csi& csi, bool set) {
  std::vector<int> passed;
  for (const int number : csi.numbers) {
    if (!is_ansi_mode(number)) continue;
    passed.push_back(number);
    if (set)
      ansi_modes_.insert(number);
    else
      ansi_modes_.erase(number);
  }
  return modes_text("\033[", passed, set ? 'h' : 'l');
}

// The kitty keyboard protocol. Pushes are counted, and no more entries can be popped: entries below them belong
// to other programs.
std::string ScreenChanges::keys(std::string_view sequence, const Csi& csi) {
  Keys& keys = alternate_ != 0 ? alternate_keys_ : main_keys_;
  if (csi.kind == "<u") {
    const int count = std::min(std::max(csi.number(0, 1), 1), keys.pushed);
    if (count == 0 || csi.numbers.size() > 1) return "";
    keys.pushed -= count;
    return "\033[<" + std::to_string(count) + "u";
  }
  if (csi.kind == ">u") {
    if (keys.pushed == kMaxPushed || csi.numbers.size() > 1) return "";
    ++keys.pushed;
    return std::string(sequence);
  }
  if (csi.numbers.size() > 2) return "";
  if (keys.pushed == 0) keys.set = csi.number(0, 0) != 0 || csi.number(1, 1) != 1;
  return std::string(sequence);
}

std::string ScreenChanges::Keys::undo() const {
  std::string text;
  if (pushed > 0) text += "\033[<" + std::to_string(pushed) + "u";
  if (set) text += "\033[=0u";
  return text;
}

std::string ScreenChanges::restore() const {
  std::string text;
  if (alternate_ != 0) {
    text += alternate_keys_.undo();  // before the switch: each screen has its own stack
    text += mode_text("\033[?", alternate_, false);
  }
  text += main_keys_.undo();
  // After leaving the alternate screen, which restores state that was saved with the cursor.
  text += restore_modes();
  if (keypad_) text += "\033>";
  if (charset_) text += "\033(B\x0f";
  if (other_keys_) text += "\033[>4m";
  if (style_) text += "\033[0m";
  if (cursor_shape_) text += "\033[0 q";
  if (console_cursor_) text += "\033[?0c";
  return text + restore_margins_and_tabs();
}

std::string ScreenChanges::restore_modes() const {
  std::string text;
  for (const int number : modes_) {
    text += mode_text("\033[?", number, mode_of(number)->on);
    if (number == 6) text += "\033[9999;1H";
  }
  for (const int number : ansi_modes_) text += mode_text("\033[", number, false);
  return text;
}

// Must be last: ESC 8 restores attributes and character sets with the cursor; by now these are the defaults.
std::string ScreenChanges::restore_margins_and_tabs() const {
  if (!region_ && !tabs_) return "";
  std::string text = "\0337";
  if (region_) text += "\033[r";
  if (tabs_) {
    text += "\r\033[3g";
    for (int stop = 0; stop < 64; ++stop) text += "\033[8C\033H";  // 64: 512 columns
  }
  return text + "\0338";
}

}  // namespace band::client
