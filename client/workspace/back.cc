// Checks an answer's files before anything is written (workspace.h); store.cc writes them.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "client/platform/files.h"
#include "client/terminal/terminal.h"
#include "client/workspace/git.h"
#include "client/workspace/opening.h"
#include "client/workspace/own.h"
#include "client/workspace/sqlite.h"
#include "client/workspace/store.h"
#include "schemas/core/file_names.h"
#include "schemas/core/json_text.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/wire/files.h"

namespace band::client {
namespace {

Error refuse(const std::string& path, std::string why, std::string hint) {
  return Error{.code = Code::PermissionDenied,
               .doing = "nothing was written back: " + path + " " + std::move(why),
               .hint = std::move(hint)};
}

// The cause is a conflict of names, not of rules.
Error collision(const std::string& path, const std::string& other, std::string hint) {
  Error error = refuse(path, "and " + other + " differ only in letter case or Unicode form", std::move(hint));
  error.code = Code::WriteConflict;
  return error;
}

// Checks only names: paths that the rules open, and paths that no rule can open.
Status check_names(const Opening& opening, const EffectiveLimits& limits, const std::vector<ShippedFile>& files) {
  if (static_cast<std::int64_t>(files.size()) > limits.maxFiles)
    return Error{.code = Code::LimitExceeded,
                 .doing = "nothing was written back: the script changed " + std::to_string(files.size()) +
                          " files; at most " + std::to_string(limits.maxFiles) + " are written back",
                 .hint = "if the script needs this, raise limit.maxFiles in BAND.md"};
  std::int64_t bytes = 0;
  for (const ShippedFile& file : files) {
    if (Status named = may_come_back(opening, file.path); !named.ok()) {
      named.error().doing.insert(0, "nothing was written back: ");
      return named;
    }
    bytes += static_cast<std::int64_t>(file.content.size());
  }
  if (bytes > limits.maxDiskBytes)
    return Error{.code = Code::LimitExceeded,
                 .doing = "nothing was written back: the changed files have " + human_bytes(bytes) + "; at most " +
                          human_bytes(limits.maxDiskBytes) + " are written back",
                 .hint = "if the script needs this, raise limit.maxDiskBytes in BAND.md"};
  return done();
}

// The names of an answer as a tree: a script chooses the paths, and their prefixes together can be a thousand times as
// long as the paths.
struct Name {
  std::string_view spelling;
  bool file = false, directory = false;
  std::map<std::string, std::unique_ptr<Name>> below;  // by collision_key()
};

// Adds the path to the tree. No name may have two spellings, at any depth, and no file may also be a directory.
Status add_path(Name& root, const std::string& path) {
  Name* at = &root;
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
    end = path.find('/', begin);
    const std::string_view spelling =
        std::string_view(path).substr(begin, end == std::string::npos ? end : end - begin);
    std::unique_ptr<Name>& below = at->below[collision_key(spelling)];
    if (!below) {
      below = std::make_unique<Name>();
      below->spelling = spelling;
    }
    Name& name = *below;
    if (name.spelling != spelling)
      return collision(path.substr(0, end), path.substr(0, begin).append(name.spelling),
                       "on many file systems they are one file: let the script choose clearly different names");
    if (end == std::string::npos && name.file)
      return refuse(path, "occurs twice in the server's answer", "do not trust this server");
    (end == std::string::npos ? name.file : name.directory) = true;
    if (name.file && name.directory)
      return refuse(path.substr(0, end), "is a file and a directory in the server's answer",
                    "do not trust this server");
    at = &name;
  }
  return done();
}

Status check_collisions(const std::vector<ShippedFile>& files) {
  Name root;
  for (const ShippedFile& file : files) BAND_CHECK(add_path(root, file.path));
  return done();
}

// Compares with the current state of the workspace. Collects all conflicts for one error.
class Examination {
 public:
  Examination(const Tree& tree, const Opening& opening, const EffectiveLimits& limits, const SentFiles& sent,
              const BackTerms& terms)
      : tree_(tree), opening_(opening), limits_(limits), sent_(sent), terms_(terms) {}

