// Numbers keep their text and are compared by the value of that text.
#include "schemas/core/json_number.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_text.h"
#include "schemas/json_schema/input_schema.h"
#include "tests/pure/cpu_seconds.h"

namespace band {
namespace {

using namespace std::string_literals;

Json parsed(std::string_view text) {
  auto value = parse_json(text, "test");
  REQUIRE_MESSAGE(value.ok(), text << ": " << value.error().message());
  return *value;
}

std::string refused(const std::string& text) {
  const auto value = parse_json(text, "input");
  return value.ok() ? "taken" : value.error().message() + "; " + value.error().hint;
}

const std::vector<std::string> kNumbers = {"0",
                                           "-0",
                                           "0.0",
                                           "-0.0",
                                           "1.0",
                                           "1.10",
                                           "100.0e-2",
                                           "1e3",
                                           "1E3",
                                           "1e+3",
                                           "1e23",
                                           "1e+23",
                                           "-1.5e-007",
                                           "5e-324",
                                           "1e-400",
                                           "1e400",
                                           "-1E+400",
                                           "0e999999999",
                                           "1e999999999",
                                           "1e-999999999",
                                           "1.7976931348623157e308",
                                           "1.7976931348623159e308",
                                           "123456789012345678901234567890",
                                           "-123456789012345678901234567890",
                                           "18446744073709551615",
                                           "18446744073709551616",
                                           "-9223372036854775808",
                                           "-9223372036854775809",
                                           "0.1",
                                           "0.1000000000000000055511151231257827",
                                           "0.30000000000000004",
                                           "9007199254740993.0",
                                           std::string(300, '7'),
                                           std::string(301, '7'),
                                           "1" + std::string(kMaxNumberBytes - 1, '0'),
                                           "0." + std::string(kMaxNumberBytes - 2, '3')};

}  // namespace

TEST_CASE("a number is written as it was read, at every place") {
  for (const std::string& number : kNumbers) {
    CAPTURE(number);
    CHECK(dump_json(parsed(number)) == number);
    CHECK(dump_json(parsed(" " + number + "\n")) == number);
    CHECK(is_number(parsed(number)));
    std::string within = "[";
    within.append(number).append(",{\"").append(number).append("\":").append(number).append("},").append(number).append(
        "]");
    CHECK(dump_json(parsed(within)) == within);
  }
  std::string all = "[";
  for (const std::string& number : kNumbers) all += number + ",";
  all.back() = ']';
  CHECK(dump_json(parsed(all)) == all);
}

TEST_CASE("text in a string that looks like a number is not changed") {
  for (const char* text : {R"("1e400")", R"(["\"1e400","1e400\\",1e400])", R"({"1e400":"\\\"1e400"})"}) {
    CAPTURE(text);
    CHECK(dump_json(parsed(text)) == text);
  }
}

TEST_CASE("invalid numbers are refused as before, also large ones") {
  for (const char* text : {"1e400x", "1e400.5", "01e400", "+1e400", "1e400 1", "[1e400 1]", "-e400", "1e400-", ".5e400",
                           "1e", "1.e400", "tru1e400", "\"1e400", "1e400\"", "{1e400:1}", "--1e400", "1e400e400"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_json(text, "input").ok());
  }
  CHECK(refused("[1e400,\n2e400 3]").starts_with("input, line 2, column 7"));
}

TEST_CASE("a number that is too long is refused with a hint, in linear time") {
  const std::string text = "input, line 1, column ";
  for (const std::string& number : {std::string(kMaxNumberBytes + 1, '7'), "0." + std::string(kMaxNumberBytes, '3'),
                                    "1" + std::string(5'000'000, '0'), "-0." + std::string(5'000'000, '1') + "e-5",
                                    "1e" + std::string(5'000'000, '0') + "1"}) {
    std::string said;
    const double seconds = test::cpu_seconds_of([&] { said = refused("[" + number + "]"); });
    CHECK(said.starts_with(text));
    CHECK(said.ends_with("a number of more than 4096 characters; write it as a string"));
    CHECK(seconds < 5);
  }
  for (const char* number : {"1e1000000000", "1e-1000000000", "-1e99999999999999999999999999"}) {
    CAPTURE(number);
    CHECK(refused(number).ends_with("a number with an exponent beyond 999999999; write it as a string"));
  }
}

TEST_CASE("numbers are ordered by the values of their texts, also between different types") {
  const std::vector<std::vector<std::string>> ascending = {
      {"-1e999999999"},
      {"-1e400", "-10.00e399"},
      {"-123456789012345678901234567891"},
      {"-123456789012345678901234567890", "-12345678901234567890123456789e1"},
      {"-9223372036854775809"},
      {"-9223372036854775808", "-9223372036854775808.0"},
      {"-1", "-1.0", "-1e0", "-10e-1"},
      {"-1e-400"},
      {"0", "-0", "0.0", "-0.0", "0e999999999", "-0e-999999999"},
      {"1e-999999999"},
      {"1e-400", "0.1e-399"},
      {"0.1", "0.10", "1e-1"},
      {"0.1000000000000000055511151231257827"},
      {"0.3"},
      {"0.30000000000000004"},
      {"1", "1.0", "1e0", "100.0e-2"},
      {"9007199254740992.0", "9007199254740992"},
      {"9007199254740993", "9007199254740993.0"},
      {"9223372036854775900"},
      {"9223372036854775950.0"},
      {"9.223372036854776e+18", "9223372036854776000"},
      {"18446744073709551615"},
      {"18446744073709551616", "18446744073709551616.0"},
      {"1e23", "1e+23", "100000000000000000000000"},
      {"123456789012345678901234567890", "123456789012345678901234567890.0"},
      {"123456789012345678901234567891"},
      {"1e400"},
      {"1e999999999"}};
  const auto sign = [](int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; };
  for (std::size_t i = 0; i < ascending.size(); ++i)
    for (std::size_t k = 0; k < ascending.size(); ++k)
      for (const std::string& a : ascending[i])
        for (const std::string& b : ascending[k]) {
          CAPTURE(a);
          CAPTURE(b);
          CHECK(sign(compare_json(parsed(a), parsed(b))) == (i < k ? -1 : i > k ? 1 : 0));
        }
}

