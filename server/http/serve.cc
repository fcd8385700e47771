#include "server/http/serve.h"

#include <httplib.h>

#include <atomic>
#include <limits>

#include "schemas/wire/wire.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/http/exchange.h"
#include "server/http/log.h"

namespace band::http {
namespace {

constexpr int kMaxRequestsPerConnection = 100;  // then the connection is closed, for the benefit of other clients

// cpp-httplib's input and output: it reads a generated head without a body. Connection applies the deadlines.
class GuardedStream final : public httplib::Stream {
 public:
  GuardedStream(Connection& connection, std::string head) : connection_(connection), head_(std::move(head)) {}

  ssize_t read(char* into, std::size_t size) override {
    const std::size_t n = head_.copy(into, size, given_);
    given_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* bytes, std::size_t size) override { return connection_.write(bytes, size); }
  socket_t socket() const override { return connection_.socket(); }
  void get_remote_ip_and_port(std::string& ip, int& port) const override { ip = connection_.peer(), port = 0; }
  void get_local_ip_and_port(std::string& ip, int& port) const override { ip.clear(), port = 0; }

  // read() and write() wait themselves. Without `override`: which of these functions exist depends on cpp-httplib's
  // release.
  // NOLINTBEGIN(modernize-use-override,clang-diagnostic-inconsistent-missing-override)
  bool is_readable() const { return true; }
  bool wait_readable() const { return true; }
  bool is_writable() const { return !connection_.refused() && !connection_.peer_gone(); }
  bool wait_writable() const { return is_writable(); }
  time_t duration() const { return 0; }
  // NOLINTEND(modernize-use-override,clang-diagnostic-inconsistent-missing-override)

 private:
  Connection& connection_;
  std::string head_;
  std::size_t given_ = 0;
};

// The exchange that this thread serves: a handler of cpp-httplib has no other access to its connection.
thread_local Exchange* current = nullptr;

void answer(const std::optional<Page>& page, httplib::Response& response) {
  // Without a page, a refusal was already sent or the client disconnected; what cpp-httplib then writes is discarded.
  if (!page) return current->connection.abandon();
  response.status = 200;
  // The body was not read completely, so the next bytes are not a request.
  if (!current->connection.body_done()) response.set_header("Connection", "close");
  response.set_header("Cache-Control", "no-store");
  response.set_content(page->body, page->type.c_str());
}

void stream_reply(httplib::Response& response, std::shared_ptr<ReplyReader> reply) {
  const bool events = current->request.ndjson;
  auto filter = std::make_shared<ReplyFilter>(events ? ReplyFilter::Mode::Events : ReplyFilter::Mode::Answer);
  response.status = 200;
  response.set_header("Cache-Control", "no-store");
  response.set_chunked_content_provider(
      events ? "application/x-ndjson" : "application/json",
      [reply = std::move(reply), filter](std::size_t, httplib::DataSink& sink) {
        std::string out;
        Flow flow = Flow::More;
        // cpp-httplib 0.11.4 treats an empty write as the end.
        while (out.empty() && flow == Flow::More) flow = next_piece(*current, *reply, *filter, out);
        if (flow == Flow::Broken) return false;
        if (!out.empty() && !sink.write(out.data(), out.size())) {
          const Connection& connection = current->connection;
          current->note = connection.ended() ? "closed: " + connection.why().error.message() : "client gone";
          return false;
        }
        if (flow == Flow::End) sink.done();
        return true;
      });
}

void exec(const httplib::Request&, httplib::Response& response) {
  if (auto reply = start_exec(*current)) {
    stream_reply(response, std::move(reply));
  } else {
    current->connection.abandon();  // as in answer()
  }
}

}  // namespace

class Server::Impl : private httplib::Server {
 public:
  explicit Impl(Services services) : services_(std::move(services)) {
    svr_sock_ = 0;  // otherwise cpp-httplib assumes that it is shutting down; cpp-httplib never uses the descriptor
    keep_alive_timeout_sec_ = kIdleMs / 1000;
    keep_alive_max_count_ = kMaxRequestsPerConnection;
    // NOLINTNEXTLINE(performance-unnecessary-value-param): cpp-httplib defines the type
    set_exception_handler([](const httplib::Request&, httplib::Response&, std::exception_ptr) {
      current->connection.refuse(
          refusal(500, Code::Internal, "the server failed to process the request", "see the server's log"));
    });
    const auto short_answer = [](const httplib::Request&, httplib::Response& response) {
      answer(ask(*current), response);
    };
    Get("/v1/proof", [](const httplib::Request&, httplib::Response& response) { answer(proof(*current), response); });
    Get("/v1/health", short_answer);
    Get("/v1/metrics", short_answer);
    Delete("/v1/exec/", short_answer);
    Post("/v1/exec", exec);
    Post(path_of(Route::Input),
         [](const httplib::Request&, httplib::Response& response) { answer(pass_input(*current), response); });
  }

