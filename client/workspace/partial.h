// Where the files of a run that failed go (--keep-partial): a directory that holds nothing else.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/workspace/workspace.h"

namespace band::client {

class PartialDirectory {
 public:
  // Makes it, or takes one that is empty; no link. Before the run, because afterwards its files could not be put
  // anywhere. Error: Code::Usage.
  static Result<PartialDirectory> prepare(std::string path);
  PartialDirectory(PartialDirectory&& other) noexcept : path_(std::move(other.path_)), tree_(std::move(other.tree_)) {
    made_ = std::exchange(other.made_, false);
  }
  PartialDirectory& operator=(PartialDirectory&&) = delete;
  ~PartialDirectory();  // without files it is as it was before

  // What a write-back refuses is refused here, too.
  Result<WriteBack> keep(const Domain& write, const EffectiveLimits& limits, const std::vector<ShippedFile>& files);
  const std::string& path() const { return path_; }

 private:
  PartialDirectory(std::string path, Tree tree, bool made)
      : path_(std::move(path)), tree_(std::move(tree)), made_(made) {}
  Status check_empty() const;

  std::string path_;
  Tree tree_;
  bool made_ = false;  // and nothing is in it
};

}  // namespace band::client
