// The broker's socket, and the requests that come in by it: any number of connections, none of them trusted, on one
// thread that never waits for any of them.
//
// Promises: a connection holds a descriptor and what it has sent, no more; at most kMaxPending of them at a time are
// listened to, with at most kMaxPendingBytes and kMaxPendingDescriptors together, each for kPatienceMs; what is
// malformed, too large or too slow is closed, and nobody else notices. Descriptors are files, pipes, Unix sockets and
// the devices of a sandbox; all else (directories, O_PATH, network sockets, pidfds, files of procfs and the like ...)
// is refused.
//
// Does not cover: what is sent through a Unix socket once a command has it; closing a socket is quick because no
// sandbox can set SO_LINGER (server/syscalls). A network file system is asked for its type, and may take its time.
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

inline constexpr std::size_t kMaxPending = 64;
inline constexpr std::size_t kMaxPendingBytes = 16u << 20;
inline constexpr std::size_t kMaxPendingDescriptors = 384;  // six each; a shim's request is whole when it arrives
inline constexpr int kPatienceMs = 5'000;

// One whole request. Whoever takes it answers on `shim`, or closes it.
struct Caller {
  base::Fd shim;
  Request request;
  std::vector<base::Fd> descriptors;  // those of request.descriptors, in order
};

// Says to a shim that its command does not run, and why. Cut to kMaxAnswerText.
void refuse(const base::Fd& shim, int status, std::string_view text);

class Door {
 public:
  // Binds at `name` in the directory `parent`; only processes of `uid` are listened to. `terminal`: the device of the
  // execution's own, which a command may have (0: there is none).
  static Result<Door> open(int parent, const std::string& name, uid_t uid, dev_t terminal = 0);
  Door() = default;

  int fd() const { return epoll_.get(); }  // readable: call on_readable()
  // Reads what has come, and hands over each request that is whole. `malformed` hears of each that was refused. Gives
  // up for this time after some milliseconds, and is readable again.
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
    bool counted = false;  // its body counts in bytes_
  };
  enum class Progress { More, Whole, Gone };

  std::vector<std::uint64_t> accept_some();
  void go_on_with(std::uint64_t key, const Take& take, const Malformed& malformed);
  Result<Progress> read_head(Pending& pending);
  Status take_descriptors(Pending& pending, std::vector<base::Fd> descriptors);
  Result<Progress> read_body(Pending& pending);
  Result<Progress> advance(std::uint64_t key, Pending& pending);
  Pending release(std::uint64_t key);  // out of every list; of its socket nothing is left here
  void wake_parked();
  void drop_late();
  void watch_listener(bool on);

  base::Fd listener_, epoll_, timer_;
  uid_t uid_ = 0;
  dev_t terminal_ = 0;
  bool listening_ = false;
  std::uint64_t next_key_ = 2;  // 0: the listener, 1: the timer
  std::map<std::uint64_t, Pending> pending_;
  std::deque<std::uint64_t> parked_;  // wait for room for their bodies
  std::size_t bytes_ = 0;
  std::size_t descriptors_ = 0;  // of all pending
};

}  // namespace band::broker
