#include "server/watch/first_touch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>

namespace band::watch {
namespace {

constexpr const char* kLayer = "watch";

Error refused(const std::string& doing, int err) {
  const bool full = err == EMFILE || err == ENOSPC;
  return layer_error(kLayer, doing, err,
                     full ? "raise fs.inotify.max_user_instances or fs.inotify.max_user_watches (sysctl)" : "");
}

}  // namespace

Result<FirstTouch> FirstTouch::open() {
  FirstTouch touch;
  touch.fd_.reset(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!touch.fd_) return refused("cannot initialise inotify", errno);
  return touch;
}

Status FirstTouch::add(int directory, const std::string& path, std::size_t file) {
  const std::string name = "/proc/self/fd/" + std::to_string(directory) + "/" + path;
  const int watch = ::inotify_add_watch(fd_.get(), name.c_str(),
                                        IN_ACCESS | IN_CLOSE_NOWRITE | IN_MODIFY | IN_ONESHOT | IN_DONT_FOLLOW);
  if (watch < 0 && errno == ENOENT) return done();
  if (watch < 0) return refused("cannot watch " + path, errno);
  files_[watch] = file;
  return done();
}

Status FirstTouch::take_one(const void* event, std::vector<Touched>& touched) {
  const auto& seen = *static_cast<const inotify_event*>(event);
  if ((seen.mask & IN_Q_OVERFLOW) != 0)
    return layer_error(kLayer, "inotify lost events", ENOBUFS,
                       "set fs.inotify.max_queued_events to its default, 16384, or higher (sysctl)");
  if ((seen.mask & (IN_ACCESS | IN_CLOSE_NOWRITE | IN_MODIFY)) == 0) return done();
  // Before the watch ends, two processors can each queue an event for the file. Only the first event counts.
  const auto file = files_.find(seen.wd);
  if (file == files_.end()) return done();
  touched.push_back({file->second, (seen.mask & IN_MODIFY) == 0});
  files_.erase(file);
  return done();
}

Result<std::vector<FirstTouch::Touched>> FirstTouch::read() {
  std::vector<Touched> touched;
  alignas(inotify_event) char buffer[16 << 10];
  for (;;) {
    const ssize_t n = ::read(fd_.get(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return touched;
    if (n <= 0) return layer_error(kLayer, "cannot read from inotify", errno);
    for (const char* at = buffer; at < buffer + n;) {
      BAND_CHECK(take_one(at, touched));
      at += sizeof(inotify_event) + reinterpret_cast<const inotify_event*>(at)->len;
    }
  }
}

}  // namespace band::watch
