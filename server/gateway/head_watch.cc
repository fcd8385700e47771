#include "server/gateway/head_watch.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "server/gateway/recognise.h"

namespace band::gateway {
namespace {

constexpr unsigned kCr = 1, kLf = 2, kColon = 4, kSeparator = 8;

constexpr std::array<std::uint8_t, 256> kKinds = [] {
  std::array<std::uint8_t, 256> kinds{};
  for (unsigned byte = 0; byte < kinds.size(); ++byte)
    kinds[byte] =
        static_cast<std::uint8_t>((byte == '\r' ? kCr : 0) | (byte == '\n' ? kLf : 0) | (byte == ':' ? kColon : 0) |
                                  (parts_words(static_cast<unsigned char>(byte)) ? kSeparator : 0));
  return kinds;
}();

// Returns the length of a beginning of `bytes` without bytes of these kinds; a longer one may exist. The inner loop has
// a fixed length and no branches, and compares signed bytes, so that the compiler uses few vector instructions (SSE2).
std::size_t plain(std::string_view bytes) {
  constexpr std::size_t kBlock = 64;
  const auto* next = reinterpret_cast<const signed char*>(bytes.data());
  std::size_t at = 0;
  for (; at + kBlock <= bytes.size(); at += kBlock) {
    signed char found = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      found |= static_cast<signed char>((next[at + i] <= ' ') | (next[at + i] == ':'));
    if (found != 0) break;
  }
  return at;
}

static_assert([] {  // plain() stops at all kinds
  for (unsigned byte = 0; byte < kKinds.size(); ++byte)
    if (kKinds[byte] != 0 && static_cast<signed char>(byte) > ' ' && byte != ':') return false;
  return true;
}());

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
  const bool version_possible = first_ && !bare_lf_ && !version_;
  if (length_ == 0 || cr_ || (version_possible && matched_ > 0)) return 0;
  unsigned effective = kCr;
  if (version_ || (first_ && !bare_lf_)) effective |= kLf;
  if (!colon_ && !words_) effective |= kColon;
  if (first_ && (version_possible || !words_)) effective |= kSeparator;
  if (effective == kCr) return std::min(next.find('\r'), next.size());
  std::size_t at = plain(next);
  for (; at < next.size(); ++at) {
    const unsigned found = kKinds[static_cast<unsigned char>(next[at])] & effective;
    if (found == 0) continue;
    // A separator that is not the first one has an effect only before `HTTP/`.
    if (found != kSeparator || !words_ || at + 1 == next.size() || (next[at + 1] | 0x20) == 'h') break;
  }
  return at;
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
