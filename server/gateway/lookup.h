// What a name resolves to, asked of the machine's own resolver: c-ares on the event loop, which reads /etc/resolv.conf,
// /etc/hosts and /etc/nsswitch.conf.
//
// Promises: one lookup (A and AAAA) an ask, of that very name and no search domain's; aliases (CNAME) are followed and
// have no say; nothing is kept for the next ask. Answers are hostile: whoever dials checks every address.
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

  // IPv4 before IPv6, each in the order of the answer; at least one. The error's text is for people: "not found".
  awaitable<Result<std::vector<IpAddress>>> addresses_of(const std::string& name);

 private:
  // A socket of c-ares', which it closes itself.
  struct Watched {
    asio::posix::stream_descriptor io;
    bool write = false;  // c-ares wants to hear when it is writable
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
  asio::steady_timer room_;  // whoever waits to ask
  std::size_t asking_ = 0;
  bool ticking_ = false;
};

}  // namespace band::gateway
