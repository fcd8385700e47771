#include "client/commands/call_workspace.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "client/host/environment.h"
#include "client/host/own_directories.h"
#include "schemas/core/json_text.h"
#include "schemas/rules/reader.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

// Programs of the system execute or obey files in these directories (cron, systemd, the boot loader, dpkg; on macOS
// launchd), and root can write them. /usr is not one of them, because projects in containers are often in /usr/src. On
// most systems /lib is a link to /usr/lib; the message names the first of the two.
constexpr const char* kSystemDirectories[] = {
    "/usr/bin",   "/usr/lib",   "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/libx32", "/usr/sbin",
    "/usr/local", "/usr/share", "/bin",       "/boot",      "/etc",         "/lib",        "/lib32",
    "/lib64",     "/libx32",    "/sbin",      "/run",       "/Library",     "/var/spool",  "/var/lib/dpkg"};
// These contain one, so that a file such as `spool/cron/x` could be written from them.
constexpr const char* kAboveThem[] = {"/", "/usr", "/var", "/var/lib"};

// A directory that contains the workspace, or is it.
struct Refusal {
  FileId directory;
  std::string why;  // follows the path of the workspace: "is your home directory"
};

bool among(const std::vector<FileId>& ids, const FileId& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

std::optional<FileId> id_of(const std::string& path) {
  struct ::stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) return std::nullopt;
  return FileId{status.st_dev, status.st_ino};
}

// Returns the ids of the directory and of all directories above it; empty if it cannot be examined.
std::vector<FileId> ids_upwards_of(const std::string& path) {
  int err = 0;
  const auto tree = Tree::open(path);
  return tree.ok() ? ids_upwards(tree->fd(), err) : std::vector<FileId>{};
}

Error cannot_examine(const std::string& what, int err, std::string hint) {
  return Error{.code = Code::Usage, .doing = "cannot examine " + what, .err = err, .hint = std::move(hint)};
}

// On macOS, programs keep in ~/Library what other systems keep in hidden directories, for example LaunchAgents.
bool has_settings(const std::string& name) { return name.starts_with('.') || name == "Library"; }

Status add_settings(const std::string& home, const std::vector<FileId>& workspace, std::vector<Refusal>& found) {
  if (!id_of(home)) return done();  // such a user has no settings of programs
  BAND_TRY(const Tree tree, Tree::open(home));
  int err = 0;
  const std::vector<FileId> above_home = ids_upwards(tree.fd(), err);
  const auto names = list_directory(tree.fd(), err);
  if (above_home.empty() || !names) return cannot_examine("the home directory " + home, err, "check its permissions");
  for (const std::string& name : *names) {
    if (!has_settings(name)) continue;
    const auto id = id_of(join_path(home, name));
    // A link to a directory above the home directory would refuse nearly every workspace.
    if (id && among(workspace, *id) && !among(above_home, *id)) found.push_back({*id, "is in ~/" + name});
  }
  return done();
}

// Programs obey files in directories such as `.vscode`, `.git` and `.claude`. A rule of the band names files relative
// to the workspace, so it would not show that such a file is written.
void add_hidden_parts(const std::string& workspace, std::vector<Refusal>& found) {
  for (std::size_t end = workspace.find('/', 1);; end = workspace.find('/', end + 1)) {
    const std::string path = workspace.substr(0, end);
    if (path.size() > path.rfind('/') + 1 && path[path.rfind('/') + 1] == '.')
      if (const auto id = id_of(path)) found.push_back({*id, "is in " + path});
    if (end == std::string::npos) return;
  }
}

Result<OwnDirectories> own_directories() {
  Result<OwnDirectories> own = OwnDirectories::find();
  if (!own.ok()) own.error().code = Code::Usage;
  return own;
}

Result<std::vector<Refusal>> refusals(const Tree& workspace, const OwnDirectories& places, const Position& position) {
  const std::vector<FileId>& ids = position.ids;
  std::vector<Refusal> found;
  const std::string home = home_directory();
  if (const auto id = id_of(home); id && *id == ids.front()) found.push_back({*id, "is your home directory"});
  if (const OwnPlace* own = places.containing(position)) {
    const auto id = id_of(own->path);
    const bool is_above = id && among(ids, *id);  // not above a part of it that is mounted elsewhere
    found.push_back({is_above ? *id : ids.front(), "is in " + own->path + ", a directory of band"});
  }
  BAND_CHECK(add_settings(home, ids, found));
  for (const char* directory : kSystemDirectories)
    if (const auto id = id_of(directory); id && among(ids, *id))
      found.push_back({*id, "is in " + std::string(directory) + ", whose files programs of the system obey"});
  for (const char* directory : kAboveThem)
    if (const auto id = id_of(directory); id && *id == ids.front())
      found.push_back({*id, "contains directories whose files programs of the system obey"});
  add_hidden_parts(workspace.path(), found);
  return found;
}

Result<std::vector<std::string>> listed_workspaces(const std::string& file) {
  std::vector<std::string> listed;
  struct ::stat info = {};
  if (::lstat(file.c_str(), &info) != 0 && errno == ENOENT) return listed;  // other errors are reported below
  BAND_TRY(const std::string text, read_own_file(file, kMaxYamlBytes, Code::Usage));
  std::vector<Diagnostic> errors;
  const auto document = parse_yaml(text, file, 1, errors);
  const bool is_empty = document && errors.empty() && document->value.is_null();
  if (document && !is_empty) {
    check_yaml(*document, file, "call.schema.json", errors);
    for (const std::string& path : RuleReader(*document, file, errors).strings("/workspaces"))
      listed.push_back(path.starts_with('~') ? home_directory() + path.substr(1) : path);
  }
  if (errors.empty()) return listed;
  Error error = skill_invalid(errors);
  error.code = Code::Usage;
  return error;
}

// Whether the entry is at or above the workspace, and at or below the refused directory.
bool allows(const std::string& entry, const std::vector<FileId>& workspace, const FileId& refused) {
  const std::vector<FileId> ids = ids_upwards_of(entry);
  return !ids.empty() && among(workspace, ids.front()) && among(ids, refused);
}

}  // namespace

Status check_call_workspace(const Tree& workspace) {
  BAND_TRY(const OwnDirectories own, own_directories());
  int err = 0;
  const Position position = own.position_of(workspace, "", err);
  if (err != 0) return cannot_examine("the directories above " + workspace.path(), err, "go to another directory");
  BAND_TRY(const std::vector<Refusal> found, refusals(workspace, own, position));
  if (found.empty()) return done();
  const std::string file = config_directory() + "/call.yaml";
  BAND_TRY(const std::vector<std::string> listed, listed_workspaces(file));
  for (const Refusal& refusal : found) {
    const auto opens = [&](const std::string& entry) { return allows(entry, position.ids, refusal.directory); };
    if (std::any_of(listed.begin(), listed.end(), opens)) continue;
    return Error{.code = Code::Usage,
                 .doing = "`band call` does not run in " + workspace.path() + ": it " + refusal.why,
                 .hint = "go to the directory of a project; or the user can allow this directory: write workspaces: [" +
                         json_string(workspace.path()) + "] in " + file};
  }
  return done();
}

}  // namespace band::client
