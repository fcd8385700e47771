#include "server/broker/door.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <sys/un.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/shim/answer.h"

namespace band::broker {
namespace {

constexpr const char* kLayer = "broker";
constexpr std::uint64_t kListener = 0, kTimer = 1;
constexpr std::int64_t kTurnUs = 20'000;

Error refused(std::string what) { return Error{.code = Code::BadRequest, .layer = kLayer, .doing = std::move(what)}; }

bool is_unix(int socket) {
  int domain = 0;
  socklen_t size = sizeof domain;
  return ::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

// The character devices of a sandbox: null, zero, full, random, urandom.
bool is_plain_device(dev_t device) {
  const unsigned number = minor(device);
  return major(device) == 1 && (number == 3 || number == 5 || (number >= 7 && number <= 9));
}

// Returns true for the execution's own terminal: the device itself, or /dev/tty (5, 0), which is the same terminal in
// the script view.
bool is_of_terminal(dev_t device, dev_t terminal) {
  return terminal != 0 && (device == terminal || device == makedev(5, 0));
}

// Returns true for descriptors that can only be read and written. A directory gives access to files outside the view of
// the receiver (openat(2)). A network socket may have been opened for another process. Other descriptors (pidfd, epoll,
// userfaultfd ...) act on the process that created them. Unix sockets are accepted because node gives them to its
// child processes.
bool is_stream(int fd, const struct stat& info, dev_t terminal) {
  switch (info.st_mode & S_IFMT) {
    case S_IFREG:
    case S_IFIFO:
      return true;
    case S_IFCHR:
      return is_plain_device(info.st_rdev) || is_of_terminal(info.st_rdev, terminal);
    case S_IFSOCK:
      return is_unix(fd);
    default:
      return false;
  }
}

// File systems with generated files. The content of such a file depends on the process that opened it, and a write
// changes the state of the kernel.
constexpr std::uint32_t kKernelFileSystems[] = {
    PROC_SUPER_MAGIC, NSFS_MAGIC, SYSFS_MAGIC, CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, DEBUGFS_MAGIC, TRACEFS_MAGIC,
    SECURITYFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, AAFS_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC, EFIVARFS_MAGIC,
    BINFMTFS_MAGIC, XENFS_SUPER_MAGIC, RDTGROUP_SUPER_MAGIC,
    // Debian 12's linux/magic.h does not have these numbers.
    0x50494446,  // pidfs
    0x62656570,  // configfs
    0x65735543,  // fusectl
    0x67596969,  // rpc_pipefs
    0x6e667364,  // nfsd
};

// Returns why a command does not get this descriptor; "" when it gets it.
std::string unfit(int fd, dev_t terminal) {
  struct stat info {};
  const int flags = ::fcntl(fd, F_GETFL);
  if (flags < 0 || ::fstat(fd, &info) != 0) return "cannot be examined";
  if ((flags & O_PATH) != 0) return "is an O_PATH descriptor: open the file for reading or writing";
  if (S_ISDIR(info.st_mode)) return "is a directory: open files instead";
  if (!is_stream(fd, info, terminal)) return "is not a file, pipe, Unix socket or /dev/null";
  if (!S_ISREG(info.st_mode)) return "";
  struct statfs system {};
  if (::fstatfs(fd, &system) != 0) return "cannot be examined";
  const auto type = static_cast<std::uint32_t>(system.f_type);
  if (std::find(std::begin(kKernelFileSystems), std::end(kKernelFileSystems), type) == std::end(kKernelFileSystems))
    return "";
  return "is a file of /proc, /sys or another kernel file system: pipe the output of `cat` into the command instead";
}

Status check_descriptor(int fd, std::uint32_t number, dev_t terminal) {
  const std::string why = unfit(fd, terminal);
  if (why.empty()) return done();
  const std::string shown = std::to_string(number);
  // A shell passes the descriptor to every command that it starts, even if the command does not need it.
  const std::string closing =
      number > 2 ? "; append `" + shown + ">&-` to a command to close this descriptor for it" : "";
  return refused("descriptor " + shown + " " + why + closing);
}

Status watch(const base::Fd& epoll, int fd, std::uint64_t key) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = key;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event) != 0) return layer_error(kLayer, "epoll_ctl", errno);
  return done();
}

