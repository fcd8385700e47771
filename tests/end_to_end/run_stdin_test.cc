// Standard input: forwarded completely, with backpressure; and never truncated without an error.
#include "tests/end_to_end/raw_request.h"
#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

// Runs `command` in a shell; its standard output is band's standard input.
Ran piped(const Caller& caller, const std::string& command, const std::string& words = "tool/go --stdin") {
  return Running({"/bin/bash", "-c", command + " | " BAND_BIN_DIR "/band run " + words}, caller.env, caller.work(""))
      .wait(120'000);
}

const std::string kOctets = "Content-Type: application/octet-stream\r\nTransfer-Encoding: chunked";

constexpr const char* kHash = "sha256sum | jq -Rc '{hash: .[:64]}' > \"$OUTPUT_PATH\"";

}  // namespace

TEST_CASE("without --stdin a script's standard input is empty, regardless of the caller's") {
  const Caller caller(shared_server());
  caller.script("tool/go", "wc -c | jq . > \"$OUTPUT_PATH\"");
  CHECK(piped(caller, "echo something", "tool/go").out == "0\n");
  CHECK(piped(caller, "echo something").out == "10\n");  // the control
  CHECK(piped(caller, "true").out == "0\n");
}

TEST_CASE("every byte arrives, also bytes that are not text, and more bytes than any buffer holds") {
  const Caller caller(shared_server());
  // An emulated virtual machine (tests/vm/lima-test) needs more than the default of 60 s.
  caller.script("tool/go", kHash, "limit: {maxMemoryBytes: 64m, maxRuntimeMs: 10m}");
  const std::string source =
      "head -c 100000000 /dev/zero | openssl enc -aes-128-ctr -pass pass:band -nosalt 2>/dev/null";
  const Ran want = Running({"/bin/bash", "-c", source + " | sha256sum"}, caller.env, caller.work("")).wait();
  const Ran ran = piped(caller, source);
  REQUIRE_STATUS(ran, 0);
  CHECK(ran.out == "{\"hash\":\"" + want.out.substr(0, 64) + "\"}\n");
}

TEST_CASE("input is forwarded before EOF: a dialogue works") {
  const Caller caller(shared_server());
  caller.script("tool/go",
                "read -r line; echo \"got $line\" >&2; read -r line; jq -n --arg l \"$line\" '$l' > \"$OUTPUT_PATH\"");
  const Ran ran =
      piped(caller,
            "{ echo first; for i in {1..600}; do grep -q 'got first' " + caller.work("log") +
                " && break; sleep 0.05; done; grep -q 'got first' " + caller.work("log") + " && echo second; }",
            "tool/go --stdin --verbose 2> " + caller.work("log"));
  CHECK(ran.out == "\"second\"\n");
}

TEST_CASE("a script that stops reading, or reads nothing, exits normally, and the caller does not wait") {
  const Caller caller(shared_server());
  caller.script("tool/go", "head -n 1 | jq -R . > \"$OUTPUT_PATH\"");
  CHECK(piped(caller, "yes").out == "\"y\"\n");
  caller.script("tool/go", kEmptyOutput);
  CHECK(piped(caller, "yes").out == "{}\n");
  CHECK(piped(caller, "sleep 300 & echo $! > pid; wait", "tool/go --stdin; kill $(cat pid)").out == "{}\n");
  caller.script("tool/go", "exec <&-; sleep 0.5; " + std::string(kEmptyOutput));
  CHECK(piped(caller, "yes").out == "{}\n");
}

TEST_CASE("a truncated input is never treated as complete, whichever client still waits for the answer") {
  const std::string token = shared_server().token("laptop");
  const std::string body = request(
      {{"source", R"("head -c 4 >/tmp/all; echo begun >&2; cat >>/tmp/all; echo complete >&2; echo 1 >$OUTPUT_PATH")"},
       {"stdin", "true"}});
  for (const bool whole : {true, false}) {
    CAPTURE(whole);
    const Socket run;
    run.send(streamed(body, token));
    const std::string path = "/v1/exec/" + id_of(run.receive("\"started\"")) + "/input";
    std::string ended;
    {
      const Socket input;
      input.send(post(path, token, kOctets) + "4\r\npart\r\n" + (whole ? "0\r\n\r\n" : ""));
      ended = run.receive("begun");  // so this connection is the input, not the second one
      if (whole) CHECK_HAS(input.receive("}\n"), "200 OK");
      const Socket second;  // only one input is accepted, even after it has ended
      second.send(post(path, token, kOctets) + "0\r\n\r\n");
      const int status = status_of(second.receive("}\n"));
      CHECK((status == 409 || (whole && status == 404)));
    }
    if (!contains(ended, "\"result\"")) ended += run.receive("\"result\"");
    CHECK(contains(ended, "complete") == whole);
    CHECK(contains(ended, "CANCELLED") == !whole);
  }
}

TEST_CASE("an input is accepted only for the caller's own executions that requested it" * beside_server()) {
  const std::string mine = shared_server().token("laptop"), others = shared_server().add_token("other");
  for (const bool asked : {true, false}) {
    CAPTURE(asked);
    const Socket run;
    const std::string body = request({{"source", R"("sleep 20")"}, {"stdin", asked ? "true" : "false"}});
    run.send(streamed(body, mine));
    const std::string id = id_of(run.receive("\"started\""));
    const auto answer = [&](const std::string& token, const std::string& execution) {
      const Socket input;
      input.send(post("/v1/exec/" + execution + "/input", token, kOctets) + "0\r\n\r\n");
      return status_of(input.receive("}\n"));
    };
    CHECK(answer(others, id) == 404);
    CHECK(answer(mine, "00000000000000aa") == 404);
    CHECK(answer(mine, id) == (asked ? 200 : 409));
  }
}

TEST_CASE("an unreadable standard input is reported as such") {
  const Caller caller(shared_server());
  caller.script("tool/go", "cat; " + std::string(kEmptyOutput));
  const Ran directory =
      Running({"/bin/bash", "-c", "exec " BAND_BIN_DIR "/band run tool/go --stdin < /srv"}, caller.env, caller.work(""))
          .wait();
  CHECK_STATUS(directory, 2);
  CHECK_HAS(directory.err, "read standard input: Is a directory");
}

TEST_CASE("standard input cannot be the input at the same time") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput);
  const Ran ran = piped(caller, "echo '{}'", "tool/go --stdin --input -");
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "--input @FILE --stdin");
}

TEST_CASE("a declared command can read standard input") {
  const Caller caller(shared_server());
  caller.script("tool/go", "python3 -c 'import sys, json; print(json.dumps(sys.stdin.read()))' > \"$OUTPUT_PATH\"",
                "allow: {cli: [\"python3 -c *\"]}");
  CHECK(piped(caller, "echo hello").out == "\"hello\\n\"\n");
}
