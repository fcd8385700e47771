// Which paths the rules open (rules.h: Domain), with every pattern parsed. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schemas/pattern.h"
#include "schemas/rules.h"

namespace band::client {

class Opening {
 public:
  // Of `domain`, the patterns that are relative (the workspace's), or those that are absolute (the machine's).
  static Result<Opening> of(const Domain& domain, bool absolute);

  // In every layer some pattern matches, and neither the path nor a directory above it is denied.
  bool opens(std::string_view path) const;
  // Could anything at or below `directory` be opened? Never a false no.
  bool may_open_below(std::string_view directory) const;
  // Where a walk has to start: literal prefixes, none beneath another.
  std::vector<std::string> starts() const;
  bool nothing() const;

 private:
  bool denied(std::string_view path) const;

  std::vector<std::vector<PathPattern>> layers_;
  std::vector<PathPattern> deny_;
};

}  // namespace band::client
