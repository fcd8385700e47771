// Bytes written to servers and not yet acknowledged. The kernel buffers them, charges them to no cgroup, and by default
// retransmits them for minutes after the writing process has exited.
//
// Promises: until end_in_order(), closing a server's socket resets it, also when this process is killed. Unsent data is
// bounded per connection. Unacknowledged data is bounded per execution: at the bound, nothing further is read from the
// script. Does not cover: data that servers send.
#pragma once

#include <cstddef>
#include <functional>

#include "server/gateway/asio.h"
#include "server/gateway/pump.h"

namespace band::gateway {

// Bytes of kernel memory for all connections of one execution, including the data in the relay's pipes (pipes.h).
inline constexpr std::size_t kMostUnacknowledged = 16 << 20;

// Call before connect(2). Returns 0 or an errno; after an errno the socket must not be used.
int bound_unacknowledged(int socket, Buffers buffers);

// Bytes of kernel memory for data, EOF included, that `server` has not acknowledged. 0: everything is acknowledged, or
// the connection is broken or closed.
std::size_t unacknowledged(Socket& server);

// Afterwards closing does not reset. Call only when unacknowledged() is 0: otherwise the kernel keeps the rest for
// minutes.
void end_in_order(Socket& server);

// Decides whether more may be read from the script of an execution.
class Room {
 public:
  explicit Room(asio::io_context& loop) : loop_(loop), changed_(loop, kNoDeadline) {}

  std::function<std::size_t()> measure = {};  // sums unacknowledged(); costs a system call per connection

  bool full();
  // Waits until there is room. Returns false when `client` was closed while waiting.
  awaitable<bool> wait(const Socket& client);
  void taken(std::size_t bytes);            // read from a script, to be written to a server
  void passed_on(std::size_t bytes);        // after taken(): they are written or dropped
  void look_again() { changed_.cancel(); }  // called when a client was closed

 private:
  awaitable<void> watch();
  void look();  // measures again

  asio::io_context& loop_;
  asio::steady_timer changed_;  // never expires; is cancelled
  bool watched_ = false;        // watch() runs, because a coroutine waits
  std::size_t at_most_ = 0;     // upper estimate: bytes measured last, and bytes taken since
  std::size_t under_way_ = 0;   // part of it: taken and not passed on, which measure() does not include
};

}  // namespace band::gateway
