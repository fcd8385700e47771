// Pipes for splice(2), which moves bytes from socket to socket without a copy. A connection holds a pipe only while
// there are bytes in it, so idle connections have none.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::gateway {

struct Pipe {
  base::Fd out, in;  // the read end, the write end
  bool large = true;
};

class Pipes {
 public:
  // nullopt: out of descriptors or memory.
  std::optional<Pipe> acquire();
  void give_back(Pipe pipe);  // empty
  void discard(Pipe pipe);    // also with bytes in it

 private:
  std::vector<Pipe> idle_;
  std::size_t large_ = 0;
};

}  // namespace band::gateway
