// The broker's socket, to which the shims of one execution connect. A shim is the program that runs in place of a
// declared command, and sends the command line to the broker; a script can also connect without a shim. Door reads the
// requests of any number of untrusted connections on one thread, and never waits for a single connection.
//
// Promises: a connection costs the engine one descriptor, and the bytes and descriptors that the connection has sent.
// At most kMaxPending connections are read at the same time; further connections wait. The connections that are read
// have together at most kMaxPendingBytes bytes and kMaxPendingDescriptors descriptors. A connection that would exceed
// the number of bytes waits. A request that would exceed the number of descriptors is refused. Each connection has
// kRequestTimeoutMs to send its request. A connection with a malformed or oversized request, or one that is too slow,
// is closed without an effect on other connections. The descriptors that a request may pass are files, pipes, Unix
// sockets, the devices of a sandbox and the execution's terminal. A request with another descriptor is refused: a
// directory, an O_PATH descriptor, a network socket, a pidfd, or a file of a kernel file system.
//
// Does not cover: descriptors and data that are sent through a Unix socket after a command has received the socket. The
// thread can still block in fstatfs(2), which is called for each descriptor of a regular file: on a network file system
// the call may wait. Closing a socket does not block, because no sandbox can set SO_LINGER (server/syscalls).
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"
#include "server/broker/request.h"

namespace band::broker {

inline constexpr std::size_t kMaxPending = 64;  // connections whose request is not yet complete
inline constexpr std::size_t kMaxPendingBytes = 16u << 20;
// On average six for each of the kMaxPending connections. One request may have more than six (shim::kMaxDescriptors),
// because usually few connections are pending.
inline constexpr std::size_t kMaxPendingDescriptors = 384;
inline constexpr int kRequestTimeoutMs = 5'000;

// One complete request. `shim` is the connection to the shim. The function that receives a Caller must send an answer
// on this connection (refuse()), pass the connection to the process that will send the answer, or close the connection.
struct Caller {
  base::Fd shim;
  Request request;
  std::vector<base::Fd> descriptors;  // in the order of request.descriptors
};

// Sends the answer that a command is refused. The shim then prints `text` on stderr and exits with `status`. `text` is
// truncated to kMaxAnswerText (server/shim/protocol.h).
void refuse(const base::Fd& shim, int status, std::string_view text);

class Door {
 public:
  // Binds the socket `name` in the directory with the descriptor `parent`. Connections of users other than `uid` are
  // closed. `terminal`: the device number of the execution's terminal, which commands may use; 0 if the execution has
  // no terminal.
  static Result<Door> open(int parent, const std::string& name, uid_t uid, dev_t terminal = 0);
  Door() = default;

  int fd() const { return epoll_.get(); }  // when it is readable, call on_readable()
  // Reads available data. Calls `take` for each complete request. Calls `malformed` for each request that Door has
  // refused, because of its form or its descriptors; the refusal has then already been sent. Begins no further request
  // after 20 ms (one request can take 0.3 s); if there is more to read, fd() then stays readable.
  using Take = std::function<void(Caller)>;
  using Malformed = std::function<void(const Error&)>;
  void on_readable(const Take& take, const Malformed& malformed);

 private:
  struct Pending {
    base::Fd socket;
    shim::RequestHead head;
    std::size_t head_have = 0;
    std::string body;
    std::vector<base::Fd> descriptors;
    std::int64_t deadline_us = 0;
    bool counted = false;  // the size of the body is part of bytes_
  };
  enum class Progress { More, Whole, Gone };

  std::vector<std::uint64_t> accept_some();
  void go_on_with(std::uint64_t key, const Take& take, const Malformed& malformed);
  Result<Progress> read_head(Pending& pending);
  Status take_descriptors(Pending& pending, std::vector<base::Fd> descriptors);
  Result<Progress> read_body(Pending& pending);
  Result<Progress> advance(std::uint64_t key, Pending& pending);
  Pending release(std::uint64_t key);  // removes the connection from all lists and from the epoll
  void wake_parked();
  void drop_late();
  void watch_listener(bool on);

  base::Fd listener_, epoll_, timer_;
  uid_t uid_ = 0;
  dev_t terminal_ = 0;
  bool listening_ = false;
  std::uint64_t next_key_ = 2;  // 0: the listener, 1: the timer
  std::map<std::uint64_t, Pending> pending_;
  // Connections whose bodies would exceed kMaxPendingBytes. They are not read until bytes_ is smaller.
  std::deque<std::uint64_t> parked_;
  std::size_t bytes_ = 0;        // total size of the bodies of pending requests
  std::size_t descriptors_ = 0;  // total number of descriptors of pending requests
};

}  // namespace band::broker
