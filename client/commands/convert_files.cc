#include "client/commands/convert_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "schemas/core/largest.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 2'000, kMostNames = 10'000, kMostBytes = 64u << 20;

Error invalid(std::string doing, std::string hint) {
  return Error{.code = Code::SkillInvalid, .doing = std::move(doing), .hint = std::move(hint)};
}

class Reader {
 public:
  Reader(const Tree& tree, const std::string& shown, std::vector<Diagnostic>& notes)
      : tree_(tree), shown_(shown), notes_(notes) {}

  Status visit(const std::string& path, std::ptrdiff_t depth) {
    if (++names_ > kMostNames)
      return invalid(shown_ + " has more than 10,000 files and directories",
                     "move the files that are not part of the skill to another directory");
    const Tree::Found found = tree_.resolve(path);
    if (found.kind == Tree::Kind::Directory) return list(path, found.path, depth);
    const std::string place = join_path(shown_, path);
    if (found.kind == Tree::Kind::Outside || found.kind == Tree::Kind::TooManyLinks)
      return invalid(place + " is a link that points outside the skill", "replace it by the file, or remove the link");
    if (found.kind != Tree::Kind::File) return invalid(place + " is not a regular file", "remove it");
    if (!is_safe_relative_path(path))
      return invalid(place + " has a name that cannot be sent", "use UTF-8 without control characters");
    int err = 0;
    auto file = tree_.read(found.path, kMostBytes, err);
    if (!file)
      return Error{.code = Code::SkillInvalid,
                   .doing = "cannot read " + place,
                   .err = err,
                   .hint = "check its permissions and its size"};
    bytes_ += file->content.size();
    if (files_.size() == kMostFiles || bytes_ > kMostBytes)
      return invalid(shown_ + " has more than 2,000 files or 64 MiB",
                     "move the files that are not part of the skill to another directory");
    files_.push_back({path, std::move(file->content), (file->mode & 0100) != 0});
    return done();
  }

  std::vector<SkillFile> release() { return std::move(files_); }

 private:
  Status list(const std::string& path, const std::string& resolved, std::ptrdiff_t depth) {
    if (depth >= kMaxSkillDepth)
      return invalid(join_path(shown_, path) + " is nested too deep, or is a link to a parent directory",
                     "use fewer levels of directories, or remove the link");
    int err = 0;
    const Fd directory = tree_.open_directory(resolved, err);
    const auto names = directory ? list_directory(directory.get(), err) : std::nullopt;
    if (!names)
      return Error{.code = Code::SkillInvalid,
                   .doing = "cannot list " + join_path(shown_, path),
                   .err = err,
                   .hint = "check its permissions"};
    for (const std::string& name : *names) {
      if (name.starts_with('.') || name == "__pycache__" || name == "node_modules") {
        const std::string plain = name.substr(std::min(name.find_first_not_of('.'), name.size()));
        notes_.push_back({join_path(shown_, join_path(path, name)), 0, 0,
                          "was not copied: `band convert` does not copy a file or directory with this name",
                          plain == name ? "install its content on the server's machine"
                                        : "rename it to `" + plain + "` if a script reads it"});
        continue;
      }
      BAND_CHECK(visit(join_path(path, name), depth + 1));
    }
    return done();
  }

  const Tree& tree_;
  const std::string& shown_;
  std::vector<Diagnostic>& notes_;
  std::vector<SkillFile> files_;
  std::size_t names_ = 0, bytes_ = 0;
};

Error failed(std::string doing, int err) {
  const bool there = err == EEXIST || err == ENOTEMPTY || err == ENOTDIR;
  return Error{.code = there ? Code::WriteConflict : Code::Usage,
               .doing = "cannot " + std::move(doing),
               .err = err,
               .hint = there ? "nothing was changed; name a directory that does not exist"
                             : "nothing was made; check the permissions and the free space on the disk"};
}

// A temporary directory. The destructor removes it with its content unless name() succeeded.
class Draft {
 public:
  // Its name begins with a dot, which no skill's name does.
  explicit Draft(const fs::path& directory)
      : path_((directory.parent_path() / ("." + directory.filename().string() + ".convert-XXXXXX")).string()) {
    std::error_code error;
    fs::create_directories(directory.parent_path(), error);
    err_ = error ? error.value() : ::mkdtemp(path_.data()) == nullptr ? errno : 0;
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
  ~Draft() {
    std::error_code ignored;
    if (err_ == 0 && !named_) fs::remove_all(path_, ignored);
  }

  int err() const { return err_; }

  Status add(const SkillFile& file) const {
    const std::string path = join_path(path_, file.path);
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    if (error) return failed("create the directory of " + file.path, error.value());
    const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, file.executable ? 0777 : 0666));
    if (!fd) return failed("create " + file.path, errno);
    if (!write_all(fd.get(), file.content)) return failed("write " + file.path, errno);
    return done();
  }

  Status name(const std::string& directory) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::chmod(path_.c_str(), 0777 & ~mask) != 0) return failed("change the mode of " + path_, errno);
    if (::rename(path_.c_str(), directory.c_str()) != 0) return failed("create " + directory, errno);
    named_ = true;
    return done();
  }

 private:
  std::string path_;
  int err_ = 0;
  bool named_ = false;
};

}  // namespace

Result<std::vector<SkillFile>> read_skill_files(const std::string& directory, const std::string& shown,
                                                std::vector<Diagnostic>& notes) {
  BAND_TRY(const Tree tree, Tree::open(directory));
  Reader reader(tree, shown, notes);
  BAND_CHECK(reader.visit("", 0));
  return reader.release();
}

Status write_skill_files(const std::string& directory, const std::vector<SkillFile>& files,
                         const std::function<bool()>& is_over) {
  Draft draft(directory);
  if (draft.err() != 0) return failed("create a directory next to " + directory, draft.err());
  for (const SkillFile& file : files) {
    if (is_over()) return Error{.code = Code::Cancelled, .doing = "interrupted", .hint = "nothing was made"};
    BAND_CHECK(draft.add(file));
  }
  return draft.name(directory);
}

}  // namespace band::client
