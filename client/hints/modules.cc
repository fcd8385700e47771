#include <algorithm>
#include <cctype>
#include <set>

#include "client/convert/python_modules.h"
#include "client/hints/finders.h"
#include "client/hints/workspace_names.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kMostName = 100;  // bytes
constexpr std::size_t kMostDirectories = 50;

// Returns the text between `before` and the next `end` of each line that contains `before`.
std::set<std::string> quoted_after(std::string_view log, std::string_view before, char end) {
  std::set<std::string> names;
  for (const std::string_view line : lines_of(log)) {
    const std::size_t at = line.find(before);
    if (at == std::string_view::npos || names.size() >= kMostOfKind) continue;
    const std::string_view rest = line.substr(at + before.size());
    const std::string_view name = rest.substr(0, rest.find(end));
    if (!name.empty() && name.size() <= kMostName && name.size() < rest.size()) names.insert(std::string(name));
  }
  return names;
}

bool is_identifier(std::string_view name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

// The names that npm accepts, with an optional scope: "left-pad", "@scope/name".
bool is_package(std::string_view name) {
  if (name.starts_with('@')) {
    const std::size_t slash = name.find('/');
    return slash != std::string_view::npos && is_package(name.substr(1, slash - 1)) &&
           is_package(name.substr(slash + 1));
  }
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) || std::isdigit(c) || c == '.' || c == '_' || c == '-';
  });
}

// Returns the directories of the workspace in which Python searches modules of its own: those of the scripts that were
// sent, and the workspace itself.
std::set<std::string> directories_of_scripts(const Failure& failure) {
  std::set<std::string> directories = {""};
  for (const std::string& path : failure.sent)
    if (path.ends_with(".py") && path.find('/') != std::string::npos && directories.size() < kMostDirectories)
      directories.insert(path.substr(0, path.rfind('/')));
  return directories;
}

// Returns the sent file that is the module, in a directory that Python did not search; or "".
std::string sent_module(const std::string& name, const Failure& failure) {
  for (const std::string& path : failure.sent)
    if (path.ends_with("/" + name + ".py") || path.ends_with("/" + name + "/__init__.py")) return path;
  return "";
}

bool add_python_file(const std::string& name, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  for (const std::string& directory : directories_of_scripts(failure))
    for (const bool package : {false, true}) {
      const std::string path = join_path(directory, package ? name : name + ".py");
      const auto missing = unsent(path, failure);
      if (!missing || missing->directory != package) continue;
      hints.add(Likelihood::Reported,
                "the Python module " + name + " is " + (package ? "the directory " : "") + printable_line(path) +
                    " of the workspace, which is not sent to the sandbox" + mend_of(*missing, inquiry.mend),
                path);
      return true;
    }
  const auto is_module = [&](const ShippedFile& file) {
    return file.path == name + ".py" || file.path == name + "/__init__.py";
  };
  const auto& lib = failure.script.lib;
  if (std::any_of(lib.begin(), lib.end(), is_module)) {
    hints.add(Likelihood::Reported, inquiry.mend.script("the Python module " + name +
                                                        " is in scripts/_lib, which Python does not search: begin "
                                                        "with `import os, sys; sys.path.insert(0, "
                                                        "os.environ[\"BAND_LIB\"])`"));
    return true;
  }
  if (const std::string path = sent_module(name, failure); !path.empty()) {
    const std::string directory = path.substr(0, path.rfind('/'));
    hints.add(Likelihood::Reported, inquiry.mend.script(printable_line(path) +
                                                        " was sent, but Python does not search its directory: begin "
                                                        "with `sys.path.insert(0, \"" +
                                                        printable_line(directory) + "\")`"));
    return true;
  }
  return false;
}

