// A server that reads only when the test calls read_all().
#pragma once

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "server/base/fd.h"

namespace band::test {

class DeafServer {
 public:
  // Listens in the network namespace of the caller. Port 0: any free port.
  explicit DeafServer(const std::string& address, std::uint16_t port = 0)
      : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    const int little = 64 << 10, yes = 1;  // receive buffer, inherited by connections
    sockaddr_in own{};
    own.sin_family = AF_INET;
    own.sin_port = htons(port);
    REQUIRE(::inet_pton(AF_INET, address.c_str(), &own.sin_addr) == 1);
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_RCVBUF, &little, sizeof little);
    ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    socklen_t size = sizeof own;
    REQUIRE(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&own), size) == 0);
    REQUIRE(::listen(listener_.get(), 4096) == 0);
    REQUIRE(::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&own), &size) == 0);
    port_ = ntohs(own.sin_port);
  }

  std::uint16_t port() const { return port_; }

  // Accepts waiting connections. Returns the number of all connections accepted so far.
  std::size_t connections() {
    for (base::Fd one; one.reset(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)), one;)
      open_.push_back(std::move(one));
    return open_.size();
  }

  // Returns the number of received bytes that are not read yet.
  std::uint64_t arrived() {
    connections();
    std::uint64_t sum = 0;
    for (const base::Fd& one : open_) {
      int bytes = 0;
      REQUIRE(::ioctl(one.get(), SIOCINQ, &bytes) == 0);
      sum += static_cast<std::uint64_t>(bytes);
    }
    return sum;
  }

  // Reads until all connections have ended, or no connection has sent data for `ms` milliseconds. Returns the number of
  // bytes read.
  std::uint64_t read_all(int ms = 1'000) {
    connections();
    std::vector<pollfd> waiting;
    for (const base::Fd& one : open_) waiting.push_back({one.get(), POLLIN, 0});
    std::uint64_t sum = 0;
    std::vector<char> bytes(1 << 20);
    for (std::size_t left = waiting.size(); left > 0 && ::poll(waiting.data(), waiting.size(), ms) > 0;)
      for (pollfd& one : waiting) {
        if (one.fd < 0 || one.revents == 0) continue;
        const ssize_t n = ::recv(one.fd, bytes.data(), bytes.size(), 0);
        if (n > 0) {
          sum += static_cast<std::uint64_t>(n);
          continue;
        }
        one.fd = -1;
        --left;
        if (n < 0) ++resets_;
      }
    return sum;
  }
  std::size_t resets() const { return resets_; }  // number of resets that read_all() received

  void end() const {  // half-closes all connections without sending data
    for (const base::Fd& one : open_) ::shutdown(one.get(), SHUT_WR);
  }
  void close() { open_.clear(); }

 private:
  base::Fd listener_;
  std::uint16_t port_ = 0;
  std::vector<base::Fd> open_;
  std::size_t resets_ = 0;
};

}  // namespace band::test
