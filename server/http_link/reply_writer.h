// The reply socket of one request (server/http_link/link.h): writes JSON lines to the http process, and detects when it
// closes.
//
// Never blocks: bytes that the http process has not read are buffered here. They are few: logs are capped, or are not
// read while some are buffered (server/evidence/logs.h), and everything else is written once.
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
  std::size_t held() const { return pending_.size(); }  // bytes in memory, until all of them are sent
  std::size_t taken() const { return sent_; }  // how many of them were sent, to the peer or to the socket's buffer
  bool gone() const;                           // the http process closed its end: the client disconnected

  void line(const Json& value);
  void log(const std::string& event, const std::string& text);     // a piece of "stdout" or "stderr"
  void bytes(const std::string& event, std::string_view content);  // the same, for any bytes
  void note(const std::string& event, const std::string& text);    // {"event":"limit","text":"..."}
  void status(int http_status);                                    // {"status":200}
  // The same, for a stream that the client may leave unread for `stall_ms`: {"status":200,"stall_ms":60000}
  void status(int http_status, std::int64_t stall_ms);
  std::int64_t stall_ms() const { return stall_ms_; }
  void empty_result();                                                      // {"event":"result","body":{}}: success
  void refuse(int http_status, const Error& error, int retry_after_s = 0);  // no line follows
  void write_some();
  // Blocks until everything was sent, the http process closed its end, or `ms` milliseconds have passed; then closes.
  void finish(int ms);

 private:
  base::Fd socket_;
  std::string pending_;
  std::size_t sent_ = 0;
  std::int64_t stall_ms_ = 0;
};

}  // namespace band::run
