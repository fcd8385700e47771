#include "server/gateway/head_watch.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

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

// The bytes with a kind: 9 to 13, 0x1c to 0x20, and three more. For one byte as an unsigned number, and for each byte
// of a block.
template <class Bytes>
constexpr auto have_kind(Bytes bytes) {
  return (bytes - 9 <= 4) | (bytes - 0x1c <= 4) | (bytes == ':') | (bytes == 0x85) | (bytes == 0xa0);
}

static_assert([] {
  for (unsigned byte = 0; byte < kKinds.size(); ++byte)
    if ((kKinds[byte] != 0) != (have_kind(byte) != 0)) return false;
  return true;
}());

// A block that the compiler computes with vector instructions (GCC, "Using Vector Instructions through Built-in
// Functions").
using Block [[gnu::vector_size(16)]] = unsigned char;
constexpr std::size_t kBlock = sizeof(Block);

bool has_kind(std::string_view block) {
  Block bytes;
  std::memcpy(&bytes, block.data(), kBlock);
  const auto found = have_kind(bytes);
  std::uint64_t halves[2];
  std::memcpy(halves, &found, kBlock);
  return (halves[0] | halves[1]) != 0;
}

// Returns the number of bytes in the blocks at the beginning of `bytes` in which no byte has a kind.
std::size_t plain(std::string_view bytes) {
  std::size_t at = 0;
  while (at + kBlock <= bytes.size() && !has_kind(bytes.substr(at, kBlock))) at += kBlock;
  return at;
}

}  // namespace

std::size_t HeadWatch::feed(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    take(static_cast<unsigned char>(bytes[at]));
    if (state_ == State::Found) return at;
    if (state_ == State::Different) break;
    const std::size_t run = without_effect(bytes.substr(at + 1));
    if (run == 0) continue;
    length_ += run;
    matched_ = 0;
    at += run;
  }
  return bytes.size();
}

// Returns how many of the next bytes have no effect on the result. A script can send gigabytes here, and reading each
// byte takes longer than copying it.
std::size_t HeadWatch::without_effect(std::string_view next) const {
  const bool version_possible = first_ && !bare_lf_ && !version_;
  if (length_ == 0 || cr_ || (version_possible && matched_ > 1)) return 0;
  // A separator that is not the first one has an effect only before `HTTP/`.
  const auto before_version = [&](std::size_t at) { return at >= next.size() || (next[at] | 0x20) == 'h'; };
  if (version_possible && matched_ == 1 && before_version(0)) return 0;
  unsigned effective = kCr;
  if (first_ && !bare_lf_) effective |= kLf;
  if (first_ && (version_possible || !words_)) effective |= kSeparator;
  if (!first_ && !colon_ && !words_) effective |= kColon;
  if (effective == kCr) return std::min(next.find('\r'), next.size());
  std::size_t at = 0;
  while (at < next.size()) {
    at += plain(next.substr(at));
    for (const std::size_t end = std::min(at + kBlock, next.size()); at < end; ++at) {
      const unsigned found = kKinds[static_cast<unsigned char>(next[at])] & effective;
      if (found != 0 && (found != kSeparator || !words_ || before_version(at + 1))) return at;
    }
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
