// Connections as they come, whatever the machine's limits say.
#pragma once

#include "server/gateway/asio.h"

namespace band::gateway {

class Acceptor {
 public:
  Acceptor(asio::io_context& loop, base::Fd socket);
  awaitable<Socket> next();
  bool waiting();  // is there a next one?

 private:
  asio::io_context& loop_;
  asio::ip::tcp::acceptor socket_;
  int turn_ = 0;
};

// Ends a connection with a reset: its peer sees an error at once, and no end of data that looks like an answer's.
void reset(Socket& socket);

}  // namespace band::gateway
