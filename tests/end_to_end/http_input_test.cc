// POST /v1/exec/{id}/input at band-http: bytes are passed on while they arrive; the engine gets EOF only after a
// complete body.
#include "server/http_link/input.h"
#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::http;
using namespace band::test;

namespace {

constexpr const char* kId = "00000000000000aa";
const std::string kReady = "{\"status\":200}\n";
const std::string kTaken = kReady + "{\"event\":\"result\",\"body\":{}}\n";

std::string post(const RunningHttp& http, const std::string& framing,
                 const std::string& type = "application/octet-stream") {
  return std::string("POST /v1/exec/") + kId + "/input HTTP/1.1\r\n" + http.host() + http.bearer(kToken) +
         "Content-Type: " + type + "\r\n" + framing + "\r\n\r\n";
}

// What the engine has received so far; `whole`: including the frame for EOF.
struct Got {
  std::string bytes;
  bool whole = false, closed = false;
};

Got receive(const Question& question, std::size_t bytes, bool to_end = false) {
  Got got;
  InputReader reader;
  char piece[4096];
  while ((got.bytes.size() < bytes || to_end) && !got.whole && !got.closed && readable(question.reply(), 5'000)) {
    const ssize_t n = ::recv(question.reply(), piece, sizeof piece, MSG_DONTWAIT);
    if (n > 0) REQUIRE(reader.feed(std::string_view(piece, static_cast<std::size_t>(n)), got.bytes).ok());
    got.closed = n <= 0;
    got.whole = reader.ended();
  }
  return got;
}

}  // namespace

TEST_CASE("a body is passed on while it arrives, with EOF, and the client gets the engine's answer") {
  RunningHttp http;
  Client client(http.port);
  client.send(post(http, "Transfer-Encoding: chunked") + "3\r\nabc\r\n");
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->op() == "input");
  CHECK(question->json["token"] == "laptop");
  CHECK(question->json["id"] == kId);
  CHECK(receive(*question, 3).bytes == "abc");  // before the rest was sent
  client.send("2\r\nde\r\n0\r\n\r\n");
  const Got rest = receive(*question, 2, true);
  CHECK(rest.bytes == "de");
  CHECK(rest.whole);
  question->answer(kTaken);
  question.reset();
  const Response done = client.response();
  CHECK(done.status == 200);
  CHECK(done.body == std::string("{\"id\":\"") + kId + "\"}\n");
  client.send(http.get("/v1/health"));  // the connection stays open
  CHECK(http.next());
}

TEST_CASE("a body that is truncated or wrongly framed has no EOF") {
  for (const char* rest : {"", "zz\r\n"}) {
    CAPTURE(rest);
    RunningHttp http;
    std::optional<Client> client(http.port);
    client->send(post(http, "Transfer-Encoding: chunked") + "3\r\nabc\r\n" + rest);
    auto question = http.next();
    REQUIRE(question);
    if (*rest == '\0') {
      CHECK(receive(*question, 3).bytes == "abc");
      client.reset();
    }
    const Got got = receive(*question, 100, true);
    CHECK_FALSE(got.whole);
    CHECK(got.closed);
    if (client) CHECK(client->response().status == 400);
  }
  RunningHttp http;
  Client client(http.port);
  client.send(post(http, "Content-Length: 10") + "abc");
  auto question = http.next();
  REQUIRE(question);
  client.shut_down_sending();
  CHECK_FALSE(receive(*question, 100, true).whole);
}

TEST_CASE("the engine's answer ends the request, regardless of the client") {
  const std::string refused = R"({"status":409,"error":{"code":"BAD_REQUEST","message":"no","hint":"","details":null}})"
                              "\n";
  for (const char* framing : {"Transfer-Encoding: chunked", "Content-Length: 1000000"})
    for (const auto& [answer, status] : {std::pair(kTaken, 200), std::pair(refused, 409)}) {
      CAPTURE(framing);
      CAPTURE(status);
      RunningHttp http;
      Client client(http.port);
      client.send(post(http, framing) + "5");  // half of a chunk's line, or a first byte
      auto question = http.next();
      REQUIRE(question);
      question->answer(answer);
      question.reset();
      CHECK(client.response().status == status);
    }
}

TEST_CASE("an engine that does not read is not flooded: the client waits") {
  RunningHttp http;
  Client client(http.port);
  client.send(post(http, "Content-Length: 100000000"));
  auto question = http.next();
  REQUIRE(question);
  const std::string piece(1 << 20, 'x');
  std::size_t sent = 0;
  pollfd room{client.fd(), POLLOUT, 0};
  while (sent < (90u << 20) && ::poll(&room, 1, 1'000) > 0) {
    const ssize_t n = ::send(client.fd(), piece.data(), piece.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) sent += static_cast<std::size_t>(n);
  }
  CHECK(sent > 0);
  CHECK(sent < (40u << 20));  // the sockets' buffers, and one piece
}

TEST_CASE("only octets are accepted, and only for an execution's id") {
  RunningHttp http;
  CHECK(http.ask(post(http, "Content-Length: 0", "application/json")).status == 415);
  for (const char* path : {"/v1/exec//input", "/v1/exec/xyz/input", "/v1/exec/00000000000000aa/input/",
                           "/v1/exec/00000000000000aa/other", "/v1/exec/input"})
    CHECK(http.ask(std::string("POST ") + path + " HTTP/1.1\r\n" + http.host() + http.bearer(kToken) +
                   "Content-Type: application/octet-stream\r\nContent-Length: 0\r\n\r\n")
              .status == 404);
  CHECK(http.ask(std::string("POST /v1/exec/") + kId + "/input HTTP/1.1\r\n" + http.host() + "\r\n").status == 401);
}
