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

TEST_CASE("a request needs at most as much memory as its text is long, whatever makes it large") {
  for (const std::string& text :
       {files_of(1, 64 * kMiB), files_of(64, kMiB), files_of(2000, 32 << 10),
        request_of(R"("input":")" + std::string(64 * kMiB, 'x') + "\""), request_of("\"input\":" + records(150'000)),
        request_of(R"("input":{},"config":{"a":)" + records(150'000) + "}")}) {
    CAPTURE(text.substr(0, 120));
    CAPTURE(text.size());
    const double needed = share(text);
    CHECK(needed > 0.5);  // the control: at least the decoded content is counted
    CHECK(needed <= 1.0);
  }
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
