// The workspace of one case: a directory of its own, in the directory for temporary files, removed at the end.
#pragma once

#include <optional>
#include <string>

#include "client/skill_tests/skill_case.h"
#include "schemas/core/result.h"

namespace band::client {

class CaseWorkspace {
 public:
  // Errors (Code::Usage): it cannot be made or filled.
  static Result<CaseWorkspace> make(const WorkspaceFiles& files);
  CaseWorkspace(CaseWorkspace&& other) noexcept;
  CaseWorkspace& operator=(CaseWorkspace&&) = delete;
  ~CaseWorkspace();

  const std::string& path() const { return path_; }
  // Nothing when there is no regular file at the path. Error: it is there and cannot be read.
  Result<std::optional<std::string>> read(const std::string& path) const;

 private:
  explicit CaseWorkspace(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace band::client
