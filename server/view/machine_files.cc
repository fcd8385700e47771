#include "server/view/machine_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "server/view/mounts.h"

namespace band::view {
namespace {

class Finder {
 public:
  Finder(const FollowedLinks& links, Budget& budget, std::vector<MachineFile>& found)
      : links_(links), budget_(budget), found_(found) {}

  Status start(const PathPattern& pattern) {
    const std::string root = pattern.literal_prefix();
    if (!pattern.is_literal()) return directory(pattern, root);
    const auto opened = links_.open(root, O_PATH);
    struct stat info {};
    if (opened.ok() && ::fstat(opened->get(), &info) == 0) file(root, info);
    return done();
  }

 private:
  Status directory(const PathPattern& pattern, const std::string& path) {
    auto opened = links_.open(path, O_RDONLY | O_DIRECTORY);
    if (!opened.ok() || is_kernel_window(opened->get())) return done();
    std::unique_ptr<DIR, int (*)(DIR*)> dir(::fdopendir(opened->release()), ::closedir);
    while (const dirent* entry = dir ? ::readdir(dir.get()) : nullptr) {
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      BAND_CHECK(budget_.spend(path));
      const std::string child = joined(path, name);
      struct stat info {};
      if (::fstatat(::dirfd(dir.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
      if (S_ISDIR(info.st_mode) && pattern.may_match_below(child)) BAND_CHECK(directory(pattern, child));
      if (pattern.matches(child)) file(child, info);
    }
    return done();
  }

  void file(const std::string& path, const struct stat& info) {
    if (S_ISREG(info.st_mode)) found_.push_back({path, info.st_dev, info.st_ino, info.st_size});
  }

  const FollowedLinks& links_;
  Budget& budget_;
  std::vector<MachineFile>& found_;
};

Error too_much(const std::string& what) {
  return Error{.code = Code::LimitExceeded,
               .layer = "view",
               .doing = "insist.write matches more than " + what + " of this machine",
               .hint = "insist on fewer files: band compares their content before and after the run"};
}

// Reads into `chunk`. Returns the number of bytes, which is less than the size of `chunk` only at EOF; a negative
// number on error.
ssize_t fill(int fd, std::string& chunk) {
  std::size_t have = 0;
  while (have < chunk.size()) {
    const ssize_t n = ::read(fd, chunk.data() + have, chunk.size() - have);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return n;
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return static_cast<ssize_t>(have);
}

using Hash = std::optional<std::uint64_t>;  // nullopt: the file cannot be read

// The hash is not cryptographic. With a hash collision a script could only hide its own change, and the insist on this
// change would then fail.
Result<Hash> hash_of(const FollowedLinks& links, const std::string& path, std::int64_t most,
                     const std::function<bool()>& go_on) {
  const auto opened = links.open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  struct stat info {};
  if (!opened.ok() || ::fstat(opened->get(), &info) != 0 || !S_ISREG(info.st_mode)) return Hash();
  std::string chunk(1 << 20, '\0');
  std::uint64_t hash = 0;
  for (;;) {
    const ssize_t n = fill(opened->get(), chunk);
    if (n < 0) return Hash();
    if (n == 0) return Hash(hash);
    // The file has grown since its size was checked.
    if ((most -= n) < 0) return too_much(std::to_string(Contents::kMaxBytes) + " bytes");
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>()({chunk.data(), static_cast<std::size_t>(n)});
    if (!go_on()) return Error{.code = Code::Cancelled, .layer = "view", .doing = "the execution was cancelled"};
  }
}

}  // namespace

Result<std::vector<MachineFile>> find_machine_files(const std::vector<PathPattern>& patterns,
                                                    const FollowedLinks& links, Who who,
                                                    const std::function<bool()>& go_on) {
  BAND_TRY(const base::Undo back, see_as(who));
  Budget budget{go_on};
  std::vector<MachineFile> found;
  for (const PathPattern& pattern : patterns) BAND_CHECK(Finder(links, budget, found).start(pattern));
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  const auto same = [](const auto& a, const auto& b) { return a.path == b.path; };
  found.erase(std::unique(found.begin(), found.end(), same), found.end());
  return found;
}

Result<Contents> Contents::of(const std::vector<MachineFile>& files, const FollowedLinks& links, Who who,
                              const std::function<bool()>& go_on) {
  if (files.size() > kMaxFiles) return too_much(std::to_string(kMaxFiles) + " files");
  BAND_TRY(const base::Undo back, see_as(who));
  Contents contents;
  std::int64_t left = kMaxBytes;
  for (const MachineFile& file : files) {
    left -= file.size;
    if (left < 0) return too_much(std::to_string(kMaxBytes) + " bytes");
    BAND_TRY(const auto hash, hash_of(links, file.path, file.size + left, go_on));
    contents.sorted_.push_back({file.path, file.size, hash});
  }
  return contents;
}

Result<bool> Contents::differs(const MachineFile& file, const FollowedLinks& links, Who who,
                               const std::function<bool()>& go_on) const {
  const auto before = std::lower_bound(sorted_.begin(), sorted_.end(), file.path,
                                       [](const Content& a, const std::string& path) { return a.path < path; });
  if (before == sorted_.end() || before->path != file.path || before->size != file.size) return true;
  if (!before->hash) return false;
  BAND_TRY(const base::Undo back, see_as(who));
  BAND_TRY(const auto hash, hash_of(links, file.path, kMaxBytes, go_on));
  return hash != before->hash;
}

}  // namespace band::view
