#include "server/view/links.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <optional>

#include "server/view/mounts.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";
constexpr std::size_t kMaxLinks = 40;   // the kernel's MAXSYMLINKS
constexpr std::size_t kMaxDepth = 256;  // maximum number of directories that one walk keeps open

Error refused_link(const std::string& path, const std::string& why) {
  Error error = layer_error(
      kLayer, "cannot follow the link /" + path + ": " + why, 0,
      "write the path of the link's target; or let root, or the owner of the link's directory, make the link");
  error.code = Code::PermissionDenied;
  return error;
}

void put_in_front(std::deque<std::string>& names, const std::string& path) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from < path.size();) {
    const std::size_t slash = std::min(path.find('/', from), path.size());
    if (slash > from) parts.push_back(path.substr(from, slash - from));
    from = slash + 1;
  }
  names.insert(names.begin(), parts.begin(), parts.end());
}

// Resolves one path from the root of the machine, name by name. Each parent directory is kept open, so that `..` leads
// to the directory from which the last name was resolved.
class Follower {
 public:
  // If `who` is not set, every link is followed.
  explicit Follower(std::optional<Who> who) : who_(who) {}

  Status walk(const std::string& path) {
    BAND_CHECK(enter_root());
    put_in_front(names_, path);
    own_ = names_.size();
    while (!names_.empty()) {
      const std::string name = names_.front();
      names_.pop_front();
      if (names_.size() < own_) {  // the name is part of `path` itself, and not of a link's target
        own_ = names_.size();
        written_ = joined(written_, name);
      }
      if (name == ".") continue;
      if (name == "..") {
        if (steps_.size() > 1) steps_.pop_back();
        continue;
      }
      BAND_CHECK(step(name));
    }
    return done();
  }

  const std::vector<std::string>& links() const { return links_; }  // as written in `path`
  // Returns the resolved path, which contains no links.
  std::string real() const {
    std::string path;
    for (std::size_t i = 1; i < steps_.size(); ++i) path = joined(path, steps_[i].name);
    return path;
  }
  bool ends_at_root() const { return steps_.size() == 1; }
  base::Fd take_last() { return std::move(steps_.back().fd); }
  base::Fd take_holder() { return std::move(steps_[steps_.size() - 2].fd); }

 private:
  struct Step {
    std::string name;
    base::Fd fd;
  };

  Status enter_root() {
    steps_.clear();
    BAND_TRY(base::Fd root, open_beneath(AT_FDCWD, "/", O_PATH | O_DIRECTORY));
    steps_.push_back({"", std::move(root)});
    return done();
  }

