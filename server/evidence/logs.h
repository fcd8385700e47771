// stdout or stderr of a script: read from its pipe, masked, sent immediately up to a cap, and kept up to the same cap.
// When it is longer, its beginning is sent; its beginning and end are kept, with a line between them that states how
// much is missing. With Sent::Whole all of it is sent, and the script blocks while the client does not read.
#pragma once

#include <cstdint>
#include <string>

#include "server/base/fd.h"
#include "server/evidence/mask.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

// The end is kept, too, because it most often has the reason of a failure.
inline constexpr std::size_t kKeptLogBytes = 1 << 20;
inline constexpr std::size_t kKeptEndBytes = 256 << 10;
// Sent::Whole: while this number of bytes waits for the client, the pipe is not read.
inline constexpr std::size_t kMostUnsentBytes = 256 << 10;

class Log {
 public:
  enum class Sent { Capped, Whole };  // Capped: as text, up to the cap; Whole: all bytes
  Log(std::string event, base::Fd pipe, const Mask& mask, Sent sent = Sent::Capped)
      : event_(std::move(event)),
        pipe_(std::move(pipe)),
        mask_(mask, sent == Sent::Whole ? StreamMask::Cut::Bytes : StreamMask::Cut::Characters),
        whole_(sent == Sent::Whole) {}

  int fd() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }
  // For poll(2): fd(), or -1 while the client has to read first.
  int readable(const ReplyWriter& reply) const { return whole_ && is_full(reply) ? -1 : pipe_.get(); }
  // Reads available bytes, at most 1 MiB, so that a script that floods one pipe does not block the loop.
  void read_some(ReplyWriter& reply);
  // Called when all writers are dead: reads the rest of the pipe and adds the bytes that the mask held back.
  void drain(ReplyWriter& reply);

  const std::string& kept() const { return kept_; }  // masked; complete after drain()
  std::uint64_t cut() const { return cut_; }         // after drain(): the number of bytes missing in kept()

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
