// The workspace of one test case: a new directory below the directory for temporary files. The destructor removes this
// directory.
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
  // Returns nothing when `path` does not exist or is not a regular file. Error: the file exists and cannot be read.
  Result<std::optional<std::string>> read(const std::string& path) const;

 private:
  explicit CaseWorkspace(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace band::client
