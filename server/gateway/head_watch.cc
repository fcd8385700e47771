#include "server/gateway/head_watch.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "server/gateway/recognise.h"

namespace band::gateway {
namespace {

constexpr unsigned kLineEnd = 1, kColon = 2, kSeparator = 4;

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (unsigned byte = 0; byte < kinds.size(); ++byte)
    kinds[byte] = static_cast<std::uint8_t>((byte == '\r' || byte == '\n' ? kLineEnd : 0) | (byte == ':' ? kColon : 0) |
                                            (parts_words(static_cast<unsigned char>(byte)) ? kSeparator : 0));
  return kinds;
}();

}  // namespace

std::size_t HeadWatch::feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    take(static_cast<unsigned char>(bytes[at]));
    if (state_ == State::Found) return at;
    if (state_ == State::Different) break;
    const std::size_t run = without_effect(bytes.substr(at + 1));
    length_ += run;
    at += run;
  }
  return bytes.size();
}

// Returns how many of the next bytes change only the length of the line. A script can send gigabytes here, and
// reading each byte takes longer than copying it.
std::size_t HeadWatch::without_effect(std::string_view next) const {
  if (length_ == 0 || cr_ || (first_ && matched_ > 1)) return 0;
  const unsigned effective = kLineEnd | (colon_ ? 0u : kColon) | (first_ ? kSeparator : 0u);
  const unsigned inverted = first_ && matched_ == 1 ? kSeparator : 0u;  // after a separator, the next one has no effect
  const auto has_effect = [=](unsigned char byte) { return ((kKinds[byte] ^ inverted) & effective) != 0; };
  return static_cast<std::size_t>(std::find_if(next.begin(), next.end(), has_effect) - next.begin());
}

void HeadWatch::take(unsigned char byte) {
  if (!began_ && (byte == '\r' || byte == '\n')) return;  // servers skip empty lines before a request
  began_ = true;
  if (byte == '\n' && (version_ || cr_)) return end_line();
  if (cr_) add('\r');
  cr_ = byte == '\r';
  if (!cr_) add(byte);
}

// Adds a byte to the current line.
void HeadWatch::add(unsigned char byte) {
  if (length_++ == 0) folded_ = parts_words(byte);
  colon_ = colon_ || byte == ':';
  if (!first_) return;
  words_ = words_ || parts_words(byte);
  if (byte == '\n') bare_lf_ = true;
  constexpr std::string_view kVersion = "http/";
  const bool digit = byte >= '0' && byte <= '9';
  version_ = version_ || (!bare_lf_ && digit && matched_ == kVersion.size() + 1);
  if (matched_ > 0 && matched_ <= kVersion.size() && (byte | 0x20) == (kVersion[matched_ - 1] | 0x20))
    ++matched_;
  else
    matched_ = parts_words(byte) ? 1 : 0;
}

void HeadWatch::end_line() {
  // Only waitress reads a first line without separators as a request, and it accepts no header without a colon.
  const bool header = words_ || colon_ || folded_;
  if (version_ || (!first_ && length_ == 0))
    state_ = State::Found;
  else if (!first_ && !header)
    state_ = State::Different;
  first_ = colon_ = folded_ = cr_ = false;
  length_ = 0;
}

}  // namespace band::gateway
