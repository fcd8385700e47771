#include "server/gateway/client_hello.h"

#include <doctest/doctest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/tls_bytes.h"

using namespace band::gateway;
using namespace band::test;
using namespace std::string_literals;
using Verdict = ClientHello::Verdict;

namespace {

Verdict feed_all(ClientHello& hello, std::string_view bytes, std::size_t step = 1 << 20) {
  Verdict verdict = Verdict::More;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) verdict = hello.feed(bytes.substr(0, step));
  return verdict;
}

// The ClientHello of OpenSSL's own client.
std::string openssl_hello(const char* name, int min = 0, int max = 0) {
  SSL_CTX* context = SSL_CTX_new(TLS_client_method());
  SSL_CTX_set_security_level(context, 0);
  SSL_CTX_set_min_proto_version(context, min);
  SSL_CTX_set_max_proto_version(context, max);
  SSL* ssl = SSL_new(context);
  BIO* out = BIO_new(BIO_s_mem());
  SSL_set_bio(ssl, BIO_new(BIO_s_mem()), out);
  if (name != nullptr) SSL_set_tlsext_host_name(ssl, name);
  SSL_connect(ssl);
  char* data = nullptr;
  const long size = BIO_get_mem_data(out, &data);
  std::string bytes(data, static_cast<std::size_t>(size));
  SSL_free(ssl);
  SSL_CTX_free(context);
  return bytes;
}

std::string why(const std::string& bytes) {
  ClientHello hello;
  return feed_all(hello, bytes) == Verdict::Garbage ? hello.why() : "taken";
}

}  // namespace

TEST_CASE("the server name is read from hellos of OpenSSL's clients, TLS 1.0 to 1.3") {
  for (const auto& [min, max] : {std::pair{TLS1_VERSION, TLS1_VERSION},
                                 {TLS1_1_VERSION, TLS1_1_VERSION},
                                 {TLS1_2_VERSION, TLS1_2_VERSION},
                                 {TLS1_3_VERSION, TLS1_3_VERSION},
                                 {0, 0}}) {
    CAPTURE(max);
    const std::string bytes = openssl_hello("api.github.com", min, max);
    REQUIRE(bytes.size() > 50);
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size()}) {
      ClientHello hello;
      CHECK(feed_all(hello, std::string_view(bytes).substr(0, bytes.size() - 1), step) == Verdict::More);
      CHECK(hello.feed(std::string_view(bytes).substr(bytes.size() - 1)) == Verdict::Whole);
      CHECK(hello.sni() == "api.github.com");
      CHECK_FALSE(hello.has_ech());
    }
  }
  ClientHello nameless;
  CHECK(nameless.feed(openssl_hello(nullptr)) == Verdict::Whole);
  CHECK_FALSE(nameless.sni());
}

TEST_CASE("a hello split into records and pieces is read as one hello, and bytes after it are ignored") {
  const std::string hello_message = message(server_name(host_name("name.example")));
  for (const std::size_t length : {std::size_t{1}, std::size_t{2}, std::size_t{50}, hello_message.size()})
    for (const std::size_t step : {std::size_t{1}, std::size_t{3}, std::size_t{5000}}) {
      ClientHello hello;
      CHECK(feed_all(hello, records(hello_message, length), step) == Verdict::Whole);
      CHECK(hello.sni() == "name.example");
      CHECK(hello.feed("anything") == Verdict::Whole);
      CHECK(hello.sni() == "name.example");
    }
  ClientHello with_more;
  CHECK(with_more.feed(record(hello_message) + record("early", "\x17\3\3") + record(message(""))) == Verdict::Whole);
  CHECK(with_more.sni() == "name.example");
}

TEST_CASE("the server name is returned as sent") {
  for (const std::string& name : {"a"s, "EXAMPLE.com."s, "a\0b"s, "\xff\xfe"s, "127.0.0.1"s, std::string(255, 'x')}) {
    ClientHello hello;
    CHECK(hello.feed(record(message(server_name(host_name(name))))) == Verdict::Whole);
    CHECK(hello.sni() == name);
  }
}

TEST_CASE("encrypted hellos are detected: the standard's, the drafts', GREASE") {
  for (const std::size_t type : {0xfe0d, 0xfe0a, 0xfe08, 0xfd00, 0xffce}) {
    ClientHello hello;
    CHECK(hello.feed(record(message(server_name(host_name("outer.example")) + extension(type, "\0grease"s)))) ==
          Verdict::Whole);
    CHECK(hello.has_ech());
  }
  ClientHello other;  // control: an unassigned extension
  CHECK(other.feed(record(message(extension(0x0a0a, "") + server_name(host_name("x"))))) == Verdict::Whole);
  CHECK_FALSE(other.has_ech());
  CHECK(other.sni() == "x");
}

TEST_CASE("a server_name extension without exactly one host is refused") {
  const std::string text = "has a server_name extension that is not one host name";
  CHECK(why(record(message(server_name(host_name("a"))))) == "taken");
  CHECK(why(record(message(""))) == "taken");
  CHECK(why(record(message(server_name(host_name("a") + host_name("b"))))) == text);
  CHECK(why(record(message(server_name(host_name(""))))) == text);
  CHECK(why(record(message(server_name("")))) == text);
  CHECK(why(record(message(extension(0, "")))) == text);
  CHECK(why(record(message(server_name("\1"s + sized("a", 2))))) == text);
  CHECK(why(record(message(extension(0, sized(host_name("a"), 2) + "x")))) == text);
  CHECK(why(record(message(extension(0, "\0\5\0\0\2a"s)))) == text);
  CHECK(why(record(message(server_name(host_name("a")) + server_name(host_name("b"))))) ==
        "is not a TLS ClientHello (bad extension)");
}

TEST_CASE("bytes that are not a ClientHello are refused as soon as enough of them were read") {
  const std::string good = message(server_name(host_name("name.example")));
  for (const std::string& bytes :
       {"GET / HTTP/1.1\r\n\r\n"s, "\0"s, "\x80\x2e\1\3\1"s, record("\1\0", "\x15\3\1") + record(good),
        record("\1", "\x14\3\3") + record(good), record("x", "\x17\3\3"), record(good, "\x16\2\1"),
        record("\2" + good.substr(1)), record("\1\xff\xff\xff"),
        record(good.substr(0, 30)) + record("\1\0"s, "\x15\3\1"), record("\1" + sized(good.substr(4) + "x", 3)),
        record("\1" + sized(good.substr(4, 20), 3)), record(std::string(17000, 'x'))}) {
    CAPTURE(bytes.substr(0, 20));
    for (const std::size_t step : {std::size_t{1}, bytes.size()}) {
      ClientHello hello;
      CHECK(feed_all(hello, bytes, step) == Verdict::Garbage);
      CHECK_FALSE(hello.why().empty());
      CHECK(hello.feed(record(good)) == Verdict::Garbage);
    }
  }
}

TEST_CASE("a hello ends within 64 KiB, records included") {
  const std::string hello_message =
      message(server_name(host_name("name.example")) + extension(21, std::string(65'000, '\0')));
  for (const std::size_t step : {std::size_t{999}, std::size_t{1} << 20}) {
    ClientHello fits;
    CHECK(feed_all(fits, records(hello_message, 16'000), step) == Verdict::Whole);
    CHECK(fits.sni() == "name.example");
    ClientHello longer;
    CHECK(feed_all(longer, records(hello_message, 100), step) == Verdict::Garbage);
    CHECK(longer.why() == "is longer than 64 KiB");
  }
}

TEST_CASE("warm_up() makes and reads a valid ClientHello") { CHECK(warm_up()); }