  Result<StoreItem> examine(const ShippedFile& file) {
    StoreItem item;
    item.file = &file;
    // The script chooses the time: a file that it changed would look older than what was built from the old content.
    if (file.modified_us) item.modified_us = std::clamp(*file.modified_us, std::min(terms_.began_us, now_us_), now_us_);
    const std::vector<std::string> parts = split_path(file.path);
    item.name = parts.back();
    Fd directory(tree_.fd() >= 0 ? ::dup(tree_.fd()) : -1);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      int err = 0;
      const std::string below = join_path(item.directory, parts[i]);
      if (directory) {
        BAND_CHECK(check_entry(item.directory, parts[i], below, directory.get()));
        directory = tree_.open_directory(below, err);
        if (!directory && err != ENOENT) return not_a_directory(below, err);
      }
      item.directory = below;
    }
    if (directory) BAND_CHECK(check_entry(item.directory, item.name, file.path, directory.get()));
    BAND_CHECK(look_at(item, directory));
    return item;
  }

  const std::vector<std::string>& conflicts() const { return conflicts_; }

 private:
  // On a file system that folds names, an entry with another spelling would be overwritten.
  Status check_entry(const std::string& directory, const std::string& name, const std::string& path, int fd) {
    auto it = entries_.find(directory);
    if (it == entries_.end()) {
      int err = 0;
      const auto names = list_directory(fd, err);
      if (!names)
        return Error{
            .code = Code::PermissionDenied,
            .doing = "nothing was written back: cannot list directory " + (directory.empty() ? "." : directory),
            .err = err,
            .hint = "make it readable for your user"};
      Names keys;
      for (const std::string& entry : *names) keys[collision_key(entry)].push_back(entry);
      it = entries_.emplace(directory, std::move(keys)).first;
    }
    const auto same = it->second.find(collision_key(name));
    if (same == it->second.end() || std::find(same->second.begin(), same->second.end(), name) != same->second.end())
      return done();
    return collision(path, "the existing " + join_path(directory, same->second.front()),
                     "on many file systems they are one file: rename one of them");
  }

  Error not_a_directory(const std::string& path, int err) const {
    if (err == ELOOP || err == ENOTDIR || err == EMLINK)  // EMLINK: some BSDs, for a link
      return refuse(path, "is a link or a file in the workspace, and the script wrote below it",
                    "band does not write through links: replace it by a directory, or choose a --workspace from which "
                    "the path has no link");
    return Error{.code = Code::PermissionDenied,
                 .doing = "nothing was written back: cannot open directory " + path,
                 .err = err,
                 .hint = "check its permissions"};
  }

  Status look_at(StoreItem& item, const Fd& directory) {
    const ShippedFile& file = *item.file;
    const auto sent = sent_.find(file.path);
    if (!directory || ::fstatat(directory.get(), item.name.c_str(), &item.before, AT_SYMLINK_NOFOLLOW) != 0) {
      if (directory && errno != ENOENT)
        return Error{.code = Code::PermissionDenied,
                     .doing = "nothing was written back: cannot examine " + file.path,
                     .err = errno,
                     .hint = "check its permissions"};
      if (sent != sent_.end()) conflicts_.push_back(file.path + " was removed");
      return done();
    }
    item.exists = true;
    if (item.modified_us && *item.modified_us <= wire::modified_us(modification_time(item.before)))
      item.modified_us.reset();
    if (S_ISLNK(item.before.st_mode))
      return refuse(file.path, "is a link in the workspace", "band does not write through links: replace it by a file");
    if (!S_ISREG(item.before.st_mode))
      return refuse(file.path, "is not a regular file in the workspace", "rename or remove it");
    int err = 0;
    const auto now =
        tree_.read(file.path, static_cast<std::size_t>(std::max<std::int64_t>(limits_.maxDiskBytes, 0)), err);
    if (!now && err != EFBIG)
      return Error{.code = Code::PermissionDenied,
                   .doing = "nothing was written back: cannot read " + file.path,
                   .err = err,
                   .hint = "check its permissions"};
    item.unchanged = now && now->content == file.content;
    if (item.unchanged) return done();
    const std::string hash = now ? content_hash(now->content) : "";
    const bool unsent = sent == sent_.end();
    if (unsent && !terms_.replaces_unsent)
      conflicts_.push_back(
          file.path +
          " exists already and was not sent to the script (a file that the script changes must be in allow.read, too)");
    else if (!unsent && (hash.empty() || hash != sent->second))
      conflicts_.push_back(file.path + " was changed");
    else if (::faccessat(directory.get(), item.name.c_str(), W_OK, 0) != 0)
      return refuse(file.path, "is read-only in the workspace", "to let scripts change it, run chmod u+w");
    return check_executable(item);
  }

