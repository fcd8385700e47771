#include "server/admin/tokens_file.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "server/admin/service.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

// File times have the resolution of a clock tick: 10 ms at CONFIG_HZ=100. kTickNs is ten times as much.
constexpr std::int64_t kTickNs = 100'000'000;
constexpr int kMostReads = 10;

std::int64_t nanoseconds(const timespec& time) { return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec; }

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return nanoseconds(now);
}

// Returns the same path for the server and for a command, regardless of how each of them received it.
std::string settled(const std::string& path) {
  std::error_code failed;
  const auto whole = std::filesystem::weakly_canonical(path, failed);
  return failed ? path : whole.string();
}

std::string announcement(const Paths& paths, const FileIdentity& identity) {
  return identity.text() + " " + settled(paths.tokens) + "\n";
}

// Returns true when the announcement names another tokens file: the running server then does not use the file of
// `paths`.
bool is_of_another(const Paths& paths, const std::string& announced) {
  return !announced.empty() && !announced.ends_with(" " + settled(paths.tokens) + "\n");
}

}  // namespace

FileIdentity FileIdentity::of(const struct stat& info) {
  return {info.st_dev, info.st_ino, info.st_size, nanoseconds(info.st_mtim), nanoseconds(info.st_ctim)};
}

std::string FileIdentity::text() const {
  return std::to_string(device) + ":" + std::to_string(inode) + ":" + std::to_string(size) + ":" +
         std::to_string(modified_ns) + ":" + std::to_string(changed_ns);
}

Result<std::vector<Token>> TokensFile::load() {
  loaded_.reset();
  identity_.reset();
  BAND_TRY(base::Fd fd, open_tokens(path_));
  for (int n = 0; n < kMostReads; ++n) {
    struct stat before {
    }, after{};
    const std::int64_t from_ns = now_ns();
    if (::fstat(fd.get(), &before) != 0 || ::lseek(fd.get(), 0, SEEK_SET) != 0)
      return layer_error("tokens", "cannot read the status of " + path_, errno);
    auto tokens = load_tokens(fd.get(), path_);
    if (::fstat(fd.get(), &after) != 0) return layer_error("tokens", "cannot read the status of " + path_, errno);
    if (FileIdentity::of(before) != FileIdentity::of(after)) continue;  // the file was written during the read
    if (!tokens.ok()) return tokens;
    identity_ = FileIdentity::of(before);
    fresh_ = from_ns - identity_->changed_ns < kTickNs;
    loaded_ = std::move(fd);
    return tokens;
  }
  return layer_error("tokens", "cannot read " + path_ + ": it keeps changing while it is read", 0);
}

bool TokensFile::changed() const {
  struct stat there {};
  return fresh_ || !identity_ || ::lstat(path_.c_str(), &there) != 0 || FileIdentity::of(there) != *identity_;
}

Status announce_tokens(const Paths& paths, const FileIdentity& identity) {
  return base::write_file(paths.tokens_file_in_force(), announcement(paths, identity), 0600);
}

Status confirm_tokens(const Paths& paths, int ms) {
  const std::int64_t deadline = base::monotonic_us() + std::int64_t{ms} * 1000;
  BAND_CHECK(signal_holder(paths, SIGHUP));  // without the signal, the server checks its tokens file only once a second
  for (;;) {
    BAND_TRY(const auto pid, holder(paths));
    if (!pid) return done();
    struct stat there {};
    if (::lstat(paths.tokens.c_str(), &there) != 0)
      return layer_error("tokens", "cannot read the status of " + paths.tokens, errno);
    const auto announced = base::read_file(paths.tokens_file_in_force(), 8192);
    if (announced.ok() &&
        (is_of_another(paths, *announced) || *announced == announcement(paths, FileIdentity::of(there))))
      return done();
    if (base::monotonic_us() >= deadline)
      return Error{
          .code = Code::ServerUnreachable,
          .doing =
              "the server did not confirm within " + std::to_string(ms / 1000) + " s that it has loaded the change",
          .hint = "restart the server: `band-server stop`, then `band-server start`; see its log for the cause"};
    ::usleep(3'000);
  }
}

}  // namespace band::admin
