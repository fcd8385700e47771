// Pipes for splice(2): bytes go from socket to socket without a copy. A pipe is held only while there are bytes in it,
// so idle connections have none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::gateway {

struct Pipe {
  base::Fd out, in;  // to read from, to write to
  bool large = true;
};

class Pipes {
 public:
  // nullopt: no descriptors, or no memory for one.
  std::optional<Pipe> acquire();
  void give_back(Pipe pipe);  // empty
  void discard(Pipe pipe);    // with what is in it

 private:
  std::vector<Pipe> idle_;
  std::size_t large_ = 0;
};

}  // namespace band::gateway
