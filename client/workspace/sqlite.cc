#include "client/workspace/sqlite.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace band::client {
namespace {

using namespace std::string_view_literals;

struct Log {
  std::string_view suffix;
  std::string_view magic;  // https://www.sqlite.org/fileformat2.html; for a WAL without the bit of its byte order
  const char* does;
};
constexpr std::array kLogs = {Log{"-wal", "\x37\x7f\x06"sv, "apply it to the new database"},
                              Log{"-journal", "\xd9\xd5\x05\xf9"sv, "roll the new database back with it"}};

// A log that cannot be read counts, because SQLite may be able to read it.
bool would_be_played(const Tree& tree, const StoreItem& item, const Log& log) {
  int err = 0;
  const Fd directory = tree.open_directory(item.directory, err);
  if (!directory) return false;  // the write-back creates it, or store() reports the error
  const std::string name = item.name + std::string(log.suffix);
  struct ::stat status = {};
  if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size == 0)
    return false;
  const Fd file(::openat(directory.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  std::array<char, 4> begin{};
  const ssize_t count = file ? ::pread(file.get(), begin.data(), begin.size(), 0) : -1;
  return count < 0 || std::string_view(begin.data(), static_cast<std::size_t>(count)).starts_with(log.magic);
}

Error refused(const std::string& path, const std::string& beside, const Log& log) {
  return Error{.code = Code::WriteConflict,
               .doing = "nothing was written back: " + beside + " is in the workspace and belongs to the previous " +
                        path + "; SQLite would " + log.does,
               .hint = "close every program that uses " + path + ", run `sqlite3 " + path +
                       " 'pragma wal_checkpoint(truncate)'`, which empties this log, and run again"};
}

}  // namespace

Status check_sqlite_logs(const Tree& tree, const std::vector<StoreItem>& items, const std::vector<ShippedFile>& files) {
  for (const StoreItem& item : items)
    for (const Log& log : kLogs) {
      const std::string& path = item.file->path;
      const std::string beside = path + std::string(log.suffix);
      const auto is_beside = [&](const ShippedFile& file) { return file.path == beside; };
      if (std::any_of(files.begin(), files.end(), is_beside) || !would_be_played(tree, item, log)) continue;
      return refused(path, beside, log);
    }
  return done();
}

}  // namespace band::client
