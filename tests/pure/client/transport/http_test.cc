// HttpConnection against peers that answer in unusual ways, on real sockets of this machine.
#include "client/transport/http.h"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <atomic>
#include <functional>
#include <thread>

#include "schemas/core/fd.h"

using namespace band;
using namespace band::client;

namespace {

using Seconds = HttpConnection::Seconds;
using Step = HttpFailure::Step;

// Accepts one connection and runs `act` with it.
class Peer {
 public:
  using Act = std::function<void(int connection)>;
  explicit Peer(Act act) : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(listener_.get(), any, size) == 0);
    REQUIRE(::listen(listener_.get(), 1) == 0);
    REQUIRE(::getsockname(listener_.get(), any, &size) == 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this, act = std::move(act)] {
      const Fd connection(::accept(listener_.get(), nullptr, nullptr));
      if (connection) act(connection.get());
    });
  }
  ~Peer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  std::uint16_t port() const { return port_; }

 private:
  Fd listener_;
  std::uint16_t port_ = 0;
  std::thread thread_;
};

// Accepts one connection and reads nothing from it.
class FullPeer {
 public:
  FullPeer()
      : peer_([this](int) {
          while (!end_) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }) {}
  ~FullPeer() { end_ = true; }
  std::uint16_t port() const { return peer_.port(); }

 private:
  std::atomic<bool> end_{false};
  Peer peer_;
};

