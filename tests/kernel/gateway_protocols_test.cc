// band-gateway: on a port that a rule names, protocols other than TLS and HTTP pass, and TLS or HTTP in an odd form
// does not pass as another protocol.
#include <doctest/doctest.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>

#include "server/gateway/first_bytes.h"
#include "tests/kernel/gateway_world.h"
#include "tests/tls_bytes.h"
#include "tests/within.h"

using namespace band;
using namespace band::test;

namespace {

constexpr std::uint16_t kPort = 9000;
const std::string kAlert("\x15\3\1\0\2\2\x70", 7);
const std::string kHost = "\r\nHost: evil.example\r\n\r\n";

std::string hello(const std::string& name, const std::string& version = "\3\1") {
  return record(message(server_name(host_name(name))), "\x16" + version);
}

// A server that keeps what it has received.
class Recorder {
 public:
  explicit Recorder(const std::string& greeting = "", int delay_ms = 0, const std::string& answer = "")
      : server_("5.5.5.5", kPort, [=, this](Wire& wire) {
          std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
          wire.send(greeting);
          char more[4096];
          for (ssize_t n = 0; (n = ::recv(wire.fd(), more, sizeof more, 0)) > 0;) {
            const std::lock_guard lock(mutex_);
            if (received_.empty()) wire.send(answer);
            received_.append(more, static_cast<std::size_t>(n));
          }
        }) {}

  std::string received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }
  bool receives(const std::string& bytes) {
    for (int i = 0; i < kWaitMs / 10 && received().find(bytes) == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return received().find(bytes) != std::string::npos;
  }

 private:
  std::mutex mutex_;
  std::string received_;
  Upstream server_;
};

struct Dialogue {
  struct Step {
    bool client;
    std::string bytes;
  };
  const char* protocol;
  std::vector<Step> steps;
};

Dialogue::Step client(std::string bytes) { return {true, std::move(bytes)}; }
Dialogue::Step server(std::string bytes) { return {false, std::move(bytes)}; }

const std::string kLater = hello("another.example");

// After the change to TLS the relay does not inspect the connection: docs/security.md, "Not covered".
const Dialogue kDialogues[] = {
    {"SSH, the server first",
     {server("SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n"), client("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"),
      client("\0\0\5\x94\6\x14"s), server("\0\0\4\x24\6\x14"s)}},
    {"SSH, the client first",
     {client("SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n"), server("SSH-2.0-Go\r\n"), client("\0\0\5\x94"s)}},
    {"SMTP with STARTTLS",
     {server("220 mail.example ESMTP\r\n"), client("EHLO band.example\r\n"), server("250-mail\r\n250 STARTTLS\r\n"),
      client("STARTTLS\r\n"), server("220 go\r\n"), client(kLater), server("\x16\3\3\0\1\2"s)}},
    {"IMAP",
     {server("* OK ready\r\n"), client("a1 LOGIN ann \"a b\"\r\n"), server("a1 OK\r\n"), client("a2 SELECT INBOX\r\n"),
      server("a2 OK\r\n")}},
    {"FTP", {server("220 ready\r\n"), client("USER ann\r\n"), server("331 password\r\n"), client("PASS x y\r\n")}},
    {"PostgreSQL with TLS",
     {client("\0\0\0\x08\4\xd2\x16\x2f"s), server("S"), client(kLater), server("\x16\3\3\0\1\2"s)}},
    {"PostgreSQL", {client("\0\0\0\x20\0\3\0\0user\0ann\0database\0shop\0\0"s), server("R\0\0\0\x08\0\0\0\0"s)}},
    {"MySQL",
     {server("\x4a\0\0\0\x0a"
             "8.0.1\0"s),
      client("\x20\0\0\1\x85\xae\xff\1"s), client(kLater), server("\x16\3\3\0\1\2"s)}},
    {"RESP",
     {client("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n"), server("+OK\r\n"), client("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"),
      server("$0\r\n\r\n")}},
    {"RESP, a value like a request",
     {client("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$29\r\nGET / HTTP/1.1\r\nHost: x:1\r\n\r\n\r\n"), server("+OK\r\n")}},
    {"NATS",
     {server("INFO {\"server_id\":\"x\"} \r\n"), client("CONNECT {\"verbose\":false}\r\nPING\r\n"), server("PONG\r\n"),
      client("PUB a 2\r\nhi\r\n")}},
    {"AMQP",
     {client("AMQP\0\0\x09\1"s), server("\1\0\0\0\0\1\xf7\0\x0a\0\x0a"s), client("\1\0\0\0\0\1\6\0\x0a\0\x0b"s)}},
    {"MQTT",
     {client("\x10\x20\0\4MQTT\4\2\0\x3c\0\x0c"
             "client-of-12"s),
      server("\x20\2\0\0"s)}},
    {"MongoDB", {client("\x3a\0\0\0\1\0\0\0\0\0\0\0\xd4\7\0\0"s), server("\x16\3\0\0\1\0\0\0\1\0\0\0"s)}},
};

}  // namespace

