// Two functions that interpret what is written to a terminal. They are written independently of ScreenFilter and used
// by its tests and its fuzz target. One checks that the text has no effect beyond the screen; the other determines the
// state in which the text leaves the terminal.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/utf8.h"

namespace band::screen_output {

inline bool one_of(char c, std::string_view set) { return set.find(c) != std::string_view::npos; }

// Returns the escape sequence at the start of `text`, up to its final byte, or "" if its form is not allowed.
inline std::string_view sequence_of(std::string_view text) {
  if (text.size() < 2) return {};
  if (one_of(text[1], "78=>DEHMc")) return text.substr(0, 2);
  if (one_of(text[1], "()*+-./"))
    return text.size() > 2 && one_of(text[2], "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") ? text.substr(0, 3) : "";
  if (text[1] != '[') return {};
  std::size_t at = 2;
  while (at < text.size() && text[at] >= 0x30 && text[at] < 0x40) ++at;
  while (at < text.size() && text[at] >= 0x20 && text[at] < 0x30) ++at;
  return at < text.size() && at < 64 && text[at] >= 0x40 && text[at] < 0x7F ? text.substr(0, at + 1) : "";
}

inline std::vector<int> numbers_of(std::string_view csi) {
  std::vector<int> numbers{0};
  for (const char c : csi.substr(2)) {
    if (c == ';') numbers.push_back(0);
    if (c >= '0' && c <= '9') numbers.back() = numbers.back() * 10 + (c - '0');
  }
  return numbers;
}

inline bool csi_keeps_to_screen(std::string_view csi) {
  const char last = csi.back(), before = csi[csi.size() - 2], prefix = csi[2];
  if (csi.find_first_of("\"#%&'*+,)(-/") != std::string_view::npos) return false;  // intermediates
  if (!one_of(last, "@ABCDEFGHIJKLMPSTXZ`abcdefghlmnrsu") && !one_of(last, "pqxz")) return false;
  if (last == 'p' && before != '$' && before != '!') return false;
  if (last == 'q' && before != ' ' && prefix != '>') return false;
  if ((last == 'x' || last == 'z') && before != '$') return false;
  const auto numbers = numbers_of(csi);
  const auto any_of = [&](std::initializer_list<int> bad) {
    return std::find_first_of(numbers.begin(), numbers.end(), bad.begin(), bad.end()) != numbers.end();
  };
  if (last == 'J' && any_of({3, 22})) return false;
  if (prefix == '?' && one_of(last, "hl") && any_of({2, 3, 18, 19, 38, 40, 42, 46, 1001, 1041, 1043, 5522}))
    return false;
  if (prefix != '?' && one_of(last, "hl") && any_of({2, 3, 12})) return false;
  return !(prefix == '?' && one_of(last, "rsS"));
}

// Returns the part of `out` that has an effect beyond the screen, as far as this code detects it; empty: none.
inline std::string fault(std::string_view out) {
  if (!is_valid_utf8(out)) return "broken UTF-8";
  for (std::size_t at = 0; at < out.size();) {
    const auto c = static_cast<unsigned char>(out[at]);
    if (c == 0x1B) {
      const std::string_view sequence = sequence_of(out.substr(at));
      if (sequence.empty()) return "a bad sequence: " + std::string(out.substr(at + 1, 20));
      if (sequence[1] == '[' && !csi_keeps_to_screen(sequence)) return "CSI: " + std::string(sequence.substr(1));
      at += sequence.size();
      continue;
    }
    if ((c < 0x20 && (c < 7 || c > 15)) || c == 0x7F) return "a control character";
    if (c == 0xC2 && static_cast<unsigned char>(out[at + 1]) < 0xA0) return "a C1 control character";
    ++at;
  }
  return "";
}

// The state of a terminal that restore() must reset.
class Terminal {
 public:
  void write(std::string_view out) {
    for (std::size_t at = 0; at < out.size(); ++at) {
      if (out[at] == 0x0E) now_.shifted = true;
      if (out[at] == 0x0F) now_.shifted = false;
      if (out[at] != 0x1B) continue;
      const std::string_view sequence = sequence_of(out.substr(at));
      if (sequence.empty()) return;
      at += sequence.size() - 1;
      if (sequence[1] == '[')
        csi(sequence);
      else
        escape(sequence);
    }
  }
  // Returns the differences from a newly started terminal.
  std::string unusual() const {
    const Terminal fresh;
    std::vector<int> modes;
    std::set_symmetric_difference(modes_.begin(), modes_.end(), fresh.modes_.begin(), fresh.modes_.end(),
                                  std::back_inserter(modes));
    std::string text;
    for (const int mode : modes) text += " ?" + std::to_string(mode);
    if (alternate_) text += " alternate";
    if (now_.origin) text += " origin";
    if (!now_.wrap) text += " no wrap";
    if (now_.shifted || now_.charset != 'B') text += " charset";
    if (now_.style) text += " style";
    if (insert_ || newline_) text += " 4 or 20";
    if (keypad_) text += " keypad";
    if (region_) text += " region";
    if (tabs_) text += " tabs";
    if (shape_) text += " shape";
    if (other_keys_) text += " other keys";
    for (const bool screen : {false, true})
      if (pushed_[screen] != 0 || flags_[screen]) text += " kitty keys";
    return text;
  }

