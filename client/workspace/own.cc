#include "client/workspace/own.h"

#include <set>

#include "client/host/own_directories.h"
#include "client/workspace/workspace.h"

namespace band::client {
namespace {

Status check(const OwnDirectories& own, const Tree& tree, const std::string& inside, const std::string& what) {
  int err = 0;
  const std::string directory = own.containing(tree, inside, err);
  if (err != 0)
    return Error{.code = Code::PermissionDenied,
                 .doing = "cannot determine whether " + what + " is in a directory of band",
                 .err = err,
                 .hint = "check the permissions of the directories above it"};
  if (directory.empty()) return done();
  return Error{.code = Code::PermissionDenied,
               .doing = what + " is in " + directory + ", a directory of band, into which no run writes",
               .hint = "run the script in another directory; only a person changes band's skills and configuration"};
}

}  // namespace

Status check_own_directories(const Tree& tree, const std::vector<StoreItem>& items) {
  if (items.empty()) return done();
  const OwnDirectories own = OwnDirectories::find();
  std::set<std::string> known;
  for (const StoreItem& item : items)
    if (known.insert(item.directory).second) BAND_CHECK(check(own, tree, item.directory, item.file->path));
  return done();
}

Status check_not_own(const Tree& workspace) {
  return check(OwnDirectories::find(), workspace, "", "the workspace " + workspace.path());
}

}  // namespace band::client
