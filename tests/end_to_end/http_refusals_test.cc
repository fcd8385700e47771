// What band-http refuses, tested with raw bytes: each refusal has the right status and closes the connection, and
// nothing reaches the engine.
#include <vector>

#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::test;

namespace {

// Checks that `bytes` get `status`, the connection is closed, and the engine receives nothing.
void refused(RunningHttp& http, const std::string& bytes, int status) {
  CAPTURE(bytes.substr(0, 300));
  Client client(http.port);
  client.send(bytes);
  const Response response = client.response();
  CHECK(response.status == status);
  CHECK(response.header("Connection") == "close");
  CHECK(response.header("Content-Type") == "application/json");
  CHECK_FALSE(response.error_code().starts_with("no error"));
  client.shut_down_sending();
  CHECK(client.closed_within(3000));
  CHECK(client.rest().empty());
  CHECK_FALSE(http.asked_within(0));
}

const std::string kSmuggled = "GET /v1/health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";

}  // namespace

TEST_CASE("the control: the same request without an error is served") {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post("Content-Length: 2\r\n") + "{}");
  CHECK(http.next());
  Client chunked(http.port);
  chunked.send(http.post("Transfer-Encoding: chunked\r\n") + "1\r\n{\r\n1\r\n}\r\n0\r\n\r\n");
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->body() == "{}");
}

