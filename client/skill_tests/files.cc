#include "client/skill_tests/files.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <map>

#include "client/host/tree.h"
#include "client/skill_tests/reading.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxTestFiles = 200;
constexpr std::size_t kMaxCases = 5'000;
constexpr std::size_t kMaxDepth = 20;                 // levels of directories in a copied directory
constexpr std::size_t kMaxCopiedFiles = 2'000;        // in one directory; the default of limit.maxFiles is 1,000
constexpr std::size_t kMaxCopiedBytes = 16u << 20;    // in one directory
constexpr std::size_t kMaxBytesTogether = 64u << 20;  // in all directories

std::string why(int err) {
  if (err == ELOOP) return "is a link, and links are not followed";
  return Error{.code = Code::SkillInvalid, .doing = "cannot be read", .err = err}.message();
}

// Reads the files of one directory below tests/, for the workspace of a case.
class DirectoryReader {
 public:
  DirectoryReader(const Tree& skill, std::size_t room) : skill_(skill), room_(room) {}

  // Returns false with `problem` and `hint` on failure.
  bool read(const std::string& directory) { return visit(directory, "", 0); }

  WorkspaceFiles files;
  std::size_t bytes = 0;
  std::string problem, hint;

 private:
  bool fail(const std::string& path, const std::string& what, std::string mend) {
    problem = path + " " + what;
    hint = std::move(mend);
    return false;
  }

  bool visit(const std::string& directory, const std::string& below, std::size_t depth) {
    if (depth > kMaxDepth)
      return fail(directory, "has more than 20 levels of directories", "use fewer levels of directories");
    int err = 0;
    const Fd opened = skill_.open_directory(directory, err);
    if (!opened && err == ENOENT) return fail(directory, "does not exist", "create it, or name another directory");
    const auto names = opened ? list_directory(opened.get(), err) : std::nullopt;
    if (!names) return fail(directory, why(err), "name a directory below tests/ that can be read");
    for (const std::string& name : *names)
      if (!entry(opened.get(), name, join_path(directory, name), join_path(below, name), depth)) return false;
    return true;
  }

  bool entry(int parent, const std::string& name, const std::string& path, const std::string& below,
             std::size_t depth) {
    struct ::stat info = {};
    if (!is_safe_relative_path(below))
      return fail(path, "has a name that cannot be sent to the server", "use UTF-8 without control characters");
    if (::fstatat(parent, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return fail(path, why(errno), "remove it");
    if (S_ISDIR(info.st_mode)) return visit(path, below, depth + 1);
    if (S_ISLNK(info.st_mode)) return fail(path, why(ELOOP), "replace it by the file");
    if (!S_ISREG(info.st_mode)) return fail(path, "is not a regular file", "remove it");
    int err = 0;
    auto file = skill_.read(path, kMaxCopiedBytes, err);
    if (!file && err != EFBIG) return fail(path, why(err), "check its permissions");
    bytes += file ? file->content.size() : kMaxCopiedBytes + 1;
    if (files.size() >= kMaxCopiedFiles || bytes > kMaxCopiedBytes)
      return fail(path, "exceeds a limit: the workspace of a case has at most 2,000 files and 16 MiB",
                  "remove files that the case does not need");
    if (bytes > room_)
      return fail(path, "exceeds a limit: the workspaces of a skill's tests have at most 64 MiB",
                  "let cases share a directory");
    files.push_back({.path = below, .mode = file->mode, .content = std::move(file->content)});
    return true;
  }

  const Tree& skill_;
  const std::size_t room_;
};

class Loader {
 public:
  Loader(const SkillPlace& skill, const std::string& shown) : skill_(skill), shown_(join_path(shown, "tests")) {}

  SkillTests load() {
    const auto tree = Tree::open(skill_.directory);
    if (!tree.ok()) {
      complain(skill_.directory, tree.error().message(), "check its permissions");
      return std::move(tests_);
    }
    int err = 0;
    const Fd directory = tree->open_directory("tests", err);
    if (!directory && err == ENOENT) return std::move(tests_);
    const auto names = directory ? list_directory(directory.get(), err) : std::nullopt;
    if (!names) {
      complain(shown_, err == ENOTDIR ? "is not a directory, or is a link" : why(err), "replace it by a directory");
      return std::move(tests_);
    }
    scripts_ = script_names(skill_.directory);
    for (const std::string& name : *names) file(*tree, directory.get(), name);
    if (tests_.cases.size() > kMaxCases) complain(shown_, "has more than 5,000 cases", "split the skill");
    for (SkillCase& one : tests_.cases)
      if (tests_.errors.empty() && !one.workspace_directory.empty()) read_workspace(*tree, one);
    if (!tests_.errors.empty()) tests_.cases.clear();
    return std::move(tests_);
  }

 private:
  void complain(const std::string& path, std::string what, std::string hint) {
    tests_.errors.push_back({path, 0, 0, std::move(what), std::move(hint)});
  }

  void file(const Tree& tree, int directory, const std::string& name) {
    const std::string shown = join_path(shown_, name);
    struct ::stat info = {};
    if (name.starts_with('.') || ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISDIR(info.st_mode)) return;
    if (name.ends_with(".yml"))
      tests_.notes.push_back({shown, 0, 0, "is not read", "rename it to " + name.substr(0, name.size() - 3) + "yaml"});
    if (!name.ends_with(".yaml")) return;
    tests_.files.push_back(shown);
    if (tests_.files.size() > kMaxTestFiles) {
      if (tests_.files.size() == kMaxTestFiles + 1)
        complain(shown_, "has more than 200 files *.yaml", "put several cases into one file");
      return;
    }
    int err = 0;
    const auto content = tree.read(join_path("tests", name), kMaxYamlBytes, err);
    if (!content)
      return err == EFBIG
                 ? complain(shown, "has more than 64 KiB",
                            "split it, or move large workspaces into directories below tests/")
                 : complain(shown, why(err), "if it is a link, replace it by its target; check the permissions");
    for (SkillCase& one : read_cases(content->content, shown, scripts_, tests_.errors))
      tests_.cases.push_back(std::move(one));
  }

  void read_workspace(const Tree& tree, SkillCase& one) {
    auto& known = directories_[one.workspace_directory];
    if (!known) {
      DirectoryReader reader(tree, kMaxBytesTogether - bytes_);
      if (!reader.read(join_path("tests", one.workspace_directory)))
        return tests_.errors.push_back({one.file, one.workspace_line, 0, reader.problem, reader.hint});
      bytes_ += reader.bytes;
      known = std::make_shared<const WorkspaceFiles>(std::move(reader.files));
    }
    one.workspace = known;
  }

  const SkillPlace& skill_;
  const std::string shown_;
  std::vector<std::string> scripts_;
  std::map<std::string, std::shared_ptr<const WorkspaceFiles>> directories_;
  std::size_t bytes_ = 0;
  SkillTests tests_;
};

}  // namespace

SkillTests load_tests(const SkillPlace& skill, const std::string& shown) { return Loader(skill, shown).load(); }

}  // namespace band::client