TEST_CASE("multiples are computed from the texts, of any length") {
  struct Row {
    const char* value;
    const char* divisor;
    bool multiple;
  };
  const Row rows[] = {{"123456789012345678901234567890", "10", true},
                      {"123456789012345678901234567891", "10", false},
                      {"123456789012345678901234567890", "1234567890", true},  // 100000000010000000001 times
                      {"1e999999999", "3", false},
                      {"3e999999999", "3", true},
                      {"1e999999999", "7e-999999999", false},
                      {"1e999999999", "9999999999999999999", false},
                      {"1e400", "1e399", true},
                      {"1e-400", "1", false},
                      {"1.10", "0.1", true},
                      {"-0", "7", true}};
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CAPTURE(row.divisor);
    CHECK(is_multiple_of(parsed(row.value), parsed(row.divisor)) == row.multiple);
  }
}

TEST_CASE("numbers of a schema keep their text, too, and are compared by it with numbers of the input") {
  const auto violations = [](const std::string& schema, const std::string& value) {
    const auto made = InputSchema::from_json(parsed(schema), "test");
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message()));
    return made->validate(parsed(value)).size();
  };
  const std::string large = "123456789012345678901234567890", larger = "123456789012345678901234567891";
  for (const char* keyword : {"const", "minimum", "maximum"}) {
    CAPTURE(keyword);
    const std::string schema = "{\"" + std::string(keyword) + "\":" + large + "}";
    CHECK(violations(schema, large) == 0);
    CHECK(violations(schema, large + ".0") == 0);
    CHECK((violations(schema, larger) == 0) == (keyword == "minimum"s));
  }
  CHECK(violations("{\"enum\":[1," + large + "]}", large) == 0);
  CHECK(violations("{\"enum\":[1," + large + "]}", larger) == 1);
  CHECK(violations(R"({"uniqueItems":true})", "[" + large + "," + larger + "]") == 0);
  CHECK(violations(R"({"uniqueItems":true})", "[" + large + "," + large + ".0]") == 1);
  for (const char* number : {"1e400", "1.0", "-0", "100e-2", "12345678901234567890123"})
    CHECK(violations(R"({"type":"integer"})", number) == 0);
  CHECK(violations(R"({"type":"integer"})", "1e-400") == 1);
  CHECK(violations(R"({"type":"number"})", "1e-400") == 0);
  CHECK(violations(R"({"type":"string"})", large) == 1);
  CHECK(violations(R"({"maxLength":1e400,"minLength":2e0,"maxItems":12345678901234567890123})", "\"ab\"") == 0);
  CHECK(violations(R"({"minLength":2e0})", "\"a\"") == 1);
}

TEST_CASE("numbers in messages are short, even if they have many digits") {
  CHECK(shown_with_type(parsed("123456789012345678901234567890")) == "integer 123456789012345678901234567890");
  CHECK(shown_with_type(parsed("1e400")) == "number 1e400");
  CHECK(shown_with_type(parsed(std::string(4000, '7'))).size() < 80);
}

TEST_CASE("the output equals nlohmann's output if nlohmann keeps the numbers unchanged") {
  Json value = parsed(
      R"([null,true,false,0,-1,18446744073709551615,-9223372036854775808,0.5,1e-07,[],{},[[]],{"":{}},{"a":[1,{"b":[]}]}])");
  std::string bytes;
  for (int c = 0; c < 256; ++c) bytes += static_cast<char>(c);
  for (int c = 0; c < 256; ++c) value.push_back(std::string(1, static_cast<char>(c)));
  for (const std::string& text : {bytes, bytes.substr(0, 128), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\x7F"s,
                                  "\xED\xA0\x80x"s, "a\xF0\x9F\x98"s, "\xE2\x80\xA8\\\"/"s})
    value.push_back({{text, text}});
  CHECK(dump_json(value) == value.dump(-1, ' ', false, Json::error_handler_t::replace));
  CHECK(dump_json_pretty(value) == value.dump(2, ' ', false, Json::error_handler_t::replace));
  CHECK(json_size(value) == dump_json(value).size());
  for (const std::size_t length : {(64u << 10) - 1, 64u << 10, 1u << 20}) {
    const Json long_strings = {{std::string(length, 'k'), std::string(length, '\n')},
                               {"n", Json::array({1.5, length})}};
    CHECK(dump_json(long_strings) == long_strings.dump());
    CHECK(json_size(long_strings) == dump_json(long_strings).size());
  }
}

TEST_CASE("ten thousand of the longest numbers are compared in seconds") {
  std::string text = "[";
  for (int i = 0; i < 10'000; ++i) text += "1" + std::string(4'000, '0') + std::to_string(10'000 + i) + ",";
  text.back() = ']';
  const double seconds = test::cpu_seconds_of([&] { CHECK_FALSE(equal_items(parsed(text)).has_value()); });
  CHECK(seconds < 20);  // 2 measured
}

}  // namespace band
