#include "client/hints/workspace_names.h"

#include <algorithm>

#include "client/hints/mend.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostListed = 1000;

bool has_visible_entries(const Tree& workspace, const std::string& directory) {
  int err = 0;
  const Fd fd = workspace.open_directory(directory, err);
  if (!fd) return false;
  const auto names = list_directory(fd.get(), err, kMostListed);
  return names && std::any_of(names->begin(), names->end(), [](const std::string& name) { return name[0] != '.'; });
}

}  // namespace

std::optional<std::string> path_for_script(std::string_view text, const Tree& workspace) {
  constexpr std::string_view kWork = "/work/";
  if (auto path = path_in_workspace(text, workspace, Links::Ignored)) return path;
  return text.starts_with(kWork) ? path_in_workspace(text.substr(kWork.size()), workspace, Links::Ignored)
                                 : std::nullopt;
}

bool was_sent(const std::string& path, const Failure& failure) {
  const auto below = failure.sent.lower_bound(path + "/");
  return failure.sent.contains(path) || (below != failure.sent.end() && below->starts_with(path + "/"));
}

std::optional<Unsent> unsent(const std::string& path, const Failure& failure) {
  if (failure.workspace == nullptr || path.empty() || was_sent(path, failure)) return std::nullopt;
  const Tree::Found found = failure.workspace->resolve(path);
  Unsent unsent{path, found.kind == Tree::Kind::Directory, ""};
  if (!unsent.directory && found.kind != Tree::Kind::File) return std::nullopt;
  const bool hidden = path.substr(path.rfind('/') + 1).starts_with('.');
  if (unsent.directory && !hidden && !has_visible_entries(*failure.workspace, found.path)) return std::nullopt;
  for (const LeftOut& left : failure.left_out)
    if (left.path == path || left.path == path + "/") unsent.why = left.why;
  return unsent;
}

std::string mend_of(const Unsent& unsent, const Mend& mend, const std::string& property) {
  const std::string text = unsent.directory ? mend.directory(unsent.path) : mend.file(unsent.path, property);
  if (!text.empty()) return "; " + text;
  return unsent.why.empty() ? "" : "; it " + printable_line(unsent.why);
}

}  // namespace band::client
