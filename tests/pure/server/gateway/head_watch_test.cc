#include "server/gateway/head_watch.h"

#include <doctest/doctest.h>

#include <iterator>
#include <random>
#include <string>
#include <vector>

using namespace band::gateway;
using namespace std::string_literals;
using State = HeadWatch::State;

namespace {

const std::string kHost = "\r\nHost: evil.example\r\n\r\n";

// The heads that a server of tests/web serves although their first lines are not those of HTTP.
const std::string kHeads[] = {
    "{a} %2f " + kHost,       // the JDK's HttpServer, waitress
    "\xff %2f x" + kHost,     // Twisted, too
    "foo\nGET %2f " + kHost,  // the JDK: a bare LF is a part of the method
    "\0\0\0\x08\x04\xd2\x16/GET / HTTP/1.1"s + kHost,
    "\r\n\r\n\x01 / " + kHost,
    "GET\x00 / 0 0 5"s + kHost,
    "SSH-2.0-x y" + kHost,                                   // waitress
    "QUIT\r\nHost: evil.example\r\n folded\r\nA:b\r\n\r\n",  // waitress
    "a\rb" + kHost,
    "{a} %2f \r\nno colon\r\nHost: evil.example\r\n\r\n",       // the JDK
    "foo\nGET %2f \r\nno colon\r\nHost: evil.example\r\n\r\n",  // the JDK
    "QUIT\r\nHost:evil.example" + std::string(60, 'x') + "\r\nA:b\r\n\r\n",
};

// The first bytes of other protocols, at least as far as the answer of the server.
const std::string kOthers[] = {
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n",               // RESP, with an empty value
    "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$9\r\na b\r\n\r\nc:\r\n",  // RESP, with a value like a head
    "\0\0\0\x08\x04\xd2\x16\x2f"s,                            // PostgreSQL: SSLRequest
    "\0\0\0\x20\0\3\0\0user\0ann\0database\0shop\0\0"s,       // PostgreSQL: StartupMessage
    "AMQP\0\0\x09\1"s,
    "\x10\x20\0\4MQTT\4\xc2\0\x0a\0\x0c"
    "client-of-12\0\x0a"
    "0123456789"s,
    "SSH-2.0-OpenSSH_9.2p1 Debian-2\r\n\0\0\5\x94\6\x14\r\n"s,
    "CONNECT\naccept-version:1.2\nhost:x\n\n\0"s,                      // STOMP
    "<?xml version='1.0'?>\n\n<stream:stream to='x'>",                 // XMPP
    "{\"id\": 1, \"method\": \"x\"}\n\n",                              // JSON, one value on each line
    "<34>1 2026-11-28T00:00:00Z host app - - - text\nmore: text\n\n",  // syslog
};

State after(const std::string& bytes, std::size_t step, std::size_t& passed) {
  HeadWatch head;
  passed = 0;
  for (std::size_t at = 0; at < bytes.size() && head.state() == State::Watching; at += step)
    passed += head.feed(std::string(bytes, at, step));  // a copy, so that reading after its end finds another byte
  return head.state();
}

}  // namespace

TEST_CASE("the last byte of a head that a lenient server accepts does not pass") {
  for (const std::string& bytes : kHeads)
    for (const std::size_t step : {std::size_t{1}, std::size_t{7}, bytes.size() + 10}) {
      CAPTURE(bytes);
      std::size_t passed = 0;
      CHECK(after(bytes + "body", step, passed) == State::Found);
      CHECK(passed <= bytes.size() - 1);
      // Everything before the end of the first line passes: another protocol may have no line end.
      CHECK(passed >= bytes.find('\n', 4));
    }
}

TEST_CASE("a first line with a version and any method ends a head even without CR") {
  std::size_t passed = 0;
  for (const std::string line : {"{a} / HTTP/1.1", "\xe9\x01 x http/1.0 y", "x:\tx\tHTTP/9"}) {
    CAPTURE(line);
    CHECK(after(line + "\nHost: evil.example\n\n", 3, passed) == State::Found);
    CHECK(passed == line.size());
  }
  CHECK(after("{a} xHTTP/1.1 HTTP/x\nHost: x\n\n", 3, passed) == State::Watching);
  CHECK(after("{a}\nb HTTP/1.1\nHost: x\n\n", 3, passed) == State::Watching);
}

TEST_CASE("the first bytes of other protocols pass") {
  for (const std::string& bytes : kOthers)
    for (const std::size_t step : {std::size_t{1}, bytes.size()}) {
      CAPTURE(bytes);
      std::size_t passed = 0;
      CHECK(after(bytes, step, passed) != State::Found);
    }
  std::size_t passed = 0;
  CHECK(after("*1\r\n$4\r\n", 100, passed) == State::Different);
  CHECK(after("hello\r\nGET / HTTP/1.1\r\n", 100, passed) == State::Different);
}

TEST_CASE("bytes that arrive one by one and bytes that arrive together have the same result") {
  std::mt19937 random(36);
  const std::string words[] = {"\r", "\n", ":", " ", "\0"s, "a", "h", "http/", "HTTP/1", "\t ", "aaaa", "  ", "1"};
  const std::string longer[] = {std::string(200, 'x'), std::string(70, 'x') + " y: h", "\x85h", " http/1 ", "foo\nb "};
  std::vector<std::string> parts(std::begin(words), std::end(words));
  parts.insert(parts.end(), std::begin(longer), std::end(longer));
  for (int round = 0; round < 20'000; ++round) {
    std::string bytes;
    for (int i = 0; i < 12; ++i) bytes += parts[random() % parts.size()];
    CAPTURE(bytes);
    std::size_t one_by_one = 0;
    const State wanted = after(bytes, 1, one_by_one);
    for (const std::size_t step : {bytes.size(), 2 + random() % 100}) {
      std::size_t in_parts = 0;
      CHECK(after(bytes, step, in_parts) == wanted);
      // The rest of bytes that are not the beginning of a head passes, too, so the numbers differ only for Different.
      if (wanted != State::Different) CHECK(in_parts == one_by_one);
    }
  }
}