  Status check_executable(const StoreItem& item) const {
    const std::string& path = item.file->path;
    if (!terms_.keeps_executables || (item.before.st_mode & 0111) == 0 || opening_.spells_name(path)) return done();
    return refuse(path, "is executable, and `band call` replaces an executable file only if a rule spells its name",
                  "let the script write another file; or write \"./" + escaped_path(path) +
                      "\" in allow.write; or the user can call `band run`");
  }

  const Tree& tree_;
  const Opening& opening_;
  const EffectiveLimits& limits_;
  const SentFiles& sent_;
  const BackTerms& terms_;
  const std::int64_t now_us_ = now_us();
  using Names = std::unordered_map<std::string, std::vector<std::string>>;  // by collision_key()
  std::map<std::string, Names> entries_;                                    // by directory
  std::vector<std::string> conflicts_;
};

Error conflict(const std::vector<std::string>& conflicts) {
  std::string text = "nothing was written back, because the workspace has changed since the script started:";
  for (std::size_t i = 0; i < conflicts.size() && i < 10; ++i) text += "\n  " + conflicts[i];
  if (conflicts.size() > 10) text += "\n  and " + std::to_string(conflicts.size() - 10) + " more";
  return Error{.code = Code::WriteConflict,
               .doing = text,
               .hint = "check the files, rename or remove those in the way, and run again",
               .details = json_list(conflicts)};
}

}  // namespace

std::int64_t now_us() {
  using namespace std::chrono;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

Status may_come_back(const Opening& writes, const std::string& path) {
  const auto refused = [&](const std::string& why, std::string hint) {
    return Error{.code = Code::PermissionDenied, .doing = path + " " + why, .hint = std::move(hint)};
  };
  if (!is_safe_relative_path(path)) return refused("is not a plain relative path", "do not trust this server");
  const ObeyedName* const obeyed = obeyed_name(path);
  if (obeyed != nullptr && obeyed->opened_by == OpenedBy::NoRule)
    return refused(
        "is in a " + std::string(obeyed->name) + ", which band never writes",
        "no rule can allow it, because the version control system runs commands from settings in this directory");
  if (writes.opens(path)) return done();
  if (obeyed != nullptr && obeyed->opened_by == OpenedBy::Spelling && writes.opens_but_for_dots(path))
    return refused("is not allowed by allow.write: `" + std::string(obeyed->name) + "` " + std::string(obeyed->reason) +
                       ", and only a rule that spells this name allows it",
                   "if the script needs to write it, write \"./" + escaped_path(path) + "\" in BAND.md");
  return refused("is not allowed by allow.write", "if the script needs to write it, allow it in BAND.md");
}

Result<WriteBack> write_back(const Tree& workspace, const Domain& write, const EffectiveLimits& limits,
                             const SentFiles& sent, const std::vector<ShippedFile>& files, const BackTerms& terms) {
  BAND_TRY(const Opening opening, Opening::of(write, false, PathRules::Use::Write));
  BAND_CHECK(check_names(opening, limits, files));
  BAND_CHECK(check_collisions(files));
  Examination examination(workspace, opening, limits, sent, terms);
  std::set<std::string> directories;
  for (const ShippedFile& file : files)
    directories.insert(file.path.substr(0, file.path.find('/') == std::string::npos ? 0 : file.path.rfind('/')));
  WriteBack result;
  std::vector<StoreItem> items;
  for (const ShippedFile& file : files) {
    BAND_TRY(StoreItem item, examination.examine(file));
    if (item.unchanged)
      result.unchanged.push_back(file.path);
    else
      items.push_back(std::move(item));
  }
  if (Status checked = check_git_directories(workspace, items); !checked.ok()) {
    checked.error().doing.insert(0, "nothing was written back: ");
    return checked.error();
  }
  if (Status checked = check_own_directories(workspace, items); !checked.ok()) {
    checked.error().doing.insert(0, "nothing was written back: ");
    return checked.error();
  }
  const Temporaries temporaries(workspace, opening, directories);  // after the checks: it removes files
  result.cleared = temporaries.removed();
  if (!examination.conflicts().empty()) return conflict(examination.conflicts());
  BAND_CHECK(check_sqlite_logs(workspace, items, files));
  BAND_CHECK(store(workspace, temporaries, items));
  for (const StoreItem& item : items) result.written.push_back(item.file->path);
  std::sort(result.written.begin(), result.written.end());
  std::sort(result.unchanged.begin(), result.unchanged.end());
  return result;
}

}  // namespace band::client
