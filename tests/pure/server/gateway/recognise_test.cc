#include "server/gateway/recognise.h"

#include <doctest/doctest.h>

#include <string>

#include "server/gateway/http_head.h"

using namespace band::gateway;
using namespace std::string_literals;

namespace {

struct Case {
  std::string bytes;
  Kind kind;
};

const Case kCases[] = {
    // TLS, and other input that a TLS server may accept as its beginning.
    {"\x16\x03\x01\x02\x00\x01"s, Kind::Tls},
    {"\x16\x03\x03\x00\x00"s, Kind::Tls},              // an empty record
    {"\x16\x03\xff\xff\xff"s, Kind::Tls},              // garbage, which the strict reader refuses
    {"\x15\x03\x01\x00\x02\x01\x5a\x16"s, Kind::Tls},  // a warning, then a ClientHello
    {"\x14\x03\x03\x00\x01\x01"s, Kind::Tls},
    {"\x17\x03\x03\x00\x01\x01"s, Kind::Tls},
    {"\x80\x2e\x01\x03\x01\x00"s, Kind::Tls},  // SSLv2's framing
    {"\xff\x00\x01\x00\x02"s, Kind::Tls},
    // Go reads records of these versions, JSSE records of all versions. Both skip an alert.
    {"\x16\x02\x01"s, Kind::Tls},
    {"\x16\x0f\xff\x00\x05\x01"s, Kind::Tls},
    {"\x16\xfe\xff"s, Kind::Tls},
    {"\x16"s, Kind::Tls},
    {"\x16\x01\x00\x00\x01\x00\x00\x00"s, Kind::Tls},  // also a message of MongoDB with 278 bytes
    {"\x15\x02\x00\x00\x02\x01\x5a\x16"s, Kind::Tls},
    {"\x15"s, Kind::Tls},
    {"\x14\x02\x03"s, Kind::Other},
    {"\x17\x00"s, Kind::Other},
    {"\x80\x2e\x02\x03"s, Kind::Other},
    {"\x80\x2e\x01\x04"s, Kind::Tls},  // GnuTLS reads SSLv2's framing with any version
    {"\x80\x2e\x01\xff"s, Kind::Tls},
    // HTTP
    {"GET / HTTP/1.1\r\n", Kind::Http},
    {"GET / HTTP/1.0\n", Kind::Http},  // nginx accepts a bare LF
    {"get /a b c HTTP/1.1 \r\n", Kind::Http},
    {"GET\t/\thttp/1.1\r\n", Kind::Http},
    {"GET\x0b/\x0cHTTP/1.1\r\n", Kind::Http},  // separators for Python's servers
    {"\r\n\r\n\nGET / HTTP/1.1\r\n", Kind::Http},
    {" GET / HTTP/1.1\r\n", Kind::Http},
    {"GET / HTTP/9.9 junk\r\n", Kind::Http},
    {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", Kind::Http},
    {"CONNECT a:1 HTTP/1.1\r\n", Kind::Http},
    {"BREW /pot HTTP/1.1\r\n", Kind::Http},
    {"GET /\0 HTTP/1.1\r\n"s, Kind::Http},  // Python's http.server accepts it
    {"GET /\0\r\nHost: x\r\n\r\n"s, Kind::Http},
    {"GET /\x01\xff HTTP/1.1\r\n", Kind::Http},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", Kind::Http2},
    {"GET /" + std::string(kMaxFirstLine, 'a'), Kind::Http},
    {"GET " + std::string(kMaxFirstLine, 'a') + " HTTP/1.1\r\n", Kind::Http},
    {std::string(kMaxFirstLine, 'a'), Kind::Http},  // a method, for Go
    {std::string(kMaxFirstLine, '\n'), Kind::Http},
    {std::string(kMaxFirstLine + 100, '\n') + "GET / HTTP/1.1\r\n", Kind::Http},
    {std::string(kMaxFirstLine - 3, '\n') + "GET / HTTP/1.1\r\n", Kind::Http},
    // Neither
    {"POST %2f \r\n", Kind::Words},                   // the JDK's HttpServer serves it
    {"POST %2f\r\n", Kind::Words},                    // waitress
    {"get key\r\n", Kind::Words},                     // Redis, inline; memcached
    {"GET VAR ups battery.charge\r\n", Kind::Words},  // NUT
    {"SET key /value\r\n", Kind::Words},
    {"get page:1 page:2\r\n", Kind::Words},            // memcached
    {"CONNECT {\"verbose\":false}\r\n", Kind::Words},  // NATS
    {"EHLO band\r\n", Kind::Words},
    {"a1 LOGIN ann secret\r\n", Kind::Words},  // IMAP
    {"USER ann\r\n", Kind::Words},
    {"REGISTER sip:x SIP/2.0\r\n", Kind::Words},
    {"quit \r\n", Kind::Words},
    {"quit\tnow\n", Kind::Words},
    {"quit\r\n", Kind::Other},
    {"SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n", Kind::Other},
    {"SSH-2.0-Go\r\n", Kind::Other},
    {"SSH-1.99-x y\n", Kind::Other},
    {"SSH-2.0-x %2f\r\n", Kind::Words},
    {"SSH-2.0-x %2f \r\n", Kind::Words},
    {"SSH-2.0-x \r\n", Kind::Words},
    {"SSH-2.0-x y z\r\n", Kind::Words},
    {"SSH-2.0-x\ty\r\n", Kind::Words},
    {"SSH-2.0-x /\r\n", Kind::Http},
    {"SSH-2.0-x y HTTP/1.1\r\n", Kind::Http},
    // Accepted by gunicorn.
    {"0033git-upload-pack /repo.git\0 HTTP/1.1\r\n"s, Kind::Http},
    {"0GET /\0 HTTP/1.1\r\n"s, Kind::Http},
    {"A \x01/ HTTP/1.1\r\n"s, Kind::Http},
    {"GO \x01/ HTTP/1.1\r\n"s, Kind::Http},
    {"*1\r\n$4\r\nPING\r\n", Kind::Other},
    {"/ HTTP/1.1\r\n", Kind::Other},
    {"HTTP/1.1\r\n", Kind::Other},
    {"\x00\x00\x00\x08\x04\xd2\x16\x2f"s, Kind::Other},  // PostgreSQL's SSLRequest
    {"\x10\x0c\x00\x04MQTT"s, Kind::Other},
    {"0\x0c\x02\x01\x01"s, Kind::Other},  // LDAP
    {"0 \x02\x01\x01"s, Kind::Other},
    {"0 \x02 HTTP/1.1\r\n", Kind::Http},
    {"0 \x02\x01 HTTP/1.1\r\n", Kind::Other},  // could be LDAP
    {"<?xml version='1.0'?>", Kind::Other},
    {"\x01"s, Kind::Other},
    {std::string(kMaxFirstLine, '\x01'), Kind::Other},
    // Undecided
    {"", Kind::More},
    {"\x80"s, Kind::More},
    {"\x80\x2e"s, Kind::More},
    {"\r\n", Kind::More},
    {"G", Kind::More},
    {"GET", Kind::More},
    {"GET / HTTP/1.1", Kind::More},
    {"GET / HTTP/1.1\r", Kind::More},
    {"PRI * HTTP/2.0\r", Kind::More},
    {"GET /" + std::string(kMaxFirstLine - 6, 'a'), Kind::More},
    {std::string(kMaxFirstLine - 1, 'a'), Kind::More},
    {std::string(kMaxFirstLine - 1, '\n'), Kind::More},
    {"GET /\0"s, Kind::More},
    {"0033git-upload-pack /repo.git", Kind::More},
};

// First lines that llhttp (Node) or Python's http.server accept as a request, and after which they read a Host.
const char* const kLenient[] = {
    "GET /",
    "get /x",
    "GET /HTTP/1.1",
    "GET *",
    "GET ?x",
    "GET http://evil.example/",
    "GET evil",
    " GET\x0b"
    "evil\x0c",
    "GET\x85"
    "evil\xa0",
    "GET \x02",
    "GET \x02 HTTP/1.1",
    "get http://cached/page",
    "POST\t/",
    "GET / RTSP/1.0",
    "GET x rtsp/1.0",
    "OPTIONS / RTSP/1.0",
    "OPTIONS * RTSP/1.0",
    "DESCRIBE / RTSP/1.0",
    "SETUP rtsp://evil.example/ RTSP/1.0",
    "SOURCE / ICE/1.0",
    "SOURCE x ice/1.0",
    "CONNECT evil.example",
    "CONNECT evil.example:80",
};

}  // namespace

TEST_CASE("a request line without HTTP/ that a lenient server accepts is HTTP, and the strict reader refuses it") {
  for (const std::string line : kLenient) {
    CAPTURE(line);
    const std::string head = line + "\r\nHost: evil.example\r\n\r\n";
    for (std::size_t n = 0; n < line.size() + 2; ++n) CHECK(recognise(head.substr(0, n)) == Kind::More);
    CHECK(recognise(line + "\r\n") == Kind::Http);
    CHECK(recognise(head) == Kind::Http);
    CHECK(recognise_whole(line) == Kind::Http);
    REQUIRE(head_bytes(head) == head.size());
    const auto request = read_http_request(head);
    REQUIRE(!request.ok());
    CHECK((request.error().code == band::Code::BadRequest || request.error().code == band::Code::PermissionDenied));
  }
  CHECK(read_http_request("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n").ok());
}

TEST_CASE("first bytes are recognised as TLS, HTTP, other, or too few to decide") {
  for (const Case& one : kCases) {
    CAPTURE(one.bytes.substr(0, 80));
    CHECK(static_cast<int>(recognise(one.bytes)) == static_cast<int>(one.kind));
  }
}

TEST_CASE("once decided, the protocol does not change with further bytes") {
  for (const Case& one : kCases) {
    if (one.bytes.size() > 1000) continue;
    CAPTURE(one.bytes);
    Kind seen = Kind::More;
    for (std::size_t n = 0; n <= one.bytes.size(); ++n) {
      const Kind now = recognise(one.bytes.substr(0, n));
      CHECK((seen == Kind::More || now == seen));
      seen = now;
    }
  }
}

TEST_CASE("at EOF undecided input is decided") {
  for (const Case& one : kCases) {
    CAPTURE(one.bytes.substr(0, 80));
    if (one.kind != Kind::More) CHECK(recognise_whole(one.bytes) == one.kind);
  }
  CHECK(recognise_whole("") == Kind::Other);
  CHECK(recognise_whole("\x16") == Kind::Tls);
  CHECK(recognise_whole("\x14") == Kind::Other);
  CHECK(recognise_whole("\x80\x2e") == Kind::Other);
  CHECK(recognise_whole("hello") == Kind::Other);
  CHECK(recognise_whole("hello world") == Kind::Words);
  CHECK(recognise_whole("\r\n") == Kind::Other);
  CHECK(recognise_whole("GET / HTTP/1.1") == Kind::Http);
  CHECK(recognise_whole("GET / HTTP/1.1\r") == Kind::Http);
  CHECK(recognise_whole("PRI * HTTP/2.0") == Kind::Http2);
}
