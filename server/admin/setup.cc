#include "server/admin/setup.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

#include "server/admin/drain.h"
#include "server/admin/program.h"
#include "server/admin/service.h"
#include "server/admin/tokens.h"
#include "server/admin/unit.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

constexpr int kDrainSeconds = 300;  // as `band-server drain` and `band setup`

Error setup_error(const std::string& doing, int err, std::string hint = "") {
  return layer_error("setup", doing, err, std::move(hint));
}

Status ensure_user(const std::string& name, const std::string& comment, const Progress& progress) {
  if (::getgrnam(name.c_str()) == nullptr) {
    progress("creating group " + name);
    BAND_CHECK(run_program({"groupadd", "--system", name}));
  }
  if (const passwd* found = ::getpwnam(name.c_str())) {
    if (found->pw_uid == 0)
      return setup_error("user " + name + " has uid 0", 0, "remove it from /etc/passwd and run setup again");
    return done();
  }
  progress("creating user " + name);
  return run_program({"useradd", "--system", "--gid", name, "--no-create-home", "--home-dir", "/nonexistent", "--shell",
                      "/usr/sbin/nologin", "--comment", comment, name});
}

Status ensure_directory(const std::string& path, mode_t mode, const Progress& progress) {
  const auto parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) return setup_error("cannot create " + parent.string(), error.value());
  if (::mkdir(path.c_str(), mode) == 0) {
    progress("creating " + path);
    if (::chmod(path.c_str(), mode) != 0)
      return setup_error("cannot set the mode of " + path, errno);  // despite the umask
    return done();
  }
  if (errno != EEXIST) return setup_error("cannot create " + path, errno);
  const base::Fd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return setup_error("cannot open " + path, errno, "replace it by a directory");
  struct stat info {};
  if (::fstat(fd.get(), &info) != 0) return setup_error("cannot read the status of " + path, errno);
  if (info.st_uid != ::geteuid())
    return setup_error(path + " belongs to user " + std::to_string(info.st_uid), 0,
                       "chown root:root " + path + ", if you trust its content");
  if ((info.st_mode & 07777 & ~mode) == 0) return done();
  progress("removing permissions of " + path);
  if (::fchmod(fd.get(), mode) != 0) return setup_error("cannot set the mode of " + path, errno);
  return done();
}

Status ensure_file(const std::string& path, const std::string& text, mode_t mode, const Progress& progress) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) == 0) return done();
  if (errno != ENOENT) return setup_error("cannot read the status of " + path, errno);
  progress("writing " + path);
  return base::write_file(path, text, mode);
}

}  // namespace

std::string own_program() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).string();
}

Status require_root(std::string_view command) {
  if (::geteuid() == 0) return done();
  return Error{.code = Code::PermissionDenied,
               .doing = "this command needs root",
               .hint = "run `sudo " + std::string(command) + "`"};
}

Status ensure_users(const Progress& progress) {
  BAND_CHECK(ensure_user("band-http", "band - HTTP process", progress));
  BAND_CHECK(ensure_user("band-gateway", "band - relay of connections", progress));
  return ensure_user("band-runner", "band - user of scripts", progress);
}

Status ensure_files(const Paths& paths, const Progress& progress) {
  BAND_CHECK(ensure_directory(std::filesystem::path(paths.config).parent_path(), 0755, progress));
  BAND_CHECK(ensure_file(paths.config, default_config(), 0644, progress));
  BAND_CHECK(ensure_file(paths.tokens, "", 0600, progress));
  BAND_TRY(const auto tokens, load_tokens(paths.tokens));  // the server would fail with the same error
  BAND_CHECK(ensure_directory(paths.state_dir, 0700, progress));
  return ensure_directory(paths.run_dir, 0755, progress);
}

Status ensure_unit(const Paths& paths, const Progress& progress) {
  if (::access(paths.systemd.c_str(), F_OK) != 0) return done();
  const std::string text = unit_text(paths);
  const auto there = base::read_file(paths.unit, 64 << 10);
  if (there.ok() && *there == text) return done();
  progress("writing " + paths.unit);
  BAND_CHECK(base::write_file(paths.unit, text, 0644));
  BAND_CHECK(run_program({"systemctl", "daemon-reload"}));
  return run_program({"systemctl", "--quiet", "enable", std::filesystem::path(paths.unit).filename()});
}

Result<std::uint16_t> start_own_build(const Paths& paths, int drain_s, const Progress& progress) {
  BAND_TRY(const std::uint16_t port, start(paths, progress));
  if (running_source(paths) == paths.source) return port;
  progress("replacing the running server, which was built from other sources");
  BAND_TRY(const auto left, drain(paths, drain_s, progress));
  if (!left.empty())
    return Error{.code = Code::ServerBusy,
                 .layer = "setup",
                 .doing = "the running server was built from other sources, and executions did not end within " +
                          std::to_string(drain_s) + " s; the server continues to serve",
                 .hint = "run setup again later; or end the executions with `band-server stop`, then run setup again"};
  BAND_CHECK(stop(paths, progress));
  return start(paths, progress);
}

Result<std::uint16_t> setup(const Paths& paths, const Progress& progress) {
  BAND_CHECK(require_root("band setup --target local"));
  BAND_CHECK(ensure_users(progress));
  BAND_CHECK(ensure_files(paths, progress));
  BAND_CHECK(ensure_unit(paths, progress));
  return start_own_build(paths, kDrainSeconds, progress);
}

}  // namespace band::admin
