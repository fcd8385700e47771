// The file of --log: stdout and stderr of a script or command, in the order in which they arrive.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "schemas/core/fd.h"
#include "schemas/core/result.h"

namespace band::client {

class LogFile {
 public:
  // Creates the file with the mode 0600, or empties an existing one. Error (Code::Usage): it cannot be opened for
  // writing. Without a path, add() has no effect.
  static Result<LogFile> open(const std::optional<std::string>& path);

  void add(std::string_view bytes);
  // Returns the first error of add(), such as a full disk: the file is then incomplete.
  Status finish() const;

 private:
  Fd fd_;
  std::string path_;
  int err_ = 0;
};

}  // namespace band::client
