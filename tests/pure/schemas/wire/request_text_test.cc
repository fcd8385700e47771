// request_from_text(), which reads the large parts of a request without making values of them, accepts and refuses the
// same texts as parse_json() and request_from_json().
#include <doctest/doctest.h>

#include <initializer_list>
#include <string>
#include <string_view>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"

namespace band {
namespace {

const std::string kStart = R"({"script":"a/b","source":"true","rules":{})";

// Returns the request as text without blanks, or the error.
std::string result_of(const Result<ExecRequest>& request) {
  if (!request.ok()) return request.error().message() + "\n" + request.error().hint;
  const auto again = parse_json(dump_json(request_to_json(*request)), "again", message_bounds(2));
  return again.ok() ? dump_json(*again) : again.error().message();
}

std::string from_values(const std::string& text) {
  auto value = parse_json(text, "request", message_bounds(1));
  return result_of(value.ok() ? request_from_json(std::move(*value)) : Result<ExecRequest>(value.error()));
}

std::string joined(std::initializer_list<std::string_view> parts) {
  std::string text;
  for (const std::string_view part : parts) text += part;
  return text;
}

void check_same(const std::string& text) {
  CAPTURE(text.substr(0, 300));
  CHECK(result_of(request_from_text(text)) == from_values(text));
}

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

const std::string kLong(300, 'A');

}  // namespace

TEST_CASE("every JSON value as input and as configuration gives the same request, or the same error") {
  const std::string values[] = {
      "{}", "[]", "null", "true", "false", "0", "-0", "1.10", "1e400", "123456789012345678901234567890", R"("")",
      R"("a, } ] b")", R"("\u00e4\n\"\\")", "\"\xC3\xA4\"", "\"" + kLong + "\"", "\"" + kLong + "\\n\"",
      R"({"a":{"b":[1,{"c":"}"}]},"d":"x"})", "[ 1 ,\n\t{ \"a\" : 2 } ]", "{\"" + kLong + "\":\"" + kLong + "\"}",
      // refused
      "", "{", "[", "[1,]", R"({"a":1,"a":2})", R"({"a":[0,{"b":1,"b":2}]})", R"([{"a":1},{"b":[{"c":1,"c":2}]}])",
      "01", "1.", "--1", "tru", "nan", R"("\ud800")", "\"\xFF\"", "\"\x01\"", R"("\x")", "1e9999999999",
      std::string(5000, '1'), nested(255), nested(256), nested(257), "{}}", "{} {}", "1 2"};
  for (const std::string& value : values)
    for (const std::string blank : {"", " ", "\r\n\t "})
      for (const std::string member : {"input", "config"}) {
        const std::string other = member == "input" ? "" : R"(,"input":{})";
        const std::string text = joined({blank, "\"", member, "\"", blank, ":", blank, value, blank});
        check_same(joined({kStart, other, ",", text, "}"}));
        check_same(joined({"{", text, other, ",", kStart.substr(1), "}"}));
        check_same(joined({kStart, other, ",", text, ",\"unknown\":1}"}));
      }
}

TEST_CASE("members are recognised with escapes in their names, and a repeated member is refused") {
  for (const char* input : {R"("input")", R"("inp\u0075t")"})
    for (const char* config : {R"("config")", R"("\u0063onfig")", R"("input")", R"("inpu\u0074")"})
      check_same(kStart + "," + input + R"(:{"a":1},)" + config + R"(:{"b":2}})");
  CHECK(from_values(kStart + R"(,"input":1,"inp\u0075t":2})").find("duplicate key") != std::string::npos);
}

TEST_CASE("every content of a file gives the same request, or the same error") {
  const std::string contents[] = {R"("")",
                                  R"("QQ==")",
                                  R"("Q\u0051==")",
                                  R"("QQ\/\/")",
                                  "\"" + kLong + "\"",
                                  "\"" + kLong + "A\"",
                                  "\"" + kLong.substr(2) + "==\"",
                                  "\"" + kLong + "====\"",
                                  "\"" + kLong + "\\/\\/\\/\\/\"",
                                  "\"" + kLong + "****\"",
                                  "\"" + kLong + "\xC3\xA4..\"",
                                  "5",
                                  "null",
                                  "[]",
                                  "{}",
                                  R"(["QQ=="])",
                                  "{\"content\":\"" + kLong + "\"}"};
  for (const std::string list : {"files", "lib", "skillFiles", "env"})
    for (const std::string& content : contents) {
      const std::string file = R"({"path":"assets/f","mode":"0644","content":)" + content + "}";
      const std::string start = joined({kStart, R"(,"input":{},")", list, "\":"});
      check_same(joined({start, "[", file, "]}"}));
      check_same(joined({start, file, "}"}));
      check_same(joined({start, "[[", file, "]]}"}));
      check_same(joined({kStart, R"(,"input":{"files":[)", file, "]}}"}));
    }
  // The members in another order, and a long string in the place of a path.
  check_same(kStart + R"(,"input":{},"files":[{"content":")" + kLong + R"(","path":")" + kLong +
             R"(","mode":"0644"}]})");
}

TEST_CASE("bounds apply within the parts: the number of values and their depth") {
  const auto list = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i) text += ",0";
    return text + "]";
  };
  const std::size_t most = message_bounds(1).values;
  check_same(kStart + ",\"input\":" + list(most - 10) + "}");
  check_same(kStart + ",\"input\":" + list(most + 10) + "}");
  CHECK(!request_from_text(kStart + ",\"input\":" + list(most + 10) + "}").ok());
}

TEST_CASE("the text of input and configuration is kept as it was sent") {
  const auto request = request_from_text(kStart + ",\"input\": {\"a\" : 1.10} , \"config\" :\n{ }}");
  REQUIRE(request.ok());
  CHECK(dump_json(request->input) == "{\"a\" : 1.10}");
  CHECK(json_size(request->input) == 12);
  CHECK(dump_json(request->config) == "{ }");
}

}  // namespace band
