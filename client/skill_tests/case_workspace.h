// The workspace of one test case: its own directory below the directory for temporary files. The destructor removes it.
#pragma once

#include <optional>
#include <string>

#include "client/skill_tests/skill_case.h"
#include "schemas/core/result.h"

namespace band::client {

class CaseWorkspace {
 public:
  // Errors (Code::Usage): it cannot be created or filled.
  static Result<CaseWorkspace> make(const WorkspaceFiles& files);
  CaseWorkspace(CaseWorkspace&& other) noexcept;
  CaseWorkspace& operator=(CaseWorkspace&&) = delete;
  ~CaseWorkspace();

  const std::string& path() const { return path_; }
  // Returns nothing when the path is missing or not a regular file. Error: it exists and cannot be read.
  Result<std::optional<std::string>> read(const std::string& path) const;

 private:
  explicit CaseWorkspace(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace band::client
