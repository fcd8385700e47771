// The listening socket, and a bounded thread for each connection. When all are taken, the connection that has waited
// longest without a request makes room; when none is idle, the new one gets 503 at once. There is no queue.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>

#include "schemas/result.h"
#include "server/base/fd.h"
#include "server/http/config.h"
#include "server/http/connection.h"
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
  Listener(Server& server, const Settings& settings) : server_(server), settings_(settings) {}
  // Accepts for ever; returns only when the socket is broken.
  Error accept_from(int socket);

 private:
  // True: one more fits.
  bool make_room();
  void start(base::Fd socket, std::string peer);

  Server& server_;
  const Settings& settings_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::list<Connection*> connections_;  // as many as there are threads
};

}  // namespace band::http
