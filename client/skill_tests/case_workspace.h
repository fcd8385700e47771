// The workspace of one test case (the directory of files that its run may use): a new directory in $TMPDIR, or in /tmp.
// The destructor removes this directory.
#pragma once

#include <optional>
#include <string>

#include "client/skill_tests/skill_case.h"
#include "schemas/core/result.h"

namespace band::client {

class CaseWorkspace {
 public:
  // Error (Code::Usage): the directory or a file in it cannot be created.
  static Result<CaseWorkspace> make(const WorkspaceFiles& files);
  CaseWorkspace(CaseWorkspace&& other) noexcept;
  CaseWorkspace& operator=(CaseWorkspace&&) = delete;
  ~CaseWorkspace();

  const std::string& path() const { return path_; }
  // Returns the content of the file `path`, which is relative to the workspace. Returns nullopt when it does not exist
  // or is not a regular file. Error (Code::Usage): it cannot be read, or is a link.
  Result<std::optional<std::string>> read(const std::string& path) const;

 private:
  explicit CaseWorkspace(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace band::client
