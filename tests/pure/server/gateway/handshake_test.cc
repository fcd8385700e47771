#include "server/gateway/handshake.h"

#include <doctest/doctest.h>
#include <openssl/sha.h>

#include <algorithm>

#include "tests/later_hellos.h"
#include "tests/tls_bytes.h"
#include "tests/tls_peer.h"

using namespace band::gateway;
using namespace band::test;

namespace {

using Names = std::vector<std::string>;

constexpr const char* kName = "name.example";
constexpr const char* kEvil = "evil.example";

std::string only_the_name(const ClientHello& hello) {
  if (!hello.why().empty()) return hello.why();
  return hello.sni() == kName ? "" : "another name";
}

std::string hello_to(const std::string& name) { return message(server_name(host_name(name))); }

// A server's message as one record.
std::string said(char type, const std::string& body) { return record(std::string(1, type) + sized(body, 3)); }
std::string retry_random() {
  const std::string text = "HelloRetryRequest";
  std::string random(32, '\0');
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(),
         reinterpret_cast<unsigned char*>(random.data()));
  return random;
}
std::string server_hello(const std::string& random = std::string(32, 'R')) {
  return said(2, "\3\3" + random + "and more of it");
}

bool made(const std::string& bytes, std::size_t step) {
  ServerChoice choice;
  choice.begin();
  for (std::size_t at = 0; at < bytes.size(); at += step) choice.feed(std::string_view(bytes).substr(at, step));
  CHECK(choice.awaited() == !choice.made());
  return choice.made();
}

Passed pass(const std::string& bytes, std::size_t step = 1 << 20) {
  return band::test::pass(bytes, step, only_the_name);
}

const std::string kChange = record("\1", "\x14\3\3"), kEarly = record("early data", "\x17\3\3"),
                  kWarning = record("\1\x5a", "\x15\3\3");  // user_canceled

// The second hello of OpenSSL's client, and the server's HelloRetryRequest before it.
struct Retry {
  TlsPeer client{TlsPeer::Client, "X25519:P-384"}, server{TlsPeer::Server, "P-384"};
  std::string first, asked;
  explicit Retry(const char* first_name = kName) {
    client.ask_for(first_name);
    first = client.begin();
    asked = server.process(first);
  }
  // The message in the second hello's record, which OpenSSL sends after a change of cipher.
  std::string second(const char* name) {
    client.ask_for(name);
    const std::string said = client.process(asked);
    REQUIRE(said.starts_with(kChange));
    return said.substr(kChange.size() + 5);
  }
};

}  // namespace

TEST_CASE("a ServerHello ends the negotiation and a HelloRetryRequest does not, for any split into records") {
  const std::string retry = server_hello(retry_random());
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    CHECK(made(server_hello(), step));
    CHECK_FALSE(made(retry, step));
    CHECK(made(retry + kChange + server_hello(), step));
    CHECK_FALSE(made(retry + retry + kChange, step));
    CHECK(made(record("\1\x70", "\x15\3\1") + server_hello(), step));  // unrecognized_name, a warning
    CHECK(made(records(server_hello().substr(5), 3), step));
    CHECK(made(records(retry.substr(5) + server_hello().substr(5), 3), step));
    CHECK_FALSE(made(records(retry.substr(5), 1), step));
    // Not a ServerHello, or too short to distinguish it from a HelloRetryRequest.
    for (const std::string& other : {said(1, std::string(50, 'x')), said(6, std::string(50, 'x')), said(2, "\3\3"),
                                     said(2, "\3\3" + std::string(31, 'R')), said(0, ""), record(""), kEarly, ""s,
                                     "HTTP/1.1 400 Bad Request\r\n\r\n"s, record("\2\0\0\x30", "\x17\3\3")}) {
      CAPTURE(other.substr(0, 20));
      CHECK_FALSE(made(other, step));
      if (other.starts_with("\x16")) CHECK(made(other + server_hello(), step));
    }
  }
}

TEST_CASE("a server's bytes before the client's hello are ignored") {
  ServerChoice choice;
  choice.feed(server_hello());
  CHECK_FALSE(choice.awaited());
  CHECK_FALSE(choice.made());
}

TEST_CASE("the choice of OpenSSL's servers is detected, with and without a HelloRetryRequest") {
  for (const int version : {TLS1_2_VERSION, TLS1_3_VERSION}) {
    TlsPeer client(TlsPeer::Client), server(TlsPeer::Server);
    SSL_set_max_proto_version(client.ssl(), version);
    CHECK(made(server.process(client.begin()), 10));
  }
  Retry retry;
  CHECK_FALSE(made(retry.asked, 10));
  const std::string chosen = retry.server.process(kChange + record(retry.second(kName)));
  CHECK(made(retry.asked + chosen, 10));
  CHECK(retry.server.names() == Names{kName, kName});
}

