#include "client/skill_tests/case_workspace.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "schemas/core/largest.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

Error failed(std::string doing, int err) {
  return Error{.code = Code::Usage,
               .doing = "cannot " + std::move(doing),
               .err = err,
               .hint =
                   "the workspace of a case is created in $TMPDIR, else in /tmp: check its "
                   "permissions and the free space on its disk"};
}

Status write_file(const std::string& path, const ShippedFile& file) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  if (error) return failed("create directories for " + path, error.value());
  const Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return failed("create " + path, errno);
  if (!write_all(fd.get(), file.content)) return failed("write " + path, errno);
  if (::fchmod(fd.get(), static_cast<mode_t>(file.mode & 0777)) != 0) return failed("set the mode of " + path, errno);
  return done();
}

}  // namespace

Result<CaseWorkspace> CaseWorkspace::make(const WorkspaceFiles& files) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  if (error) return failed("find the directory for temporary files", error.value());
  std::string path = (parent / "band-case-XXXXXX").string();
  if (::mkdtemp(path.data()) == nullptr) return failed("create directory " + path, errno);
  CaseWorkspace workspace(path);
  for (const ShippedFile& file : files) BAND_CHECK(write_file(join_path(path, file.path), file));
  return workspace;
}

CaseWorkspace::CaseWorkspace(CaseWorkspace&& other) noexcept : path_(std::exchange(other.path_, "")) {}

CaseWorkspace::~CaseWorkspace() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

Result<std::optional<std::string>> CaseWorkspace::read(const std::string& path) const {
  BAND_TRY(const Tree tree, Tree::open(path_));
  int err = 0;
  auto file = tree.read(path, kMaxCarriedBytes, err);
  if (file) return std::optional(std::move(file->content));
  if (err == ENOENT || err == ENOTDIR || err == EINVAL) return std::optional<std::string>();
  return failed("read " + join_path(path_, path), err);
}

}  // namespace band::client
