#include "server/http/exchange.h"

#include <chrono>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/io.h"
#include "server/base/wiped.h"
#include "server/http/input_relay.h"

namespace band::http {
namespace {

// A client that requests only the answer gets the head of the response together with the answer, if the answer comes
// within this time: then the client is woken once.
constexpr std::int64_t kMostHeadDelayUs = 100'000;
constexpr std::int64_t kShortReplyUs = 10'000'000;  // health, metrics and cancel need far less than a second

void refuse(Exchange& exchange, const Refusal& no) { exchange.connection.refuse(no); }

Caller caller_of(const Admitted& request) { return {request.token, request.token_id}; }

void client_gone(Exchange& exchange) { exchange.note = "client gone"; }

// Some clients send their body only after `100 Continue`.
void invite_body(const Exchange& exchange) {
  constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
  if (exchange.request.expects_continue) (void)exchange.connection.write(kGoOn.data(), kGoOn.size());
}

// Returns why the body of an upload, or of an input, was refused.
Refusal incomplete(const Exchange& exchange) {
  const Connection& connection = exchange.connection;
  if (connection.ended()) return connection.why();
  if (exchange.upload && exchange.upload->full()) return busy("the memory for request bodies is used up");
  if (connection.body_too_large())
    return refusal(413, Code::LimitExceeded, "the body has more than " + std::to_string(kMaxBodyBytes) + " bytes",
                   "send fewer or smaller files: narrow allow.read, or choose a smaller --workspace");
  if (connection.timed_out())
    return refusal(408, Code::BadRequest, "the body took too long", "a client must send at least 64 KiB a second");
  return refusal(400, Code::BadRequest, "the body is cut off or wrongly framed",
                 "send as many bytes as Content-Length states, or whole chunks without extensions and trailers");
}

// Returns false at EOF, or when no further byte can be read. The piece is wiped before the next one is read.
bool take_piece(Connection& connection, Upload& upload) {
  base::Wiped<65536> piece;
  const ssize_t n = connection.read_body(piece.bytes, sizeof piece.bytes);
  piece.written = n > 0 ? static_cast<std::size_t>(n) : 0;
  return n > 0 && upload.append(std::string_view(piece.bytes, static_cast<std::size_t>(n)));
}

std::optional<Page> page_of(Exchange& exchange, const std::string& rest) {
  if (!exchange.request.id.empty())
    return Page{dump_json(Json{{"id", exchange.request.id}}) + "\n", "application/json"};
  const auto json = parse_json(std::string_view(rest).substr(0, rest.find('\n')), "answer from the engine");
  const bool metrics = exchange.request.route == Route::Metrics;
  if (json.ok() && json->is_object()) {
    const auto part = json->find(metrics ? "text" : "body");
    if (part != json->end() && metrics && part->is_string())
      return Page{part->get<std::string>(), "text/plain; version=0.0.4; charset=utf-8"};
    if (part != json->end() && !metrics && part->is_object()) return Page{dump_json(*part) + "\n", "application/json"};
  }
  refuse(exchange, engine_failed("its result is malformed"));
  return std::nullopt;
}

std::optional<Page> short_answer(Exchange& exchange, ReplyReader& reply) {
  const std::int64_t deadline = base::monotonic_us() + kShortReplyUs;
  const Admission first = read_admission(reply, exchange.connection, deadline);
  if (const auto* no = std::get_if<Refusal>(&first)) {
    refuse(exchange, *no);
    return std::nullopt;
  }
  if (std::holds_alternative<Ready>(first)) {
    const auto rest = read_rest(reply, exchange.connection, deadline);
    if (const auto* text = std::get_if<std::string>(&rest)) return page_of(exchange, *text);
    if (const auto* no = std::get_if<Refusal>(&rest)) {
      refuse(exchange, *no);
      return std::nullopt;
    }
  }
  client_gone(exchange);
  return std::nullopt;
}

}  // namespace

std::optional<Page> proof(Exchange& exchange) {
  const Services& services = exchange.services;
  const auto config = services.settings.now();
  // The key for an id that does not exist. It is different for each id, and it is computed for existing ids as well:
  // neither the time nor the answer reveals which ids exist.
  std::string key = token_hash(services.decoy_key + exchange.request.id);
  for (const Token& token : config->tokens)
    if (equal_in_constant_time(token.id, exchange.request.id)) key = token.hash;
  const std::string proof = proof_of(key, exchange.request.nonce, services.port);
  if (proof.empty()) {
    refuse(exchange, refusal(500, Code::Internal, "the proof could not be computed", "see the server's log"));
    return std::nullopt;
  }
  // The client sets the virtual machine's clock by `now`: that clock stops while the host sleeps.
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count();
  const Json answer{
      {"proof", proof}, {"now", now}, {"source", config->build.source}, {"features", config->build.features}};
  return Page{dump_json(answer) + "\n", "application/json"};
}

std::optional<Page> ask(Exchange& exchange) {
  const EngineClient& engine = exchange.services.engine;
  const Admitted& request = exchange.request;
  auto socket = request.route == Route::Cancel    ? engine.cancel(caller_of(request), request.id)
                : request.route == Route::Metrics ? engine.metrics()
                                                  : engine.health(caller_of(request));
  if (!socket.ok()) {
    refuse(exchange, engine_gone());
    return std::nullopt;
  }
  ReplyReader reply(std::move(socket).value());
  return short_answer(exchange, reply);
}

std::optional<Page> pass_input(Exchange& exchange) {
  auto socket = exchange.services.engine.input(caller_of(exchange.request), exchange.request.id);
  if (!socket.ok()) {
    refuse(exchange, engine_gone());
    return std::nullopt;
  }
  ReplyReader reply(std::move(socket).value());
  invite_body(exchange);
  InputRelay relay(exchange.connection, reply.socket());
  switch (relay.run()) {
    case InputRelay::End::Answered:
      return short_answer(exchange, reply);
    case InputRelay::End::ClientGone:
      client_gone(exchange);
      return std::nullopt;
    case InputRelay::End::BadBody:
      refuse(exchange, incomplete(exchange));
      return std::nullopt;
  }
  return std::nullopt;
}

bool read_upload(Exchange& exchange) {
  Connection& connection = exchange.connection;
  exchange.upload = std::make_unique<Upload>(exchange.services.connections, connection);
  const auto opened = exchange.upload->open();
  if (!opened.ok()) {
    refuse(exchange, refusal(503, Code::ServerBusy, opened.error().message(), "try again in a moment"));
    return false;
  }
  // The memory is checked before `100 Continue` is sent. The announced length is not charged, because an announcement
  // uses no memory.
  if (exchange.upload->full()) {
    refuse(exchange, incomplete(exchange));
    return false;
  }
  invite_body(exchange);
  (void)connection.become(State::Receiving);
  while (take_piece(connection, *exchange.upload)) {
  }
  if (connection.become(State::Busy) && connection.body_done() && !exchange.upload->full()) return true;
  refuse(exchange, incomplete(exchange));
  return false;
}

std::shared_ptr<ReplyReader> start_exec(Exchange& exchange) {
  // A token that was revoked while its body arrived cannot start an execution.
  if (find_token(*exchange.services.settings.now(), exchange.request.token_hash) == nullptr) {
    refuse(exchange, unauthorized());
    return nullptr;
  }
  const auto sealed = exchange.upload->seal();
  if (!sealed.ok()) {
    refuse(exchange, refusal(500, Code::Internal, sealed.error().message(), "see the server's log"));
    return nullptr;
  }
  auto socket =
      exchange.services.engine.exec(caller_of(exchange.request), exchange.request.ndjson, exchange.upload->fd());
  if (!socket.ok()) {
    refuse(exchange, engine_gone());
    return nullptr;
  }
  auto reply = std::make_shared<ReplyReader>(std::move(socket).value());
  exchange.upload->close();
  (void)exchange.connection.become(State::Queued);
  const Admission first = read_admission(*reply, exchange.connection, 0);
  exchange.upload.reset();
  if (!exchange.connection.become(State::Busy)) {
    // The reply socket is closed on return; the engine then removes the request from the queue.
    refuse(exchange, exchange.connection.why());
    return nullptr;
  }
  if (const auto* ready = std::get_if<Ready>(&first)) {
    exchange.connection.allow_stall(ready->stall_ms);
    // Waits for the first bytes of the result, or for the end of the answer or of the connection, which next_piece()
    // then handles.
    if (!exchange.request.ndjson && reply->pending().empty())
      (void)reply->more(exchange.connection, base::monotonic_us() + kMostHeadDelayUs);
    return reply;
  }
  if (const auto* no = std::get_if<Refusal>(&first)) refuse(exchange, *no);
  if (std::holds_alternative<Gone>(first)) client_gone(exchange);
  return nullptr;
}

Flow next_piece(Exchange& exchange, ReplyReader& reply, ReplyFilter& filter, std::string& out) {
  filter.feed(reply.pending(), out);
  reply.pending().clear();
  if (filter.failed()) {
    exchange.note = "the engine's answer is malformed";
    return Flow::Broken;
  }
  if (filter.complete()) return Flow::End;
  if (!out.empty()) return Flow::More;
  switch (reply.more(exchange.connection, 0)) {
    case ReplyReader::Wait::Data:
      return Flow::More;
    case ReplyReader::Wait::ClientGone:
      client_gone(exchange);
      return Flow::Broken;
    default:
      exchange.note = "the engine's answer is cut off";
      return Flow::Broken;
  }
}

}  // namespace band::http
