// What was written to servers and is not acknowledged yet. The kernel keeps it, charges it to nobody, and by default
// goes on sending it for minutes after the death of the process that wrote it.
//
// Promises: closing a server's socket resets it, also when this process is killed, until end_in_order(); what is unsent
// is bounded for each connection; what is unacknowledged is bounded for an execution: beyond that nothing more is read
// from the script. Does not cover: what servers send.
#pragma once

#include <cstddef>
#include <functional>

#include "server/gateway/asio.h"
#include "server/gateway/pump.h"

namespace band::gateway {

// Bytes of kernel memory, of all connections of one execution together, with what is in the relay's pipes (pipes.h).
inline constexpr std::size_t kMostUnacknowledged = 16 << 20;

// Before connect(2). 0, or an errno: then the socket must not be used.
int bound_unacknowledged(int socket, Buffers buffers);

// Bytes of kernel memory for what `server` has not acknowledged, the end included. 0: everything is acknowledged, or
// the connection is broken or closed.
std::size_t unacknowledged(Socket& server);

// From now on closing does not reset. Only when unacknowledged() is 0: else the kernel keeps the rest for minutes.
void end_in_order(Socket& server);

// Whether more may be read from the script of an execution.
class Room {
 public:
  explicit Room(asio::io_context& loop) : loop_(loop), changed_(loop, kNoDeadline) {}

  std::function<std::size_t()> measure = {};  // sums unacknowledged(), a system call for each connection

  bool full();
  // Until there is room. False: `client` was closed meanwhile.
  awaitable<bool> wait(const Socket& client);
  void taken(std::size_t bytes);            // from a script, to be written to a server
  void passed_on(std::size_t bytes);        // of one taken(): they are written, or dropped
  void look_again() { changed_.cancel(); }  // a client was closed

 private:
  awaitable<void> watch();
  void look();  // measures

  asio::io_context& loop_;
  asio::steady_timer changed_;  // never expires; is cancelled
  bool watched_ = false;        // somebody waits, and watch() measures
  std::size_t at_most_ = 0;     // an estimate from above: what was measured, and what was taken since
  std::size_t under_way_ = 0;   // of it: taken and not passed on, which measure() does not see
};

}  // namespace band::gateway
