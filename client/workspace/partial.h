// The directory for the files that a failed run has written (--keep-partial). The directory contains no other files:
// prepare() requires that it is empty.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/workspace/workspace.h"

namespace band::client {

class PartialDirectory {
 public:
  // Creates the directory `path`. If it exists, it must be empty and not a link. Call prepare() before the run: if
  // prepare() failed after the run, the run's files would be lost. Error: Code::Usage.
  static Result<PartialDirectory> prepare(std::string path);
  PartialDirectory(PartialDirectory&& other) noexcept : path_(std::move(other.path_)), tree_(std::move(other.tree_)) {
    made_ = std::exchange(other.made_, false);
  }
  PartialDirectory& operator=(PartialDirectory&&) = delete;
  ~PartialDirectory();  // removes the directory if prepare() created it and it is still empty

  // Writes `files` into the directory. Returns the same errors as write_back(), and Code::Usage if the directory is no
  // longer empty.
  Result<WriteBack> keep(const Domain& write, const EffectiveLimits& limits, const std::vector<ShippedFile>& files,
                         std::int64_t began_us);
  const std::string& path() const { return path_; }

 private:
  PartialDirectory(std::string path, Tree tree, bool made)
      : path_(std::move(path)), tree_(std::move(tree)), made_(made) {}
  Status check_empty() const;

  std::string path_;
  Tree tree_;
  bool made_ = false;  // created by prepare(), and still empty
};

}  // namespace band::client
