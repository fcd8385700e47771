// The results of a script: its output, its error file, and which kinds of files these may be.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

Ran writes(const std::string& script, std::int64_t max_bytes = 0) {
  With with;
  with.output = false;
  if (max_bytes > 0) with.limits["maxOutputBytes"] = max_bytes;
  return run(script, with);
}

}  // namespace

TEST_CASE("the file $OUTPUT_PATH is the script's output, and its numbers keep all digits") {
  const Ran ran = writes("echo '{\"n\":9007199254740993,\"t\":\"ä\"}' >\"$OUTPUT_PATH\"");
  CHECK(ran.code == "OK");
  CHECK(ran.data == "{\"n\":9007199254740993,\"t\":\"ä\"}");
}

TEST_CASE("only the file $OUTPUT_PATH is the output of a script, and not what it prints on stdout") {
  const Ran ran = writes("echo '{\"a\":1}'");
  CHECK(ran.code == "OUTPUT_INVALID");
  CHECK(ran.message == "the script wrote no output");
  CHECK(ran.hint.find("$OUTPUT_PATH") != std::string::npos);
}

TEST_CASE("an empty script fails because it wrote no output") {
  CHECK(writes("").message == "the script wrote no output");
}

TEST_CASE("output that is not JSON is OUTPUT_INVALID") {
  for (const char* text : {"hello", "{", "{}{}", "{\"a\":1,\"a\":2}", "\\xff", "[1,]", ""}) {
    CAPTURE(text);
    CHECK(writes(std::string("printf '") + text + "' >\"$OUTPUT_PATH\"").code == "OUTPUT_INVALID");
  }
  CHECK(writes("printf '[1]' >\"$OUTPUT_PATH\"").code == "OK");  // the control
}

TEST_CASE("deeply nested output is refused without a crash") {
  const std::string nest =
      "[ \"$1\" ]; head -c N /dev/zero | tr '\\0' '[' >o; head -c N /dev/zero | tr '\\0' ']' >>o; cat o "
      ">\"$OUTPUT_PATH\"";
  const auto of = [&](const std::string& depth) {
    std::string script = nest;
    for (std::size_t at; (at = script.find(" N ")) != std::string::npos;) script.replace(at, 3, " " + depth + " ");
    return writes(script).code;
  };
  CHECK(of("200") == "OK");
  CHECK(of("100000") == "OUTPUT_INVALID");
}

TEST_CASE("output over maxOutputBytes is LIMIT_EXCEEDED") {
  const std::string script = "printf '\"%s\"' \"$(head -c 998 /dev/zero | tr '\\0' x)\" >\"$OUTPUT_PATH\"";
  CHECK(writes(script, 1000).code == "OK");
  CHECK(writes(script, 999).code == "LIMIT_EXCEEDED");
}

TEST_CASE("a FIFO as output does not block the server") {
  CHECK(writes("mkfifo \"$OUTPUT_PATH\"").code == "OUTPUT_INVALID");
}

TEST_CASE("a link as output is not followed") {
  const Ran ran = writes("echo '\"secret\"' >/tmp/x; ln -s /tmp/x \"$OUTPUT_PATH\"");
  CHECK(ran.code == "OUTPUT_INVALID");
  CHECK(ran.message == "$OUTPUT_PATH is a link");
  // A link to a file of the machine is not followed, either: this file exists for the engine.
  CHECK(writes("ln -s /etc/hostname \"$OUTPUT_PATH\"").code == "OUTPUT_INVALID");
}

TEST_CASE("a directory as output is OUTPUT_INVALID") {
  CHECK(writes("mkdir \"$OUTPUT_PATH\"").code == "OUTPUT_INVALID");
}

TEST_CASE("a socket as output is OUTPUT_INVALID") {
  CHECK(writes("band-probe talk-unix \"$OUTPUT_PATH\"").code == "OUTPUT_INVALID");
}

TEST_CASE("output with mode 0 is read nevertheless") {
  CHECK(writes("echo 1 >\"$OUTPUT_PATH\"; chmod 0 \"$OUTPUT_PATH\"").data == "1");
}

TEST_CASE("a script cannot remove its output directory") {
  CHECK(writes("rmdir /band/out 2>/dev/null; mv /band/out /tmp 2>/dev/null; echo 2 >\"$OUTPUT_PATH\"").data == "2");
}

TEST_CASE("a failed script's exit status and error file are in the answer, and its output is not") {
  const Ran ran = writes(
      "echo '{\"message\":\"no such city\",\"hint\":\"try Bern\",\"retryAfterMs\":5}' >\"$ERROR_PATH\";"
      "echo '{\"data\":1}' >\"$OUTPUT_PATH\"; exit 7");
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.exit_status == 7);
  CHECK(ran.message == "no such city");
  CHECK(ran.hint == "try Bern");
  CHECK(ran.data == "null");
}

TEST_CASE("an error file that is a FIFO, a link, or not JSON of the documented form is ignored") {
  for (const char* act : {"mkfifo \"$ERROR_PATH\"", "ln -s /etc/passwd \"$ERROR_PATH\"", "echo [1] >\"$ERROR_PATH\"",
                          "echo '{\"message\":[]}' >\"$ERROR_PATH\""}) {
    CAPTURE(act);
    CHECK(writes(std::string(act) + "; exit 3").message == "the script exited with 3");
  }
}

TEST_CASE("a script killed by a signal is SCRIPT_FAILED with exit status 128 plus the signal") {
  const Ran ran = writes("kill -SEGV $$");
  CHECK(ran.code == "SCRIPT_FAILED");
  CHECK(ran.exit_status == 139);
}
