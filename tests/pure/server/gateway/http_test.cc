#include <doctest/doctest.h>

#include <string>

#include "server/gateway/http_body.h"
#include "server/gateway/http_head.h"

using namespace band;
using namespace band::gateway;
using namespace std::string_literals;

namespace {

const std::string kHost = "Host: name.example\r\n";

std::string get(const std::string& headers) { return "GET / HTTP/1.1\r\n" + headers + "\r\n"; }

std::string why(const std::string& head) {
  const auto request = read_http_request(head);
  return request.ok() ? "taken" : request.error().doing;
}

bool is_403(const std::string& head) {
  const auto request = read_http_request(head);
  return !request.ok() && request.error().code == Code::PermissionDenied;
}

HttpRequest taken(const std::string& head) {
  auto request = read_http_request(head);
  REQUIRE_MESSAGE(request.ok(), request.error().doing);
  return *std::move(request);
}

const http1::BodyPlan kChunked{http1::BodyPlan::Kind::Chunked, 0};

struct Fed {
  std::string body, error;
  bool done = false;
};

Fed feed(http1::BodyPlan plan, std::string_view bytes, std::size_t step) {
  HttpBody body(plan);
  Fed fed;
  while (!bytes.empty()) {
    const auto n = body.feed(bytes.substr(0, step));
    if (!n.ok()) {
      fed.error = n.error().doing;
      break;
    }
    REQUIRE((*n > 0 && *n <= step));
    fed.body += bytes.substr(0, *n);
    bytes.remove_prefix(*n);
  }
  fed.done = body.done();
  return fed;
}

}  // namespace

TEST_CASE("a request is rewritten with one host, one framing, and Connection: close") {
  const std::string head =
      "POST /a/../b?q=%00&x=y HTTP/1.1\r\n"
      "hOsT:Name.Example:8080\t\r\n"
      "User-Agent: curl/7.88.1\r\n"
      "Connection: keep-alive, TE\r\n"
      "TE: trailers\r\n"
      "Keep-Alive: 5\r\n"
      "Proxy-Connection: keep-alive\r\n"
      "Cookie: a=1\r\nCookie: b=\xc3\xbc\r\n"
      "Expect: 100-continue\r\n"
      "X-Empty:\r\n"
      "content-LENGTH: 007\r\n\r\n";
  const HttpRequest request = taken(head);
  CHECK(request.method == "POST");
  CHECK(request.target == "/a/../b?q=%00&x=y");
  CHECK(request.host == "Name.Example");
  CHECK(request.port == 8080);
  CHECK(request.body.kind == http1::BodyPlan::Kind::Length);
  CHECK(request.body.length == 7);
  CHECK(request.normalised() ==
        "POST /a/../b?q=%00&x=y HTTP/1.1\r\nHost: Name.Example:8080\r\nuser-agent: curl/7.88.1\r\n"
        "cookie: a=1\r\ncookie: b=\xc3\xbc\r\nexpect: 100-continue\r\nx-empty: \r\nContent-Length: 7\r\n"
        "Connection: close\r\n\r\n");
  CHECK(taken(request.normalised()).normalised() == request.normalised());
}

TEST_CASE("accepted are any token as a method, a path as the target, and versions 1.0 and 1.1") {
  CHECK(taken("BREW /pot HTTP/1.1\r\n" + kHost + "\r\n").method == "BREW");
  CHECK(taken("OPTIONS * HTTP/1.1\r\n" + kHost + "\r\n").target == "*");
  CHECK(taken("GET //evil.example/ HTTP/1.0\r\n" + kHost + "\r\n").normalised() ==
        "GET //evil.example/ HTTP/1.0\r\nHost: name.example\r\nConnection: close\r\n\r\n");
  CHECK(taken("GET /\xc3\xbc|\"<> HTTP/1.1\r\n" + kHost + "\r\n").target == "/\xc3\xbc|\"<>");
  CHECK(taken(get(kHost)).body.kind == http1::BodyPlan::Kind::None);
  CHECK(taken(get(kHost + "Transfer-Encoding: Chunked\r\n")).body.kind == http1::BodyPlan::Kind::Chunked);
}

