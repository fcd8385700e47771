#include "server/gateway/server_bytes.h"

#include <doctest/doctest.h>

#include <string>

using namespace band::gateway;
using namespace std::string_literals;
using Kind = ServerOpening::Kind;

TEST_CASE("the first bytes of a server are recognised as TLS, HTTP or another protocol") {
  const std::pair<std::string, Kind> cases[] = {
      {"HTTP/1.1 200 OK\r\n", Kind::Http},
      {"HTTP/2 200\r\n", Kind::Http},
      {"\x16\3\3\0\x5a\2"s, Kind::Tls},
      {"\x15\3\1\0\2\1\x70\x16\3\3"s, Kind::Tls},  // a warning before the ServerHello
      {"220 mail.example ESMTP\r\n", Kind::Other},
      {"HELLO\r\n", Kind::Other},
      {"SSH-2.0-x\r\n", Kind::Other},
      {"S", Kind::Other},
      {"\x4a\0\0\0\x0a"s, Kind::Other},  // MySQL
      {"\x16\3\0\0"s, Kind::Other},      // MongoDB: a message of 790 bytes
      {"\x16\x04"s, Kind::Other},
      {"", Kind::More},
      {"HTTP", Kind::More},
      {"\x16\3"s, Kind::More},
  };
  for (const auto& [bytes, kind] : cases) {
    CAPTURE(bytes);
    ServerOpening whole, pieces;
    whole.feed(bytes);
    for (const char byte : bytes) pieces.feed({&byte, 1});
    CHECK(static_cast<int>(whole.kind()) == static_cast<int>(kind));
    CHECK(static_cast<int>(pieces.kind()) == static_cast<int>(kind));
  }
}

TEST_CASE("TLS or HTTP of a server is unexpected only if its client speaks another protocol") {
  asio::io_context loop;
  ServerBytes http(loop), late(loop), other(loop);
  http.feed("HTTP/1.1 400 Bad Request\r\n");
  CHECK_FALSE(http.unexpected());
  http.expect_other();
  CHECK(http.unexpected());
  CHECK_FALSE(http.sent_other());
  late.expect_other();
  late.feed("HTT");
  CHECK_FALSE(late.unexpected());
  late.feed("P/1.1 200 OK\r\n");
  CHECK(late.unexpected());
  other.expect_other();
  other.feed("+OK\r\nHTTP/1.1 200 OK\r\n");
  CHECK(other.sent_other());
  CHECK_FALSE(other.unexpected());
}
