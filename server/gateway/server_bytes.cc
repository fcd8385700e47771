#include "server/gateway/server_bytes.h"

namespace band::gateway {

void ServerOpening::feed(std::string_view bytes) {
  if (kind_ != Kind::More || bytes.empty()) return;
  constexpr std::string_view kStatusLine = "HTTP/";
  first_.append(bytes.substr(0, kStatusLine.size()));
  const auto at = [&](std::size_t n) { return static_cast<unsigned char>(first_[n]); };
  const std::size_t size = first_.size();
  if (first_.starts_with(kStatusLine)) {
    kind_ = Kind::Http;
  } else if (kStatusLine.starts_with(first_)) {
    return;
  } else if (at(0) < 0x14 || at(0) > 0x18 || (size > 1 && at(1) != 3) || (size > 2 && (at(2) == 0 || at(2) > 4))) {
    // Records of SSL 3.0 count as other: messages of MongoDB, whose length comes first, can begin with the same bytes.
    kind_ = Kind::Other;
  } else if (size > 2) {
    kind_ = Kind::Tls;
  }
  if (kind_ != Kind::More) first_.clear();
}

void ServerBytes::feed(std::string_view bytes) {
  opening_.feed(bytes);
  if (choice_.awaited()) choice_.feed(bytes);
  if (sent_other()) news_.cancel();
}

void ServerBytes::end() {
  ended_ = true;
  news_.cancel();
}

awaitable<bool> ServerBytes::wait_for_other(Deadline deadline) {
  if (!sent_other() && !ended_) {
    std::error_code stopped;
    news_.expires_at(deadline);
    co_await news_.async_wait(asio::redirect_error(asio::use_awaitable, stopped));
  }
  co_return sent_other();
}

std::string ServerBytes::why() const {
  return opening_.kind() == ServerOpening::Kind::Tls
             ? "the server answers with TLS, and the client's first bytes are not a ClientHello"
             : "the server answers with HTTP, and the client's first bytes are not a request";
}

}  // namespace band::gateway
