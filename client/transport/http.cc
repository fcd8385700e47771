#include "client/transport/http.h"

// Boost 1.74 uses std::result_of, which C++20 has removed; with this macro it uses std::invoke_result.
#ifndef BOOST_ASIO_HAS_STD_INVOKE_RESULT
#define BOOST_ASIO_HAS_STD_INVOKE_RESULT 1
#endif

#include <fcntl.h>
#include <poll.h>

#include <atomic>
#include <boost/asio/error.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <cerrno>
#include <limits>

namespace band::client {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using ErrorCode = beast::error_code;
using Step = HttpFailure::Step;

namespace {

constexpr std::uint32_t kMostHead = 16 << 10;
constexpr std::size_t kPart = 64 << 10;  // bytes of a body that are passed on at a time
constexpr HttpConnection::Seconds kConnecting{5};
constexpr int kMostInterim = 8;

HttpFailure failure(Step step, const ErrorCode& code) {
  const bool closed = code == http::error::end_of_stream || code == http::error::partial_message ||
                      code == asio::error::eof || code == asio::error::connection_reset ||
                      code == asio::error::broken_pipe;
  return {step, code == beast::error::timeout, closed, code.message()};
}

}  // namespace

struct HttpConnection::Stream {
  Stream(std::string host_, std::uint16_t port_) : host(std::move(host_)), port(port_), stream(context) {
    buffer.reserve(kMostHead);
  }

  // Starts an asynchronous operation and waits for its end: only asynchronous operations of Beast have timeouts.
  // `start` gets the handler for the operation.
  template <class Start>
  ErrorCode wait(Seconds limit, Start start) {
    if (stopped) return asio::error::operation_aborted;
    ErrorCode result;
    stream.expires_after(limit);
    start([&result](ErrorCode code, auto...) { result = code; });
    context.restart();
    context.run();
    return result;
  }

  ErrorCode connect() try {
    ErrorCode wrong;
    const auto address = port == 0 ? asio::ip::address() : asio::ip::make_address(host, wrong);
    if (wrong) return wrong;
    using Endpoint = asio::generic::stream_protocol::endpoint;
    const Endpoint to = port == 0 ? Endpoint(asio::local::stream_protocol::endpoint(host))
                                  : Endpoint(asio::ip::tcp::endpoint(address, port));
    stream.socket().open(to.protocol(), wrong);
    if (wrong) return wrong;
    if (::fcntl(stream.socket().native_handle(), F_SETFD, FD_CLOEXEC) != 0)
      return {errno, boost::system::system_category()};
    wrong = wait(kConnecting, [&](auto done) { stream.async_connect(to, std::move(done)); });
    connected = !wrong;
    if (wrong) return wrong;
    if (port != 0) stream.socket().set_option(asio::ip::tcp::no_delay(true), wrong);
    return wrong;
  } catch (const boost::system::system_error& error) {  // the path of a Unix socket is too long
    return error.code();
  }

  template <class Body>
  static void fill(http::request<Body>& message, const HttpRequest& request) {
    message.version(11);
    message.method_string(request.method);
    message.target(request.target);
    for (const auto& [name, value] : request.fields) message.set(name, value);
  }

  std::optional<HttpFailure> send_whole(const HttpRequest& request) {
    http::request<http::span_body<const char>> message;
    fill(message, request);
    message.body() = {request.body.data(), request.body.size()};
    message.prepare_payload();
    http::request_serializer<http::span_body<const char>> serializer(message);
    while (!serializer.is_done()) {
      const ErrorCode wrong =
          wait(sending, [&](auto done) { http::async_write_some(stream, serializer, std::move(done)); });
      if (wrong) return failure(Step::Send, wrong);
    }
    return std::nullopt;
  }

  std::optional<HttpFailure> send_chunks(const HttpRequest& request) {
    http::request<http::empty_body> message;
    fill(message, request);
    message.chunked(true);
    http::request_serializer<http::empty_body> head(message);
    ErrorCode wrong = wait(sending, [&](auto done) { http::async_write_header(stream, head, std::move(done)); });
    for (bool more = true; more && !wrong;) {
      const auto piece = request.next();
      if (!piece) return HttpFailure{Step::Abandoned, false, false, ""};
      more = !piece->empty();
      wrong = wait(sending, [&](auto done) {
        if (more)
          asio::async_write(stream, http::make_chunk(asio::buffer(*piece)), std::move(done));
        else
          asio::async_write(stream, http::make_chunk_last(), std::move(done));
      });
    }
    if (wrong) return failure(Step::Send, wrong);
    return std::nullopt;
  }