TEST_CASE("records that servers skip before a hello pass immediately, a hello for the name once it is complete") {
  const std::string hello = hello_to(kName);
  for (const std::string& before : {""s, kChange, kEarly, kWarning, kEarly + kEarly + kChange, record("", "\x17\3\3")})
    for (const std::size_t length : {std::size_t{1}, std::size_t{30}, hello.size()})
      for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
        const std::string bytes = before + records(hello, length) + kChange + record(hello);
        const Passed passed = pass(bytes, step);
        CHECK(passed.objection == "");
        CHECK(passed.bytes == bytes);
        CHECK(passed.left == "");
        // Without its last byte no part of the hello passes.
        const Passed partly = pass(before + records(hello, length).substr(0, records(hello, length).size() - 1), step);
        CHECK(partly.objection == "");
        CHECK(partly.bytes == before);
        CHECK(before + partly.left + hello.back() == before + records(hello, length));
        CHECK(partly.within_hello);
      }
  CHECK(pass(kEarly.substr(0, 8)).bytes == kEarly.substr(0, 8));
  CHECK(pass(kEarly.substr(0, 4)).left == kEarly.substr(0, 4));
  CHECK_FALSE(pass(kEarly.substr(0, 4)).within_hello);
}

TEST_CASE("no byte passes of a hello for another name, or of anything else than a hello") {
  const std::string evil = hello_to(kEvil);
  for (const std::size_t step : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
    for (const std::string& before : {""s, kChange, kEarly, kWarning, kChange + record(hello_to(kName))}) {
      for (const std::size_t length : {std::size_t{1}, std::size_t{50}, evil.size()}) {
        const Passed passed = pass(before + records(evil, length), step);
        CHECK(passed.objection == "another name");
        CHECK(passed.bytes == before);
      }
      for (const std::string& other : {record(said(16, "key")), "\x18\3\3\0\3\1\0\0"s, "GET / HTTP/1.1\r\n"s,
                                       "\x80\x2e\1\3\1"s, record("x", "\x16\2\1"), record("\1\0") + kChange}) {
        const Passed passed = pass(before + other, step);
        CHECK(passed.objection != "");
        CHECK(passed.bytes == before);
      }
    }
    CHECK(pass(record(hello_to(kName) + evil), step).objection == "is followed by more bytes in the same record");
    CHECK(pass(records(message(extension(21, std::string(65'000, '\0'))), 100), step).objection ==
          "is longer than 64 KiB");
  }
}

TEST_CASE("a second hello for another name does not reach OpenSSL's server, which would accept it") {
  enum Taken { Taken, NotByServer, NotByUs };  // for a hello with the right name
  const struct {
    std::string what;
    std::string (*bytes)(const std::string& hello);
    enum Taken taken;
  } ways[] = {
      {"as clients send it", [](const std::string& hello) { return kChange + record(hello, "\x16\3\3"); }, Taken},
      {"alone", [](const std::string& hello) { return record(hello, "\x16\3\3"); }, Taken},
      {"after a warning", [](const std::string& hello) { return kWarning + record(hello, "\x16\3\3"); }, Taken},
      {"in many records", [](const std::string& hello) { return records(hello, 40); }, Taken},
      {"around a change",
       [](const std::string& hello) { return record(hello.substr(0, 9)) + kChange + record(hello.substr(9)); },
       NotByUs},
      {"after an empty record", [](const std::string& hello) { return record("") + record(hello); },
       OpenSSL_version_num() < 0x30200000 ? NotByServer : NotByUs},  // 3.2 has another record layer
      {"after early data", [](const std::string& hello) { return kEarly + record(hello); }, NotByServer},
  };
  for (const auto& [what, bytes, taken] : ways) {
    CAPTURE(what);
    Retry control;
    control.server.process(bytes(control.second(kEvil)));
    CHECK(control.server.names() == (taken != NotByServer ? Names{kName, kEvil} : Names{kName}));
    Retry checked;
    const Passed passed = pass(bytes(checked.second(kEvil)));
    CHECK(passed.objection != "");
    checked.server.process(passed.bytes);
    CHECK(checked.server.names() == Names{kName});
    Retry good;
    good.server.process(pass(bytes(good.second(kName))).bytes);
    CHECK(good.server.names() == (taken == Taken ? Names{kName, kName} : Names{kName}));
  }
}

TEST_CASE("a hello that shares its record with another one is refused") {
  const std::string both = record(hello_to(kName) + hello_to(kEvil));
  for (const std::string& bytes : {both, records(hello_to(kName) + hello_to(kEvil), hello_to(kName).size() + 1)}) {
    ClientHello hello;
    CHECK(hello.feed(bytes) == ClientHello::Verdict::Garbage);
    CHECK(hello.why() == "is followed by more bytes in the same record");
  }
  ClientHello alone;
  CHECK(alone.feed(records(hello_to(kName) + hello_to(kEvil), hello_to(kName).size())) == ClientHello::Verdict::Whole);
  CHECK(alone.size() == 5 + hello_to(kName).size());
}
