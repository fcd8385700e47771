#include "client/terminal/screen_filter.h"

#include <utility>

#include "schemas/core/utf8.h"

namespace band::client {
namespace {

constexpr char32_t kEsc = 0x1B, kBel = 0x07, kCan = 0x18, kSub = 0x1A, kDel = 0x7F, kSt = 0x9C;
constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";
constexpr std::size_t kMaxSequence = 64;  // bytes; all attributes and two RGB colours in one SGR are 54

bool is_printable_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// Bytes of the UTF-8 character that begins with `lead`; 0 when none does.
std::size_t length_of(unsigned char lead) {
  if ((lead & 0xE0) == 0xC0) return 2;
  if ((lead & 0xF0) == 0xE0) return 3;
  if ((lead & 0xF8) == 0xF0) return 4;
  return 0;
}

// BEL BS HT LF VT FF CR SO SI. Of those that are left out: ENQ makes terminals send their answerback; CAN is how ZMODEM
// begins, which some terminals take for the start of a download (Konsole); SUB begins commands of Emacs' old terminal;
// DC1 and DC3 stop a line; NUL ends strings of terminals with odd ones (Terminology) and draws nothing.
bool is_allowed_control(char32_t c) { return c >= 0x07 && c <= 0x0F; }

}  // namespace

std::string ScreenFilter::feed(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t text = 0;
    if (state_ == State::Ground && character_.empty())
      while (text < bytes.size() && is_printable_ascii(bytes[text])) ++text;
    out += bytes.substr(0, text);
    bytes.remove_prefix(text);
    if (bytes.empty()) break;
    take_byte(static_cast<unsigned char>(bytes.front()), out);
    bytes.remove_prefix(1);
  }
  return out;
}

void ScreenFilter::take_byte(unsigned char byte, std::string& out) {
  if (!character_.empty()) {
    const bool continues = (byte & 0xC0) == 0x80;
    if (continues) {
      character_ += static_cast<char>(byte);
      if (character_.size() < length_of(static_cast<unsigned char>(character_[0]))) return;
    }
    const std::string whole = std::exchange(character_, {});
    const Utf8Char read = utf8_at(whole, 0);
    take(read.valid ? read.code : kReplacement, read.valid ? std::string_view(whole) : kReplacementText, out);
    if (continues) return;
  }
  // Sequences are ASCII: whatever this byte turns out to be ends one, and need not be held together with it.
  if (byte >= 0x80 && !in_string()) begin(State::Ground);
  if (length_of(byte) > 0)
    character_ = static_cast<char>(byte);
  else if (byte < 0xA0)  // 0x80-0x9F: no part of a character, so a raw C1 control character, of the same number
    take(byte, std::string_view(reinterpret_cast<const char*>(&byte), 1), out);
  else
    take(kReplacement, kReplacementText, out);
}

// `text` is the character in UTF-8.
void ScreenFilter::take(char32_t c, std::string_view text, std::string& out) {
  if (c == kEsc) return begin(State::Escape, "\033");  // ends a string, too: with `\` behind it is ST, else a sequence
  if (c == kCan || c == kSub) return begin(State::Ground);
  if (state_ == State::Osc) return take_in_osc(c);
  if (state_ == State::String) {
    // BEL is no end here: xterm reads on, and what tmux passes through (an OSC that ends with BEL, inside a DCS) would
    // show its rest. Neither choice is a danger for a terminal that sees it otherwise: it never got the string's begin,
    // so it is in no string, and what comes behind the end goes through this filter as everything does.
    if (c == kSt) begin(State::Ground);
    return;
  }
  if (c < 0x20 || c == kDel) return take_control(c, out);
  if (c >= 0x80 && c < 0xA0) return take_c1(c);
  switch (state_) {
    case State::Escape:
      return take_in_escape(static_cast<char>(c), out);
    case State::Csi:
      return take_in_csi(static_cast<char>(c), out);
    case State::Skip:
      if (c >= 0x40) begin(State::Ground);
      return;
    case State::Palette:
      return take_in_palette(static_cast<char>(c), out);
    default:
      out += text;
  }
}

// Terminals obey a control character in the middle of a sequence at once, and read on; so it comes out before it.
void ScreenFilter::take_control(char32_t c, std::string& out) {
  if (state_ == State::Palette) begin(State::Ground);
  if (!is_allowed_control(c)) return;
  if (c == 0x0E) changes_.shift_out();
  out += static_cast<char>(c);
}

void ScreenFilter::take_c1(char32_t c) {
  switch (c) {
    case 0x9B:
      return begin(State::Skip);
    case 0x9D:
      return begin(State::Osc);
    case 0x90:
    case 0x98:
    case 0x9E:
    case 0x9F:
      return begin(State::String);
    default:
      begin(State::Ground);
  }
}

// ESC ] R and ESC ] P with seven digits are how the Linux console sets its colours, without an end: to wait for one
// would hide the output of every program after a `reset` there. No OSC begins so.
void ScreenFilter::take_in_osc(char32_t c) {
  const bool first = string_bytes_ == 0;
  string_bytes_ = 1;
  if (c == kBel || c == kSt || (first && c == 'R')) return begin(State::Ground);
  if (first && c == 'P') {
    begin(State::Palette);
    string_bytes_ = 7;
  }
}

void ScreenFilter::take_in_palette(char c, std::string& out) {
  if (std::string_view("0123456789abcdefABCDEF").find(c) == std::string_view::npos) {
    out += c;
    string_bytes_ = 1;
  }
  if (--string_bytes_ == 0) begin(State::Ground);
}

void ScreenFilter::take_in_escape(char c, std::string& out) {
  const bool bare = sequence_.size() == 1;
  if (c < 0x30) {  // an intermediate; with two of them nothing passes, so a third need not be remembered
    if (sequence_.size() < 3) sequence_ += c;
    return;
  }
  if (bare && c == '[') return begin(State::Csi, "\033[");
  if (bare && c == ']') return begin(State::Osc);
  if (bare && std::string_view("PX^_k").find(c) != std::string_view::npos) return begin(State::String);
  out += changes_.escape(sequence_ + c);
  begin(State::Ground);
}

void ScreenFilter::take_in_csi(char c, std::string& out) {
  const bool final = c >= 0x40;
  if (sequence_.size() == kMaxSequence) return begin(final ? State::Ground : State::Skip);
  sequence_ += c;
  if (!final) return;
  out += changes_.csi(sequence_);
  begin(State::Ground);
}

void ScreenFilter::begin(State state, std::string_view sequence) {
  state_ = state;
  sequence_ = sequence;
  string_bytes_ = 0;
}

}  // namespace band::client
