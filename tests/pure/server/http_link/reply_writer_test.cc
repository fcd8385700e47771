#include "server/http_link/reply_writer.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "schemas/core/json.h"
#include "server/base/channel.h"
#include "server/base/io.h"

using namespace band;

namespace {

struct Ends {
  Result<std::pair<base::Fd, base::Fd>> both = base::stream_pair();
  run::ReplyWriter writer{std::move(both->first)};
  base::Fd reader{std::move(both->second)};
};

std::string read_all(const base::Fd& reader) { return base::read_all(reader.get(), 64 << 20).value(); }

}  // namespace

TEST_CASE("a reply is its lines, in order, and then EOF") {
  Ends ends;
  ends.writer.status(200);
  ends.writer.note("limit", "a note");
  ends.writer.log("stdout", "a\nb");
  ends.writer.line({{"event", "result"}});
  ends.writer.finish(1'000);
  CHECK(read_all(ends.reader) ==
        "{\"status\":200}\n{\"event\":\"limit\",\"text\":\"a note\"}\n{\"event\":\"stdout\",\"data\":\"a\\nb\"}\n"
        "{\"event\":\"result\"}\n");
}

TEST_CASE("a client that requests only the answer gets the status and the result") {
  for (const bool events : {true, false}) {
    CAPTURE(events);
    Ends ends;
    if (!events) ends.writer.omit_events();
    ends.writer.status(200);
    ends.writer.note("limit", "a note");
    ends.writer.started("0123456789abcdef");
    ends.writer.log("stdout", "a");
    ends.writer.bytes("stderr", "b");
    ends.writer.line({{"event", "result"}});
    ends.writer.finish(1'000);
    const std::string all = read_all(ends.reader);
    CHECK((all == "{\"status\":200}\n{\"event\":\"result\"}\n") == !events);
    CHECK(std::count(all.begin(), all.end(), '\n') == (events ? 6 : 2));
  }
}

TEST_CASE("a refusal is one line, with retry_after only when it is set") {
  Ends ends;
  ends.writer.refuse(503, Error{.code = Code::ServerBusy, .doing = "full"}, 2);
  ends.writer.finish(1'000);
  const std::string line = read_all(ends.reader);
  CHECK(line.starts_with(R"({"status":503,"retry_after":2,"error":{"code":"SERVER_BUSY","message":"full")"));
  Ends other;
  other.writer.refuse(401, Error{.code = Code::Unauthorized, .doing = "no"});
  other.writer.finish(1'000);
  CHECK(read_all(other.reader).starts_with(R"({"status":401,"error":)"));
}

TEST_CASE("a peer that does not read does not block the writer, and receives every line later, once") {
  Ends ends;
  std::string expected;
  for (int i = 0; i < 2'000; ++i) {
    ends.writer.log("stdout", std::string(1'000, static_cast<char>('a' + i % 26)));
    expected += dump_json({{"event", "stdout"}, {"data", std::string(1'000, static_cast<char>('a' + i % 26))}}) + "\n";
  }
  CHECK(ends.writer.wants_to_write());
  CHECK(ends.writer.held() > 1'000'000);
  std::string got;
  std::thread reader([&] { got = read_all(ends.reader); });
  ends.writer.finish(10'000);
  reader.join();
  CHECK(got == expected);
}

TEST_CASE("finish stops waiting for a peer that does not read") {
  Ends ends;
  ends.writer.log("stdout", std::string(8 << 20, 'x'));
  const std::int64_t began = base::monotonic_us();
  ends.writer.finish(50);
  CHECK(base::monotonic_us() - began >= 45'000);  // poll(2) counts whole milliseconds
  CHECK(!read_all(ends.reader).ends_with("\n"));  // truncated: http receives a reply without its last line
}

TEST_CASE("a client that disconnected is detected, and writing to it ends") {
  Ends ends;
  CHECK(!ends.writer.gone());
  ends.reader.reset();
  CHECK(ends.writer.gone());
  ends.writer.log("stdout", "x");
  CHECK(!ends.writer.wants_to_write());
}
