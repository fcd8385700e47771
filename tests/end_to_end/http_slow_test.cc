// Slow clients. Deadlines are totals, so these tests last as long as the longest of them, one minute: all clients begin
// together, each with its own server.
#include <future>

#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::test;

namespace {

const std::string kProof = "GET /v1/proof?token=0123abcd&nonce=" + std::string(32, 'a') + " HTTP/1.1\r\n";

// Sends one byte of `bytes` every 200 ms until the server answers. Returns the time in milliseconds.
std::int64_t trickle(Client& client, const std::string& bytes, std::int64_t most_ms) {
  const std::int64_t start = now_ms();
  for (std::size_t i = 0; i < bytes.size() && now_ms() - start < most_ms; ++i) {
    if (readable(client.fd(), 200)) break;
    client.send(bytes.substr(i, 1));
  }
  return now_ms() - start;
}

struct Refused {
  int status = 0;
  std::int64_t after_ms = 0;
};

Refused slow_headers() {
  RunningHttp http;
  Client client(http.port);
  const std::int64_t took =
      trickle(client, "GET /v1/health HTTP/1.1\r\n" + http.host() + "X: " + std::string(100, 'x'), scaled(15'000));
  return {client.response().status, took};
}

struct Closed {
  bool idle = false, silent = false;
  std::int64_t idle_ms = 0, silent_ms = 0;
};

Closed without_a_request() {
  RunningHttp http;
  Client silent(http.port), idle(http.port);
  idle.send(kProof + http.host() + "\r\n");
  REQUIRE(idle.response().status == 200);
  const std::int64_t start = now_ms();
  Closed closed;
  closed.idle = idle.closed_within(scaled(7000));
  closed.idle_ms = now_ms() - start;
  closed.silent = silent.closed_within(scaled(7000));
  closed.silent_ms = now_ms() - start;
  return closed;
}

Refused slow_body() {
  RunningHttp http;
  Client client(http.port);
  client.send(http.post("Content-Length: 1000\r\n"));
  const std::int64_t took = trickle(client, std::string(1000, ' '), scaled(70'000));
  const Refused refused{client.response().status, took};
  REQUIRE_FALSE(http.asked_within(0));
  return refused;
}

// Returns how long band-http reads an answer from the engine whose client does not read it. `status`: the engine's
// first line.
std::int64_t unread_answer(const std::string& status) {
  RunningHttp http;
  Client lazy(http.port);
  const int small = 64 << 10;  // so that few unread bytes count as sent
  ::setsockopt(lazy.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  lazy.send(http.post("Content-Length: 2\r\nAccept: application/x-ndjson\r\n") + "{}");
  auto question = http.next();
  REQUIRE(question);
  const std::int64_t start = now_ms();
  (void)base::write_all(question->reply(), status + "\n");
  while (::send(question->reply(), kLine.data(), kLine.size(), MSG_NOSIGNAL) > 0) {
  }
  return now_ms() - start;
}

struct All {
  Refused headers, body;
  Closed without;
  std::int64_t unread = 0, stalled = 0;
};

// All run in parallel and within one test case: doctest records their assertions, which is not safe across test cases.
All all_at_once() {
  auto headers = std::async(std::launch::async, slow_headers), body = std::async(std::launch::async, slow_body);
  auto without = std::async(std::launch::async, without_a_request);
  auto unread = std::async(std::launch::async, unread_answer, R"({"status":200})");
  auto stalled = std::async(std::launch::async, unread_answer, R"({"status":200,"stall_ms":45000})");
  return {headers.get(), body.get(), without.get(), unread.get(), stalled.get()};
}

const All& all() {
  static const All all = all_at_once();
  return all;
}

}  // namespace

TEST_CASE("headers that arrive one byte at a time have ten seconds in total") {
  const Refused refused = all().headers;
  CHECK(refused.status == 408);
  CHECK(refused.after_ms > 9'000);
  CHECK(refused.after_ms < scaled(12'000));
}

TEST_CASE("a connection without a request is closed: after ten seconds, and after five between requests") {
  const Closed closed = all().without;
  CHECK(closed.idle);
  CHECK(closed.idle_ms > 4000);
  CHECK(closed.silent);
  CHECK(closed.silent_ms > 9000);
}

TEST_CASE("an answer that is not read ends after 30 seconds") {
  const std::int64_t flooded_ms = all().unread;
  // And one second for each 64 KiB that its buffers accepted.
  CHECK(flooded_ms > 29'000);
  CHECK(flooded_ms < scaled(60'000));
}

TEST_CASE("a stream whose reader may pause is kept for the time that the engine sets") {
  const std::int64_t flooded_ms = all().stalled;
  CHECK(flooded_ms > 44'000);
  CHECK(flooded_ms < scaled(75'000));
}

TEST_CASE("a body that arrives slowly ends after one minute") {
  const Refused refused = all().body;
  CHECK(refused.status == 408);
  CHECK(refused.after_ms > 58'000);
  CHECK(refused.after_ms < scaled(64'000));
}
