// Limits *unacknowledged* data: data that this process has written to a socket and that the server has not acknowledged
// yet. The kernel buffers such data, charges its memory to no cgroup, and by default retransmits it for minutes after
// the writing process has exited.
//
// Promises: until end_in_order() is called for a socket, the connection is reset when the socket is closed, and when
// this process ends or is killed. The kernel then drops the unacknowledged data. For each connection, the data that the
// kernel has not sent yet is limited. For all connections of the execution together, the unacknowledged data is limited
// (kMostUnacknowledged): at the limit, nothing further is read from the script. Does not cover: data that servers send.
#pragma once

#include <cstddef>
#include <functional>

#include "server/gateway/asio.h"
#include "server/gateway/pump.h"

namespace band::gateway {

// The limit for all connections of one execution together, in bytes of kernel memory, including data in the relay's
// pipes (pipes.h).
inline constexpr std::size_t kMostUnacknowledged = 16 << 20;

// Makes closing `socket` reset the connection, and limits its unsent data. Call it before connect(2). Returns 0 or an
// errno; after an errno the socket must not be used.
int bound_unacknowledged(int socket, Buffers buffers);

// Returns the size, in bytes, of the kernel memory (including overhead) for data or an EOF that the server has not
// acknowledged. Returns 0 when all data is acknowledged, or when the connection is broken or closed. Returns
// kMostUnacknowledged when the size cannot be read.
std::size_t unacknowledged(Socket& server);

// After this call, closing `server` does not reset the connection. Call it only when unacknowledged() is 0: otherwise
// the kernel would keep the unacknowledged data for minutes.
void end_in_order(Socket& server);

// Decides whether more data may be read from the script of an execution.
class Room {
 public:
  explicit Room(asio::io_context& loop) : loop_(loop), changed_(loop, kNoDeadline) {}

  std::function<std::size_t()> measure = {};  // to be set: returns the sum of unacknowledged() of all connections

  bool full();  // returns true when no more data may be read
  // Waits until full() is false, and then returns true. Returns false when `client` was closed during the wait.
  awaitable<bool> wait(const Socket& client);
  // Call taken() when `bytes` were read from a script and will be written to a server. After each call of taken(), call
  // passed_on() once with the same number, when the bytes were written or dropped.
  void taken(std::size_t bytes);
  void passed_on(std::size_t bytes);
  void look_again() { changed_.cancel(); }  // wakes all waits; called when a client was closed

 private:
  awaitable<void> watch();
  void look();  // measures again

  asio::io_context& loop_;
  asio::steady_timer changed_;  // never expires; wakes the waiting coroutines when it is cancelled
  bool watched_ = false;        // true while watch() runs, which is while a coroutine waits
  std::size_t at_most_ = 0;     // upper estimate of measure(): its last result, plus the bytes taken() since then
  std::size_t under_way_ = 0;   // the part of `at_most_` that was taken() and not passed_on()
};

}  // namespace band::gateway