TEST_CASE("a dialogue of another protocol passes without delay, on a port that a rule names") {
  for (const Dialogue& dialogue : kDialogues) {
    CAPTURE(dialogue.protocol);
    const Upstream upstream("5.5.5.5", kPort, [&](Wire& wire) {
      for (const auto& [client, bytes] : dialogue.steps) {
        if (!client)
          wire.send(bytes);
        else if (wire.read(bytes.size()) != bytes)
          return;
      }
      wire.send("(done)");
      wire.rest();
    });
    ServedOne at(kPort);
    const auto begin = std::chrono::steady_clock::now();
    const Wire wire = connect(at.address, kPort);
    for (const auto& [client, bytes] : dialogue.steps) {
      const std::string& text = bytes;  // clang 14 captures no structured binding
      CAPTURE(text);
      if (client)
        CHECK(wire.send(bytes));
      else
        CHECK(wire.read(bytes.size()) == bytes);
    }
    CHECK(wire.read(6) == "(done)");
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(gateway::kServerFirstMs));
  }
}

TEST_CASE("a ClientHello in a record of any version, or after an alert, is TLS: not forwarded unless it is valid") {
  Recorder server;
  ServedOne at(kPort);
  std::vector<std::string> odd;
  for (const std::string& version : {"\2\1"s, "\0\0"s, "\2\0"s, "\4\0"s, "\x0f\xff"s, "\x10\0"s, "\x7f\x7f"s}) {
    odd.push_back(hello("up.example", version));
    odd.push_back(record("\1\x5a", "\x15" + version) + hello("up.example"));
    odd.push_back(old_record(old_message(version)));
  }
  odd.push_back(record("", "\x16\2\1") + hello("up.example"));
  odd.push_back("\x16");
  odd.push_back("\x15");
  for (const std::string& bytes : odd) {
    CAPTURE(bytes);
    const Wire wire = connect(at.address, kPort);
    wire.send(bytes);
    wire.end();
    CHECK(wire.rest() == kAlert);
  }
  CHECK(at.served.reported(
      "TLS on a connection to up.example:9000 refused (the client's hello is not a TLS ClientHello"));
  CHECK(server.received().empty());
  const Wire control = connect(at.address, kPort);
  control.send(hello("up.example"));
  CHECK(server.receives("up.example"));
}

TEST_CASE("a first line of several words is refused as HTTP unless the server has sent data of another protocol") {
  const std::string lines[] = {"POST %2f ", "POST %2f", "get key", "SSH-2.0-x %2f ", "x %2f 0 0 5"};
  {
    Recorder silent;
    ServedOne at(kPort);
    std::vector<Wire> wires;
    while (wires.size() < std::size(lines)) wires.push_back(connect(at.address, kPort));
    for (std::size_t i = 0; i < std::size(lines); ++i) wires[i].send(lines[i] + kHost);
    for (const Wire& wire : wires) CHECK(wire.rest().starts_with("HTTP/1.1 400 "));
    CHECK(at.served.reported("up.example:9000 refused (the first line can be an HTTP request without a version"));
    CHECK(silent.received().empty());
  }
  // A server that sends HTTP or TLS without a request is not a server of another protocol.
  for (const std::string& greeting : {"HTTP/1.1 408 Request Timeout\r\n\r\n"s, "\x15\3\3\0\2\1\0"s}) {
    Recorder web(greeting);
    ServedOne at(kPort);
    const Wire wire = connect(at.address, kPort);
    CHECK(wire.read(greeting.size()) == greeting);
    wire.send("POST %2f " + kHost);
    CHECK(wire.rest() == "(reset)");
    CHECK(web.received().empty());
  }
  for (const std::string& line : lines) {
    Recorder first("220 ready\r\n");
    ServedOne at(kPort);
    const Wire wire = connect(at.address, kPort);
    CHECK(wire.read(11) == "220 ready\r\n");
    wire.send(line + kHost);
    CHECK(first.receives(line + kHost));
  }
}

TEST_CASE("a client may send before the server, in a protocol in which the server sends first") {
  Recorder server("220 ready\r\n", 500);
  ServedOne at(kPort);
  const Wire wire = connect(at.address, kPort);
  wire.send("EHLO band\r\nQUIT\r\n");
  wire.end();
  CHECK(wire.read(11) == "220 ready\r\n");
  CHECK(server.receives("EHLO band\r\nQUIT\r\n"));
}