 private:
  struct Saved {
    bool origin = false, wrap = true, shifted = false, style = false;
    char charset = 'B';
  };

  void escape(std::string_view sequence) {
    const char c = sequence[1];
    if (c == 'c') *this = {};
    if (c == '7') saved_[alternate_] = now_;
    if (c == '8') now_ = saved_[alternate_];
    if (c == '=' || c == '>') keypad_ = c == '=';
    if (c == '(') now_.charset = sequence[2];
    if (c == 'H' && ++stops_ >= 64) tabs_ = false;
    if (c == 'H' && stops_ < 64) tabs_ = true;
  }

  void csi(std::string_view sequence) {
    const char last = sequence.back(), prefix = sequence[2];
    const auto numbers = numbers_of(sequence);
    const bool set = last == 'h', alone = sequence.size() == 3;
    if (prefix == '?' && one_of(last, "hl"))
      for (const int number : numbers) mode(number, set);
    if (prefix != '?' && one_of(last, "hl"))
      for (const int number : numbers) (number == 4 ? insert_ : newline_) = set;
    if (last == 'm' && prefix == '>') other_keys_ = sequence[sequence.size() - 2] != ';' && numbers.size() > 1;
    if (last == 'm' && (prefix < '<' || prefix == 'm')) now_.style = numbers != std::vector<int>{0};
    if (last == 'r' && prefix != '?') region_ = std::count(numbers.begin(), numbers.end(), 0) < std::ssize(numbers);
    if (last == 'g') tabs_ = true, stops_ = 0;
    if (last == 'q' && prefix != '>') shape_ = numbers[0] != 0;
    if (last == 'u' && prefix == '>') ++pushed_[alternate_];
    if (last == 'u' && prefix == '<') pushed_[alternate_] -= numbers[0];
    if (last == 'u' && prefix == '=' && pushed_[alternate_] == 0) flags_[alternate_] = numbers[0] != 0;
    if (last == 's' && alone) saved_[alternate_] = now_;
    if (last == 'u' && alone) now_ = saved_[alternate_];
  }

  void mode(int number, bool set) {
    if (number == 6) {
      now_.origin = set;
    } else if (number == 7) {
      now_.wrap = set;
    } else if (number == 1048) {
      (set ? saved_[alternate_] : now_) = set ? now_ : saved_[alternate_];
    } else if (number == 47 || number == 1047 || number == 1049) {
      if (number == 1049 && set) saved_[alternate_] = now_;
      alternate_ = set;
      if (number == 1049 && !set) now_ = saved_[alternate_];
    } else if (set) {
      modes_.insert(number);
    } else {
      modes_.erase(number);
    }
  }

  std::set<int> modes_{8, 25, 1034};
  Saved now_, saved_[2];
  bool alternate_ = false, insert_ = false, newline_ = false, keypad_ = false, region_ = false, tabs_ = false;
  bool shape_ = false, other_keys_ = false, flags_[2] = {false, false};
  int pushed_[2] = {0, 0}, stops_ = 0;
};

}  // namespace band::screen_output
