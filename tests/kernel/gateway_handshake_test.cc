// band-gateway: until a server has sent its ServerHello, each ClientHello is checked, also the second one after a
// HelloRetryRequest.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "server/gateway/client_hello.h"
#include "tests/kernel/gateway_world.h"
#include "tests/tls_bytes.h"
#include "tests/tls_peer.h"

using namespace band;
using namespace band::test;

namespace {

const std::string kWhere = " on a connection to www.example:443 refused";
const std::string kChange = record("\1", "\x14\3\3"), kEarly = record("early data", "\x17\3\3"),
                  kWarning = record("\1\x5a", "\x15\3\3");

std::string hello(const std::string& name, const std::string& more = "") {
  return record(message(server_name(host_name(name)) + more));
}

std::string output_of(const std::string& command) {
  FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  std::string text;
  std::array<char, 4096> bytes;
  for (std::size_t n = 0; (n = ::fread(bytes.data(), 1, bytes.size(), pipe)) > 0;) text.append(bytes.data(), n);
  ::pclose(pipe);
  return text;
}

// A server that sends nothing until the client's EOF.
class Silent {
 public:
  std::string received() {
    const std::lock_guard hold(mutex_);
    return std::exchange(heard_, {});
  }
  bool in_time(const std::string& text) {
    for (int waited = 0; waited < kWaitMs; waited += 10) {
      {
        const std::lock_guard hold(mutex_);
        if (heard_ == text) return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  std::mutex mutex_;
  std::string heard_;
  Upstream server_{"5.5.5.5", 443, [this](Wire& wire) {
                     char bytes[4096];
                     for (ssize_t n = 0; (n = ::recv(wire.fd(), bytes, sizeof bytes, 0)) > 0;) {
                       const std::lock_guard hold(mutex_);
                       heard_.append(bytes, static_cast<std::size_t>(n));
                     }
                   }};
};

// OpenSSL's own server, which uses the second hello's name after a HelloRetryRequest. Its certificate is
// CN=evil.example for that name, CN=www.example for any other.
class SServer {
 public:
  explicit SServer(const std::string& mode) {
    for (const char* name : {"www", "evil"})
      REQUIRE(output_of("{ cd " + directory_ + " && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-384 " +
                        "-nodes -days 2 -subj /CN=" + name + ".example -keyout " + name + ".key -out " + name +
                        ".pem && echo +; }")
                  .ends_with("+\n"));
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);  // its input, without EOF
    const base::Fd input(ends[0]), null(::open("/dev/null", O_RDWR | O_CLOEXEC));
    keyboard_.reset(ends[1]);
    in(Place::Outside, [&] {
      auto child = base::spawn({{"/usr/bin/openssl", "s_server", "-accept", "5.5.5.5:443", "-groups", "P-384", mode,
                                 "-cert", file("www.pem"), "-key", file("www.key"), "-servername", "evil.example",
                                 "-cert2", file("evil.pem"), "-key2", file("evil.key")},
                                {"PATH=/usr/bin"},
                                {input.get(), null.get(), STDERR_FILENO}});
      REQUIRE(child.ok());
      child_ = std::move(*child);
      for (int i = 0; i < 1000 && !connect_here("5.5.5.5", 443); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    });
    REQUIRE_FALSE(child_.wait(0));
  }
  ~SServer() { std::filesystem::remove_all(directory_); }
  std::string file(const std::string& name) const { return directory_ + "/" + name; }

 private:
  std::string directory_ = [] {
    char path[] = "/tmp/band-s-server.XXXXXX";
    return std::string(::mkdtemp(path));
  }();
  base::Fd keyboard_;
  base::Child child_;
};

struct Retrying {
  Dns dns;
  SServer server;
  Served served{{"www.example"}};
  std::string address = resolve("www.example");
  explicit Retrying(const std::string& mode = "-www") : server(mode) { dns.set("www.example", {"5.5.5.5"}); }

  // OpenSSL's own client, from the slot.
  std::string s_client(const std::string& sends, const std::string& options) const {
    std::string text;
    in(Place::Slot, [&] {
      text = output_of("{ " + sends + "; } | timeout 20 setpriv --clear-groups --reuid " + std::to_string(kSlotUid) +
                       " openssl s_client -msg -groups X25519:P-384 -connect " + address +
                       ":443 -servername www.example " + options + " 2>&1 | grep -v '^    [0-9a-f][0-9a-f]'");
    });
    return text;
  }
};

const char* kGet = "printf 'GET / HTTP/1.0\\r\\n\\r\\n'";

// Makes a complete handshake; the second hello names `second`. Returns the name in the server's certificate, or the
// failure.
std::string handshake(const Wire& wire, const char* second, const std::string& before_second = "") {
  TlsPeer client(TlsPeer::Client, "X25519:P-384");
  client.ask_for("www.example");
  wire.send(client.begin());
  const std::string head = wire.read(5);
  if (head.size() != 5 || head[0] != 0x16) return "no request";
  const std::string request =
      head + wire.read(static_cast<unsigned char>(head[3]) * 256u + static_cast<unsigned char>(head[4]));
  client.ask_for(second);
  wire.send(before_second + client.process(request));
  while (!client.connected()) {
    const std::string more = wire.read(1);
    if (more.size() != 1) return more + "(cut)";
    wire.send(client.process(more));
  }
  const std::unique_ptr<X509, decltype(&X509_free)> certificate(SSL_get1_peer_certificate(client.ssl()), X509_free);
  char name[64] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate.get()), NID_commonName, name, sizeof name);
  return name;
}

int count(const std::string& text, const std::string& what) {
  int times = 0;
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++times;
  return times;
}

struct World {
  Dns dns;
  Silent server;
  Served served{{"www.example"}};
  std::string address = resolve("www.example");
  World() { dns.set("www.example", {"5.5.5.5"}); }
};

}  // namespace

TEST_CASE("a TLS client that gets a HelloRetryRequest receives the page that it requests") {
  const Retrying world;
  const std::string retried = world.s_client(kGet, "-ign_eof -tls1_3");
  CAPTURE(retried);
  CHECK(count(retried, ", ClientHello") == 2);
  CHECK(count(retried, "HTTP/1.0 200 ok") == 1);
}

TEST_CASE("a client of TLS 1.2 receives the page that it requests, and can resume its session") {
  const Retrying world;
  const std::string once = world.s_client(kGet, "-ign_eof -tls1_2");
  CAPTURE(once);
  CHECK(count(once, ", ClientHello") == 1);
  CHECK(count(once, "HTTP/1.0 200 ok") == 1);
  const std::string resumed = world.s_client("echo Q", "-tls1_2 -reconnect");
  CAPTURE(resumed);
  CHECK(count(resumed, "Reused, TLSv1.2") == 5);
}

TEST_CASE("TLS early data that the server declines may come before the second ClientHello") {
  const Retrying world("-early_data");
  const std::string session = world.server.file("session");
  std::filesystem::permissions(world.server.file(""), std::filesystem::perms::all);
  const std::string first =
      world.s_client("for i in $(seq 400); do if [ -s " + session + " ]; then break; fi; sleep 0.05; done; echo Q",
                     "-tls1_3 -sess_out " + session);
  CAPTURE(first);
  CHECK(count(first, ", ClientHello") == 2);
  const std::string early = world.s_client("echo Q", "-tls1_3 -sess_in " + session + " -early_data /etc/hostname");
  CAPTURE(early);
  CHECK(count(early, ", ClientHello") == 2);
  CHECK(count(early, "Early data was rejected") == 1);
}

TEST_CASE("a second ClientHello with another name resets the connection, even if the server would accept the name") {
  Retrying world;
  const auto here = [&] {
    Wire wire(base::Fd{});
    in(Place::Outside, [&] { wire = connect_here("5.5.5.5", 443); });
    return wire;
  };
  for (const std::string& before : {""s, kChange, kWarning}) {
    CHECK(handshake(here(), "evil.example", before) == "evil.example");  // the control: without the gateway
    CHECK(handshake(connect(world.address, 443), "www.example", before) == "www.example");
    CHECK(handshake(connect(world.address, 443), "evil.example", before) == "(reset)(cut)");
  }
  CHECK(world.served.reported("SNI evil.example" + kWhere));
}

TEST_CASE(
    "before the ServerHello, other TLS records are forwarded immediately, and a second ClientHello is forwarded if it "
    "has the same name") {
  World world;
  const std::string first = hello("www.example"), evil = hello("evil.example");
  for (const std::string& more : {kChange, kEarly + kChange, kEarly.substr(0, 9), kWarning, kChange + first,
                                  kEarly + records(first.substr(5), 20) + kEarly}) {
    const Wire wire = connect(world.address, 443);
    wire.send(first + more);
    CHECK(world.server.in_time(first + more));
    wire.end();
    CHECK(wire.rest() == "");
    (void)world.server.received();
  }
  for (const std::string& before : {""s, kChange, kEarly, kWarning, kChange + first})
    for (const std::string& bad : {evil, records(evil.substr(5), 20), hello("www.example", extension(0xfe0d, "\0"s)),
                                   record(first.substr(5) + evil.substr(5)), record("\x10\0\0\1k"s), "more"s}) {
      const Wire wire = connect(world.address, 443);
      wire.send(first + before);
      CHECK(world.server.in_time(first + before));
      wire.send(bad);
      CHECK(wire.rest() == "(reset)");
      CHECK(world.server.received() == first + before);
    }
  CHECK(world.served.reported("SNI evil.example" + kWhere));
  CHECK(world.served.reported("encrypted_client_hello" + kWhere + " (" + std::string(gateway::kEchMend) + ")"));
  CHECK(world.served.reported("TLS" + kWhere + " (the client's hello is followed by more bytes in the same record)"));
  CHECK(world.served.reported("TLS" + kWhere + " (the client's hello does not begin with a TLS handshake)"));
}

TEST_CASE("an incomplete second ClientHello is never forwarded, and the connection is closed at a deadline") {
  World world;
  const std::string first = hello("www.example");
  const Wire silent = connect(world.address, 443), slow = connect(world.address, 443);
  silent.send(first);
  slow.send(first + first.substr(0, 50));
  const Wire ended = connect(world.address, 443);
  ended.send(first + first.substr(0, 50));
  ended.end();
  CHECK(ended.rest() == "(reset)");
  CHECK(world.served.reported(
      "www.example:443 refused (the client closed the connection before its ClientHello or request was complete)"));
  CHECK(slow.rest(12'000) == "(reset)");  // the deadline is ten seconds
  CHECK(world.served.reported(
      "www.example:443 refused (the client took too long to complete its ClientHello or request)"));
  CHECK(world.server.received() == first + first + first);
  silent.send(kEarly);
  CHECK(world.server.in_time(kEarly));
}
