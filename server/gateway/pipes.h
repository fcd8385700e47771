// Pipes for splice(2), which moves bytes from a socket into a pipe, and from the pipe into another socket, without a
// copy. A connection has a pipe only while bytes are in the pipe, so an idle connection has no pipe.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::gateway {

struct Pipe {
  base::Fd out, in;   // the read end, the write end
  bool large = true;  // the requested capacity: 256 KiB if true, 8 KiB if false
};

class Pipes {
 public:
  // Returns an empty pipe; nullopt when descriptors or memory are used up.
  std::optional<Pipe> acquire();
  void give_back(Pipe pipe);  // call it with an empty pipe
  void discard(Pipe pipe);    // closes the pipe; call it with a pipe that contains bytes

 private:
  std::vector<Pipe> idle_;
  std::size_t large_ = 0;
};

}  // namespace band::gateway