Result<base::Fd> listen_at(int parent, const std::string& name) {
  base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return layer_error(kLayer, "socket", errno);
  // The path uses the descriptor of the directory: sun_path holds 107 bytes, and the directory's path may be longer.
  const std::string path = "/proc/self/fd/" + std::to_string(parent) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return layer_error(kLayer, "cannot bind " + name, ENAMETOOLONG);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  if (::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return layer_error(kLayer, "cannot bind " + name, errno);
  // connect(2) needs write permission. The socket is visible only in this execution's views.
  if (::fchmodat(parent, name.c_str(), 0666, 0) != 0) return layer_error(kLayer, "cannot chmod " + name, errno);
  if (::listen(socket.get(), 4096) != 0) return layer_error(kLayer, "cannot listen at " + name, errno);
  return socket;
}

}  // namespace

void refuse(const base::Fd& shim, int status, std::string_view text) {
  shim::answer(shim.get(), shim::AnswerHead::Kind::Refused, static_cast<std::uint32_t>(status), text);
}

Result<Door> Door::open(int parent, const std::string& name, uid_t uid, dev_t terminal) {
  Door door;
  door.uid_ = uid;
  door.terminal_ = terminal;
  BAND_TRY(door.listener_, listen_at(parent, name));
  door.epoll_ = base::Fd(::epoll_create1(EPOLL_CLOEXEC));
  door.timer_ = base::Fd(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
  if (!door.epoll_ || !door.timer_) return layer_error(kLayer, "epoll or timerfd", errno);
  BAND_CHECK(watch(door.epoll_, door.timer_.get(), kTimer));
  door.watch_listener(true);
  return door;
}

void Door::watch_listener(bool on) {
  if (on == listening_) return;
  if (on && !watch(epoll_, listener_.get(), kListener).ok()) return;
  if (!on) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr);
  listening_ = on;
}

void Door::on_readable(const Take& take, const Malformed& malformed) {
  epoll_event events[64];
  const int count = ::epoll_wait(epoll_.get(), events, 64, 0);
  // Remaining events are reported again (level-triggered). The time of a call is bounded, because the calling code has
  // a deadline to enforce and one request may take 0.3 s.
  const std::int64_t until = base::monotonic_us() + kTurnUs;
  const auto in_time = [&] { return base::monotonic_us() < until; };
  for (int i = 0; i < count && (i == 0 || in_time()); ++i) {
    const std::uint64_t key = events[i].data.u64;
    if (key == kListener) {
      // A shim sends its request immediately, so it can usually be read now.
      for (const std::uint64_t accepted : accept_some())
        if (in_time()) go_on_with(accepted, take, malformed);
      continue;
    }
    if (key == kTimer) {
      drop_late();
      continue;
    }
    go_on_with(key, take, malformed);
  }
  if (listener_) watch_listener(pending_.size() < kMaxPending);
}

void Door::go_on_with(std::uint64_t key, const Take& take, const Malformed& malformed) {
  const auto found = pending_.find(key);
  if (found == pending_.end()) return;
  const auto progress = advance(key, found->second);
  if (progress.ok() && *progress == Progress::More) return;
  Pending pending = release(key);
  Status status = progress.ok() ? done() : Status(progress.error());
  if (status.ok() && *progress == Progress::Whole) {
    auto request = read_request(pending.head, pending.body);
    if (request.ok()) return take({std::move(pending.socket), std::move(*request), std::move(pending.descriptors)});
    status = request.error();
  }
  if (status.ok()) return;  // the peer closed the connection
  refuse(pending.socket, shim::kCannotRun, "band: " + status.error().message() + "\n");
  malformed(status.error());
}

std::vector<std::uint64_t> Door::accept_some() {
  std::vector<std::uint64_t> accepted;
  while (pending_.size() < kMaxPending) {
    base::Fd socket(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) break;
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 || peer.uid != uid_) continue;
    const std::uint64_t key = next_key_++;
    if (!watch(epoll_, socket.get(), key).ok()) continue;
    if (pending_.empty()) {
      const itimerspec every_second{{1, 0}, {1, 0}};
      ::timerfd_settime(timer_.get(), 0, &every_second, nullptr);
    }
    Pending& pending = pending_[key];
    pending.socket = std::move(socket);
    pending.deadline_us = base::monotonic_us() + std::int64_t{kRequestTimeoutMs} * 1000;
    accepted.push_back(key);
  }
  return accepted;
}

