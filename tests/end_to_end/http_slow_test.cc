// Clients that take their time. Deadlines are totals, so these tests last as long as the deadlines: about a minute.
#include "tests/end_to_end/http_fixture.h"

using namespace band;
using namespace band::test;

namespace {

const std::string kProof = "GET /v1/proof?token=0123abcd&nonce=" + std::string(32, 'a') + " HTTP/1.1\r\n";

// Sends one byte of `bytes` every 200 ms until the server says something; how long that took.
std::int64_t trickle(Client& client, const std::string& bytes, std::int64_t most_ms) {
  const std::int64_t start = now_ms();
  for (std::size_t i = 0; i < bytes.size() && now_ms() - start < most_ms; ++i) {
    if (readable(client.fd(), 200)) break;
    client.send(bytes.substr(i, 1));
  }
  return now_ms() - start;
}

}  // namespace

TEST_CASE("headers that come a byte at a time have ten seconds in all") {
  RunningHttp http;
  Client client(http.port);
  const std::int64_t took =
      trickle(client, "GET /v1/health HTTP/1.1\r\n" + http.host() + "X: " + std::string(100, 'x'), 15'000);
  CHECK(client.response().status == 408);
  CHECK(took > 9'000);
  CHECK(took < 12'000);
}

TEST_CASE("a connection without a request is closed: after ten seconds, and five between requests") {
  RunningHttp http;
  Client silent(http.port), idle(http.port);
  idle.send(kProof + http.host() + "\r\n");
  CHECK(idle.response().status == 200);
  const std::int64_t start = now_ms();
  CHECK(idle.closed_within(7000));
  CHECK(now_ms() - start > 4000);
  CHECK(silent.closed_within(7000));
  CHECK(now_ms() - start > 9000);
}

TEST_CASE("a body that trickles ends after a minute, and an answer that is not read after half of one") {
  RunningHttp http;
  Client lazy(http.port);
  const int small = 64 << 10;  // so that little of what is not read counts as sent
  ::setsockopt(lazy.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  lazy.send(http.post("Content-Length: 2\r\nAccept: application/x-ndjson\r\n") + "{}");
  auto question = http.next();
  REQUIRE(question);
  std::int64_t flooded_ms = 0;
  std::thread engine([&] {
    const std::int64_t start = now_ms();
    (void)base::write_all(question->reply(), "{\"status\":200}\n");
    const std::string line = "{\"event\":\"stdout\",\"data\":\"" + std::string(60'000, 'x') + "\"}\n";
    while (::send(question->reply(), line.data(), line.size(), MSG_NOSIGNAL) > 0) {
    }
    flooded_ms = now_ms() - start;
  });
  Client client(http.port);
  client.send(http.post("Content-Length: 1000\r\n"));
  const std::int64_t took = trickle(client, std::string(1000, ' '), 70'000);
  CHECK(client.response().status == 408);
  CHECK(took > 58'000);
  CHECK(took < 64'000);
  engine.join();
  // And a second for each 64 KiB that its buffers took.
  CHECK(flooded_ms > 29'000);
  CHECK(flooded_ms < 60'000);
  CHECK_FALSE(http.asked_within(0));
}
