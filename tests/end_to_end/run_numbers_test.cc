// A number keeps its text from the caller's arguments to the script's input, and from the script's output to the
// result.
#include <unistd.h>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

constexpr const char* kOut = "allow: {write: [\"./out/**\"]}";
const std::string kInput =
    R"({"list":[123456789012345678901234567890,-123456789012345678901234567890,1.0,1e3,1E+3,0.10,-0,1e-400,1E400,)"
    R"(0.1000000000000000055511151231257827,9007199254740993,{"deep":[18446744073709551616]}]})";

}  // namespace

TEST_CASE("each number of the input and of the output keeps its text, and stays a number") {
  const Caller caller(shared_server());
  caller.script("tool/go", "mkdir out; cp \"$INPUT_PATH\" out/input; cp \"$INPUT_PATH\" \"$OUTPUT_PATH\"", kOut);
  const std::string schema = R"({"type":"object","properties":{"list":{"items":{"type":["number","object"]}},)"
                             R"("given":{"type":"integer"},"absent":{"default":100000000000000000000.10}}})";
  caller.schema("tool/go", "input", schema);
  caller.schema("tool/go", "output", schema);
  const std::string arrived = kInput.substr(0, kInput.size() - 1) + R"(,"absent":100000000000000000000.10})";

  const Ran ran = caller.band({"run", "tool/go", "--input", kInput});
  REQUIRE_STATUS(ran, 0);
  CHECK(read_file(caller.work("out/input")) == arrived);
  CHECK(ran.out == arrived + "\n");

  const Ran whole = caller.band({"run", "tool/go", "--json", "--input", kInput});
  REQUIRE_STATUS(whole, 0);
  CHECK_HAS(whole.out, "\"data\":" + arrived);

  REQUIRE(::unlink(caller.work("out/input").c_str()) == 0);
  const Ran words = caller.band({"run", "tool/go", "--given", "123456789012345678901234567890"});
  REQUIRE_STATUS(words, 0);
  CHECK(words.out == "{\"given\":123456789012345678901234567890,\"absent\":100000000000000000000.10}\n");
}

TEST_CASE("a number of a million digits is reported as an error, in the input and in the output") {
  const Caller caller(shared_server());
  caller.script("tool/go", "head -c 1000000 /dev/zero | tr '\\0' 7 > \"$OUTPUT_PATH\"");
  const Ran out = caller.band({"run", "tool/go"});
  CHECK_STATUS(out, 5);
  CHECK_HAS(out.err, "a number of more than 4096 characters");
  caller.schema("tool/go", "input", "{}");
  write_file(caller.work("input.json"), std::string(1'000'000, '7'));
  const Ran in = caller.band({"run", "tool/go", "--input", "@input.json"});
  CHECK_STATUS(in, 2);
  CHECK_HAS(in.err, "a number of more than 4096 characters");
  CHECK_HAS(in.err, "write it as a string");
}
