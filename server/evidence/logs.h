// stdout or stderr of a script. The output is read from a pipe, masked, and sent to the client immediately. With
// Sent::Capped only the first kKeptLogBytes of the output are sent. With Sent::Whole the whole output is sent, and the
// script blocks while the client does not read.
// The output is also kept for the answer: an output of up to kKeptLogBytes is kept whole. Of a longer output, the
// beginning and the last kKeptEndBytes are kept, together kKeptLogBytes; a line between the two parts states how many
// bytes are missing.
#pragma once

#include <cstdint>
#include <string>

#include "server/base/fd.h"
#include "server/evidence/mask.h"
#include "server/http_link/reply_writer.h"

namespace band::run {

// The end of a long output is kept because it usually contains the reason for a failure.
inline constexpr std::size_t kKeptLogBytes = 1 << 20;
inline constexpr std::size_t kKeptEndBytes = 256 << 10;
// With Sent::Whole the pipe is not read while at least this number of bytes waits for the client.
inline constexpr std::size_t kMostUnsentBytes = 256 << 10;

class Log {
 public:
  enum class Sent { Capped, Whole };  // Capped: as text, up to kKeptLogBytes; Whole: all bytes
  // `event`: the name of the events that carry the output, "stdout" or "stderr". `pipe`: the read end, non-blocking; if
  // it is empty, there is no output. `mask` must outlive this object.
  Log(std::string event, base::Fd pipe, const Mask& mask, Sent sent = Sent::Capped)
      : event_(std::move(event)),
        pipe_(std::move(pipe)),
        mask_(mask, sent == Sent::Whole ? StreamMask::Cut::Bytes : StreamMask::Cut::Characters),
        whole_(sent == Sent::Whole) {}

  int fd() const { return pipe_.get(); }
  bool open() const { return static_cast<bool>(pipe_); }  // false after the end of the output was read
  // For poll(2). Returns fd(), or -1 while the pipe is not read because bytes wait for the client.
  int readable(const ReplyWriter& reply) const { return whole_ && is_full(reply) ? -1 : pipe_.get(); }
  // Reads available bytes, at most 1 MiB per call: otherwise a script that writes continuously could keep the slot's
  // thread in this function.
  void read_some(ReplyWriter& reply);
  // Call it when all processes that could write are dead. Reads the rest of the pipe and adds the bytes that the mask
  // held back.
  void drain(ReplyWriter& reply);

  const std::string& kept() const { return kept_; }  // the kept output, masked; complete after drain()
  std::uint64_t cut() const { return cut_; }         // after drain(): the number of bytes missing in kept()

 private:
  static bool is_full(const ReplyWriter& reply) { return reply.held() >= kMostUnsentBytes; }
  void read(ReplyWriter& reply, bool last);
  void send(const std::string& text, ReplyWriter& reply);
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
