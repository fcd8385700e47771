#include "server/gateway/order.h"

#include <sys/socket.h>

#include <cerrno>

#include "server/base/channel.h"

namespace band::gateway {
namespace {

Status read_whole(int socket, char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::recv(socket, bytes, size, 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return layer_error("gateway", "cannot read the policy", n < 0 ? errno : 0);
    bytes += n;
    size -= static_cast<std::size_t>(n);
  }
  return done();
}

}  // namespace

Result<Order> next_order() {
  BAND_TRY(base::Message message, base::receive(kControlFd, kOrderText.size() + 1));
  if (message.text.empty()) return Order{};
  if (message.text != kOrderText || message.fds.size() != 5)
    return layer_error("gateway", "the engine sent a malformed order", 0);
  auto& fds = message.fds;
  return Order{std::move(fds[0]), std::move(fds[1]), std::move(fds[2]), std::move(fds[3]), std::move(fds[4])};
}

Result<Policy> read_policy(int events) {
  std::uint64_t size = 0;
  BAND_CHECK(read_whole(events, reinterpret_cast<char*>(&size), sizeof size));
  if (size > kMaxPolicyBytes)
    return layer_error("gateway", "the policy is too large: " + std::to_string(size) + " bytes", 0);
  std::string json(size, '\0');
  BAND_CHECK(read_whole(events, json.data(), json.size()));
  return decode_policy(json);
}

}  // namespace band::gateway
