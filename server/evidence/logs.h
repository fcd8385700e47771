// stdout or stderr of a script: read from its pipe, masked, sent as it comes up to a cap, and kept up to the same cap.
// Of a longer one the beginning is sent, and the beginning and the end are kept, with a line between them that says how
// much is missing. With Sent::Whole all of it is sent, and the script waits while the client does not take it.
#pragma once

#include <cstdint>
#include <string>

#include "server/base/fd.h"
#include "server/evidence/mask.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

// The beginning and the end are kept: what a script failed of is most often said last.
inline constexpr std::size_t kKeptLogBytes = 1 << 20;
inline constexpr std::size_t kKeptEndBytes = 256 << 10;
// Sent::Whole: while so much waits for the client, no more is read.
inline constexpr std::size_t kMostUnsentBytes = 256 << 10;

class Log {
 public:
  enum class Sent { Capped, Whole };  // as text up to the cap; or every byte
  Log(std::string event, base::Fd pipe, const Mask& mask, Sent sent = Sent::Capped)
      : event_(std::move(event)),
        pipe_(std::move(pipe)),
        mask_(mask, sent == Sent::Whole ? StreamMask::Cut::Bytes : StreamMask::Cut::Characters),
        whole_(sent == Sent::Whole) {}

  int fd() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }
  // For poll(2): fd(), or -1 while the client has to take something first.
  int readable(const ReplyWriter& reply) const { return whole_ && is_full(reply) ? -1 : pipe_.get(); }
  // Reads what is there, at most a bounded amount, so that a script that floods one pipe starves nothing else.
  void read_some(ReplyWriter& reply);
  // After every writer is dead: the rest that the pipe holds, and what was held back.
  void drain(ReplyWriter& reply);

  const std::string& kept() const { return kept_; }  // masked; the end is in it after drain()
  std::uint64_t cut() const { return cut_; }         // bytes that are not in kept(), after drain()

 private:
  static bool is_full(const ReplyWriter& reply) { return reply.held() >= kMostUnsentBytes; }
  void read(ReplyWriter& reply, bool last);
  void tell(const std::string& text, ReplyWriter& reply);
  void shorten_end();
  void drop_begun_character();
  void join_end();

  std::string event_;
  base::Fd pipe_;
  StreamMask mask_;
  bool whole_;
  std::string kept_, end_;
  std::size_t sent_ = 0;
  std::uint64_t cut_ = 0;
};

}  // namespace band::run
