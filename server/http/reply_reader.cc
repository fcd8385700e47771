#include "server/http/reply_reader.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/io.h"

namespace band::http {
namespace {

constexpr std::string_view kEvent = R"({"event":")";
constexpr std::string_view kResult = R"({"event":"result",)";
constexpr std::string_view kAnswer = R"({"event":"result","answer":)";
constexpr std::size_t kMaxStatusLine = 64 << 10;
constexpr std::size_t kMaxShortReply = 1 << 20;
constexpr std::int64_t kMostStallMs = 24LL * 3600 * 1000;  // longer than any execution

// {"status":503,"retry_after":2,"error":{...}}
Admission admission_of(std::string_view line) {
  auto json = parse_json(line, "status line of the engine");
  if (!json.ok() || !json->is_object()) return engine_failed("its status line is not JSON");
  const auto status = json->find("status");
  if (status == json->end() || !status->is_number_integer()) return engine_failed("its status line has no status");
  const auto number = status->get<std::int64_t>();
  if (number == 200) {
    const auto stall = json->find("stall_ms");
    if (stall == json->end()) return Ready{};
    if (!stall->is_number_unsigned()) return engine_failed("its status line is malformed");
    return Ready{std::min(stall->get<std::int64_t>(), kMostStallMs)};
  }
  const auto error = json->find("error");
  if (number < 400 || number > 599 || error == json->end()) return engine_failed("its status line is malformed");
  Refusal no;
  if (!error_from_json(Json{{"error", *error}}, no.error).ok()) return engine_failed("its error is malformed");
  no.status = static_cast<int>(number);
  const auto retry = json->find("retry_after");
  if (retry != json->end() && retry->is_number_integer())
    no.retry_after = static_cast<int>(std::clamp<std::int64_t>(retry->get<std::int64_t>(), 1, 3600));
  return no;
}

// The answer when a wait ended with neither data nor EOF.
template <class Answer>
Answer broken_off(ReplyReader::Wait wait, const Connection& client) {
  if (wait == ReplyReader::Wait::ClientGone) return Gone{};
  if (wait == ReplyReader::Wait::Ended) return client.why();
  return refusal(504, Code::Internal, "the engine did not answer in time", "see the server's log; restart the server");
}

}  // namespace

Refusal engine_failed(std::string what) {
  return refusal(502, Code::Internal, "protocol error in the engine's answer: " + std::move(what),
                 "see the server's log; restart the server if this repeats");
}

Refusal engine_gone() {
  return refusal(502, Code::ServerUnreachable, "the server exited before it answered",
                 "see the server's log for the cause; if the server does not run, start it with `band start` (virtual "
                 "machine) or `sudo band-server start`");
}

void ReplyFilter::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty() && !failed_) {
    if (complete_) {
      failed_ = true;  // no line may follow the result
      return;
    }
    if (line_ == Line::Start) {
      start_line(bytes, out);
      continue;
    }
    const auto newline = bytes.find('\n');
    const std::string_view part = bytes.substr(0, newline);
    if (mode_ == Mode::Events) {
      out.append(part);
    } else if (line_ == Line::Result && !part.empty()) {
      out.append(tail_).append(part.substr(0, part.size() - 1));
      tail_ = part.back();
    }
    bytes.remove_prefix(part.size());
    if (newline == std::string_view::npos) return;
    bytes.remove_prefix(1);
    end_line(out);
  }
}

// Collects the first bytes of a line until they distinguish a result from other events.
void ReplyFilter::start_line(std::string_view& bytes, std::string& out) {
  const std::string_view result = mode_ == Mode::Answer ? kAnswer : kResult;
  const auto newline = bytes.find('\n');
  const std::size_t take = std::min({result.size() - begun_.size(), bytes.size(), newline});
  begun_.append(bytes.substr(0, take));
  bytes.remove_prefix(take);
  if (begun_ == result) {
    line_ = Line::Result;
  } else if (begun_.size() == result.size() || (!bytes.empty() && bytes[0] == '\n')) {
    line_ = Line::Event;
    failed_ = !begun_.starts_with(kEvent) || begun_.starts_with(kResult);
  } else {
    return;
  }
  if (mode_ == Mode::Events && !failed_) out.append(begun_);
  begun_.clear();
}

void ReplyFilter::end_line(std::string& out) {
  if (line_ == Line::Result) {
    // The held byte closes the line's own object; the bytes sent before it are the answer.
    if (mode_ == Mode::Answer && tail_ != "}") failed_ = true;
    complete_ = !failed_;
  }
  if (!failed_ && (mode_ == Mode::Events || line_ == Line::Result)) out += '\n';
  line_ = Line::Start;
}

ReplyReader::Wait ReplyReader::more(const Connection& client, std::int64_t deadline_us) {
  for (;;) {
    int ms = -1;
    if (deadline_us != 0) {
      const std::int64_t left = deadline_us - base::monotonic_us();
      if (left <= 0) return Wait::TimedOut;
      ms = static_cast<int>(std::min<std::int64_t>(left / 1000 + 1, 60'000));
    }
    pollfd both[2] = {{socket_.get(), POLLIN, 0}, {client.socket(), POLLRDHUP, 0}};
    if (client.ended()) return Wait::Ended;
    const int n = Connection::poll(both, 2, ms);
    if (n < 0 && errno != EINTR) return Wait::End;
    if (n <= 0) continue;
    if (both[1].revents != 0) return Wait::ClientGone;
    char bytes[65536];
    const ssize_t got = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (got > 0) {
      pending_.append(bytes, static_cast<std::size_t>(got));
      return Wait::Data;
    }
    if (got == 0 || (errno != EAGAIN && errno != EINTR)) return Wait::End;
  }
}

Admission read_admission(ReplyReader& reply, const Connection& client, std::int64_t deadline_us) {
  std::string& pending = reply.pending();
  for (;;) {
    const auto newline = pending.find('\n');
    if (newline != std::string::npos) {
      Admission result = admission_of(std::string_view(pending).substr(0, newline));
      pending.erase(0, newline + 1);
      return result;
    }
    if (pending.size() > kMaxStatusLine) return engine_failed("its status line does not end");
    const auto came = reply.more(client, deadline_us);
    if (came == ReplyReader::Wait::End) return engine_gone();
    if (came != ReplyReader::Wait::Data) return broken_off<Admission>(came, client);
  }
}

std::variant<std::string, Gone, Refusal> read_rest(ReplyReader& reply, const Connection& client,
                                                   std::int64_t deadline_us) {
  for (;;) {
    const auto came = reply.more(client, deadline_us);
    if (came == ReplyReader::Wait::End) return std::move(reply.pending());
    if (came != ReplyReader::Wait::Data) return broken_off<std::variant<std::string, Gone, Refusal>>(came, client);
    if (reply.pending().size() > kMaxShortReply) return engine_failed("its answer does not end");
  }
}

}  // namespace band::http
