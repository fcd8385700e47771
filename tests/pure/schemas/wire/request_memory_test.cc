// The memory that reading a large request needs, besides the text.
#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "tests/counted_memory.h"

namespace band {

using test::peak_of;

namespace {

constexpr std::size_t kMiB = 1 << 20, kSmall = 256 << 10;

std::string request_of(const std::string& members) {
  return R"({"script":"a/b","source":"true","rules":{},)" + members + "}";
}

std::string file_of(int number, std::size_t base64) {
  return R"({"path":"f)" + std::to_string(number) + R"(","mode":"0644","content":")" + std::string(base64, 'A') + "\"}";
}

std::string files_of(int count, std::size_t base64) {
  std::string files;
  for (int i = 0; i < count; ++i) files += (i == 0 ? "" : ",") + file_of(i, base64);
  return request_of(R"("input":{},"files":[)" + files + "]");
}

std::string records(int count) {
  std::string list;
  for (int i = 0; i < count; ++i)
    list += (i == 0 ? "{" : ",{") + (R"("id":)" + std::to_string(i)) + R"(,"name":"a name","of":[1.5,true,null]})";
  return "[" + list + "]";
}

// An object with `count` members whose keys begin with `prefix`.
std::string object_of(int count, const std::string& prefix) {
  std::string members;
  for (int i = 0; i < count; ++i) members += (i == 0 ? "\"" : ",\"") + prefix + std::to_string(i) + "\":0";
  return "{" + members + "}";
}

std::string repeated(int count, const std::string& value) {
  std::string list = value;
  for (int i = 1; i < count; ++i) list += "," + value;
  return "[" + list + "]";
}

// Returns the most memory that reading the text needs, as a share of the text's size; -1: the text was refused.
double share(const std::string& text) {
  bool read = false;
  const std::size_t peak = peak_of([&] {
    const auto request = request_from_text(text);
    read = request.ok();
  });
  return read ? static_cast<double>(peak) / static_cast<double>(text.size() + kSmall) : -1;
}

}  // namespace

TEST_CASE("a request needs at most as much memory as its text is long, whatever makes it large, except escapes") {
  for (const std::string& text :
       {files_of(1, 64 * kMiB), files_of(64, kMiB), files_of(2000, 32 << 10),
        request_of(R"("input":")" + std::string(64 * kMiB, 'x') + "\""), request_of("\"input\":" + records(150'000)),
        request_of(R"("input":{},"config":{"a":)" + records(150'000) + "}"),
        request_of("\"input\":" + object_of(900'000, "")), request_of("\"input\":" + object_of(900'000, "user")),
        request_of("\"input\":" + repeated(1'400'000, "1e400")),
        request_of("\"input\":" + repeated(50'000, object_of(20, "")))}) {
    CAPTURE(text.substr(0, 120));
    CAPTURE(text.size());
    const double needed = share(text);
    CHECK(needed > 0.5);  // the control: at least the decoded content is counted
    CHECK(needed <= 1.0);
  }
}

TEST_CASE("a file whose base64 has escapes, and a key with an escape, become values") {
  const std::string file = R"({"path":"f","mode":"0644","content":"\/)" + std::string(16 * kMiB - 1, 'A') + "\"}";
  const double of_file = share(request_of(R"("input":{},"files":[)" + file + "]"));
  CHECK(of_file > 1.0);
  CHECK(of_file <= 5.5);
  const double of_keys = share(request_of("\"input\":" + object_of(500'000, R"(\u00fc)")));
  CHECK(of_keys > 1.0);
  CHECK(of_keys <= 8.0);
}

TEST_CASE("the control: values instead of parts of the text need more") {
  const auto share_with_values = [](const std::string& text) {
    const std::size_t peak = peak_of([&] {
      auto value = parse_json(text, "request", message_bounds(1));
      REQUIRE(value.ok());
      CHECK(request_from_json(std::move(*value)).ok());
    });
    return static_cast<double>(peak) / static_cast<double>(text.size());
  };
  CHECK(share_with_values(files_of(1, 64 * kMiB)) > 1.7);
  CHECK(share_with_values(request_of("\"input\":" + records(150'000))) > 3);
}

}  // namespace band