TEST_CASE("requests for another host or protocol are refused, with a hint") {
  CHECK(why(get(kHost)) == "taken");  // the control
  for (const std::string& head :
       {"GET http://evil.example/ HTTP/1.1\r\n" + kHost + "\r\n",
        "GET HTTP://name.example/ HTTP/1.1\r\n" + kHost + "\r\n",
        "CONNECT evil.example:443 HTTP/1.1\r\n" + kHost + "\r\n", "CONNECT / HTTP/1.1\r\n" + kHost + "\r\n",
        get(kHost +
            "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"),
        get(kHost + "Upgrade: websocket\r\nConnection: upgrade\r\n"), get(kHost + "Upgrade:\r\n")}) {
    CAPTURE(head);
    CHECK(is_403(head));
    CHECK_FALSE(read_http_request(head).error().hint.empty());
  }
  CHECK(why(get(kHost + "Upgrade: \x9b\xc2\x9b" + "31m\r\n")).find('\x9b') == std::string::npos);
}

TEST_CASE("a request that two servers could read differently is malformed") {
  const struct {
    const char* what;
    std::string head;
  } cases[] = {
      {"no host", get("")},
      {"two hosts", get(kHost + kHost)},
      {"two hosts in one", get("Host: a.example, b.example\r\n")},
      {"an empty host", get("Host:\r\n")},
      {"a port alone", get("Host: :80\r\n")},
      {"no port", get("Host: a.example:\r\n")},
      {"a port of letters", get("Host: a.example:http\r\n")},
      {"port 0", get("Host: a.example:0\r\n")},
      {"port 65536", get("Host: a.example:65536\r\n")},
      {"user and host", get("Host: a@b.example\r\n")},
      {"a path", get("Host: a.example/b\r\n")},
      {"an IPv6 host", get("Host: [::1]\r\n")},
      {"a blank in the host", get("Host: a b\r\n")},
      {"a null in the host", get("Host: a\0b\r\n"s)},
      {"both framings", get(kHost + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n")},
      {"two lengths", get(kHost + "Content-Length: 1\r\nContent-Length: 1\r\n")},
      {"two lengths in one", get(kHost + "Content-Length: 1, 1\r\n")},
      {"a signed length", get(kHost + "Content-Length: +1\r\n")},
      {"a hexadecimal length", get(kHost + "Content-Length: 0x1\r\n")},
      {"an empty length", get(kHost + "Content-Length:\r\n")},
      {"an endless length", get(kHost + "Content-Length: 9999999999999999999\r\n")},
      {"two codings", get(kHost + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n")},
      {"another coding before chunked", get(kHost + "Transfer-Encoding: gzip, chunked\r\n")},
      {"identity", get(kHost + "Transfer-Encoding: identity\r\n")},
      {"chunked with a parameter", get(kHost + "Transfer-Encoding: chunked;x\r\n")},
      {"chunked with a control character", get(kHost + "Transfer-Encoding: \x0b" + "chunked\r\n")},
      {"chunked of HTTP/1.0", "GET / HTTP/1.0\r\n" + kHost + "Transfer-Encoding: chunked\r\n\r\n"},
      {"a space before the colon", get("Host : name.example\r\n")},
      {"a folded line", get(kHost + "X: a\r\n b\r\n")},
      {"a folded first header", get(" X: a\r\n" + kHost)},
      {"no colon", get(kHost + "nothing\r\n")},
      {"an empty name", get(kHost + ": x\r\n")},
      {"a bare LF", "GET / HTTP/1.1\n" + kHost + "\r\n"},
      {"a bare LF in a value", get(kHost + "X: a\nHost: evil.example\r\n")},
      {"a bare CR in a value", get(kHost + "X: a\rHost: evil.example\r\n")},
      {"a null in a value", get(kHost + "X: \0\r\n"s)},
      {"an empty line first", "\r\n" + get(kHost)},
      {"a blank first", " " + get(kHost)},
      {"two blanks", "GET  / HTTP/1.1\r\n" + kHost + "\r\n"},
      {"a tab", "GET\t/ HTTP/1.1\r\n" + kHost + "\r\n"},
      {"a blank in the target", "GET /a b HTTP/1.1\r\n" + kHost + "\r\n"},
      {"a trailing blank", "GET / HTTP/1.1 \r\n" + kHost + "\r\n"},
      {"a fragment", "GET /#a HTTP/1.1\r\n" + kHost + "\r\n"},
      {"no target", "GET HTTP/1.1\r\n" + kHost + "\r\n"},
      {"a star for another method", "GET * HTTP/1.1\r\n" + kHost + "\r\n"},
      {"a target without a slash", "GET name.example HTTP/1.1\r\n" + kHost + "\r\n"},
      {"HTTP/0.9", "GET /\r\n" + kHost + "\r\n"},
      {"HTTP/1.2", "GET / HTTP/1.2\r\n" + kHost + "\r\n"},
      {"HTTP/2", "PRI * HTTP/2.0\r\n\r\n"},
      {"http in small letters", "GET / http/1.1\r\n" + kHost + "\r\n"},
      {"a method that is not a token", "GE(T / HTTP/1.1\r\n" + kHost + "\r\n"},
      {"Connection names a header", get(kHost + "Connection: close, Host\r\n")},
      {"another Expect", get(kHost + "Expect: 200-ok\r\n")},
      {"no empty line", "GET / HTTP/1.1\r\n" + kHost},
      {"bytes after the head", get(kHost) + "x"},
      {"nothing", ""},
  };
  for (const auto& one : cases) {
    CAPTURE(one.what);
    CHECK(why(one.head) != "taken");
    CHECK_FALSE(is_403(one.head));
  }
}

TEST_CASE("a head has at most 200 headers and 64 KiB") {
  std::string headers = kHost;
  for (std::size_t i = 1; i < kMaxHeaders; ++i) headers += "X: y\r\n";
  CHECK(why(get(headers)) == "taken");
  CHECK(why(get(headers + "X: y\r\n")) == "more than 200 headers");
  const std::size_t rest = kMaxHeadBytes - get(kHost + "X: \r\n").size();
  const std::string longest = get(kHost + "X: " + std::string(rest, 'a') + "\r\n");
  CHECK(head_bytes(longest) == kMaxHeadBytes);
  CHECK(why(longest) == "taken");
  const std::string longer = get(kHost + "X: " + std::string(rest + 1, 'a') + "\r\n");
  CHECK(why(longer) == "the request's head is larger than 64 KiB");
  CHECK(head_bytes(longer.substr(0, kMaxHeadBytes - 1)) == std::nullopt);
  CHECK(head_bytes(longer.substr(0, kMaxHeadBytes)) == kMaxHeadBytes);
  CHECK(why(longer.substr(0, kMaxHeadBytes)) == "the request's head is larger than 64 KiB");
}

TEST_CASE("the end of a head is found for any split, and a malformed head ends immediately") {
  const std::string head = get(kHost);
  for (std::size_t n = 0; n < head.size(); ++n) CHECK(head_bytes(head.substr(0, n)) == std::nullopt);
  CHECK(head_bytes(head) == head.size());
  CHECK(head_bytes(head + "body\r\n\r\n") == head.size());
  CHECK(head_bytes("GET / HTTP/1.1\nHost: x\n\n") == 15);
  CHECK(head_bytes("\r\n" + head) == 2);
  CHECK(head_bytes("\n") == 1);
}

TEST_CASE("one body passes, in pieces of any size, and nothing after it") {
  const std::string next = get("Host: evil.example\r\n");
  const std::string chunks = "3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n";
  for (std::size_t step = 1; step < 60; ++step) {
    CHECK(feed({}, "", step).done);
    CHECK(feed({}, next, step).error == "a second request on one connection");
    CHECK(feed({}, next, step).body == "");
    const Fed length = feed({http1::BodyPlan::Kind::Length, 5}, "hello" + next, step);
    CHECK(length.body == "hello");
    CHECK(length.error == "a second request on one connection");
    const Fed exact = feed({http1::BodyPlan::Kind::Length, 5}, "hello", step);
    CHECK(exact.done);
    CHECK(exact.error == "");
    const Fed chunked = feed(kChunked, chunks + next, step);
    CHECK(chunked.body == chunks);
    CHECK(chunked.error == "a second request on one connection");
    CHECK_FALSE(feed(kChunked, chunks.substr(0, 20), step).done);
  }
  CHECK(feed({http1::BodyPlan::Kind::Length, 0}, "\r\n", 1).error == "a second request on one connection");
}

TEST_CASE("chunks that are not in the strict form are an error") {
  for (const std::string& bytes :
       {"3;x=y\r\nabc\r\n0\r\n\r\n"s, "3 \r\nabc"s, " 3\r\nabc"s, "+3\r\nabc"s, "0x3\r\nabc"s, "3\nabc"s,
        "\r\n3\r\nabc"s, "-1\r\n"s, "100000000\r\n"s, "3\r\nabcd\r\n0\r\n\r\n"s, "3\r\nabc\n0\r\n\r\n"s,
        "0\r\nX: trailer\r\n\r\n"s, "0\r\nHost: evil.example\r\n\r\n"s, "0\n\n"s, "g\r\n"s, "3\r\nabc0\r\n\r\n"s}) {
    CAPTURE(bytes);
    for (const std::size_t step : {std::size_t{1}, bytes.size()})
      CHECK(feed(kChunked, bytes, step).error == "the body's chunks do not follow RFC 9112");
  }
}
