#include "server/admin/teardown.h"

#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <memory>
#include <string>

#include "server/admin/program.h"
#include "server/admin/service.h"
#include "server/admin/setup.h"
#include "server/base/fd.h"

namespace band::admin {
namespace {

Error teardown_error(const std::string& doing, int err, std::string hint = "") {
  return layer_error("teardown", doing, err, std::move(hint));
}

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

// Calls visit(directory descriptor, name, is directory) for each entry.
template <class Visit>
Status each_entry(int directory, const std::string& path, Visit visit) {
  base::Fd copy(::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!copy) return teardown_error("cannot open " + path, errno);
  std::unique_ptr<DIR, CloseDir> stream(::fdopendir(copy.get()));
  if (!stream) return teardown_error("cannot read " + path, errno);
  copy.release();
  for (errno = 0; const dirent* entry = ::readdir(stream.get()); errno = 0) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") BAND_CHECK(visit(directory, name));
  }
  if (errno != 0) return teardown_error("cannot read " + path, errno);
  return done();
}

struct Kind {
  bool directory = false, mounted = false;
};

Result<Kind> kind_of(int directory, const std::string& name, const std::string& path) {
  struct statx info {};
  if (::statx(directory, name.c_str(), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, STATX_TYPE, &info) != 0)
    return teardown_error("cannot read the status of " + path, errno);
  // Device numbers are not compared, because a bind mount of the same file system has the same device number.
  const bool mounted =
      (info.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 && (info.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
  return Kind{S_ISDIR(info.stx_mode), mounted};
}

enum class Act { Check, Remove };

Status walk(int parent, const std::string& name, const std::string& path, Act act) {
  BAND_TRY(const Kind kind, kind_of(parent, name, path));
  if (kind.mounted)
    return teardown_error(path + " is a mount point; nothing was removed", 0, "umount " + path + ", then try again");
  if (!kind.directory) {
    if (act == Act::Remove && ::unlinkat(parent, name.c_str(), 0) != 0 && errno != ENOENT)
      return teardown_error("cannot remove " + path, errno);
    return done();
  }
  const base::Fd fd(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return teardown_error("cannot open " + path, errno);
  BAND_CHECK(each_entry(fd.get(), path,
                        [&](int at, const std::string& entry) { return walk(at, entry, path + "/" + entry, act); }));
  if (act == Act::Remove && ::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
    return teardown_error("cannot remove " + path, errno);
  return done();
}

// Removes the tree, or nothing when a file system is mounted in it.
Status remove_tree(const std::string& path, const Progress& progress) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    if (errno == ENOENT) return done();
    return teardown_error("cannot read the status of " + path, errno);
  }
  BAND_CHECK(walk(AT_FDCWD, path, path, Act::Check));
  progress("removing " + path);
  return walk(AT_FDCWD, path, path, Act::Remove);
}

Status remove_file(const std::string& path, const Progress& progress) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT || errno == ENOTDIR) return done();
    return teardown_error("cannot remove " + path, errno);
  }
  progress("removing " + path);
  return done();
}

// For a directory that may contain other files. If it does, it is not removed.
void remove_if_empty(const std::string& path) { ::rmdir(path.c_str()); }

Status remove_unit(const Paths& paths, const Progress& progress) {
  if (::access(paths.systemd.c_str(), F_OK) != 0 || ::access(paths.unit.c_str(), F_OK) != 0) return done();
  BAND_CHECK(run_program({"systemctl", "--quiet", "disable", std::filesystem::path(paths.unit).filename()}));
  BAND_CHECK(remove_file(paths.unit, progress));
  return run_program({"systemctl", "daemon-reload"});
}

constexpr const char* kUsers[] = {"band-http", "band-gateway", "band-runner"};

// Returns true only for an account in the form that setup creates, because the administrator may use the name for
// another account.
bool made_by_setup(const char* name) {
  const passwd* user = ::getpwnam(name);
  return user != nullptr && std::string_view(user->pw_dir) == "/nonexistent";
}

Status remove_users(const Progress& progress) {
  for (const char* name : kUsers) {
    if (made_by_setup(name)) {
      progress(std::string("removing user ") + name);
      BAND_CHECK(run_program({"userdel", name}));
    }
    // userdel also removes the group of the same name.
    if (::getpwnam(name) == nullptr && ::getgrnam(name) != nullptr) {
      progress(std::string("removing group ") + name);
      BAND_CHECK(run_program({"groupdel", name}));
    }
  }
  return done();
}

}  // namespace

Status remove_files(const Paths& paths, bool purge, const Progress& progress) {
  BAND_CHECK(remove_tree(paths.run_dir, progress));
  BAND_CHECK(remove_tree(paths.state_dir, progress));
  BAND_CHECK(remove_file(paths.log, progress));
  BAND_CHECK(remove_file(paths.log + ".1", progress));
  BAND_CHECK(remove_file(paths.executions_log(), progress));
  BAND_CHECK(remove_file(paths.executions_log_before(), progress));
  remove_if_empty(std::filesystem::path(paths.log).parent_path());
  if (!purge) return done();
  BAND_CHECK(remove_file(paths.config, progress));
  BAND_CHECK(remove_file(paths.tokens, progress));
  remove_if_empty(std::filesystem::path(paths.config).parent_path());
  return done();
}

std::string kept(const Paths& paths) {
  const auto there = [](const std::string& path) { return ::access(path.c_str(), F_OK) == 0; };
  std::string files, users;
  if (there(paths.config)) files = "configuration";
  if (there(paths.tokens)) files += files.empty() ? "tokens" : ", tokens";
  if (!files.empty()) files = std::filesystem::path(paths.config).parent_path().string() + " (" + files + ")";
  for (const char* name : kUsers)
    if (made_by_setup(name)) users += (users.empty() ? "the users " : ", ") + std::string(name);
  if (files.empty() && users.empty()) return "";
  return "kept: " + files + (files.empty() || users.empty() ? "" : " and ") + users + "; --purge removes them";
}

Status teardown(const Paths& paths, bool purge, const Progress& progress) {
  BAND_CHECK(require_root("band teardown --target local"));
  BAND_CHECK(stop(paths, progress));
  BAND_CHECK(remove_unit(paths, progress));
  BAND_CHECK(remove_files(paths, purge, progress));
  if (purge) return remove_users(progress);
  if (const std::string line = kept(paths); !line.empty()) progress(line);
  return done();
}

}  // namespace band::admin
