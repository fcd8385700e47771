// stdout or stderr of a script: read from its pipe, kept up to a cap, masked, and told as it comes.
#pragma once

#include <cstdint>
#include <string>

#include "server/base/fd.h"
#include "server/evidence/mask.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

inline constexpr std::size_t kKeptLogBytes = 1 << 20;

class Log {
 public:
  Log(std::string event, base::Fd pipe, const Mask& mask)
      : event_(std::move(event)), pipe_(std::move(pipe)), mask_(mask) {}

  int fd() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }
  // Reads what is there, at most a bounded amount, so that a script that floods one pipe starves nothing else.
  void read_some(ReplyWriter& reply);
  // After every writer is dead: the rest that the pipe holds, and what was held back.
  void drain(ReplyWriter& reply);

  const std::string& kept() const { return kept_; }  // masked
  std::uint64_t cut() const { return cut_; }

 private:
  void tell(const std::string& text, ReplyWriter& reply);

  std::string event_;
  base::Fd pipe_;
  StreamMask mask_;
  std::string kept_;
  std::uint64_t cut_ = 0;
};

}  // namespace band::run
