// The texts that parse_json accepts and refuses, and base64.
#include "schemas/core/json.h"
#include "schemas/core/json_number.h"

#include <doctest/doctest.h>

#include <string>

#include "schemas/core/json_compare.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "tests/pure/cpu_seconds.h"

namespace band {
namespace {

using namespace std::string_literals;

std::string nested(int levels) {
  return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

Json parsed(std::string_view text) {
  auto value = parse_json(text, "test");
  REQUIRE_MESSAGE(value.ok(), text << ": " << value.error().message());
  return *value;
}

}  // namespace

TEST_CASE("JSON is written as it was read") {
  for (const char* text :
       {"null", "true", "-1", "0", "1.5", "\"\"", "[]", "{}", R"({"b":1,"a":[2,{"c":null}],"A":"\u0000"})",
        "9007199254740993", "-9223372036854775808", "18446744073709551615", "\"\\\"\\\\\"", "\"\xF0\x9F\x98\x80\"",
        R"([[],[[]],{},[{}]])", R"({"":{"":0}})",
        R"({"\"":0,"\"\"":1,"\\":2,"\\\"":3,"\"\\":4,"\\\\":5,"b":{"\"a":6},"a":7})"}) {
    CAPTURE(text);
    CHECK(dump_json(parsed(text)) == text);
  }
  CHECK(dump_json(parsed(" \t\r\n [ 1 , 2 ] \n")) == "[1,2]");
  CHECK(dump_json(parsed(R"("\ud83d\ude00")")) == "\"\xF0\x9F\x98\x80\"");
  CHECK(dump_json_pretty(parsed(R"({"a":[1]})")) == "{\n  \"a\": [\n    1\n  ]\n}");
}

TEST_CASE("text that is not JSON is refused, with position and reason") {
  struct Row {
    std::string text;
    const char* place;
    const char* reason;
  };
  const Row rows[] = {
      {"", "line 1, column 1", "empty"},
      {" ", "line 1", "unexpected end of input"},
      {"{\"a\":1", "line 1", "unexpected end of input"},
      {"[1,]", "line 1, column 4", "unexpected ']'"},
      {"[1\n,,2]", "line 2, column 2", "unexpected ','"},
      {"{a:1}", "line 1, column 2", "invalid literal"},
      {"{'a':1}", "line 1, column 2", "invalid literal"},
      {"NaN", "line 1", "invalid literal"},
      {"Infinity", "line 1", "invalid literal"},
      {"01", "line 1, column 2", "unexpected text"},
      {"1.", "line 1", "invalid number"},
      {"+1", "line 1, column 1", "invalid literal"},
      {"// x\n1", "line 1", "invalid literal"},
      {"\"a\nb\"", "line 1, column 3", "control character"},
      {"\"a\tb\"", "line 1, column 3", "control character"},
      {"\"\\x\"", "line 1, column 3", "backslash"},
      {"{} {}", "line 1, column 4", "unexpected text"},
      {"1\n2", "line 2, column 1", "unexpected text"},
      {"1\0garbage"s, "line 1, column 2", "NUL byte"},
      {"\0"s, "line 1, column 1", "NUL byte"},
      {"\"a\0b\""s, "line 1, column 3", "NUL byte"},
      {"\xEF\xBB\xBF{}", "line 1, column 1", "byte order mark"},
      {"\"\xC0\xAF\"", "line 1, column 2", "ill-formed UTF-8"},          // overlong '/'
      {"\"\xE0\x80\xAF\"", "line 1, column 3", "ill-formed UTF-8"},      // overlong '/'
      {"\"\xF0\x80\x80\xAF\"", "line 1, column 3", "ill-formed UTF-8"},  // overlong '/'
      {"\"\xED\xA0\x80\"", "line 1, column 3", "ill-formed UTF-8"},      // surrogate
      {"\"\xF4\x90\x80\x80\"", "line 1, column 3", "ill-formed UTF-8"},  // above U+10FFFF
      {"\"\x80\"", "line 1, column 2", "ill-formed UTF-8"},
      {"\"\xC3\"", "line 1, column 3", "ill-formed UTF-8"},
      {"{\"\xFF\":1}", "line 1, column 3", "ill-formed UTF-8"},
      {R"("\ud800")", "line 1", "surrogate"},
      {R"("\udc00")", "line 1", "surrogate"},
      {R"("\ud800\u0041")", "line 1", "surrogate"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto value = parse_json(row.text, "input");
    REQUIRE_FALSE(value.ok());
    const std::string message = value.error().message();
    CAPTURE(message);
    CHECK(value.error().code == Code::BadRequest);
    CHECK(message.starts_with("input, line "));
    CHECK(message.find(row.place) != std::string::npos);
    CHECK(message.find(row.reason) != std::string::npos);
    for (const char c : message) CHECK(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("a duplicate key is refused, named by its JSON pointer") {
  struct Row {
    const char* text;
    const char* pointer;
    const char* place;
  };
  const Row rows[] = {
      {R"({"a":1,"a":2})", "duplicate key /a", "column 10"},
      {R"({"a":{"b":[0,{"c":1,"d":2,"c":3}]}})", "duplicate key /a/b/1/c", "line 1"},
      {"{\"a\":1,\n\"\\u0061\":2}", "duplicate key /a", "line 2, column 8"},
      {R"({"x/y":{"~":0,"~":0}})", "duplicate key /x~1y/~0", "line 1"},
      {R"([[],{"":0,"":0}])", "duplicate key /1/", "line 1"},
      {R"({"b":0,"a":0,"c":0,"a":0,"b":0})", "duplicate key /a", "line 1"},  // the first in the text
      {R"({"\"":0,"x":{"\u0022":0},"\u0022":0})", R"(duplicate key /")", "column 33"},
      {R"({"\\":0,"a":0,"\u005c":0})", R"(duplicate key /\)", "column 22"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto value = parse_json(row.text, "input");
    REQUIRE_FALSE(value.ok());
    CAPTURE(value.error().message());
    CHECK(value.error().message().find(row.pointer) != std::string::npos);
    CHECK(value.error().message().find(row.place) != std::string::npos);
  }
  CHECK(parse_json(R"({"a":{"a":{"a":1}},"A":1})", "input").ok());
}

TEST_CASE("a million values are accepted, one more is refused with its position, and a message may have more") {
  const auto list = [](std::size_t items) {
    std::string text = "[0";
    for (std::size_t i = 1; i < items; ++i) text += i % 2 == 0 ? ",0" : ",\n0";
    return text + "]";
  };
  CHECK(parsed(list(kMaxJsonValues - 1)).size() == kMaxJsonValues - 1);  // the list itself is one
  const auto value = parse_json(list(kMaxJsonValues), "output");
  REQUIRE_FALSE(value.ok());
  CHECK(value.error().message() == "output, line 500001, column 2: more than 1000000 values");
  CHECK(parse_json(list(kMaxJsonValues), "request", message_bounds(1)).ok());
  CHECK_FALSE(parse_json(list(kMaxJsonValues + 500'000), "request", message_bounds(1)).ok());
}

TEST_CASE("256 levels are accepted, 257 and 50,000 are refused, and the stack does not overflow") {
  CHECK(dump_json(parsed(nested(256))) == nested(256));
  for (const int levels : {257, 50'000, 5'000'000}) {
    const auto value = parse_json(nested(levels), "output.json");
    REQUIRE_FALSE(value.ok());
    CHECK(value.error().message() ==
          "output.json, line 1, column 257: arrays and objects are nested deeper than 256 levels");
  }
  std::string objects;
  for (int i = 0; i < 50'000; ++i) objects += "{\"a\":";
  CHECK_FALSE(parse_json(objects, "x").ok());
  CHECK_FALSE(parse_json(std::string(50'000, '['), "x").ok());
}

TEST_CASE("integers from -2^63 to 2^64-1 stay exact") {
  CHECK(parsed("9007199254740993").get<std::int64_t>() == 9007199254740993);
  CHECK(parsed("-9223372036854775808").get<std::int64_t>() == INT64_MIN);
  CHECK(parsed("18446744073709551615").get<std::uint64_t>() == UINT64_MAX);
  CHECK(json_type_name(parsed("18446744073709551616")) == "integer");  // json_number_test has more
}

TEST_CASE("parsing takes time about linear in the text") {
  // Each of these took at least quadratic time with nlohmann's own builder.
  std::string many_keys = "{";
  for (int i = 0; i < 300'000; ++i)
    many_keys += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":" + std::to_string(i);
  many_keys += "}";
  // On each level the deep member comes first and the object grows after it.
  std::string deep_then_wide, tail;
  for (int i = 0; i < 250; ++i) {
    deep_then_wide += "{\"d\":";
    std::string wide;
    for (int k = 0; k < 500; ++k) wide += ",\"" + std::to_string(k) + "\":0";
    tail += wide + "}";
  }
  deep_then_wide += "0" + tail;
  for (const std::string& text : {many_keys, deep_then_wide}) {
    const double seconds = test::cpu_seconds_of([&] { CHECK(parse_json(text, "x").ok()); });
    CHECK(seconds < 5);  // 0.1 to 0.3 measured, 1 under the sanitizers
  }
}

TEST_CASE("types have the names of JSON Schema") {
  CHECK(json_type_name(parsed("null")) == "null");
  CHECK(json_type_name(parsed("true")) == "boolean");
  CHECK(json_type_name(parsed("1")) == "integer");
  CHECK(json_type_name(parsed("-1")) == "integer");
  CHECK(json_type_name(parsed("1.0")) == "number");
  CHECK(json_type_name(parsed("\"\"")) == "string");
  CHECK(json_type_name(parsed("[]")) == "array");
  CHECK(json_type_name(parsed("{}")) == "object");
}

TEST_CASE("dumping never throws") { CHECK(dump_json(Json("a\xFF"s)) == "\"a\xEF\xBF\xBD\""); }

TEST_CASE("numbers are compared by value, exactly") {
  struct Row {
    const char* a;
    const char* b;
    int order;
  };
  const Row rows[] = {
      {"1", "1.0", 0},
      {"0", "-0.0", 0},
      {"9007199254740993", "9007199254740992", 1},
      {"9007199254740993", "9007199254740992.0", 1},
      {"9007199254740992", "9007199254740992.0", 0},
      {"-9007199254740993", "-9007199254740992.0", -1},
      {"18446744073709551615", "18446744073709551616", -1},
      {"18446744073709551615", "-1", 1},
      {"-9223372036854775808", "-9223372036854775808.0", 0},
      {"-9223372036854775808", "9223372036854775808", -1},
      {"1", "1.5", -1},
      {"-1", "-1.5", 1},
      {"2", "1.5", 1},
      {"5", "1e300", -1},
      {"5", "-1e300", 1},
      {"0", "1e-300", -1},
      {R"({"a":1,"b":[2]})", R"({"b":[2.0],"a":1.0})", 0},
      {R"({"a":1})", R"({"b":1})", -1},
      {"[1,2]", "[2,1]", -1},
      {"\"1\"", "1", 1},
      {"false", "0", -1},
  };
  const auto sign = [](int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; };
  for (const Row& row : rows) {
    CAPTURE(row.a);
    CAPTURE(row.b);
    CHECK(sign(compare_json(parsed(row.a), parsed(row.b))) == row.order);
    CHECK(sign(compare_json(parsed(row.b), parsed(row.a))) == -row.order);
  }
}

TEST_CASE("multiples are computed from the decimals as written") {
  struct Row {
    const char* value;
    const char* divisor;
    bool multiple;
  };
  const Row rows[] = {
      {"9007199254740993", "2", false},
      {"9007199254740992", "2", true},
      {"19.99", "0.01", true},
      {"0.3", "0.1", true},
      {"0.35", "0.1", false},
      {"15", "10", false},
      {"30", "10", true},
      {"4.5", "1.5", true},
      {"0", "7", true},
      {"1e300", "7", false},
      {"1e300", "1e299", true},
      {"1e308", "1e-300", true},
      {"1e-300", "1", false},
      {"-6", "3", true},
      {"-7", "3", false},
      {"18446744073709551615", "5", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CAPTURE(row.divisor);
    CHECK(is_multiple_of(parsed(row.value), parsed(row.divisor)) == row.multiple);
  }
}

TEST_CASE("values in messages are short, on one line and escaped for terminals") {
  CHECK(shown_with_type(Json("a\x1b[2J\n\"")) == "string \"a\\u001b[2J\\n\\\"\"");
  CHECK(shown_with_type(Json(std::string(100, 'x'))) == "string \"" + std::string(60, 'x') + "\"...");
  CHECK(shown_with_type(parsed("[1,2]")) == "array of 2 items");
  CHECK(shown_with_type(parsed("{\"a\":1}")) == "object with 1 member");
  CHECK(shown_with_type(parsed("null")) == "null");
  CHECK(shown_value(parsed(R"([1,{"a":"b"}])")) == R"([1,{"a":"b"}])");
  CHECK(shown_value(Json(std::vector<int>(1'000'000, 7))).size() < 70);
  CHECK(escaped("\u202Eevil\xFF") == "\\u202eevil\xEF\xBF\xBD");
  CHECK(shown_pointer("/" + std::string(10'000, 'k')).size() < 600);
}

TEST_CASE("base64 is strict, with one text for each sequence of bytes") {
  const std::pair<std::string, std::string> pairs[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\x00\xFF\xFE"s, "AP/+"},
  };
  for (const auto& [bytes, text] : pairs) {
    CHECK(base64_encode(bytes) == text);
    const auto decoded = base64_decode(text);
    REQUIRE(decoded.ok());
    CHECK(*decoded == bytes);
  }
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zg==Zg==", "Zm9v\n", "Zm 9", "Zm9-", "Zm9_",
                           "Zh==", "Zm9=", "=m9v", "Zg=v", "Zm9v===="}) {
    CAPTURE(text);
    const auto decoded = base64_decode(text);
    REQUIRE_FALSE(decoded.ok());
    CHECK(decoded.error().code == Code::BadRequest);
  }
  std::string all;
  for (int i = 0; i < 100'003; ++i) all += static_cast<char>(i * 31 % 256);
  CHECK(*base64_decode(base64_encode(all)) == all);
}

}  // namespace band

TEST_CASE("why_not_json reports the position separately from the problem") {
  CHECK_FALSE(band::why_not_json("{\"a\": 1}").has_value());
  const auto empty = band::why_not_json("");
  REQUIRE(empty);
  CHECK(empty->problem == "empty");
  CHECK(empty->line == 1);
  CHECK(empty->column == 1);
  const auto twice = band::why_not_json("{\"a\": 1,\n  \"a\": 2}");
  REQUIRE(twice);
  CHECK(twice->problem == "duplicate key /a");
  CHECK(twice->line == 2);
  CHECK(band::parse_json("{\"a\": 1,\n  \"a\": 2}", "x").error().message() ==
        "x, line 2, column " + std::to_string(twice->column) + ": duplicate key /a");
}

TEST_CASE("long strings are read completely, as values and as keys, and positions of errors after them are correct") {
  const std::string plain(1000, 'x'), with_escape = std::string(500, 'y') + "\\n" + std::string(500, 'y');
  const std::string utf8 = std::string(300, 'z') + "\xC3\xA9" + std::string(300, 'z');
  const std::string text = "[\"" + plain + "\", {\"" + plain + "\": \"" + with_escape + "\", \"k\": \"" + utf8 +
                           "\", \"" + plain + "2\": 1e999}, \"\", \"short\", \"" + plain + "\"]";
  const auto value = band::parse_json(text, "it");
  REQUIRE_MESSAGE(value.ok(), value.error().message());
  CHECK((*value)[0] == plain);
  CHECK((*value)[1][plain] == std::string(500, 'y') + "\n" + std::string(500, 'y'));
  CHECK((*value)[1]["k"] == utf8);
  CHECK(*band::text_of((*value)[1][plain + "2"]) == "1e999");
  CHECK((*value)[2] == "");
  CHECK((*value)[3] == "short");
  CHECK((*value)[4] == plain);

  const auto place = [](const std::string& bad) {
    const auto refusal = band::why_not_json(bad);
    REQUIRE(refusal);
    return std::to_string(refusal->line) + ":" + std::to_string(refusal->column) + " " + refusal->problem;
  };
  CHECK(place("[\"" + plain + "\",\n \"" + plain + "\" oops]").starts_with("2:1005 not JSON"));
  CHECK(place("{\"" + plain + "\": 1, \"" + plain + "\": 2}").starts_with("1:2010 duplicate key"));
  CHECK(place("[\"" + plain).starts_with("1:1003 not JSON"));
  CHECK(place("[\"" + plain + "\"").starts_with("1:1004 not JSON"));
  CHECK(place("[\"" + plain + "\x01\"]").starts_with("1:1003 not JSON"));
}
