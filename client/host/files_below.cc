#include "client/host/files_below.h"

#include <algorithm>
#include <set>

namespace band::client {
namespace {

constexpr std::size_t kMaxNames = 10'000;

}  // namespace

std::vector<std::string> files_below(const Tree& tree, const std::string& directory, std::string_view ending,
                                     std::size_t max_files) {
  std::vector<std::string> files, ahead{directory};
  std::set<std::string> listed;  // with every link resolved
  for (std::size_t seen = 0; !ahead.empty() && files.size() < max_files && seen < kMaxNames; ++seen) {
    const std::string path = std::move(ahead.back());
    ahead.pop_back();
    const Tree::Found found = tree.resolve(path);
    if (found.kind == Tree::Kind::File && path.ends_with(ending)) files.push_back(path);
    if (found.kind != Tree::Kind::Directory || !listed.insert(found.path).second) continue;
    int err = 0;
    const Fd opened = tree.open_directory(found.path, err);
    const auto names = opened ? list_directory(opened.get(), err) : std::nullopt;
    if (!names) continue;
    for (auto name = names->rbegin(); name != names->rend(); ++name) ahead.push_back(join_path(path, *name));
  }
  return files;
}

}  // namespace band::client