  void serve(Connection& connection) {
    for (int n = 1; n <= kMaxRequestsPerConnection; ++n) {
      connection.start_request();
      std::string text;
      Refusal no;
      const Connection::Got got = connection.read_head(text, no);
      if (got == Connection::Got::Closed) return;
      ++busy_;
      const base::Undo not_busy([this] { --busy_; });
      LogLine line;
      line.peer = connection.peer();
      const std::int64_t start = base::monotonic_us();
      bool go_on = false;
      if (got == Connection::Got::Refused) {
        connection.refuse(no);
      } else {
        go_on = request(connection, text, n == kMaxRequestsPerConnection, line);
      }
      if (connection.refused()) line.status = connection.refused_status();
      line.in = connection.bytes_in();
      line.out = connection.bytes_out();
      line.us = base::monotonic_us() - start;
      // A successful proof is not logged, because a proof precedes each request.
      if (line.path != "/v1/proof" || line.status != 200) services_.log.request(line);
      if (!go_on) break;
    }
    services_.connections.disown(connection);
    connection.linger();
  }

  int busy() const { return busy_; }

 private:
  // Returns true when the connection can accept another request.
  bool request(Connection& connection, std::string& text, bool last, LogLine& line) {
    auto parsed = parse_head(text);
    ::explicit_bzero(text.data(), text.size());
    if (const auto* no = std::get_if<Refusal>(&parsed)) {
      connection.refuse(*no);
      return false;
    }
    auto& head = std::get<Head>(parsed);
    line.method = head.method;
    line.path = head.path;
    auto admitted = admit(head, *services_.settings.now(), services_.port);
    for (auto& [name, value] : head.fields)
      if (name == "authorization") ::explicit_bzero(value.data(), value.size());
    if (const auto* no = std::get_if<Refusal>(&admitted)) {
      connection.refuse(*no);
      return false;
    }
    auto& request = std::get<Admitted>(admitted);
    request.close |= last;
    line.token = request.token;
    if (request.route != Route::Proof) {
      if (const auto no = services_.connections.claim(connection, request)) {
        connection.refuse(*no);
        return false;
      }
    }
    // Standard input may have any size: it is passed on and not stored.
    constexpr std::uint64_t kNoBound = std::numeric_limits<std::uint64_t>::max();
    connection.expect_body(http1::BodyFrame(request.body, request.route == Route::Input ? kNoBound : kMaxBodyBytes));
    Exchange exchange{connection, services_, request, nullptr, ""};
    if (request.route == Route::Exec && !read_upload(exchange)) return false;
    const bool served = hand_over(exchange, connection);
    if (request.route == Route::Proof) connection.proof_answered();
    line.status = served ? 200 : 0;
    line.note = exchange.note;
    const bool known =
        request.route == Route::Proof || find_token(*services_.settings.now(), request.token_hash) != nullptr;
    return served && known && connection.body_done() && !connection.refused() && !request.close;
  }

  bool hand_over(Exchange& exchange, Connection& connection) {
    current = &exchange;
    const base::Undo nobody([] { current = nullptr; });
    GuardedStream stream(connection, clean_head(exchange.request));
    return process(*this, stream, connection.peer(), exchange.request.close);
  }

  // process_request is cpp-httplib's function for additional transports (its TLS server uses it); 0.15 added the
  // addresses.
  template <class Self>
  static bool process(Self& self, httplib::Stream& stream, const std::string& peer, bool close) {
    bool closed = false;
    if constexpr (requires { self.process_request(stream, close, closed, nullptr); }) {
      return self.process_request(stream, close, closed, nullptr);
    } else {
      return self.process_request(stream, peer, 0, "", 0, close, closed, nullptr);
    }
  }

  Services services_;
  std::atomic<int> busy_ = 0;
};

Server::Server(Services services) : impl_(std::make_unique<Impl>(std::move(services))) {}
Server::~Server() = default;
void Server::serve(Connection& connection) { impl_->serve(connection); }
int Server::busy() const { return impl_->busy(); }

}  // namespace band::http
