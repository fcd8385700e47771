#include <algorithm>
#include <set>

#include "client/convert/python_modules.h"
#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kMostNamed = 3;
constexpr std::size_t kMostName = 100;  // bytes

// Returns the text between `before` and the next `end` of each line that contains `before`.
std::set<std::string> quoted_after(std::string_view log, std::string_view before, char end) {
  std::set<std::string> names;
  for (const std::string_view line : lines_of(log)) {
    const std::size_t at = line.find(before);
    if (at == std::string_view::npos || names.size() >= kMostNamed) continue;
    const std::string_view rest = line.substr(at + before.size());
    const std::string_view name = rest.substr(0, rest.find(end));
    if (!name.empty() && name.size() <= kMostName && name.size() < rest.size()) names.insert(std::string(name));
  }
  return names;
}

// Returns the directories of the workspace in which Python searches modules of its own: those of the scripts that were
// sent, and the workspace itself.
std::set<std::string> directories_of_scripts(const Failure& failure) {
  std::set<std::string> directories = {""};
  for (const std::string& path : failure.sent)
    if (path.ends_with(".py") && path.find('/') != std::string::npos && directories.size() < 50)
      directories.insert(path.substr(0, path.rfind('/')));
  return directories;
}

bool add_python_file(const std::string& name, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (failure.workspace == nullptr) return false;
  for (const std::string& directory : directories_of_scripts(failure))
    for (const bool package : {false, true}) {
      const auto path = path_for_script(join_path(directory, package ? name : name + ".py"), *failure.workspace);
      if (!path) continue;
      const auto missing = unsent(*path, failure);
      if (!missing || missing->directory != package) continue;
      hints.add(Likelihood::Reported, "the Python module " + name + " is " + (package ? "the directory " : "") + *path +
                                          " of the workspace, which is not sent to the sandbox" +
                                          mend_of(*missing, inquiry.mend));
      return true;
    }
  return false;
}

void find_python(const Inquiry& inquiry, Hints& hints) {
  for (const std::string& whole : quoted_after(inquiry.failure.log, "No module named '", '\'')) {
    const std::string name = printable_line(whole.substr(0, whole.find('.')));
    if (is_python_module(name) || add_python_file(name, inquiry, hints)) continue;
    const std::string package = debian_package_of(name);
    const std::string own = inquiry.failure.reader == Reader::CommandLine
                                ? "put the module into the workspace, and read it with --read"
                                : "put the module next to the script, into the skill's scripts/_lib";
    hints.add(
        Likelihood::Reported,
        "the machine that runs the script has no Python module " + name +
            (package.empty() ? "; " + own : "; the operator installs it there: `apt-get install " + package + "`"));
  }
}

void find_node(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::set<std::string> names = quoted_after(failure.log, "Cannot find module '", '\'');
  names.merge(quoted_after(failure.log, "Cannot find package '", '\''));
  for (const std::string& name : names) {
    if (failure.workspace == nullptr) continue;
    if (!name.starts_with('.') && !name.starts_with('/')) {
      const std::string package = name.substr(0, name.find('/', name.starts_with('@') ? name.find('/') + 1 : 0));
      if (failure.workspace->resolve("node_modules/" + package).kind == Tree::Kind::Directory) {
        if (const auto missing = unsent("node_modules", failure))
          hints.add(Likelihood::Reported, "the Node.js module " + printable_line(name) +
                                              " is in node_modules of the workspace, which is not sent to the sandbox" +
                                              mend_of(*missing, inquiry.mend));
        continue;
      }
      hints.add(Likelihood::Reported, "the sandbox has no Node.js module " + printable_line(name) +
                                          "; install it into node_modules of the workspace (`npm install " +
                                          printable_line(package) + "` outside the sandbox), and read node_modules");
      continue;
    }
    for (const char* ending : {"", ".js", ".mjs", ".cjs", ".json"})
      if (const auto path = path_for_script(name + ending, *failure.workspace))
        if (const auto missing = unsent(*path, failure)) {
          hints.add(Likelihood::Reported,
                    "the Node.js module " + printable_line(name) + " is " + printable_line(*path) +
                        " of the workspace, which is not sent to the sandbox" + mend_of(*missing, inquiry.mend));
          break;
        }
  }
}

}  // namespace

void find_modules(const Inquiry& inquiry, Hints& hints) {
  find_python(inquiry, hints);
  find_node(inquiry, hints);
}

}  // namespace band::client