  Status step(const std::string& name) {
    const std::string path = joined(real(), name);
    const int holder = steps_.back().fd.get();
    base::Fd fd(::openat(holder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    struct stat info {};
    if (!fd || ::fstat(fd.get(), &info) != 0) return layer_error(kLayer, "cannot open /" + path, errno);
    if (S_ISLNK(info.st_mode)) return link(path, holder, fd.get(), info);
    if (!S_ISDIR(info.st_mode) && !names_.empty()) return layer_error(kLayer, "cannot open /" + path, ENOTDIR);
    if (steps_.size() > kMaxDepth) return layer_error(kLayer, "cannot open /" + path, ENAMETOOLONG);
    steps_.push_back({name, std::move(fd)});
    return done();
  }

  Status link(const std::string& path, int holder, int fd, const struct stat& info) {
    links_.push_back(written_);
    if (links_.size() > kMaxLinks)
      return refused_link(path, "the path has more than " + std::to_string(kMaxLinks) + " links");
    struct stat directory {};
    if (::fstat(holder, &directory) != 0) return layer_error(kLayer, "cannot stat the directory of /" + path, errno);
    if (is_kernel_window(holder)) return refused_link(path, "the link is in a kernel file system");
    if (who_ && info.st_uid != 0 && info.st_uid == who_->uid)
      return refused_link(path, "the link is owned by the script's user");
    if (who_ && info.st_uid != 0 && info.st_uid != directory.st_uid)
      return refused_link(path, "the link is owned neither by root nor by the owner of its directory");
    std::string target(4096, '\0');
    const ssize_t size = ::readlinkat(fd, "", target.data(), target.size());
    if (size <= 0 || static_cast<std::size_t>(size) == target.size())
      return layer_error(kLayer, "cannot read the link /" + path, size < 0 ? errno : ENAMETOOLONG);
    target.resize(static_cast<std::size_t>(size));
    put_in_front(names_, target);
    return target.front() == '/' ? enter_root() : done();
  }

  std::optional<Who> who_;
  std::vector<Step> steps_;
  std::deque<std::string> names_;
  std::size_t own_ = 0;  // how many of the last names in names_ are part of the path itself
  std::string written_;
  std::vector<std::string> links_;
};

}  // namespace

Result<bool> FollowedLinks::follow(const std::string& path, Who who) {
  const auto direct = open_beneath(AT_FDCWD, "/" + path, O_PATH);
  if (direct.ok()) return false;
  if (direct.error().err != ELOOP) return direct.error();
  Follower follower(who);
  BAND_CHECK(follower.walk(path));
  if (follower.links().empty()) return false;  // open_beneath() found a link, but the link was replaced since then
  if (follower.ends_at_root()) return refused_link(path, "the target of the link is the root directory");
  Way way{path, follower.real(), follower.links(), follower.take_holder(), follower.take_last()};
  ways_.push_back(std::move(way));
  return true;
}

const FollowedLinks::Way* FollowedLinks::nearest(const std::string& path) const {
  const Way* found = nullptr;
  for (const Way& way : ways_)
    if (is_at_or_below(path, way.path) && (found == nullptr || way.path.size() > found->path.size())) found = &way;
  return found;
}

Result<base::Fd> FollowedLinks::open(const std::string& path, int flags) const {
  const Way* way = nearest(path);
  if (way == nullptr) return open_beneath(AT_FDCWD, "/" + path, flags);
  struct stat info {};
  if (::fstat(way->end.get(), &info) != 0) return layer_error(kLayer, "cannot stat /" + way->real, errno);
  const std::string rest = path == way->path ? "" : path.substr(way->path.size() + 1);
  if (S_ISDIR(info.st_mode)) return open_beneath(way->end.get(), rest.empty() ? "." : rest, flags);
  if (!rest.empty()) return layer_error(kLayer, "cannot open /" + path, ENOTDIR);
  return open_beneath(way->holder.get(), way->real.substr(way->real.rfind('/') + 1), flags);
}

std::string FollowedLinks::real(const std::string& path) const {
  const Way* way = nearest(path);
  return way == nullptr ? path : way->real + path.substr(way->path.size());
}

bool FollowedLinks::is_link(const std::string& path) const {
  return std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) {
    return std::find(way.links.begin(), way.links.end(), path) != way.links.end();
  });
}

bool FollowedLinks::is_link_between(const std::string& directory, const std::string& path) const {
  return std::any_of(ways_.begin(), ways_.end(), [&](const Way& way) {
    return std::any_of(way.links.begin(), way.links.end(), [&](const std::string& link) {
      return link != directory && is_at_or_below(link, directory) && is_at_or_below(path, link);
    });
  });
}

std::string without_links(const std::string& path) {
  if (open_beneath(AT_FDCWD, "/" + path, O_PATH).ok()) return path;
  std::string missing, existing = path;
  for (;;) {
    Follower follower({});
    const Status walked = follower.walk(existing);
    if (walked.ok()) return missing.empty() ? follower.real() : joined(follower.real(), missing);
    const std::size_t slash = existing.rfind('/');
    if (walked.error().err != ENOENT || slash == std::string::npos) return path;
    std::string name = existing.substr(slash + 1);
    if (!missing.empty()) name.append("/").append(missing);
    missing = std::move(name);
    existing.resize(slash);
  }
}

}  // namespace band::view
