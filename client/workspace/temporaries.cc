#include "client/workspace/temporaries.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "schemas/wire/wire.h"

namespace band::client {
namespace {

// .band-TTTTTTTT-RRRRRR.tmp: the tag, then a random part; both hexadecimal.
constexpr std::string_view kPrefix = ".band-", kSuffix = ".tmp";
constexpr std::size_t kTag = 8, kRandom = 6;
constexpr std::string_view kNoTag =
    "00000000";  // tag of a writer without a lock: only the file's age shows that the writer is dead
constexpr std::time_t kStaleSeconds = 3600;  // longer than any write-back
constexpr std::size_t kMaxSwept = 500;       // names that are examined outside of the directories of this write-back

bool is_temporary(std::string_view name) {
  if (name.size() != kPrefix.size() + kTag + 1 + kRandom + kSuffix.size()) return false;
  if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix) || name[kPrefix.size() + kTag] != '-') return false;
  name.remove_prefix(kPrefix.size());
  name.remove_suffix(kSuffix.size());
  return name.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
}

// The inode number, which is stable across reboots.
std::string tag_of(int directory) {
  struct ::stat status = {};
  if (::fstat(directory, &status) != 0) return std::string(kNoTag);
  char text[kTag + 1];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(status.st_ino));
  return text;
}

}  // namespace

Temporaries::Temporaries(const Tree& workspace, const Opening& write, const std::set<std::string>& directories) {
  int err = 0;
  lock_ = workspace.open_directory("", err);
  tag_ = tag_of(lock_.get());
  // Does not wait: another program may hold a lock on the directory for a long time.
  alone_ = ::flock(lock_.get(), LOCK_EX | LOCK_NB) == 0;
  sweep(workspace, write, directories);
  if (::flock(lock_.get(), LOCK_SH | LOCK_NB) != 0) tag_ = kNoTag;
}

Result<std::string> Temporaries::fresh_name() const {
  BAND_TRY(const std::string random, random_hex(kRandom / 2));
  return std::string(kPrefix) + tag_ + "-" + random + std::string(kSuffix);
}

// Breadth first, so that the nearest directories are reached in a tree of any size. First from the directories that
// patterns name, because the root may have many other names. Errors are ignored, because this is only a cleanup.
void Temporaries::sweep(const Tree& workspace, const Opening& write, const std::set<std::string>& directories) {
  const std::vector<std::string> starts = write.starts();
  std::deque<std::string> ahead(starts.begin(), starts.end());
  if (std::find(starts.begin(), starts.end(), "") == starts.end()) ahead.emplace_back("");
  for (std::size_t seen = 0; !ahead.empty() && seen < kMaxSwept; ahead.pop_front())
    seen += sweep_directory(workspace, ahead.front(), write, kMaxSwept - seen, &ahead);
  for (const std::string& path : directories) sweep_directory(workspace, path, write, SIZE_MAX, nullptr);
}

std::size_t Temporaries::sweep_directory(const Tree& workspace, const std::string& path, const Opening& write,
                                         std::size_t most, std::deque<std::string>* ahead) {
  int err = 0;
  const Fd directory = workspace.open_directory(path, err);
  const auto names = directory ? list_directory(directory.get(), err, most) : std::nullopt;
  if (!names) return 0;
  for (const std::string& name : *names) {
    const std::string entry = join_path(path, name);
    struct ::stat status = {};
    const bool temporary = is_temporary(name);
    if (!temporary && (ahead == nullptr || !write.may_open_below(entry))) continue;
    if (::fstatat(directory.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (S_ISDIR(status.st_mode) && ahead != nullptr)
      ahead->push_back(entry);
    else if (temporary && is_dead(name, status) && ::unlinkat(directory.get(), name.c_str(), 0) == 0)
      removed_.push_back(entry);
  }
  return names->size();
}

bool Temporaries::is_dead(std::string_view name, const struct ::stat& status) const {
  if (!S_ISREG(status.st_mode)) return false;
  // A write-back by root changes the owner of a file before it is put in place.
  if (status.st_uid != ::geteuid() && ::geteuid() != 0) return false;
  const bool ours = tag_ != kNoTag && name.substr(kPrefix.size()).starts_with(tag_);
  return (alone_ && ours) || std::time(nullptr) - status.st_mtime > kStaleSeconds;
}

}  // namespace band::client
