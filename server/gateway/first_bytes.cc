#include "server/gateway/first_bytes.h"

#include <sys/socket.h>

#include <cerrno>
#include <optional>

#include "schemas/address/host_name.h"
#include "schemas/core/json_text.h"

namespace band::gateway {
namespace {

using Outcome = std::variant<FirstBytes, Refusal, ClosedEarly>;

// Timeout for the first byte on ports 80 and 443, where clients send first. A browser that connects in advance sends
// within seconds.
constexpr int kSilenceMs = 60'000;
constexpr std::size_t kReadBytes = 4096;
// Each read parses all bytes so far, so the number of reads is limited: a client that sends single bytes would
// otherwise use much processor time.
constexpr int kMostReads = 1'024;
constexpr std::size_t kMostShown = 300;

// fatal, unrecognized_name (RFC 6066)
constexpr std::string_view kTlsAlert("\x15\x03\x01\x00\x02\x02\x70", 7);

std::string shown(std::string_view hostile) { return escaped(hostile.substr(0, kMostShown)); }

bool names(const NetHost& host, const std::string& said) {
  if (const auto address = IpAddress::parse(said)) return host.address == address;
  const auto name = canonical_name(said);
  return name.ok() && !host.name.empty() && *name == host.name;
}

class FirstBytesReader {
 public:
  FirstBytesReader(Socket& client, const Destination& destination, ServerBytes* server)
      : client_(client), destination_(destination), server_(server) {}

  awaitable<Outcome> run() {
    deadline_ = destination_.other_protocols ? kNoDeadline : in_ms(kSilenceMs);
    for (;;) {
      const ssize_t n = co_await read();
      if (n < 0) co_return ClosedEarly{};
      if (n == 0 && first_.empty() && destination_.other_protocols) co_return FirstBytes{};
      if (n == 0 && first_.empty()) co_return ClosedEarly{};
      if (late_ && first_.empty()) co_return refused(silent());
      if (late_ || reads_ > kMostReads) co_return refused(unfinished(destination_, false));
      if (destination_.port == kGitPort && is_git(first_)) kind_ = Kind::Other;
      if (kind_ == Kind::More) kind_ = n == 0 ? recognise_whole(first_) : recognise(first_);
      if (kind_ == Kind::Words && server_ != nullptr && co_await server_->wait_for_other(in_ms(kServerFirstMs)))
        kind_ = Kind::Other;
      if (auto outcome = look(static_cast<std::size_t>(n))) co_return std::move(*outcome);
      if (n == 0) co_return refused(unfinished(destination_, true));
    }
  }

 private:
  // Appends to `first_`. Returns 0 at EOF and -1 on an error. At the deadline it sets `late_` and returns 1.
  awaitable<ssize_t> read() {
    const std::size_t had = first_.size();
    ++reads_;
    for (;;) {
      first_.resize(had + kReadBytes);
      const ssize_t n = ::recv(client_.native_handle(), first_.data() + had, kReadBytes, MSG_DONTWAIT);
      first_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      if (n > 0 && had == 0) deadline_ = in_ms(kBegunMs);
      if (n >= 0) co_return n;
      if (errno == EINTR) continue;
      if (errno != EAGAIN) co_return -1;
      if (co_await ready(client_, Socket::wait_read, deadline_)) continue;
      if (!client_.is_open() || Clock::now() < deadline_) co_return -1;
      late_ = true;
      co_return 1;
    }
  }

  // nullopt: more bytes are needed.
  std::optional<Outcome> look(std::size_t fresh) {
    switch (kind_) {
      case Kind::More:
        return std::nullopt;
      case Kind::Tls:
        return look_at_hello(fresh);
      case Kind::Http:
        return look_at_head();
      case Kind::Http2:
        return refused("cleartext HTTP/2 to " + destination_.text() + " refused (use https, or HTTP/1.1)");
      case Kind::Words:
        if (destination_.other_protocols) return words();
        break;
      case Kind::Other:
        break;
    }
    if (destination_.other_protocols) return FirstBytes{Kind::Other, std::move(first_), {}, {}};
    return refused(destination_.text() + " refused (neither TLS nor HTTP; other protocols need a rule that names " +
                   "a port other than 80 and 443)");
  }