TEST_CASE("the end of a head with any method is not forwarded unless the server has sent data of another protocol") {
  const std::string lines[] = {"{a} %2f ",    "\xe9 / 0 0 5",   "foo\nGET / HTTP/1.1",
                               "GET\0 %2f "s, "(x) / HTTP/1.1", "QUIT"};
  Recorder silent;
  ServedOne at(kPort);
  std::vector<Wire> wires;
  while (wires.size() < std::size(lines)) wires.push_back(connect(at.address, kPort));
  for (std::size_t i = 0; i < std::size(lines); ++i) wires[i].send(lines[i] + kHost + "body");
  for (const Wire& wire : wires) CHECK(wire.rest().starts_with("HTTP/1.1 400 "));
  CHECK(at.served.reported("up.example:9000 refused (the first bytes can be the head of an HTTP request"));
  CHECK(silent.receives("{a} %2f "));
  CHECK(silent.received().find("\r\n\r\n") == std::string::npos);
  // The control: bytes that are not a head pass on the same ports.
  const Wire control = connect(at.address, kPort);
  control.send("{a} %2f \r\n" + std::string("{b}\r\n"));
  CHECK(silent.receives("{b}\r\n"));
}

TEST_CASE("after a long upload to a server that sends nothing, the end of a head is not forwarded") {
  std::string head = "line\n";
  while (head.size() < 300'000) head += "one line " + std::to_string(head.size()) + "\n";
  head += "POST %2f " + kHost;
  Recorder silent;
  ServedOne at(kPort);
  const Wire wire = connect(at.address, kPort);
  wire.send(head + "body");
  CHECK(wire.rest().starts_with("HTTP/1.1 400 "));
  CHECK(silent.receives("evil.example\r\n\r"));
  CHECK((silent.received() + "\n" == head));
}

TEST_CASE("bytes that a script changes after it has sent them are not forwarded unchecked") {
  // sendfile(2) sends a reference to a page of the file. The receiver reads what the page contains at that time.
  enum Stage { Begun, FirstLine, Sent, Changed };
  std::atomic<int> stage = Begun;
  const auto reach = [&](Stage next) { REQUIRE(within(kWaitMs, [&] { return stage == next; })); };
  const std::string page(4'000, 'x');
  std::string received;
  const auto serve = [&](Wire& wire) {
    received = wire.read(5);
    stage = FirstLine;
    (void)within(kWaitMs, [&] {
      int waiting = 0;
      return ::ioctl(wire.fd(), FIONREAD, &waiting) == 0 && waiting == static_cast<int>(page.size());
    });
    stage = Sent;
    (void)within(kWaitMs, [&] { return stage == Changed; });
    received += wire.rest();
  };
  const auto send_and_change = [&](const Wire& wire) {
    const base::Fd file(::memfd_create("page", MFD_CLOEXEC));
    REQUIRE(::pwrite(file.get(), page.data(), page.size(), 0) == static_cast<ssize_t>(page.size()));
    wire.send("line\n");
    reach(FirstLine);
    REQUIRE(::sendfile(wire.fd(), file.get(), nullptr, page.size()) == static_cast<ssize_t>(page.size()));
    reach(Sent);
    REQUIRE(::pwrite(file.get(), kHost.data(), kHost.size(), 100) == static_cast<ssize_t>(kHost.size()));
    stage = Changed;
    wire.end();
    wire.rest();
  };
  {
    const Upstream server("127.0.0.1", kPort, serve, Place::Machine);
    in(Place::Machine, [&] { send_and_change(connect_here("127.0.0.1", kPort)); });
  }
  CHECK(received.find(kHost) != std::string::npos);  // the control
  stage = Begun;
  {
    const Upstream server("5.5.5.5", kPort, serve);
    ServedOne at(kPort);
    send_and_change(connect(at.address, kPort));
  }
  CHECK(received == "line\n" + page);
}

TEST_CASE("no answer of TLS or HTTP reaches a client whose first bytes are neither TLS nor HTTP") {
  for (const std::string& answer : {"HTTP/1.1 200 OK\r\n\r\nsecret"s, "\x16\3\3\0\x5a\2\0\0\x56\3\3"s}) {
    Recorder server("", 0, answer);
    ServedOne at(kPort);
    const Wire wire = connect(at.address, kPort);
    wire.send("*1\r\n$4\r\nPING\r\n");
    CHECK(wire.rest() == "(reset)");
    CHECK(at.served.reported("up.example:9000 refused (the server answers with "));
  }
  Recorder server("", 0, "+HTTP/1.1 200 OK\r\n");
  ServedOne at(kPort);
  const Wire wire = connect(at.address, kPort);
  wire.send("*1\r\n$4\r\nPING\r\n");
  CHECK(wire.read(18) == "+HTTP/1.1 200 OK\r\n");
}
