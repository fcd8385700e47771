#include "server/gateway/proxy.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace band::gateway;
using Verdict = ProxyAnswer::Verdict;

namespace {

Verdict feed_all(ProxyAnswer& answer, std::string_view bytes, std::size_t step) {
  Verdict verdict = Verdict::More;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size())))
    verdict = answer.feed(bytes.substr(0, step));
  return verdict;
}

std::string why(std::string_view bytes) {
  ProxyAnswer answer;
  return feed_all(answer, bytes, bytes.size()) == Verdict::Refused ? answer.why() : "not refused";
}

}  // namespace

TEST_CASE("the CONNECT request names a host name or an address") {
  CHECK(connect_request("api.github.com", 443) ==
        "CONNECT api.github.com:443 HTTP/1.1\r\nHost: api.github.com:443\r\n\r\n");
  CHECK(connect_request("2001:db8::1", 22) == "CONNECT [2001:db8::1]:22 HTTP/1.1\r\nHost: [2001:db8::1]:22\r\n\r\n");
}

TEST_CASE("bytes after the proxy's 2xx answer come from the host") {
  const std::string yes = "HTTP/1.1 200 Connection established\r\nVia: squid\r\n\r\n";
  for (std::size_t step = 1; step < 100; ++step) {
    ProxyAnswer answer;
    CHECK(feed_all(answer, yes + "SSH-2.0-x\r\n\r\n", step) == Verdict::Ok);
    CHECK(answer.rest() == "SSH-2.0-x\r\n\r\n");
    ProxyAnswer part;
    CHECK(feed_all(part, yes.substr(0, yes.size() - 1), step) == Verdict::More);
    ProxyAnswer interim;
    CHECK(feed_all(interim, "HTTP/1.1 100 Continue\r\n\r\n" + yes, step) == Verdict::Ok);
    CHECK(interim.rest() == "");
  }
  for (const char* head : {"HTTP/1.0 200\r\n\r\n", "HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 204 none\r\n\r\n"}) {
    ProxyAnswer answer;
    CHECK(answer.feed(head) == Verdict::Ok);
  }
}

TEST_CASE("any other answer is a refusal, with a text that is escaped for terminals") {
  CHECK(why("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n") ==
        "the proxy answered \"407 Proxy Authentication Required\"");
  CHECK(why("HTTP/1.1 302 Found\r\nLocation: /\r\n\r\n") == "the proxy answered \"302 Found\"");
  CHECK(why("HTTP/1.1 403 \xc2\x9b"
            "31m\r\n\r\n") == "the proxy answered \"403 \\u009b31m\"");
  const char* garbage = "the proxy did not answer in HTTP/1.1";
  for (const char* bytes : {"HTTP/2 200 OK\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
                            "HTTP/1.1 2x0 OK\r\n\r\n", "SSH-2.0-x\r\n\r\n", "\r\n\r\n",
                            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 \r\n\r\n", "HTTP/1.1 200 \x1b\r\n\r\n"}) {
    CAPTURE(bytes);
    CHECK(why(bytes) == garbage);
  }
  const std::string endless(kMaxProxyAnswerBytes, 'x');
  CHECK(why(endless) == "the head of the proxy's answer is too large");
  CHECK(why("HTTP/1.1 200 OK\r\nX: " + endless + "\r\n\r\n") == "the head of the proxy's answer is too large");
  CHECK(why(endless.substr(1)) == "not refused");
}
