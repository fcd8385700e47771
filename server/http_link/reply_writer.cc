#include "server/http_link/reply_writer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/io.h"

namespace band::run {

ReplyWriter::ReplyWriter(base::Fd socket) : socket_(std::move(socket)) { ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK); }

bool ReplyWriter::gone() const {
  pollfd peer{socket_.get(), POLLRDHUP, 0};
  return ::poll(&peer, 1, 0) > 0 && (peer.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

void ReplyWriter::log(const std::string& event, const std::string& text) {
  if (events_) line({{"event", event}, {"data", text}});
}

void ReplyWriter::bytes(const std::string& event, std::string_view content) {
  if (events_) line({{"event", event}, {"base64", base64_encode(content)}});
}

void ReplyWriter::note(const std::string& event, const std::string& text) {
  if (events_) line({{"event", event}, {"text", text}});
}

void ReplyWriter::started(const std::string& id) {
  if (events_) line({{"event", "started"}, {"id", id}});
}

void ReplyWriter::line(const Json& value) {
  std::string text = dump_json(value) + '\n';
  if (pending_.empty()) {
    pending_ = std::move(text);  // an answer may have 90 MiB: no copy
  } else {
    pending_ += text;
  }
  write_some();
}

void ReplyWriter::status(int http_status) { line({{"status", http_status}}); }

void ReplyWriter::status(int http_status, std::int64_t stall_ms) {
  stall_ms_ = stall_ms;
  line({{"status", http_status}, {"stall_ms", stall_ms}});
}

void ReplyWriter::empty_result() { line({{"event", "result"}, {"body", Json::object()}}); }

void ReplyWriter::refuse(int http_status, const Error& error, int retry_after_s) {
  Json first = {{"status", http_status}};
  if (retry_after_s > 0) first["retry_after"] = retry_after_s;
  first["error"] = error_to_json(error)["error"];
  line(first);
}

void ReplyWriter::write_some() {
  while (sent_ < pending_.size()) {
    const ssize_t n = ::send(socket_.get(), pending_.data() + sent_, pending_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) break;  // closed by the peer; gone() then returns true
    sent_ += static_cast<std::size_t>(n);
  }
  pending_.clear();
  sent_ = 0;
}

void ReplyWriter::finish(int ms) {
  const std::int64_t deadline = base::monotonic_us() + std::int64_t{ms} * 1000;
  for (write_some(); wants_to_write() && !gone(); write_some()) {
    const std::int64_t left = (deadline - base::monotonic_us()) / 1000;
    pollfd writable{socket_.get(), POLLOUT, 0};
    if (left <= 0 || ::poll(&writable, 1, static_cast<int>(left)) <= 0) break;
  }
  socket_.reset();
}

}  // namespace band::run
