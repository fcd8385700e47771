// Resolves names by the machine's own configuration (/etc/resolv.conf, /etc/hosts, /etc/nsswitch.conf), with c-ares on
// the event loop.
//
// Promises: each call of addresses_of() makes one lookup (A and AAAA) of exactly the given name, without search
// domains. CNAMEs are followed, and are not matched against rules. Nothing is cached. Answers are untrusted: the caller
// checks every address before it connects.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "schemas/address/ip_address.h"
#include "schemas/core/result.h"
#include "server/gateway/asio.h"

struct ares_channeldata;

namespace band::gateway {

class Lookup {
 public:
  static Result<std::unique_ptr<Lookup>> start(asio::io_context& loop);
  ~Lookup();

  // Returns at least one address, or an error. IPv4 addresses are before IPv6 addresses; within each kind, the order is
  // that of the answer. A lookup ends after 10 s at the latest; if 64 lookups are in progress, the call first waits for
  // the end of one of them. The error text is human-readable: "not found".
  awaitable<Result<std::vector<IpAddress>>> addresses_of(const std::string& name);

 private:
  // A socket that c-ares owns and closes.
  struct Watched {
    asio::posix::stream_descriptor io;
    bool write = false;  // c-ares has to write to the socket
    bool waits_to_write = false;
  };

  explicit Lookup(asio::io_context& loop) : loop_(loop), tick_(loop), room_(loop, kNoDeadline) {}

  void watch(int socket, bool readable, bool writable);
  void wait_to_read(int socket, const std::shared_ptr<Watched>& watched);
  void wait_to_write(int socket, const std::shared_ptr<Watched>& watched);
  bool known(int socket, const std::shared_ptr<Watched>& watched) const;
  awaitable<void> keep_time();

  asio::io_context& loop_;
  ares_channeldata* channel_ = nullptr;
  std::map<int, std::shared_ptr<Watched>> sockets_;
  asio::steady_timer tick_;
  asio::steady_timer room_;  // wakes calls that wait because too many lookups are in progress
  std::size_t asking_ = 0;   // lookups in progress
  bool ticking_ = false;
};

}  // namespace band::gateway
