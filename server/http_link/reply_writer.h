// The reply socket of one request (server/http_link/link.h): JSON lines to the http process, and its absence noticed.
//
// Never blocks: what the other side does not take is kept here. That stays small: logs are capped, or are not read
// while it is not (server/evidence/logs.h), and everything else is written once.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "schemas/core/json_fwd.h"
#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::run {

class ReplyWriter {
 public:
  ReplyWriter() = default;
  explicit ReplyWriter(base::Fd socket);
  ReplyWriter(ReplyWriter&&) = default;
  ReplyWriter& operator=(ReplyWriter&&) = default;

  int socket() const { return socket_.get(); }
  bool wants_to_write() const { return !pending_.empty(); }
  std::size_t held() const { return pending_.size(); }  // in memory, until all of it is taken
  std::size_t taken() const { return sent_; }           // of that, by the other side or the socket's buffer
  bool gone() const;                                    // the other end is closed: the client went away

  void line(const Json& value);
  void log(const std::string& event, const std::string& text);     // "stdout" or "stderr": a piece of that
  void bytes(const std::string& event, std::string_view content);  // the same, of any bytes
  void note(const std::string& event, const std::string& text);    // {"event":"limit","text":"..."}
  void status(int http_status);                                    // {"status":200}
  // The same, of a stream whose client may leave it unread for so long: {"status":200,"stall_ms":60000}
  void status(int http_status, std::int64_t stall_ms);
  std::int64_t stall_ms() const { return stall_ms_; }
  void empty_result();  // {"event":"result","body":{}}: all was done
  void refuse(int http_status, const Error& error, int retry_after_s = 0);  // and nothing follows
  void write_some();
  // Blocks until everything is written, the other side is gone, or `ms` milliseconds have passed; then closes.
  void finish(int ms);

 private:
  base::Fd socket_;
  std::string pending_;
  std::size_t sent_ = 0;
  std::int64_t stall_ms_ = 0;
};

}  // namespace band::run
