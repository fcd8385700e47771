// The listening socket of band-http, and one thread for each connection. connections.h limits the number of
// connections: a new connection that gets no place within 200 ms receives a 503. While a new connection waits for a
// place, later connections remain in the kernel's listen queue.
#pragma once

#include <cstdint>
#include <string>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/http/config.h"
#include "server/http/connections.h"
#include "server/http/log.h"
#include "server/http/serve.h"

namespace band::http {

struct Listening {
  base::Fd socket;
  std::uint16_t port = 0;
};
// Returns a socket that listens on the configured address. Reads the bound address back from the kernel: another
// address or port than the configured one is an error.
Result<Listening> listen_on(const Config& config);

class Listener {
 public:
  Listener(Server& server, Connections& connections, AccessLog& log)
      : server_(server), connections_(connections), log_(log) {}
  // Accepts connections; returns only when the socket fails.
  Error accept_from(int socket);

 private:
  void start(base::Fd socket, std::string peer);

  Server& server_;
  Connections& connections_;
  AccessLog& log_;
};

}  // namespace band::http
