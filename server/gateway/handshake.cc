#include "server/gateway/handshake.h"

#include <algorithm>
#include <utility>

namespace band::gateway {
namespace {

// RFC 8446, 5.1: type, version, length.
constexpr std::size_t kRecordHead = 5;
constexpr char kChangeCipherSpec = 20, kAlert = 21, kHandshake = 22, kApplicationData = 23;

// RFC 8446, 4: type, length in three bytes; then a ServerHello's version and random.
constexpr std::size_t kMessageHead = 4, kUpToRandom = kMessageHead + 2, kRandom = 32;
constexpr char kServerHello = 2;
// SHA-256 of "HelloRetryRequest" (RFC 8446, 4.1.3)
constexpr std::string_view kRetry(
    "\xCF\x21\xAD\x74\xE5\x9A\x61\x11\xBE\x1D\x8C\x02\x1E\x65\xB8\x91"
    "\xC2\xA2\x11\x16\x7A\xBB\x8C\x5E\x07\x9E\x09\xE2\xC8\xA8\x33\x9C",
    kRandom);

std::size_t number(std::string_view bytes) {
  std::size_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  return value;
}

std::size_t record_size(std::string_view head) { return number(head.substr(3, 2)); }

}  // namespace

void ServerChoice::feed(std::string_view bytes) {
  for (const char byte : bytes) {
    if (!awaited()) return;
    if (left_ > 0) {
      --left_;
      if (head_[0] == kHandshake) take_handshake(byte);
      continue;
    }
    if (head_.size() == kRecordHead) head_.clear();
    head_ += byte;
    if (head_.size() == kRecordHead) left_ = record_size(head_);
  }
}

// Only a ServerHello ends the wait: before an honest server has sent its ServerHello, it has not made its choice,
// regardless of its other messages.
void ServerChoice::take_handshake(char byte) {
  ++message_size_;
  if (message_.size() < kUpToRandom + kRandom) message_ += byte;
  if (message_.size() < kMessageHead) return;
  if (message_size_ == kUpToRandom + kRandom && message_[0] == kServerHello && !message_.ends_with(kRetry))
    state_ = State::Made;
  if (message_size_ < kMessageHead + number(std::string_view(message_).substr(1, 3))) return;
  message_.clear();
  message_size_ = 0;
}

// Allows forwarding of the record that begins or continues at `judged_`, as far as it is received. Returns false when
// its header is incomplete.
bool LaterHellos::pass_record() {
  const std::string_view left = std::string_view(held_).substr(judged_);
  if (passing_ == 0) {
    if (left.size() < kRecordHead) return false;
    passing_ = kRecordHead + record_size(left);
  }
  const std::size_t here = std::min(passing_, left.size());
  passing_ -= here;
  judged_ += here;
  return true;
}

std::string LaterHellos::feed(std::string_view bytes) {
  held_ += bytes;
  while (judged_ < held_.size()) {
    const char type = held_[judged_];
    // Records that servers skip before a hello: RFC 8446, 5 and D.4 (a change_cipher_spec without effect), 6.1 (a
    // warning), 4.2.10 (early data that the server has declined).
    if (!hello_ && (passing_ > 0 || type == kChangeCipherSpec || type == kAlert || type == kApplicationData)) {
      if (!pass_record()) break;
      continue;
    }
    if (!hello_) {
      hello_.emplace();
      fed_ = judged_;
    }
    const auto verdict = hello_->feed(std::string_view(held_).substr(fed_));
    fed_ = held_.size();
    if (verdict == ClientHello::Verdict::More) break;
    if (auto objection = objection_(*hello_); !objection.empty()) return objection;
    judged_ += hello_->size();
    hello_.reset();
  }
  return {};
}

std::string LaterHellos::take_judged() {
  std::string judged = held_.substr(0, judged_);
  held_.erase(0, judged_);
  fed_ -= std::min(fed_, judged_);
  judged_ = 0;
  return judged;
}

}  // namespace band::gateway
