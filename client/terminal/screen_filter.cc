#include "client/terminal/screen_filter.h"

#include <utility>

#include "schemas/core/utf8.h"

namespace band::client {
namespace {

constexpr char32_t kEsc = 0x1B, kBel = 0x07, kCan = 0x18, kSub = 0x1A, kDel = 0x7F, kSt = 0x9C;
constexpr char32_t kReplacement = 0xFFFD;
constexpr std::string_view kReplacementText = "\xEF\xBF\xBD";
constexpr std::size_t kMaxSequence = 64;  // bytes; one SGR with all attributes and two RGB colours has 54

bool is_printable_ascii(char c) { return c >= 0x20 && c < 0x7F; }

// Returns the length of the UTF-8 character that begins with `lead`; 0 if no character does.
std::size_t length_of(unsigned char lead) {
  if ((lead & 0xE0) == 0xC0) return 2;
  if ((lead & 0xF0) == 0xE0) return 3;
  if ((lead & 0xF8) == 0xF0) return 4;
  return 0;
}

// BEL BS HT LF VT FF CR SO SI. Excluded: ENQ makes terminals send their answerback; CAN starts ZMODEM, which some
// terminals treat as a download (Konsole); SUB begins commands of Emacs' old terminal; DC1 and DC3 stop a line; NUL
// ends strings of some terminals (Terminology) and draws nothing.
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
  // Sequences are ASCII: a byte above 0x7F ends one in any case, so the sequence need not be buffered with it.
  if (byte >= 0x80 && !in_string()) begin(State::Ground);
  if (length_of(byte) > 0)
    character_ = static_cast<char>(byte);
  else if (byte < 0xA0)  // 0x80-0x9F: not part of a character, so a raw C1 control character with the same number
    take(byte, std::string_view(reinterpret_cast<const char*>(&byte), 1), out);
  else
    take(kReplacement, kReplacementText, out);
}

// `text`: the character in UTF-8.
void ScreenFilter::take(char32_t c, std::string_view text, std::string& out) {
  if (c == kEsc) return begin(State::Escape, "\033");  // also ends a string: ESC \ is ST, else a new sequence
  if (c == kCan || c == kSub) return begin(State::Ground);
  if (state_ == State::Osc) return take_in_osc(c);
  if (state_ == State::String) {
    // BEL does not end the string here. xterm continues to parse, and for a DCS of tmux that contains an OSC with BEL,
    // the rest would be shown. For terminals that behave otherwise neither choice is dangerous: they never received the
    // start of the string, and everything after its end is filtered, too.
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

// Terminals execute a control character within a sequence immediately and continue to parse. It is therefore written
// before the sequence.
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

// On the Linux console ESC ] R and ESC ] P with seven digits set colours and have no terminator. Waiting for one would
// hide the output of every program after a `reset` there. No OSC begins with these letters.
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
  if (c < 0x30) {  // an intermediate; sequences with two of them do not pass, so a third is not stored
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