  Refusal words() const {
    const std::string text = destination_.text() +
                             " refused (the first line can be an HTTP request without a version, and the server has " +
                             "not sent data before it)";
    return Refusal{text, answer_in(Kind::Http, text, 400)};
  }

  std::optional<Outcome> look_at_hello(std::size_t fresh) {
    if (!hello_) {
      hello_.emplace();
      fresh = first_.size();
    }
    const auto verdict = hello_->feed(std::string_view(first_).substr(first_.size() - fresh));
    if (verdict == ClientHello::Verdict::More) return std::nullopt;
    if (std::string text = objection(*hello_, destination_); !text.empty()) return refused(std::move(text));
    return FirstBytes{Kind::Tls, first_.substr(0, hello_->size()), {}, first_.substr(hello_->size())};
  }

  std::optional<Outcome> look_at_head() {
    const auto size = head_bytes(first_);
    if (!size) return std::nullopt;
    const auto request = read_http_request(std::string_view(first_).substr(0, *size));
    const std::string where = " on a connection to " + destination_.text() + " refused";
    if (!request.ok()) {
      const int status = request.error().code == Code::BadRequest ? 400 : 403;
      const std::string text = "HTTP" + where + " (" + request.error().message() + ")";
      return Refusal{text, answer_in(kind_, text, status)};
    }
    if (!names(destination_.host, request->host) || request->port.value_or(destination_.port) != destination_.port)
      return refused("Host " + shown(request->host) + (request->port ? ":" + std::to_string(*request->port) : "") +
                     where);
    return FirstBytes{Kind::Http, request->normalised(), HttpBody(request->body), first_.substr(*size)};
  }

  std::string silent() const {
    return destination_.text() + " refused (the client sent nothing for " + std::to_string(kSilenceMs / 1000) + " s)";
  }

  Refusal refused(const std::string& text) { return Refusal{text, answer_in(kind_, text)}; }

  Socket& client_;
  const Destination& destination_;
  ServerBytes* server_;
  Deadline deadline_ = kNoDeadline;
  std::string first_;
  int reads_ = 0;
  bool late_ = false;
  Kind kind_ = Kind::More;
  std::optional<ClientHello> hello_;
};

}  // namespace

std::string objection(const ClientHello& hello, const Destination& destination) {
  const std::string where = " on a connection to " + destination.text() + " refused";
  if (!hello.why().empty()) return "TLS" + where + " (the client's hello " + hello.why() + ")";
  if (hello.has_ech()) return "encrypted_client_hello" + where + " (" + std::string(kEchMend) + ")";
  // A connection to an address has no server name: clients send no SNI for it (RFC 6066).
  if (hello.sni() ? names(destination.host, *hello.sni()) : destination.host.address.has_value()) return {};
  return (hello.sni() ? "SNI " + shown(*hello.sni()) : "TLS without SNI") + where;
}

std::string unfinished(const Destination& destination, bool ended) {
  return destination.text() + " refused (" +
         (ended ? "the client closed the connection before its ClientHello or request was complete)"
                : "the client took too long to complete its ClientHello or request)");
}

std::string answer_in(Kind kind, const std::string& text, int status) {
  if (kind == Kind::Tls) return std::string(kTlsAlert);
  if (kind != Kind::Http) return {};
  const std::string body = "band: " + text + "\n";
  return std::string("HTTP/1.1 ") + (status == 400 ? "400 Bad Request" : "403 Forbidden") +
         "\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: " + std::to_string(body.size()) +
         "\r\nConnection: close\r\n\r\n" + body;
}

awaitable<Outcome> read_first_bytes(Socket& client, const Destination& destination, ServerBytes* server) {
  // `reader` is local to this coroutine, so that the hello and the buffer are freed before relaying begins.
  FirstBytesReader reader(client, destination, server);
  co_return co_await reader.run();
}

}  // namespace band::gateway
