// The listening socket, and a thread for each connection, of which connections.h bounds the number. A newcomer for
// whom there is no place gets 503; while there is none, further ones wait in the kernel's short queue.
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
// Bound and listening, and read back: the address is the one that was asked for, and a loopback one.
Result<Listening> listen_on(const Config& config);

class Listener {
 public:
  Listener(Server& server, Connections& connections, AccessLog& log)
      : server_(server), connections_(connections), log_(log) {}
  // Accepts for ever; returns only when the socket is broken.
  Error accept_from(int socket);

 private:
  void start(base::Fd socket, std::string peer);

  Server& server_;
  Connections& connections_;
  AccessLog& log_;
};

}  // namespace band::http
