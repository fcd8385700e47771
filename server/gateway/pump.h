// One direction of a relayed connection: bytes as they come, by splice(2).
//
// Promises: what could not be written yet stays in one pipe, and nothing more is read until it has been: a slow reader
// holds up its writer and fills no memory. The end of one side is passed on, after the last byte.
#pragma once

#include <cstdint>
#include <functional>

#include "server/gateway/asio.h"
#include "server/gateway/handshake.h"
#include "server/gateway/pipes.h"

namespace band::gateway {

// Of so many bytes that went through; false: no more may.
using Count = std::function<bool(std::uint64_t)>;

class Room;

// Optional, for one direction. `choice` sees what goes through while it is awaited, before it does. While `room` is
// full nothing is read.
struct Beside {
  ServerChoice* choice = nullptr;
  Room* room = nullptr;
};

// True: `from` has ended, and `to` has been told. False: one of them broke, or `count` said so.
awaitable<bool> pump(Socket& from, Socket& to, Pipes& pipes, Count count, Beside beside);

// Reads at most `most` bytes into `bytes`, once `room` is not full. 0: the end; -1: broken, or the deadline.
awaitable<ssize_t> read(Socket& from, std::string& bytes, std::size_t most, Room& room,
                        Deadline deadline = kNoDeadline);

// All of it, or false.
awaitable<bool> write(Socket& to, std::string_view bytes, Deadline deadline);

enum class Peer { Script, Server };

// What the kernel may keep of one connection for whoever does not read. Large, for speed: a mebibyte each way towards
// the script, towards servers what it thinks right, megabytes for one far away. Hundreds of those would take what all
// of the machine has for TCP (tcp_mem, tcp(7)), so only a few at a time have them. Small: 256 KiB.
enum class Buffers { Large, Small };
inline constexpr std::size_t kWithLargeBuffers = 8;  // of the connections of one execution that are open
void limit_buffers(int socket);                      // to the small ones

// Small writes at once, and a peer that is gone is noticed: by keepalive when nothing is said; a server by a deadline
// for acknowledgements otherwise.
void tune(Socket& socket, Peer peer);

}  // namespace band::gateway
