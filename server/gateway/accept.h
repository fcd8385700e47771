// Accepts connections. When descriptors or memory are used up, the acceptor waits and tries again.
#pragma once

#include "server/gateway/asio.h"

namespace band::gateway {

class Acceptor {
 public:
  Acceptor(asio::io_context& loop, base::Fd socket);  // `socket`: TCP over IPv4, listening
  awaitable<Socket> next();                           // returns the next connection
  bool waiting();                                     // returns true when a connection waits to be accepted

 private:
  asio::io_context& loop_;
  asio::ip::tcp::acceptor socket_;
};

// Closes the connection with a reset (RST), so that the peer immediately gets an error. If the peer received an EOF
// instead, it could treat the EOF as the end of an answer.
void reset(Socket& socket);

}  // namespace band::gateway
