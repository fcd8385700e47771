// The memory that a hostile text can use.
#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json.h"
#include "tests/counted_memory.h"

namespace band {

using test::peak_of;

namespace {

constexpr std::size_t kMiB = 1 << 20;

std::string list_of(std::string_view item, std::size_t bytes) {
  const std::size_t each = item.size() + 1, whole = 1 + (bytes + each - 2) / each * each;
  std::string text = "[";
  text.reserve(whole);
  text.append(item).append(",");
  // Doubled, because there are 45 million of the smallest items.
  while (text.size() < whole) text.append(text, 1, std::min(text.size() - 1, whole - text.size()));
  text.back() = ']';
  return text;
}

constexpr const char* kItems[] = {
    "[]", "{}",  R"("")", "0", "[[]]", R"({"":0})", R"({"":[0]})", R"({"":""})", R"("0123456789abcdef")",
    "-0", "1e3", "1e400"};
const std::string kLongItems[] = {"\"" + std::string(200, 'x') + "\"", "{\"" + std::string(200, 'k') + "\":1e400}"};

}  // namespace

TEST_CASE("the largest message needs at most 160 MiB in addition to its own size, even with the smallest values") {
  for (const char* item : kItems) {
    CAPTURE(item);
    const std::string text = list_of(item, 90 * kMiB);
    CHECK(peak_of([&] { CHECK_FALSE(parse_json(text, "request", message_bounds(1)).ok()); }) < 160 * kMiB);
  }
}

TEST_CASE("long strings, which bypass the tokenizer, need at most their own size and 160 MiB") {
  for (const std::string& item : kLongItems) {
    const std::string text = list_of(item, 90 * kMiB);
    CHECK(peak_of([&] { (void)parse_json(text, "request", message_bounds(1)); }) < text.size() + 160 * kMiB);
  }
}

TEST_CASE("the control: without the bound a text needs many times its own size") {
  const JsonBounds none{kMaxJsonDepth, 100'000'000};
  const std::string text = list_of("[]", 8 * kMiB);
  CHECK(peak_of([&] { CHECK(parse_json(text, "request", none).ok()); }) > 15 * text.size());
}

}  // namespace band