// Reads the head. The descriptors are attached to its first byte; descriptors attached to later bytes are discarded.
Result<Door::Progress> Door::read_head(Pending& pending) {
  auto* to = reinterpret_cast<char*>(&pending.head);
  if (pending.head_have == 0) {
    auto message = base::receive(pending.socket.get(), sizeof pending.head, shim::kMaxDescriptors);
    if (!message.ok()) {
      if (message.error().err == EAGAIN) return Progress::More;
      if (message.error().err == EMSGSIZE) return refused("more descriptors than a command accepts");
      return message.error();
    }
    if (message->text.empty()) return Progress::Gone;
    std::copy(message->text.begin(), message->text.end(), to);
    pending.head_have = message->text.size();
    BAND_CHECK(take_descriptors(pending, std::move(message->fds)));
  } else {
    const ssize_t n = ::recv(pending.socket.get(), to + pending.head_have, sizeof pending.head - pending.head_have, 0);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? Progress::More : Progress::Gone;
    if (n == 0) return Progress::Gone;
    pending.head_have += static_cast<std::size_t>(n);
  }
  if (pending.head_have < sizeof pending.head) return Progress::More;
  BAND_CHECK(check_head(pending.head));
  if (pending.head.descriptor_count != pending.descriptors.size())
    return refused("the number of attached descriptors is not the number in the request");
  for (std::size_t i = 0; i < pending.descriptors.size(); ++i)
    BAND_CHECK(check_descriptor(pending.descriptors[i].get(), pending.head.descriptors[i], terminal_));
  return Progress::Whole;
}

Status Door::take_descriptors(Pending& pending, std::vector<base::Fd> descriptors) {
  if (descriptors_ + descriptors.size() > kMaxPendingDescriptors)
    return refused("too many requests with descriptors are pending");
  pending.descriptors = std::move(descriptors);
  descriptors_ += pending.descriptors.size();
  return done();
}

Result<Door::Progress> Door::read_body(Pending& pending) {
  const std::size_t whole = body_bytes(pending.head);
  char chunk[64 << 10];
  while (pending.body.size() < whole) {
    const ssize_t n =
        ::recv(pending.socket.get(), chunk, std::min(sizeof chunk, whole - pending.body.size()), MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR ? Progress::More : Progress::Gone;
    if (n == 0) return Progress::Gone;
    pending.body.append(chunk, static_cast<std::size_t>(n));
  }
  return Progress::Whole;
}

Result<Door::Progress> Door::advance(std::uint64_t key, Pending& pending) {
  if (pending.head_have < sizeof pending.head) {
    BAND_TRY(const Progress progress, read_head(pending));
    if (progress != Progress::Whole) return progress;
  }
  if (!pending.counted) {
    const std::size_t bytes = body_bytes(pending.head);
    if (bytes_ + bytes > kMaxPendingBytes) {  // continued when other requests have released memory
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, pending.socket.get(), nullptr);
      parked_.push_back(key);
      return Progress::More;
    }
    bytes_ += bytes;
    pending.counted = true;
  }
  return read_body(pending);
}

Door::Pending Door::release(std::uint64_t key) {
  Pending pending = std::move(pending_.at(key));
  pending_.erase(key);
  // Closing the descriptor would not remove the socket from the epoll, because the warden has a copy of the descriptor.
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, pending.socket.get(), nullptr);
  if (pending.counted) bytes_ -= body_bytes(pending.head);
  descriptors_ -= pending.descriptors.size();
  if (pending_.empty()) {
    const itimerspec never{};
    ::timerfd_settime(timer_.get(), 0, &never, nullptr);
  }
  wake_parked();
  return pending;
}

void Door::wake_parked() {
  while (!parked_.empty() && bytes_ + shim::kMaxBodyBytes <= kMaxPendingBytes) {
    const auto found = pending_.find(parked_.front());
    parked_.pop_front();
    if (found == pending_.end()) continue;
    static_cast<void>(watch(epoll_, found->second.socket.get(), found->first));
  }
}

void Door::drop_late() {
  std::uint64_t ticks = 0;
  if (::read(timer_.get(), &ticks, sizeof ticks) < 0) return;
  const std::int64_t now = base::monotonic_us();
  std::vector<std::uint64_t> late;
  for (const auto& [key, pending] : pending_)
    if (pending.deadline_us <= now) late.push_back(key);
  for (const std::uint64_t key : late) release(key);
}

}  // namespace band::broker