void find_python(const Inquiry& inquiry, Hints& hints) {
  std::set<std::string> names = quoted_after(inquiry.failure.log, "No module named '", '\'');
  // "python3: No module named pytest"
  for (const std::string_view line : lines_of(inquiry.failure.log))
    if (names.size() >= kMostOfKind)
      break;
    else if (const std::size_t at = line.find(": No module named ");
             at != std::string_view::npos && line.find('\'') == line.npos)
      names.insert(std::string(line.substr(at + 18, kMostName)));
  for (const std::string& whole : names) {
    const std::string name = whole.substr(0, whole.find('.'));
    if (!is_identifier(name) || is_python_module(name) || add_python_file(name, inquiry, hints)) continue;
    const std::string package = debian_package_of(name);
    const std::string own = inquiry.failure.reader == Reader::CommandLine
                                ? "put the module next to the program in the workspace, and allow it with --read"
                                : inquiry.mend.script("put the module into the skill's scripts/_lib");
    hints.add(Likelihood::Reported,
              "the machine that runs the script has no Python module " + name +
                  (package.empty() ? "; " + own : "; its operator installs it: `apt-get install " + package + "`"),
              name);
  }
}

// Returns the file whose `require` has failed, from Node's "Require stack:"; "" if the log does not have it.
std::string requiring_file(std::string_view log) {
  constexpr std::string_view kStack = "Require stack:\n- ";
  const std::size_t at = log.find(kStack);
  return at == std::string_view::npos ? "" : std::string(first_line(log.substr(at + kStack.size())));
}

std::string package_text(const std::string& package, const Inquiry& inquiry, bool in_skill) {
  const Failure& failure = inquiry.failure;
  std::string unknown = "the sandbox has no Node.js module " + package;
  if (!inquiry.authored.names_program(package)) return unknown;
  if (in_skill)
    return inquiry.mend.script("a script of a skill finds modules only in the skill: put node_modules/" + package +
                               " into scripts/_lib (at most 200 files and 8 MiB in all)");
  if (failure.workspace->resolve("node_modules/" + package).kind == Tree::Kind::Directory) {
    const auto missing = unsent("node_modules", failure);
    return missing ? "the Node.js module " + package +
                         " is in node_modules of the workspace, which is not sent to the sandbox" +
                         mend_of(*missing, inquiry.mend)
                   : "";
  }
  return unknown + ": install it into node_modules of the workspace (outside the sandbox: `npm install " + package +
         "`), and allow reading node_modules";
}

void add_node_file(const std::string& name, const std::string& from, const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  std::string whole = name;
  if (name.starts_with('.')) {
    if (from.rfind('/') == std::string::npos) return;
    whole = from.substr(0, from.rfind('/')) + "/" + name;
  }
  for (const char* ending : {"", ".js", ".mjs", ".cjs", ".json"})
    if (const auto path = path_for_script(whole + ending, *failure.workspace))
      if (const auto missing = unsent(*path, failure)) {
        hints.add(Likelihood::Reported,
                  "the Node.js module " + printable_line(name) +
                      " is not sent to the sandbox: " + unsent_text(*missing, " of the workspace", inquiry),
                  *path);
        return;
      }
}

void find_node(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  if (failure.workspace == nullptr) return;
  std::set<std::string> names = quoted_after(failure.log, "Cannot find module '", '\'');
  names.merge(quoted_after(failure.log, "Cannot find package '", '\''));
  const std::string from = requiring_file(failure.log);
  for (const std::string& name : names) {
    if (name.starts_with('.') || name.starts_with('/')) {
      add_node_file(name, from, inquiry, hints);
      continue;
    }
    const std::string package = name.substr(0, name.find('/', name.starts_with('@') ? name.find('/') + 1 : 0));
    if (is_package(package))
      hints.add(Likelihood::Reported, package_text(package, inquiry, from.starts_with("/band/skill/")), package);
  }
}

}  // namespace

void find_modules(const Inquiry& inquiry, Hints& hints) {
  find_python(inquiry, hints);
  find_node(inquiry, hints);
}

}  // namespace band::client
