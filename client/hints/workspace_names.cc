#include "client/hints/workspace_names.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "client/hints/mend.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace_path.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

constexpr std::size_t kMostListed = 1000;

// Returns whether the set has the path, or a path below it.
bool has_one(const std::set<std::string>& paths, const std::string& path) {
  const auto below = paths.lower_bound(path + "/");
  return paths.contains(path) || (below != paths.end() && below->starts_with(path + "/"));
}

}  // namespace

std::optional<std::string> path_for_script(std::string_view text, const Tree& workspace) {
  constexpr std::string_view kWork = "/work/";
  if (auto path = path_in_workspace(text, workspace, Links::Ignored)) return path;
  return text.starts_with(kWork) ? path_in_workspace(text.substr(kWork.size()), workspace, Links::Ignored)
                                 : std::nullopt;
}

bool was_sent(const std::string& path, const Failure& failure) { return has_one(failure.sent, path); }

std::optional<Unsent> unsent(const std::string& path, const Failure& failure) {
  if (failure.workspace == nullptr || path.empty() || has_one(failure.sent, path) || has_one(failure.written, path))
    return std::nullopt;
  const Tree::Found found = failure.workspace->resolve(path);
  Unsent unsent{path, found.kind == Tree::Kind::Directory, ""};
  if (!unsent.directory && found.kind != Tree::Kind::File) return std::nullopt;
  const bool hidden = path.substr(path.rfind('/') + 1).starts_with('.');
  if (unsent.directory && !hidden && !has_visible_files(found.path, failure)) return std::nullopt;
  for (const LeftOut& left : failure.left_out)
    if (left.path == path || left.path == path + "/") unsent.why = left.why;
  return unsent;
}

bool has_visible_files(const std::string& directory, const Failure& failure) {
  int err = 0;
  const Fd fd = failure.workspace->open_directory(directory, err);
  if (!fd) return false;
  const auto names = list_directory(fd.get(), err, kMostListed);
  return names && std::any_of(names->begin(), names->end(), [](const std::string& name) { return name[0] != '.'; });
}

std::string text_of_path_above(std::string_view path, const Failure& failure, bool given) {
  namespace fs = std::filesystem;
  constexpr std::string_view kWork = "/work/";
  if (failure.workspace == nullptr || path.find('\0') != std::string_view::npos) return "";
  const fs::path workspace(failure.workspace->path());
  const bool of_caller = path.starts_with('/') && !path.starts_with(kWork);
  if (of_caller && !path.starts_with("/home/") && !path.starts_with("/root/")) return "";
  if (path.starts_with(kWork)) path.remove_prefix(kWork.size());
  const fs::path whole = (workspace / fs::path(path)).lexically_normal();
  const auto is_outside = [&](const fs::path& directory) {
    const fs::path relative = whole.lexically_relative(directory);
    return relative.empty() || *relative.begin() == "..";
  };
  if (!is_outside(workspace)) return "";
  fs::path above = workspace;  // the directory that contains both
  while (above.has_relative_path() && is_outside(above)) above = above.parent_path();
  const fs::path below = whole.lexically_relative(above);
  if (below == ".") return "";
  std::string fact = printable_line(path) + " is outside of the workspace";
  const std::string name = whole.filename().native();
  const bool exec = failure.reader == Reader::CommandLine;
  // A program of a skill finds its files by its own place: the whole directory keeps them there.
  const fs::path skill = whole.parent_path().parent_path();
  const bool is_above = *workspace.lexically_relative(skill).begin() != "..";
  // A name that begins with a dot can be a credential: nothing is proposed for it, unless the caller has written it.
  const bool hidden = has_hidden_name(below.native());
  if (hidden && !given) return fact;
  if (exec && whole.parent_path().filename() == "scripts" && std::distance(skill.begin(), skill.end()) > 3 &&
      !is_above && !has_hidden_name(skill.filename().native())) {
    const std::string directory = skill.filename().native();
    return fact + "; copy its directory with `cp -rn " + printable_line(quoted_word(skill.native())) + " .`, add `" +
           Mend::read_flag(directory + "/") + "`, and write " +
           printable_line(quoted_word(directory + "/scripts/" + name)) + " in the command";
  }
  if (hidden) return fact;
  if (!exec)
    return fact + "; " + (failure.reader == Reader::Agent ? "ask your user to " : "") +
           "copy it, with the files that it uses, into the workspace, " + printable_line(workspace.native());
  std::string copy = fact + "; copy it, with the files that it uses, into the workspace, add `" +
                     Mend::read_flag(name) + "`, and write " + printable_line(quoted_word(name)) + " in the command";
  // `/` and its directories belong to the machine. Further arguments would be relative to another directory.
  const auto depth = std::distance(above.begin(), above.end());  // "/", "home", "ann"
  if (depth < 3 || failure.command.size() > 2) return copy;
  return copy + "; or run with `--workspace " + printable_line(quoted_word(above.native())) + "`, add `" +
         Mend::read_flag(below.native()) + "`, and write " + printable_line(quoted_word(below.native()));
}

std::string mend_of(const Unsent& unsent, const Mend& mend, const std::string& property) {
  const std::string text = unsent.directory ? mend.directory(unsent.path) : mend.file(unsent.path, property);
  if (!text.empty()) return "; " + text;
  return unsent.why.empty() ? "" : "; it " + printable_line(unsent.why);
}

}  // namespace band::client
