// The engine's first line, written by the test.
#include "server/http/reply_reader.h"

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

#include "server/base/channel.h"
#include "server/base/io.h"

using namespace band;
using namespace band::http;

namespace {

Admission admission(const std::string& line) {
  auto engine = base::stream_pair(), client = base::stream_pair();
  REQUIRE(engine.ok());
  REQUIRE(client.ok());
  REQUIRE(::fcntl(client->first.get(), F_SETFL, O_NONBLOCK) == 0);
  const Connection connection(std::move(client->first), "a client");
  ReplyReader reply(std::move(engine->first));
  REQUIRE(base::write_all(engine->second.get(), line + "\n").ok());
  return read_admission(reply, connection, 0);
}

std::int64_t stall_ms(const std::string& line) {
  const Admission first = admission(line);
  REQUIRE(std::holds_alternative<Ready>(first));
  return std::get<Ready>(first).stall_ms;
}

}  // namespace

TEST_CASE("a client may stall for the time that the engine sets, and for at most one day") {
  CHECK(stall_ms(R"({"status":200})") == 0);
  CHECK(stall_ms(R"({"status":200,"stall_ms":0})") == 0);
  CHECK(stall_ms(R"({"status":200,"stall_ms":60000})") == 60'000);
  CHECK(stall_ms(R"({"status":200,"stall_ms":86400000})") == 86'400'000);
  CHECK(stall_ms(R"({"status":200,"stall_ms":86400001})") == 86'400'000);
  CHECK(stall_ms(R"({"status":200,"stall_ms":9223372036854775807})") == 86'400'000);
}

TEST_CASE("a stall time that is not a non-negative integer makes the engine's answer malformed") {
  for (const std::string value : {"-1", "1.5", "\"60000\"", "null", "true", "[]"}) {
    CAPTURE(value);
    const Admission first = admission(R"({"status":200,"stall_ms":)" + value + "}");
    REQUIRE(std::holds_alternative<Refusal>(first));
    CHECK(std::get<Refusal>(first).status == 502);
  }
}
