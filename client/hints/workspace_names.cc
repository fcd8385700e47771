#include "client/hints/workspace_names.h"

#include <algorithm>
#include <vector>

#include "client/hints/mend.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace_path.h"

namespace band::client {
namespace {

bool has_entries(const Tree& workspace, const std::string& directory) {
  int err = 0;
  const Fd fd = workspace.open_directory(directory, err);
  if (!fd) return false;
  const auto names = list_directory(fd.get(), err, 1);
  return names && !names->empty();
}

bool is_at_or_below(std::string_view path, std::string_view directory) {
  return directory.empty() ||
         (path.starts_with(directory) && (path.size() == directory.size() || path[directory.size()] == '/'));
}

}  // namespace

std::optional<std::string> path_for_script(std::string_view text, const Tree& workspace) {
  constexpr std::string_view kWork = "/work/";
  return path_in_workspace(text.starts_with(kWork) ? text.substr(kWork.size()) : text, workspace);
}

std::optional<Unsent> unsent(const std::string& path, const Failure& failure) {
  if (failure.workspace == nullptr) return std::nullopt;
  const Tree::Found found =
      path.empty() ? Tree::Found{Tree::Kind::Directory, "", {}, 0} : failure.workspace->resolve(path);
  Unsent unsent{path, found.kind == Tree::Kind::Directory, ""};
  if (unsent.directory) {
    const auto first = failure.sent.lower_bound(path.empty() ? "" : path + "/");
    if (first != failure.sent.end() && is_at_or_below(*first, path)) return std::nullopt;
    if (!has_entries(*failure.workspace, found.path)) return std::nullopt;
  } else if (found.kind != Tree::Kind::File || failure.sent.contains(path)) {
    return std::nullopt;
  }
  for (const LeftOut& left : failure.left_out)
    if (left.path == path || left.path == path + "/") unsent.why = left.why;
  return unsent;
}

std::string mend_of(const Unsent& unsent, const Mend& mend) {
  const std::string text = unsent.directory ? mend.directory(unsent.path) : mend.file(unsent.path);
  if (!text.empty()) return "; " + text;
  return unsent.why.empty() ? "" : "; it " + printable_line(unsent.why);
}

}  // namespace band::client
