// The reply socket of one request (server/http_link/link.h): writes JSON lines to band-http, and detects when band-http
// closes the socket.
//
// finish() may block; no other function blocks, because bytes that the socket does not accept are buffered here. The
// buffer is bounded. The script's output is either capped, or not read while earlier output is still buffered
// (server/evidence/logs.h). Every other line is written once.
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
  std::size_t held() const { return pending_.size(); }  // size of the buffer, which is freed when all bytes are sent
  std::size_t taken() const { return sent_; }           // how many of these bytes the socket has accepted
  bool gone() const;                                    // band-http closed its end: the client disconnected

  void omit_events() { events_ = false; }  // the client requests only the answer: events are dropped

  void line(const Json& value);
  void started(const std::string& id);
  void log(const std::string& event, const std::string& text);     // a piece of "stdout" or "stderr", in UTF-8
  void bytes(const std::string& event, std::string_view content);  // the same for a piece that need not be UTF-8
  void note(const std::string& event, const std::string& text);    // {"event":"limit","text":"..."}
  void status(int http_status);                                    // {"status":200}
  // {"status":200,"stall_ms":60000}: the client may leave the following events unread for `stall_ms`
  void status(int http_status, std::int64_t stall_ms);
  std::int64_t stall_ms() const { return stall_ms_; }
  void empty_result();                                                      // {"event":"result","body":{}}: success
  void refuse(int http_status, const Error& error, int retry_after_s = 0);  // writes the only line
  void write_some();  // sends as many buffered bytes as the socket accepts
  // Blocks until everything was sent, band-http closed its end, or `ms` milliseconds have passed; then closes the
  // socket.
  void finish(int ms);

 private:
  base::Fd socket_;
  std::string pending_;
  std::size_t sent_ = 0;
  std::int64_t stall_ms_ = 0;
  bool events_ = true;
};

}  // namespace band::run