  std::optional<HttpFailure> receive(HttpHead& head, const std::function<bool(std::string_view)>& body) {
    std::optional<http::response_parser<http::buffer_body>> parser;
    int interim = 0;
    do {  // answers with 1xx precede the final one (RFC 9110, 15.2)
      if (++interim > kMostInterim) return HttpFailure{Step::Receive, false, false, "too many interim answers"};
      parser.emplace();
      parser->header_limit(kMostHead);
      parser->body_limit(std::numeric_limits<std::uint64_t>::max());  // the caller limits it
      const ErrorCode wrong =
          wait(receiving, [&](auto done) { http::async_read_header(stream, buffer, *parser, std::move(done)); });
      if (wrong) return failure(Step::Receive, wrong);
    } while (parser->get().result_int() / 100 == 1);
    head.status = static_cast<int>(parser->get().result_int());
    head.retry_after = std::string(parser->get()[http::field::retry_after]);
    while (!parser->is_done()) {
      auto& room = parser->get().body();
      room.data = part.data();
      room.size = part.size();
      const ErrorCode wrong =
          wait(receiving, [&](auto done) { http::async_read_some(stream, buffer, *parser, std::move(done)); });
      if (wrong && wrong != http::error::need_buffer) return failure(Step::Receive, wrong);
      const std::size_t size = part.size() - room.size;
      if (size > 0 && !body({part.data(), size})) return HttpFailure{Step::Abandoned, false, false, ""};
    }
    if (!parser->keep_alive()) close();
    return std::nullopt;
  }

  void close() {
    ErrorCode ignored;
    stream.socket().close(ignored);
    connected = false;
  }

  const std::string host;
  const std::uint16_t port;
  Seconds sending{15}, receiving{15};
  asio::io_context context{1};
  beast::basic_stream<asio::generic::stream_protocol> stream;
  beast::flat_buffer buffer{kPart};  // its maximum also limits the lines before the chunks of a body
  std::vector<char> part = std::vector<char>(kPart);
  bool connected = false, used = false;
  std::atomic<bool> stopped{false};
};

HttpConnection::HttpConnection(std::string host, std::uint16_t port)
    : stream_(std::make_unique<Stream>(std::move(host), port)) {}
HttpConnection::~HttpConnection() = default;

void HttpConnection::limit_pauses(Seconds sending, Seconds receiving) {
  stream_->sending = sending;
  stream_->receiving = receiving;
}

std::optional<HttpFailure> HttpConnection::send(const HttpRequest& request, HttpHead& head,
                                                const std::function<bool(std::string_view)>& body) {
  Stream& s = *stream_;
  if (!std::exchange(s.used, true))
    if (const ErrorCode wrong = s.connect()) return failure(Step::Connect, wrong);
  if (s.stopped) s.close();
  if (!s.connected)
    return HttpFailure{s.stopped ? Step::Abandoned : Step::Connect, false, true, "the connection is closed"};
  auto failed = request.next ? s.send_chunks(request) : s.send_whole(request);
  if (!failed) {
    failed = s.receive(head, body);
  } else if (failed->step == Step::Send && !failed->timed_out) {
    // The peer may have answered early and then closed the connection.
    if (const auto unanswered = s.receive(head, body); !unanswered || unanswered->step == Step::Abandoned)
      failed = unanswered;
    s.close();
  }
  if (failed) s.close();
  return failed;
}

bool HttpConnection::alive() const {
  if (!stream_->connected) return false;
  pollfd peer{socket(), POLLIN, 0};
  int ready = 0;
  while ((ready = ::poll(&peer, 1, 0)) < 0 && errno == EINTR) {
  }
  return ready == 0;  // readable: end of file, or bytes that were not requested
}

int HttpConnection::socket() const { return stream_->connected ? stream_->stream.socket().native_handle() : -1; }

void HttpConnection::stop() {
  stream_->stopped = true;
  // Runs on the thread that waits in send(). close() and not cancel(): a composed operation would continue with its
  // next step.
  asio::post(stream_->context, [this] { stream_->stream.close(); });
}

}  // namespace band::client
