#include "server/watch/mount_events.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/fanotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "server/base/io.h"

namespace band::watch {
namespace {

constexpr const char* kLayer = "watch";
constexpr std::uint64_t kRead = FAN_ACCESS | FAN_CLOSE_NOWRITE;
constexpr std::uint64_t kWrite = FAN_MODIFY | FAN_CLOSE_WRITE;
constexpr std::int64_t kAskEveryUs = 100'000;  // not more often, because the kernel walks the whole queue for FIONREAD

// Each event has a descriptor of the file. The descriptor is open until the event has been processed.
constexpr std::size_t kEventsARead = 64;

// The path of a file on a mount of another mount namespace begins at the root of that namespace.
std::string path_of(int fd) {
  char path[PATH_MAX];
  const ssize_t n = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  return n > 1 ? std::string(path + 1, static_cast<std::size_t>(n - 1)) : "";
}

// Sets the file of one event; returns false when it is not a regular file, or has no descriptor.
bool identify(const fanotify_event_metadata& seen, bool with_path, MountEvents::Event& event) {
  const base::Fd file(seen.fd);
  struct stat info {};
  // Skips events of the server itself: the server sets a mark through a descriptor, and the kernel may report the close
  // of this descriptor.
  if (seen.pid == ::getpid() || !file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return false;
  event.file = {info.st_dev, info.st_ino};
  if (with_path) event.path = path_of(file.get());
  event.read = (seen.mask & kRead) != 0;
  event.changed = (seen.mask & FAN_MODIFY) != 0;
  event.closed_after_writing = (seen.mask & FAN_CLOSE_WRITE) != 0;
  return true;
}

}  // namespace

Result<MountEvents> MountEvents::open() {
  MountEvents events;
  // These are the flags of the descriptors in events. O_NONBLOCK, because a FIFO in a declared directory must not block
  // the server; O_RDONLY, because fanotify does not support O_PATH.
  events.fd_.reset(
      ::fanotify_init(FAN_CLASS_NOTIF | FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS | FAN_NONBLOCK | FAN_CLOEXEC,
                      O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NONBLOCK));
  if (!events.fd_)
    return layer_error(kLayer, "cannot initialise fanotify", errno,
                       errno == EMFILE ? "raise fs.fanotify.max_user_groups (sysctl)"
                                       : "insist rules on absolute paths need fanotify: use a kernel with fanotify, "
                                         "and give the server CAP_SYS_ADMIN");
  return events;
}

Status MountEvents::mark(int fd, bool writable) {
  const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (::fanotify_mark(fd_.get(), FAN_MARK_ADD | FAN_MARK_MOUNT, kRead | (writable ? kWrite : 0), AT_FDCWD,
                      path.c_str()) != 0)
    return layer_error(kLayer, "cannot watch a mount of the sandbox (fanotify_mark)", errno,
                       "insist only on paths of file systems that support fanotify");
  return done();
}

Result<bool> MountEvents::read(std::vector<Event>& events, bool with_paths) {
  fanotify_event_metadata buffer[kEventsARead];
  for (std::size_t taken = 0; taken < kTurn;) {
    ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EAGAIN) return true;
    if (n < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
      return layer_error(kLayer, "cannot read from fanotify", errno);
    ++taken;
    if (n < 0) continue;  // EINTR, or an event whose file cannot be opened; such a file is not a regular file
    for (const fanotify_event_metadata* seen = buffer; FAN_EVENT_OK(seen, n); seen = FAN_EVENT_NEXT(seen, n)) {
      if (seen->vers != FANOTIFY_METADATA_VERSION || (seen->mask & FAN_Q_OVERFLOW) != 0)
        return layer_error(kLayer, "fanotify lost events", ENOBUFS);
      ++taken;
      Event event;
      if (identify(*seen, with_paths, event)) events.push_back(std::move(event));
    }
  }
  BAND_CHECK(check_waiting());
  return false;
}

Status MountEvents::check_waiting() {
  const std::int64_t now = base::monotonic_us();
  if (now - asked_us_ < kAskEveryUs) return done();
  asked_us_ = now;
  int bytes = 0;
  if (::ioctl(fd_.get(), FIONREAD, &bytes) != 0)
    return layer_error(kLayer, "cannot read the length of the fanotify queue", errno);
  if (static_cast<std::size_t>(bytes) / FAN_EVENT_METADATA_LEN <= kMaxWaiting) return done();
  return Error{.code = Code::LimitExceeded,
               .layer = kLayer,
               .doing = "cannot follow the script's file accesses: too many unread fanotify events",
               .hint =
                   "declare a smaller directory, or let the script read the files of `insist` first: band stops "
                   "following accesses when all of them were read"};
}

}  // namespace band::watch
