// band-gateway: the first bytes of a connection decide whether it is forwarded.
#include <doctest/doctest.h>

#include <chrono>
#include <initializer_list>

#include "server/gateway/client_hello.h"
#include "tests/kernel/gateway_world.h"
#include "tests/tls_bytes.h"

using namespace band;
using namespace band::test;

namespace {

using Ports = std::initializer_list<std::uint16_t>;

// A server that at the client's EOF sends everything it has received, in brackets.
void repeat(Wire& wire) {
  const std::string received = wire.rest(15'000);
  wire.send("[" + received + "]");
}

std::string hello(const std::string& name, bool ech = false) {
  return record(message((name.empty() ? "" : server_name(host_name(name))) + (ech ? extension(0xfe0d, "\0"s) : "")));
}

const std::string kAlert("\x15\3\1\0\2\2\x70", 7);

std::string exchange(const std::string& address, std::uint16_t port, const std::string& say, int ms = 3000) {
  const Wire wire = connect(address, port);
  if (!wire.send(say)) return "(reset)";
  wire.end();
  return wire.rest(ms);
}

std::string get(const std::string& host, const std::string& more = "") {
  return "GET /x HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n";
}

struct Web {
  Dns dns;
  Upstream https{"5.5.5.5", 443, repeat}, http{"5.5.5.5", 80, repeat}, other{"5.5.5.5", 9000, repeat};
  Served served{{"www.example", "www.example:9000"}};
  std::string address = resolve("www.example");
  Web() { dns.set("www.example", {"5.5.5.5"}); }
};

}  // namespace

TEST_CASE(
    "a TLS connection is forwarded unchanged if its SNI is the name of the connection; any other TLS connection is "
    "refused") {
  Web web;
  for (const std::uint16_t port : Ports{443, 9000}) {
    const std::string where = " on a connection to www.example:" + std::to_string(port) + " refused";
    CHECK(exchange(web.address, port, hello("www.example")) == "[" + hello("www.example") + "]");
    CHECK(exchange(web.address, port, hello("WWW.Example")) == "[" + hello("WWW.Example") + "]");
    CHECK(exchange(web.address, port, hello("evil.example")) == kAlert);
    CHECK(web.served.reported("SNI evil.example" + where));
    CHECK(exchange(web.address, port, hello("")) == kAlert);
    CHECK(web.served.reported("TLS without SNI" + where));
    CHECK(exchange(web.address, port, hello("www.example", true)) == kAlert);
    CHECK(web.served.reported("encrypted_client_hello" + where + " (" + std::string(gateway::kEchMend) + ")"));
    CHECK(exchange(web.address, port, std::string("\x16\3\1\0\5", 5) + "hello") == kAlert);
    CHECK(web.served.reported("TLS" + where));
  }
}

TEST_CASE(
    "plain HTTP is forwarded, with rewritten headers and one request per connection, if `Host` is the name of the "
    "connection") {
  Web web;
  for (const std::uint16_t port : Ports{80, 9000}) {
    const std::string host = port == 80 ? "www.example" : "www.example:9000";
    const std::string to = "www.example:" + std::to_string(port);
    const std::string answer = exchange(web.address, port, get(host));
    CHECK(answer.starts_with("[GET /x HTTP/1.1\r\n"));
    CHECK(answer.find("onnection: close\r\n") != std::string::npos);
    CHECK(exchange(web.address, port, get("evil.example")).starts_with("HTTP/1.1 403 "));
    CHECK(web.served.reported("Host evil.example on a connection to " + to + " refused"));
    CHECK(exchange(web.address, port, get(host, "Content-Length: 4\r\n") + "body").ends_with("\r\n\r\nbody]"));
    for (const char* bad : {"GET http://evil.example/ HTTP/1.1\r\nHost: www.example\r\n\r\n",
                            "CONNECT evil.example:443 HTTP/1.1\r\nHost: www.example\r\n\r\n"})
      CHECK(exchange(web.address, port, bad).starts_with("HTTP/1.1 403 "));
    CHECK(exchange(web.address, port, get(host, "Host: evil.example\r\n")).starts_with("HTTP/1.1 400 "));
    CHECK(exchange(web.address, port, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").find('[') == std::string::npos);
    CHECK(web.served.reported("cleartext HTTP/2 to " + to + " refused"));
    CHECK(exchange(web.address, port, get(host) + get("evil.example")).find("evil") == std::string::npos);
    CHECK(web.served.reported("HTTP to " + to + " refused (a second request on one connection)"));
  }
}

TEST_CASE(
    "protocols other than TLS and HTTP are forwarded on a port that a rule names, and refused on ports 80 and 443") {
  Web web;
  CHECK(exchange(web.address, 9000, "*1\r\n$4\r\nPING\r\n") == "[*1\r\n$4\r\nPING\r\n]");
  CHECK(exchange(web.address, 9000, "") == "[]");
  // Node and Python's http.server read a Host after these lines.
  for (const char* line : {"GET /", "GET / RTSP/1.0", "SOURCE / ICE/1.0", "GET *", "GET ?x", "CONNECT evil.example"})
    CHECK(
        exchange(web.address, 9000, line + std::string("\r\nHost: evil.example\r\n\r\n")).starts_with("HTTP/1.1 400 "));
  // nginx and Node skip the line ends, and Go reads a method of this length.
  for (const char byte : {'\n', 'a'}) {
    CAPTURE(byte);
    const std::string answer = exchange(web.address, 9000, std::string(70'000, byte) + " /\n" + get("evil.example"));
    CHECK(answer.find('[') == std::string::npos);
    CHECK((answer.starts_with("HTTP/1.1 400 ") || answer == "(reset)"));
  }
  for (const std::uint16_t port : Ports{80, 443})
    CHECK(exchange(web.address, port, "*1\r\n$4\r\nPING\r\n") == "(reset)");
  CHECK(web.served.reported("www.example:443 refused (neither TLS nor HTTP"));
  CHECK(web.http.connections() + web.https.connections() == 0);
}

TEST_CASE("the data of a server that sends first is forwarded immediately, on a port that a rule names") {
  Dns dns;
  dns.set("ssh.example", {"5.5.5.5"});
  const Upstream server("5.5.5.5", 22, [](Wire& wire) {
    wire.send("SSH-2.0-test\r\n");
    echo(wire);
  });
  Served served({"ssh.example:22"});
  const Wire wire = connect(resolve("ssh.example"), 22);
  CHECK(wire.read(14) == "SSH-2.0-test\r\n");
  wire.send("SSH-2.0-mine\r\n");
  CHECK(wire.read(14) == "SSH-2.0-mine\r\n");
  // TLS with another name is also refused after that.
  const Wire second = connect(resolve("ssh.example"), 22);
  CHECK(second.read(14) == "SSH-2.0-test\r\n");
  second.send(hello("evil.example"));
  CHECK(second.rest() == "(reset)");
}

TEST_CASE("git's own protocol, whose first line has no end, is forwarded immediately on a port that a rule names") {
  Dns dns;
  dns.set("git.example", {"5.5.5.5"});
  const Upstream server("5.5.5.5", 9418, echo);
  Served served({"git.example:9418"});
  const std::string line("0033git-upload-pack /repo.git\0host=git.example\0", 47);
  const Wire wire = connect(resolve("git.example"), 9418);
  wire.send(line);
  CHECK(wire.read(line.size()) == line);
}

TEST_CASE(
    "the first bytes of a client may arrive one by one, and a connection with incomplete first bytes is closed at a "
    "deadline") {
  Web web;
  const Wire slow = connect(web.address, 443);
  slow.send(hello("www.example").substr(0, 20));
  const Wire ambiguous = connect(web.address, 9000);
  ambiguous.send("GE");
  for (const auto& [port, text] :
       {std::pair<std::uint16_t, std::string>{443, hello("www.example")}, {80, get("www.example")}}) {
    const Wire wire = connect(web.address, port);
    for (const char byte : text) {
      wire.send({&byte, 1});
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    wire.end();
    CHECK(wire.rest().size() >= text.size());
  }
  CHECK(slow.rest(12'000) == kAlert);  // the deadline is ten seconds
  CHECK(ambiguous.rest(12'000) == "(reset)");
  CHECK(web.served.reported(
      "www.example:9000 refused (the client took too long to complete its ClientHello or request)"));
  CHECK(
      web.served.reported("www.example:443 refused (the client took too long to complete its ClientHello or request)"));
}
