// Forwards one direction of a relayed connection, by splice(2). Bytes that are inspected are copied, at most 4 KiB at a
// time.
//
// Promises: bytes that cannot be written yet stay in one pipe or in this copy, and the pump reads nothing until all of
// them are written (backpressure). So a slow reader needs no further memory besides the socket buffers. EOF is
// forwarded after the last byte.
#pragma once

#include <cstdint>
#include <functional>

#include "server/gateway/asio.h"
#include "server/gateway/pipes.h"
#include "server/gateway/server_bytes.h"

namespace band::gateway {

// Receives the number of bytes that pump() has just forwarded. Returns false when the execution has exceeded its limit
// (gateway.limit.bytes).
using Count = std::function<bool(std::uint64_t)>;

class Room;

// Optional checks of one direction; null: no check. While server->looking() is true, the pump passes all bytes to
// `server` (server_bytes.h) before it forwards them; if server->unexpected() is then true, the pump fails. While `room`
// (unacknowledged.h) is full, the pump reads nothing.
struct Beside {
  ServerBytes* server = nullptr;
  Room* room = nullptr;
};

// Forwards until EOF or an error. Returns true when EOF of `from` was forwarded to `to`; false when one of the sockets
// failed or `count` returned false.
awaitable<bool> pump(Socket& from, Socket& to, Pipes& pipes, Count count, Beside beside);

// Waits until `room` is not full, then reads at most `bytes.size()` bytes into `bytes`. Returns the number of bytes; 0
// at EOF; -1 on an error or at the deadline. The deadline does not limit the wait for `room`. Several coroutines may
// wait with the same `bytes`: its content is valid until the calling coroutine suspends.
awaitable<ssize_t> receive(Socket& from, std::string& bytes, Room& room, Deadline deadline = kNoDeadline);
// As receive(), but reads at most `most` bytes, and `bytes` has the size of what was read. Only for one coroutine.
awaitable<ssize_t> read(Socket& from, std::string& bytes, std::size_t most, Room& room,
                        Deadline deadline = kNoDeadline);

// Writes all bytes; returns false on an error or at the deadline. Copies the bytes that it cannot write immediately, so
// `bytes` need not stay valid while the coroutine waits.
awaitable<bool> write(Socket& to, std::string_view bytes, Deadline deadline);

enum class Peer { Script, Server };

// The size of the kernel's socket buffers of one connection. Large, for speed: the script's socket has 1 MiB each way;
// the server's socket has the kernel's default, which grows to megabytes if the server is distant. Small: both sockets
// have 256 KiB each way. Hundreds of connections with large buffers would use up the machine's memory for TCP (tcp_mem,
// tcp(7)), so at most kWithLargeBuffers connections of an execution have large buffers at a time.
enum class Buffers { Large, Small };
inline constexpr std::size_t kWithLargeBuffers = 8;
void limit_buffers(int socket);  // sets the sizes of Buffers::Small

// Sets the options of a socket: small writes are sent immediately; keepalive detects a peer that has disappeared while
// the connection is idle; for a server there is also a deadline of two minutes for acknowledgements.
// When it is called for a listening socket, each connection that is made afterwards has the options: the kernel copies
// them when the handshake is complete (sk_clone_lock() in net/core/sock.c).
void tune(int socket, Peer peer);

}  // namespace band::gateway
