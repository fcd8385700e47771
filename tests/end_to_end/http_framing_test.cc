// The ends of bodies and answers, for any division of the bytes into pieces. Pure.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "server/http/admission.h"
#include "server/http/log.h"
#include "server/http/reply_reader.h"
#include "server/http1/body.h"

using namespace band::http;
using namespace band::http1;

namespace {

struct Taken {
  std::string body, rest;
  bool done = false, failed = false, too_large = false;
};

// Feeds `bytes` in pieces of `step`.
Taken take(BodyPlan plan, std::uint64_t most, std::string_view bytes, std::size_t step) {
  BodyFrame frame(plan, most);
  Taken result;
  while (!bytes.empty() && !frame.done() && !frame.failed()) {
    std::string_view content;
    const std::size_t n = frame.consume(bytes.substr(0, step), content);
    result.body.append(content);
    bytes.remove_prefix(n);
    if (n == 0) CHECK(frame.failed());
  }
  result.done = frame.done();
  result.failed = frame.failed();
  result.too_large = frame.too_large();
  result.rest = bytes;
  return result;
}

struct Filtered {
  std::string out;
  bool complete = false, failed = false;
};

Filtered filter(ReplyFilter::Mode mode, std::string_view bytes, std::size_t step) {
  ReplyFilter one(mode);
  Filtered result;
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) one.feed(bytes.substr(0, step), result.out);
  result.complete = one.complete();
  result.failed = one.failed();
  return result;
}

const BodyPlan kChunked{BodyPlan::Kind::Chunked, 0};

}  // namespace

TEST_CASE("a body ends as its head defines, and no byte of the next request is consumed") {
  const std::string next = "GET /v1/health HTTP/1.1\r\n";
  const std::string chunks = "3\r\nabc\r\n00A\r\n0123456789\r\n0\r\n\r\n";
  for (std::size_t step = 1; step < 60; ++step) {
    const Taken length = take({BodyPlan::Kind::Length, 5}, 100, "hello" + next, step);
    CHECK(length.body == "hello");
    CHECK(length.rest == next);
    CHECK(length.done);
    const Taken chunked = take(kChunked, 100, chunks + next, step);
    CHECK(chunked.body == "abc0123456789");
    CHECK(chunked.rest == next);
    CHECK(chunked.done);
    const Taken none = take({}, 100, next, step);
    CHECK(none.body.empty());
    CHECK(none.rest == next);
    CHECK(none.done);
  }
}

TEST_CASE("every prefix of a chunked body is unfinished, and every wrong byte in its lines fails it") {
  const std::string chunks = "3\r\nabc\r\n0\r\n\r\n";
  for (std::size_t n = 0; n < chunks.size(); ++n) {
    const Taken part = take(kChunked, 100, chunks.substr(0, n), 1);
    CHECK_FALSE(part.done);
    CHECK_FALSE(part.failed);
    if (n >= 3 && n < 6) continue;  // the data
    std::string wrong = chunks;
    wrong[n] = '!';
    CHECK(take(kChunked, 100, wrong, 1).failed);
  }
}

TEST_CASE("the size of a body is counted over all its chunks") {
  CHECK(take(kChunked, 6, "3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n", 1).done);
  CHECK(take(kChunked, 5, "3\r\nabc\r\n3\r\nabc\r\n0\r\n\r\n", 1).too_large);
  CHECK(take(kChunked, 5, "ffffffff\r\n", 1).too_large);
  CHECK(take(kChunked, 5, "100000000\r\n", 1).failed);
  CHECK(BodyFrame({BodyPlan::Kind::Length, 6}, 5).too_large());
}

TEST_CASE("the client gets the answer of the engine's lines, or every event") {
  const std::string events = "{\"event\":\"started\",\"id\":\"1\"}\n{\"event\":\"stdout\",\"data\":\"}\\n\"}\n";
  const std::string answer = R"({"id":"1","data":{"a":[{}]}})";
  const std::string lines = events + "{\"event\":\"result\",\"answer\":" + answer + "}\n";
  for (std::size_t step = 1; step < lines.size() + 2; ++step) {
    const Filtered short_form = filter(ReplyFilter::Mode::Answer, lines, step);
    CHECK(short_form.out == answer + "\n");
    CHECK(short_form.complete);
    const Filtered all = filter(ReplyFilter::Mode::Events, lines, step);
    CHECK(all.out == lines);
    CHECK(all.complete);
  }
  for (std::size_t n = 0; n < lines.size(); ++n) {
    CHECK_FALSE(filter(ReplyFilter::Mode::Answer, lines.substr(0, n), 1).complete);
    CHECK_FALSE(filter(ReplyFilter::Mode::Events, lines.substr(0, n), 1).complete);
  }
}

TEST_CASE("lines in a wrong format end the answer as broken") {
  for (const std::string line : {"\n", "{}\n", "hello, this is not an event\n", "{\"event\":\"result\",\"body\":{}}\n",
                                 "{\"event\":\"result\",\"answer\":\n", "{\"event\":\"result\",\"answer\":{}\n"}) {
    CAPTURE(line);
    for (const std::size_t step : {std::size_t{1}, line.size()}) {
      const Filtered broken = filter(ReplyFilter::Mode::Answer, line, step);
      // A line without its closing brace is not detected here, but it loses its last byte and fails at the client.
      CHECK((broken.failed || broken.out != "{}\n"));
    }
  }
  const std::string whole = "{\"event\":\"result\",\"answer\":{}}\n";
  CHECK(filter(ReplyFilter::Mode::Answer, whole + "x", 1).failed);
  CHECK(filter(ReplyFilter::Mode::Events, whole + whole, 7).failed);
}

TEST_CASE("cpp-httplib gets a head that the client did not write") {
  Admitted request;
  request.route = Route::Exec;
  request.body = {BodyPlan::Kind::Length, 12};
  request.expects_continue = request.close = true;
  CHECK(clean_head(request) == "POST /v1/exec HTTP/1.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
  request = {};
  request.route = Route::Cancel;
  request.id = "0123456789abcdef";
  CHECK(clean_head(request) == "DELETE /v1/exec/ HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
}

TEST_CASE("the log escapes control characters, and cuts what looks like a token") {
  CHECK(printable("a\x1b[31m\n\xff", 100) == "a\\x1b[31m\\x0a\\xff");
  CHECK(printable("/x/band_0123abcd_77", 100) == "/x/[token]");
  CHECK(printable(std::string(500, 'x'), 10).size() == 10);
}
