#include "client/workspace/partial.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace band::client {
namespace {

Error unusable(const std::string& path, std::string why, int err = 0) {
  return Error{.code = Code::Usage,
               .doing = "--keep-partial " + path + " " + std::move(why),
               .err = err,
               .hint = "name an empty directory, or a new one in an existing directory"};
}

}  // namespace

Result<PartialDirectory> PartialDirectory::prepare(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const bool made = ::mkdir(path.c_str(), 0755) == 0;
  if (!made && errno != EEXIST) return unusable(path, "cannot be created", errno);
  // The open descriptor identifies the directory: a link that replaces it later is not followed.
  const Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct ::stat held = {}, opened = {};
  if (!directory || ::fstat(directory.get(), &held) != 0) return unusable(path, "is not a directory", errno);
  BAND_TRY(Tree tree, Tree::open(path));
  if (::fstat(tree.fd(), &opened) != 0 || opened.st_dev != held.st_dev || opened.st_ino != held.st_ino)
    return unusable(path, "was replaced during the check");
  PartialDirectory partial(path, std::move(tree), made);
  BAND_CHECK(partial.check_empty());
  return partial;
}

PartialDirectory::~PartialDirectory() {
  if (made_) ::rmdir(path_.c_str());  // fails if it is not empty
}

Status PartialDirectory::check_empty() const {
  int err = 0;
  const auto names = list_directory(tree_.fd(), err);
  if (!names) return unusable(path_, "cannot be listed", err);
  return names->empty() ? done() : unusable(path_, "is not empty");
}

Result<WriteBack> PartialDirectory::keep(const Domain& write, const EffectiveLimits& limits,
                                         const std::vector<ShippedFile>& files, std::int64_t began_us) {
  BAND_CHECK(check_empty());
  return write_back(tree_, write, limits, {}, files, {.began_us = began_us});
}

}  // namespace band::client