TEST_CASE("malformed heads are refused") {
  RunningHttp http;
  const std::string get = "GET /v1/health HTTP/1.1\r\n" + http.host() + http.bearer();
  refused(http, "GET /v1/health\r\n\r\n", 400);
  refused(http, "\r\n" + get + "\r\n", 400);
  refused(http, "G\x01T /v1/health HTTP/1.1\r\n\r\n", 400);
  refused(http, "GET http://127.0.0.1/v1/health HTTP/1.1\r\n" + http.host() + "\r\n", 400);
  refused(http, "GET /v1/health HTTP/1.0\r\n" + http.host() + "\r\n", 505);
  refused(http, "GET /v1/health HTTP/1.1\r\n\r\n", 400);  // no Host
  refused(http, get + "Folded: a\r\n b\r\n\r\n", 400);
  refused(http, get + "Space : a\r\n\r\n", 400);
  refused(http, get + "Bare-LF: a\nX: b\r\n\r\n", 400);
  refused(http, get + "Bare-CR: a\rX: b\r\n\r\n", 400);
  refused(http, get + std::string("Nul: a\0b\r\n\r\n", 12), 400);
  refused(http, get + "no colon\r\n\r\n", 400);
  refused(http, get + http.host() + "\r\n", 400);    // twice
  refused(http, get + http.bearer() + "\r\n", 400);  // twice
  std::string many;
  for (int i = 0; i < 70; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  refused(http, get + many + "\r\n", 431);
  refused(http, get + "Long: " + std::string(20'000, 'x') + "\r\n\r\n", 431);
  refused(http, "GET /" + std::string(200'000, 'x'), 431);
}

TEST_CASE("other hosts, web pages and ranges are refused") {
  RunningHttp http;
  const std::string port = std::to_string(http.port);
  const auto with_host = [&](const std::string& host) {
    return "GET /v1/health HTTP/1.1\r\nHost: " + host + "\r\n" + http.bearer() + "\r\n";
  };
  const std::vector<std::string> hosts{"evil.example", "evil.example:" + port,        "127.0.0.1",
                                       "127.0.0.1:1",  "127.0.0.1:" + port + "@evil", "127.0.0.1.evil:" + port};
  for (const std::string& host : hosts) refused(http, with_host(host), 421);
  refused(http, http.get("/v1/health", "Origin: http://127.0.0.1:" + port + "\r\n"), 403);
  refused(http, http.get("/v1/health", "Origin: null\r\n"), 403);
  refused(http, http.get("/v1/health", "Range: bytes=0-0,0-0,0-0\r\n"), 400);
  for (const std::string host : {"localhost:", "LOCALHOST:", "[::1]:", "127.0.0.1:"}) {  // the control
    Client client(http.port);
    client.send(with_host(host + port));
    CHECK(http.next());
  }
}

TEST_CASE("unknown paths, wrong methods and wrong queries are refused") {
  RunningHttp http;
  for (const std::string path : {"/", "/v1", "/v1/exec/", "/v1/exec/xyz", "/v1/exec/00000000000000AA", "/v1/%65xec",
                                 "/v1/health/", "//v1/health", "/v1/../v1/health", "/v1/exec/0000000000000001/other"})
    refused(http, http.get(path), 404);
  refused(http, http.get("/v1/exec"), 405);
  CHECK(http.ask(http.get("/v1/exec")).header("Allow") == "POST");
  refused(http, "POST /v1/health HTTP/1.1\r\n" + http.host() + http.bearer() + "\r\n", 405);
  refused(http, "OPTIONS /v1/exec HTTP/1.1\r\n" + http.host() + "\r\n", 405);
  refused(http, "CONNECT /v1/exec HTTP/1.1\r\n" + http.host() + "\r\n", 405);
  refused(http, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505);
  refused(http, http.get("/v1/health?x=1"), 400);
  refused(http, http.get("/v1/proof"), 400);
  refused(http, http.get("/v1/health", "Content-Length: 5\r\n") + "hello", 400);
}

TEST_CASE("without a known token the answer is 401, before the body is read and before 100 Continue") {
  RunningHttp http;
  const std::string length = "Content-Length: 50000000\r\n";
  refused(http, http.post(length, kWrongToken), 401);
  refused(http, http.post(length + "Expect: 100-continue\r\n", kWrongToken), 401);
  refused(http, http.post(length, ""), 401);
  refused(http, http.post("Transfer-Encoding: chunked\r\n", kWrongToken), 401);
  refused(http, "POST /v1/exec HTTP/1.1\r\n" + http.host() + length + "\r\n", 401);
  refused(http, "GET /v1/metrics HTTP/1.1\r\n" + http.host() + "Authorization: Basic Zm9vOmJhcg==\r\n\r\n", 401);
  refused(http, "GET /v1/health HTTP/1.1\r\n" + http.host() + "\r\n", 401);
  refused(http, "DELETE /v1/exec/00000000000000aa HTTP/1.1\r\n" + http.host() + "\r\n", 401);
  const Response response = http.ask(http.post(length + "Expect: 100-continue\r\n", kWrongToken));
  CHECK(response.status == 401);  // the first line of the answer: no 100 precedes it
  CHECK(response.header("WWW-Authenticate").starts_with("Bearer"));
  CHECK(response.error_code() == "UNAUTHORIZED");
}

TEST_CASE("the control: a known token gets 100 Continue, and its body is read") {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post("Content-Length: 2\r\nExpect: 100-continue\r\n"));
  CHECK(client.response().status == 100);
  CHECK_FALSE(http.asked_within(100));
  client.send("{}");
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->body() == "{}");
}

TEST_CASE("bodies above the limit are refused by their length, or while they are counted") {
  RunningHttp http;
  const std::string too_much = std::to_string(kMaxBodyBytes + 1);
  refused(http, http.post("Content-Length: " + too_much + "\r\n"), 413);
  refused(http, http.post("Content-Length: " + too_much + "\r\nExpect: 100-continue\r\n"), 413);
  refused(http, http.post("Content-Length: 999999999999999999\r\n"), 413);
  refused(http, http.post("Transfer-Encoding: chunked\r\n") + "ffffffff\r\n", 413);

  Client client(http.port);  // 100 MB in chunks of 1 MB, none of them too large
  REQUIRE(client.send(http.post("Transfer-Encoding: chunked\r\n")));
  const std::string chunk = "f4240\r\n" + std::string(1'000'000, ' ') + "\r\n";
  int sent = 0;
  while (sent < 100 && !readable(client.fd(), 0) && client.send(chunk)) ++sent;
  CHECK(sent > 85);
  CHECK(client.response().status == 413);
  CHECK_FALSE(http.asked_within(100));

  Client at_once(http.port);  // 100 MB by length, sent without waiting for an answer
  at_once.send(http.post("Content-Length: 100000000\r\n"));
  const std::string block(1'000'000, ' ');
  for (int i = 0; i < 100 && at_once.send(block); ++i) {
  }
  CHECK(at_once.response().status == 413);
}

TEST_CASE("a body of the maximum size is accepted, in one piece and in chunks") {
  RunningHttp http;
  for (const bool chunked : {false, true}) {
    Client client(http.port);
    client.send(http.post(chunked ? "Transfer-Encoding: chunked\r\n" : "Content-Length: 94371840\r\n"));
    const std::string block(1 << 20, ' ');
    for (int i = 0; i < 90; ++i) REQUIRE(client.send(chunked ? "100000\r\n" + block + "\r\n" : block));
    if (chunked) client.send("0\r\n\r\n");
    auto question = http.next(20'000);
    REQUIRE(question);
    CHECK(::lseek(question->fds[0].get(), 0, SEEK_END) == 90 << 20);
  }
}

TEST_CASE("large bodies share a limited memory") {
  RunningHttp http;
  std::vector<Client> clients;
  for (int i = 0; i < 4; ++i) {
    clients.emplace_back(http.port);
    clients.back().send(http.post("Content-Length: 94371840\r\nExpect: 100-continue\r\n"));
    CHECK(clients.back().response().status == 100);
  }
  for (Client& client : clients)
    client.send(std::string(94371839, ' '));  // received bytes count, announced ones do not
  // The server reads what was sent, and detects later that a client has disconnected.
  const auto comes_to = [&](int status) {
    return within(60'000, [&] {
      return http.ask(http.post("Content-Length: 94371840\r\nExpect: 100-continue\r\n")).status == status;
    });
  };
  CHECK(comes_to(503));
  refused(http, http.post("Content-Length: 94371840\r\nExpect: 100-continue\r\n"), 503);
  clients.clear();
  CHECK(comes_to(100));
}

TEST_CASE("a body whose end is ambiguous is refused") {
  RunningHttp http;
  refused(http, http.post("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n" + kSmuggled, 400);
  refused(http, http.post("Transfer-Encoding: chunked\r\nContent-Length: 0\r\n") + "0\r\n\r\n" + kSmuggled, 400);
  refused(http, http.post("Content-Length: 0\r\nContent-Length: 40\r\n") + kSmuggled, 400);
  refused(http, http.post("Content-Length: 5, 5\r\n") + "hello", 400);
  for (const std::string length : {"+2", "-2", "0x2", "2 2", "", "2;", "1e1"})
    refused(http, http.post("Content-Length: " + length + "\r\n") + "{}", 400);
  refused(http, http.post("Content-Length : 2\r\n") + "{}", 400);
  refused(http, http.post("") + "{}", 411);
  refused(http, http.post("Content-Length: 0\r\n"), 400);
  for (const std::string coding : {"gzip", "gzip, chunked", "chunked, identity", "xchunked", "chunked;q=1", ""})
    refused(http, http.post("Transfer-Encoding: " + coding + "\r\n") + "0\r\n\r\n" + kSmuggled, 501);
  refused(http, http.post("Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n") + "0\r\n\r\n", 400);
}

TEST_CASE("chunks that are not in the strict form are refused") {
  RunningHttp http;
  const std::string head = http.post("Transfer-Encoding: chunked\r\n");
  for (const std::string chunks :
       {"2;ext=1\r\n{}\r\n0\r\n\r\n", "+2\r\n{}\r\n0\r\n\r\n", "0x2\r\n{}\r\n0\r\n\r\n", "-1\r\n{}\r\n0\r\n\r\n",
        " 2\r\n{}\r\n0\r\n\r\n", "2 \r\n{}\r\n0\r\n\r\n", "2\n{}\n0\n\n", "\r\n{}\r\n0\r\n\r\n",
        "2\r\n{}x\r\n0\r\n\r\n", "2\r\n{}\r\n0\r\nTrailer: x\r\n\r\n", "000000002\r\n{}\r\n0\r\n\r\n", "g\r\n",
        "2\r\n{}\r\n0\r\n\n"})
    refused(http, head + chunks, 400);
  refused(http, head + std::string(1'000'000, '0'), 400);  // a size line without an end
}

TEST_CASE("truncated bodies are 400 and never reach the engine") {
  RunningHttp http;
  for (const std::string& bytes : {http.post("Content-Length: 10\r\n") + "{}", http.post("Content-Length: 10\r\n"),
                                   http.post("Transfer-Encoding: chunked\r\n") + "2\r\n{",
                                   http.post("Transfer-Encoding: chunked\r\n") + "2\r\n{}\r\n"}) {
    Client client(http.port);
    client.send(bytes);
    client.shut_down_sending();
    const Response response = client.response();
    CHECK(response.status == 400);
    CHECK(response.error_code() == "BAD_REQUEST");
    CHECK(client.closed_within(3000));
  }
  CHECK_FALSE(http.asked_within(300));
}

TEST_CASE("the unread body of a refused request is never parsed as a request") {
  RunningHttp http;
  const std::string inner = http.get("/v1/health");  // valid, with a token
  const std::string length = "Content-Length: " + std::to_string(inner.size()) + "\r\n";
  refused(http, http.post(length, kWrongToken) + inner, 401);
  refused(http, http.post(length + "Expect: 100-continue\r\n", kWrongToken) + inner, 401);
  refused(http, "POST /v1/nowhere HTTP/1.1\r\n" + http.host() + http.bearer() + length + "\r\n" + inner, 404);
  refused(http, http.post(length + "Content-Encoding: gzip\r\n") + inner, 415);
  refused(http, "DELETE /v1/exec/00000000000000aa HTTP/1.1\r\n" + http.host() + http.bearer() + length + "\r\n" + inner,
          400);
  refused(http,
          "GET /v1/proof?token=0123abcd&nonce=" + std::string(32, 'a') + " HTTP/1.1\r\n" + http.host() + length +
              "\r\n" + inner,
          400);
  refused(http, http.post("Transfer-Encoding: chunked\r\n") + "zz\r\n" + inner, 400);
  CHECK_FALSE(http.asked_within(500));
}

TEST_CASE("the control: two requests in one packet are both answered, in order") {
  RunningHttp http;
  Client client(http.port);
  const std::string proof =
      "GET /v1/proof?token=0123abcd&nonce=" + std::string(32, 'a') + " HTTP/1.1\r\n" + http.host() + "\r\n";
  client.send(proof + http.post("Content-Length: 2\r\n") + "{}" + proof);
  auto question = http.next();
  REQUIRE(question);
  CHECK(question->body() == "{}");
  question->answer("{\"status\":200}\n{\"event\":\"result\",\"answer\":{}}\n");
  question.reset();
  // All three were sent; the middle one is chunked.
  const std::string all = client.read_until([](const std::string& text) {
    return text.find("{\"proof\":") != text.rfind("{\"proof\":") && text.ends_with("}\n");
  });
  CHECK(all.find("{\"proof\":") < all.find("{}\n"));
  CHECK(all.find("{}\n") < all.rfind("{\"proof\":"));
}

TEST_CASE("compressed bodies, forms and other types are refused") {
  RunningHttp http;
  for (const std::string coding : {"gzip", "br", "deflate", "identity"})
    refused(http, http.post("Content-Length: 2\r\nContent-Encoding: " + coding + "\r\n") + "{}", 415);
  for (const std::string type :
       {"application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "application/jsonx"})
    refused(http,
            "POST /v1/exec HTTP/1.1\r\n" + http.host() + http.bearer() + "Content-Type: " + type +
                "\r\nContent-Length: 2\r\n\r\n{}",
            415);
  refused(http, "POST /v1/exec HTTP/1.1\r\n" + http.host() + http.bearer() + "Content-Length: 2\r\n\r\n{}", 415);
  refused(http, http.post("Content-Length: 2\r\nExpect: 200-maybe\r\n"), 417);
}