bool say(int connection, std::string_view text) {
  return ::send(connection, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string read_until(int connection, std::string_view end) {
  std::string text;
  char buffer[4096];
  while (text.find(end) == std::string::npos) {
    const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

struct Got {
  std::optional<HttpFailure> failed;
  HttpHead head;
  std::string body;
};

Got send(HttpConnection& http, const HttpRequest& request) {
  Got got;
  got.failed = http.send(request, got.head, [&](std::string_view bytes) {
    got.body += bytes;
    return true;
  });
  return got;
}

const HttpRequest kGet{"GET", "/", {{"Host", "x"}}, {}, {}};

// Sends GET and returns the result when the peer answers with `answer` and then closes the connection.
Got get_from(const std::string& answer) {
  Peer peer([&](int connection) {
    read_until(connection, "\r\n\r\n");
    say(connection, answer);
  });
  HttpConnection http("127.0.0.1", peer.port());
  http.limit_pauses(Seconds(5), Seconds(5));
  Got got = send(http, kGet);
  for (int i = 0; i < 500 && http.alive(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(http.alive());  // the peer has closed it
  return got;
}

}  // namespace

TEST_CASE("a body without a length ends with the connection") {
  const Got got = get_from("HTTP/1.1 200 X\r\nRetry-After: 7\r\n\r\nabc");
  CHECK_FALSE(got.failed);
  CHECK(got.head.status == 200);
  CHECK(got.head.retry_after == "7");
  CHECK(got.body == "abc");
}

TEST_CASE("interim answers are skipped, but not any number of them") {
  const std::string interim = "HTTP/1.1 103 X\r\nLink: y\r\n\r\n",
                    last = "HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok";
  const Got got = get_from("HTTP/1.1 100 Continue\r\n\r\n" + interim + last);
  CHECK_FALSE(got.failed);
  CHECK(got.body == "ok");
  std::string many;
  for (int i = 0; i < 20; ++i) many += interim;
  const Got refused = get_from(many + last);
  REQUIRE(refused.failed);
  CHECK(refused.failed->text == "too many interim answers");
}

TEST_CASE("a head of more than 16 KiB is an error, and a body that ends too early") {
  CHECK(get_from("HTTP/1.1 200 X\r\nA: " + std::string(20'000, 'a') + "\r\n\r\n").failed);
  CHECK_FALSE(get_from("HTTP/1.1 204 X\r\nA: " + std::string(10'000, 'a') + "\r\n\r\n").failed);
  const Got cut = get_from("HTTP/1.1 200 X\r\nContent-Length: 9\r\n\r\nabc");
  REQUIRE(cut.failed);
  CHECK(cut.failed->closed);
  CHECK(get_from("no HTTP\r\n\r\n").failed);
  CHECK(get_from("").failed->closed);
}

TEST_CASE("a line before a chunk that does not end is an error, before it fills the memory") {
  std::atomic<std::size_t> sent{0};
  Peer peer([&](int connection) {
    read_until(connection, "\r\n\r\n");
    say(connection, "HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n1;");
    const std::string more(64 << 10, 'a');
    while (sent < (1u << 30) && say(connection, more)) sent += more.size();
  });
  HttpConnection http("127.0.0.1", peer.port());
  const Got got = send(http, kGet);
  REQUIRE(got.failed);
  CHECK(got.failed->step == Step::Receive);
  CHECK(got.body.empty());
  CHECK(sent < (64u << 20));  // what the buffers of the sockets hold
}

TEST_CASE("an answer that arrives before the whole request was sent is received") {
  for (const bool chunked : {false, true}) {
    CAPTURE(chunked);
    Peer peer([](int connection) {
      read_until(connection, "\r\n\r\n");
      say(connection, "HTTP/1.1 413 X\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge");
    });
    HttpConnection http("127.0.0.1", peer.port());
    const std::string body(64 << 20, 'b');
    int parts = 0;
    HttpRequest request{"POST", "/", {{"Host", "x"}}, body, {}};
    if (chunked) request.next = [&] { return ++parts < 1'000 ? body.substr(0, 1 << 20) : std::string(); };
    const Got got = send(http, request);
    CHECK_FALSE(got.failed);
    CHECK(got.head.status == 413);
    CHECK(got.body == "large");
    CHECK_FALSE(http.alive());
  }
}

TEST_CASE("a body in chunks arrives as it was given, and its length is not announced") {
  std::string seen;
  {
    Peer peer([&](int connection) {
      seen = read_until(connection, "\r\n0\r\n\r\n");
      say(connection, "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n");
    });
    HttpConnection http("127.0.0.1", peer.port());
    int parts = 0;
    HttpRequest request{"POST", "/in", {{"Host", "x"}}, {}, {}};
    request.next = [&] { return ++parts == 1 ? "abc" : parts == 2 ? std::string(16, 'd') : std::string(); };
    CHECK_FALSE(send(http, request).failed);
  }
  CHECK(seen.find("POST /in HTTP/1.1\r\n") == 0);
  CHECK(seen.find("Transfer-Encoding: chunked\r\n") != std::string::npos);
  CHECK(seen.find("Content-Length") == std::string::npos);
  CHECK(seen.find("\r\n\r\n3\r\nabc\r\n10\r\n" + std::string(16, 'd') + "\r\n0\r\n\r\n") != std::string::npos);
}

TEST_CASE("a peer that does not answer in time, or does not read, is reported as that") {
  Peer silent([](int connection) { read_until(connection, "never"); });
  HttpConnection http("127.0.0.1", silent.port());
  http.limit_pauses(Seconds(1), Seconds(1));
  const Got got = send(http, kGet);
  REQUIRE(got.failed);
  CHECK(got.failed->timed_out);
  CHECK(got.failed->step == Step::Receive);

  const FullPeer full;
  HttpConnection other("127.0.0.1", full.port());
  other.limit_pauses(Seconds(1), Seconds(1));
  const std::string body(64 << 20, 'b');
  const Got unread = send(other, {"POST", "/", {{"Host", "x"}}, body, {}});
  REQUIRE(unread.failed);
  CHECK(unread.failed->timed_out);
  CHECK(unread.failed->step == Step::Send);
}

TEST_CASE("stop() from another thread ends a request that the peer does not read") {
  for (const bool chunked : {false, true}) {
    CAPTURE(chunked);
    const FullPeer peer;
    HttpConnection http("127.0.0.1", peer.port());
    http.limit_pauses(Seconds(60), Seconds(60));
    const std::string body(64 << 20, 'b');
    HttpRequest request{"POST", "/", {{"Host", "x"}}, body, {}};
    if (chunked) request.next = [&] { return body.substr(0, 1 << 20); };
    std::thread stopping([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      http.stop();
    });
    CHECK(send(http, request).failed);
    stopping.join();
    CHECK(send(http, kGet).failed->step == Step::Abandoned);
  }
}

TEST_CASE("a Unix socket is connected to by its path, and a path that is too long is an error") {
  const std::string path = "/tmp/band-http-test-" + std::to_string(::getpid());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, path.size());
  const Fd listener(::socket(AF_UNIX, SOCK_STREAM, 0));
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener.get(), 1) == 0);
  std::thread peer([&] {
    const Fd connection(::accept(listener.get(), nullptr, nullptr));
    read_until(connection.get(), "\r\n\r\n");
    say(connection.get(), "HTTP/1.1 200 X\r\nContent-Length: 2\r\n\r\nok");
  });
  HttpConnection http(path, 0);
  CHECK(send(http, kGet).body == "ok");
  peer.join();
  ::unlink(path.c_str());
  HttpConnection gone(path, 0), lengthy("/tmp/" + std::string(300, 'x'), 0);
  CHECK(send(gone, kGet).failed->step == Step::Connect);
  CHECK(send(lengthy, kGet).failed->step == Step::Connect);
}
