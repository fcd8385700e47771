#include "client/host/environment.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "client/platform/process.h"
#include "schemas/core/fd.h"
#include "schemas/wire/wire.h"

extern char** environ;

namespace band::client {
namespace {

// Whom the owner and the mode of a file must exclude. Private: other users from reading. Own: other users from writing.
enum class Trust { Any, Own, Private };

Status check_trust(const std::string& path, int fd, Code code, Trust trust) {
  struct ::stat status = {};
  if (::fstat(fd, &status) != 0) return Error{.code = code, .doing = "cannot read " + path, .err = errno};
  if (trust == Trust::Private && (status.st_mode & 077) != 0)
    return Error{.code = code, .doing = path + " can be read or changed by other users", .hint = "chmod 600 " + path};
  if ((status.st_mode & 022) != 0)
    return Error{.code = code, .doing = path + " can be changed by other users", .hint = "chmod go-w " + path};
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    return Error{.code = code,
                 .doing = path + " belongs to another user",
                 .hint = "remove it, or become its owner: chown \"$USER\" " + path};
  return done();
}

Result<std::string> read_checked(const std::string& path, std::size_t max_bytes, Code code, Trust trust) {
  // O_NONBLOCK: opening a FIFO must not block. A link could lead to a file that a script writes.
  const int follow = trust == Trust::Own ? O_NOFOLLOW : 0;
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | follow));
  if (!file) {
    const int err = errno;
    if (err == ELOOP && follow != 0)
      return Error{.code = code, .doing = path + " is a link", .hint = "replace it by the file itself"};
    return Error{.code = code,
                 .doing = "cannot read " + path,
                 .err = err,
                 .hint = err == ENOENT ? "name a file that exists" : "check its permissions"};
  }
  if (trust != Trust::Any) BAND_CHECK(check_trust(path, file.get(), code, trust));
  int err = 0;
  auto content = read_regular(file.get(), max_bytes, err);
  if (content) return std::move(content->content);
  if (err == EINVAL) return Error{.code = code, .doing = path + " is not a regular file"};
  if (err == EFBIG)
    return Error{.code = code, .doing = path + " has more than " + std::to_string(max_bytes) + " bytes"};
  return Error{.code = code, .doing = "cannot read " + path, .err = err};
}

// The error has the cause of the current errno.
Error not_writable(const std::string& doing) {
  return {.code = Code::Usage,
          .doing = "cannot " + doing,
          .err = errno,
          .hint = "check the permissions, or set BAND_CONFIG_DIR to a directory that you own"};
}

}  // namespace

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> environment_names() {
  constexpr std::string_view kFirst = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_", kDigits = "0123456789";
  const std::string of_name = std::string(kFirst).append(kDigits);
  std::vector<std::string> names;
  for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    const std::string_view name = text.substr(0, text.find('='));
    if (name.empty() || kDigits.find(name[0]) != std::string_view::npos) continue;
    if (name.find_first_not_of(of_name) == std::string_view::npos) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string home_directory() {
  if (const auto home = environment("HOME"); home && home->starts_with('/')) return *home;
  const passwd* user = ::getpwuid(::getuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

std::string config_directory() {
  if (const auto given = environment("BAND_CONFIG_DIR"); given && !given->empty()) return *given;
  return home_directory() + "/.config/band";
}

std::string state_directory() { return home_directory() + "/.band"; }

std::string executable_directory() {
  // Computed once: it takes a system call for each directory of the path, and each run needs it several times.
  static const std::string directory = [] {
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(executable_path(), error);
    return error ? "" : real.parent_path().string();
  }();
  return directory;
}

std::string shipped_root() {
  const std::string own = executable_directory();
  return own.empty() ? "" : (std::filesystem::path(own).parent_path() / "share/band/skills").string();
}

Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Code code) {
  return read_checked(path, max_bytes, code, Trust::Any);
}

Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes, Code code) {
  return read_checked(path, max_bytes, code, Trust::Private);
}

Result<std::string> read_own_file(const std::string& path, std::size_t max_bytes, Code code) {
  return read_checked(path, max_bytes, code, Trust::Own);
}

Status make_private_directory(const std::string& directory) {
  for (std::size_t end = directory.find('/', 1);; end = directory.find('/', end + 1)) {
    const std::string part = directory.substr(0, end);
    if (::mkdir(part.c_str(), 0700) != 0 && errno != EEXIST && errno != EISDIR)
      return not_writable("create directory " + part);
    // The owner of a directory can replace its entries, and redirect root's writes with a symbolic link.
    struct ::stat info = {};
    if (::stat(part.c_str(), &info) != 0) return not_writable("examine " + part);
    if (info.st_uid != ::geteuid() && info.st_uid != 0)
      return Error{.code = Code::Usage,
                   .doing = part + " belongs to another user, so band does not write below it",
                   .hint = "run the command as that user, or set BAND_CONFIG_DIR to a directory that you own"};
    if (end == std::string::npos) return done();
  }
}

Status write_private_file(const std::string& directory, const std::string& name, const std::string& content) {
  BAND_CHECK(make_private_directory(directory));
  BAND_TRY(const std::string random, random_hex(4));
  const std::string temporary = directory + "/." + name + "." + random;
  const Fd file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return not_writable("create " + temporary);
  const bool written = write_all(file.get(), content);
  if (written && ::fsync(file.get()) == 0 && ::rename(temporary.c_str(), (directory + "/" + name).c_str()) == 0)
    return done();
  Error error = not_writable("write " + directory + "/" + name);
  ::unlink(temporary.c_str());
  return error;
}

}  // namespace band::client
