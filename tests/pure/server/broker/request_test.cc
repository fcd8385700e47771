#include "server/broker/request.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>

using namespace band;
using namespace std::string_literals;

namespace {

struct Sent {
  shim::RequestHead head;
  std::string body;
};

Sent sent(const std::string& name, const std::string& directory, const std::string& argv, const std::string& env = "") {
  Sent result;
  result.head.name_bytes = static_cast<std::uint32_t>(name.size());
  result.head.directory_bytes = static_cast<std::uint32_t>(directory.size());
  result.head.argv_bytes = static_cast<std::uint32_t>(argv.size());
  result.head.env_bytes = static_cast<std::uint32_t>(env.size());
  result.body = name + directory + argv + env;
  return result;
}

std::string why(const Sent& what) {
  if (const Status head = broker::check_head(what.head); !head.ok()) return head.error().doing;
  const auto request = broker::read_request(what.head, what.body);
  return request.ok() ? "taken" : request.error().doing;
}

}  // namespace

TEST_CASE("a shim's request arrives byte for byte: empty arguments, newlines, invalid UTF-8") {
  const Sent what = sent("gh\0"s, "/work\0"s, "gh\0\0a\nb\0\xff\xfe\0"s, "A=1\0B=\0=odd\0"s);
  REQUIRE(broker::check_head(what.head).ok());
  const auto request = broker::read_request(what.head, what.body);
  REQUIRE(request.ok());
  CHECK(request->name == "gh");
  CHECK(request->directory == "/work");
  CHECK(request->argv == std::vector<std::string>{"gh", "", "a\nb", "\xff\xfe"});
  CHECK(request->env == std::vector<std::string>{"A=1", "B=", "=odd"});
}

TEST_CASE("requests that a shim never sends are refused with the reason") {
  CHECK(why(sent("gh\0"s, "/work\0"s, "gh\0"s)) == "taken");  // the control
  struct Row {
    Sent what;
    const char* says;
  };
  const Row rows[] = {
      {sent("g/h\0"s, "/work\0"s, "gh\0"s), "a name with a slash"},
      {sent("\0"s, "/work\0"s, "gh\0"s), "the name or the directory is not one non-empty string"},
      {sent("", "/work\0"s, "gh\0"s), "the name or the directory is not one non-empty string"},
      {sent("gh\0rm\0"s, "/work\0"s, "gh\0"s), "the name or the directory is not one non-empty string"},
      {sent("gh", "/work\0"s, "gh\0"s), "a string has no NUL at its end"},
      {sent("gh\0"s, "work\0"s, "gh\0"s), "not absolute"},
      {sent("gh\0"s, "/work\0"s, ""), "no arguments"},
      {sent("gh\0"s, "/work\0"s, "gh\0open"s), "a string has no NUL at its end"},
      {sent(std::string(257, 'x'), "/work\0"s, "gh\0"s), "too long"},
      {sent("gh\0"s, "/" + std::string(5000, 'x'), "gh\0"s), "too long"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.says);
    CHECK(why(row.what).find(row.says) != std::string::npos);
  }
}

TEST_CASE("wrong sizes are refused before the body is read") {
  Sent what = sent("gh\0"s, "/work\0"s, "gh\0"s);
  what.head.argv_bytes = 0xffffffff;
  what.head.env_bytes = 0xffffffff;  // their sum wraps in 32 bits
  CHECK(why(what).find("larger than") != std::string::npos);
  what = sent("gh\0"s, "/work\0"s, "gh\0"s);
  what.head.argv_bytes += 1;
  CHECK(why(what).find("the body does not have the announced size") != std::string::npos);
  what = sent("gh\0"s, "/work\0"s, "gh\0"s);
  what.head.magic = 1;
  CHECK(why(what).find("not from a shim") != std::string::npos);
  what = sent("gh\0"s, "/work\0"s, "gh\0"s);
  what.head.umask = 01000;
  CHECK(why(what).find("unknown bits") != std::string::npos);
  what = sent("gh\0"s, "/work\0"s, "gh\0"s);
  what.head.mode = static_cast<shim::Mode>(7);
  CHECK(why(what).find("unknown mode") != std::string::npos);
}

TEST_CASE("descriptor numbers must be ascending; sixteen besides 0 to 2 are accepted") {
  const auto numbered = [](const std::vector<std::uint32_t>& numbers, std::uint32_t count) {
    Sent what = sent("gh\0"s, "/work\0"s, "gh\0"s);
    std::copy(numbers.begin(), numbers.end(), what.head.descriptors);
    what.head.descriptor_count = count;
    return why(what);
  };
  CHECK(numbered({}, 0) == "taken");
  CHECK(numbered({0, 1, 2, 63}, 4) == "taken");
  CHECK(numbered({5, 4}, 1) == "taken");  // numbers after the count are ignored
  CHECK(numbered({5, 4}, 2).find("not in order") != std::string::npos);
  CHECK(numbered({5, 5}, 2).find("not in order") != std::string::npos);
  CHECK(numbered({(1u << 20) - 1}, 1) == "taken");
  CHECK(numbered({1u << 20}, 1).find("no process can have") != std::string::npos);
  CHECK(numbered({0xffffffff}, 1).find("no process can have") != std::string::npos);
  std::vector<std::uint32_t> many(shim::kMaxDescriptors);
  std::iota(many.begin(), many.end(), 0u);
  CHECK(numbered(many, shim::kMaxDescriptors) == "taken");
  CHECK(numbered(many, shim::kMaxDescriptors + 1).find("more descriptors") != std::string::npos);
  CHECK(numbered(many, 0xffffffff).find("more descriptors") != std::string::npos);
  std::iota(many.begin(), many.end(), 3u);
  CHECK(numbered(many, 16) == "taken");
  CHECK(numbered(many, 17).find("more descriptors") != std::string::npos);
}

TEST_CASE("a request of empty strings only does not use hundreds of megabytes") {
  const std::string fits = "gh\0"s + std::string(shim::kMaxStrings - 3, '\0');
  CHECK(why(sent("gh\0"s, "/work\0"s, fits)) == "taken");  // the control
  CHECK(why(sent("gh\0"s, "/work\0"s, fits + '\0')).find("more arguments") != std::string::npos);
  CHECK(why(sent("gh\0"s, "/work\0"s, "gh\0"s, std::string(shim::kMaxStrings, '\0'))).find("more arguments") !=
        std::string::npos);
}
