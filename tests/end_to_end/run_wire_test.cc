// Invalid requests with a valid token: every answer is a 4xx, and the server keeps running.
#include <algorithm>

#include "tests/end_to_end/raw_request.h"

using namespace band::test;

namespace {

bool well() { return Caller(shared_server()).band({"run", "hello/greet", "--name", "x"}).status == 0; }

}  // namespace

TEST_CASE("the request that these tests modify is valid") {
  const std::string answer = ask(request());
  CHECK_HAS(answer, "HTTP/1.1 200");
  CHECK_HAS(answer, R"("data":{})");
}

TEST_CASE("a wrong token is 401 before the body is read") {
  Socket socket;
  socket.send(head(80u << 20, "band_0123abcd_" + std::string(64, '7')));  // and not a byte of the body
  const std::int64_t began = now_ms();
  CHECK_HAS(socket.receive(), "HTTP/1.1 401");
  CHECK(now_ms() - began < 3000);
}

TEST_CASE("a body of 100 MB is 413") {
  Socket socket;
  socket.send(head(100u << 20));
  CHECK_HAS(socket.receive(), "HTTP/1.1 413");
  CHECK(well());
}

TEST_CASE("a chunked body of more than 90 MiB is 413") {
  Socket socket;
  std::string start = head(0);
  start.replace(start.find("Content-Length: 0"), 17, "Transfer-Encoding: chunked");
  socket.send(start);
  const std::string chunk = "100000\r\n" + std::string(1u << 20, ' ') + "\r\n";
  int sent = 0;
  while (sent < 100 && socket.send(chunk)) ++sent;
  CHECK(sent >= 80);
  CHECK_HAS(socket.receive(), "HTTP/1.1 413");
  CHECK(well());
}

TEST_CASE("a truncated body runs nothing") {
  Socket socket;
  const std::string body = request("source", R"("sleep 20")");
  socket.send(head(body.size()) + body.substr(0, body.size() - 10));
  socket.end_sending();
  const int status = status_of(socket.receive());
  CHECK((status == 0 || (status >= 400 && status < 500)));
  CHECK(shared_server().script_processes().empty());
  CHECK(well());
}

TEST_CASE("a body that is not JSON is 400 with this reason") {
  for (const std::string& body :
       {std::string(), std::string("hello"), std::string("{\"script\":"), std::string("{\"a\":\"\xff\"}"),
        std::string("{\"a\":1,\"a\":2}"), std::string(100'000, '['), std::string(1000, '\0'), std::string("null")}) {
    const std::string answer = ask(body);
    CHECK_MESSAGE(status_of(answer) == 400, answer);
    CHECK_HAS(answer, "BAD_REQUEST");
  }
  CHECK(well());
}

TEST_CASE("input and output may be 256 levels deep; client and server both refuse one more") {
  const auto nested = [](std::size_t levels) {
    return "{\"a\":" + std::string(levels - 1, '[') + std::string(levels - 1, ']') + "}";
  };
  const Caller caller(shared_server());
  caller.script("tool/go", "cp \"$INPUT_PATH\" \"$OUTPUT_PATH\"");
  caller.schema("tool/go", "input", "{}");
  for (const char* form : {"--json", "--verbose"}) {
    const Ran deep = caller.band({"run", "tool/go", form, "--input", nested(256)});
    CHECK_STATUS(deep, 0);
    CHECK(std::count(deep.out.begin(), deep.out.end(), '[') >= 255);
  }
  const Ran too_deep = caller.band({"run", "tool/go", "--input", nested(257)});
  CHECK_STATUS(too_deep, 2);
  CHECK_HAS(too_deep.err, "deeper than 256 levels");
  const std::string answer = ask(request("input", nested(257)));
  CHECK(status_of(answer) == 400);
  CHECK_HAS(answer, "nested deeper than");
  CHECK_HAS(ask(request("input", nested(256))), R"("data":{})");
  const Ran output = caller.run("echo '" + nested(257) + "' > \"$OUTPUT_PATH\"");
  CHECK_STATUS(output, 5);
  CHECK_HAS(output.err, "deeper than 256 levels");
}

TEST_CASE("more than a million values are refused in input, request and output, with the number") {
  const auto list = [](std::size_t values) {
    std::string text = "[0";
    for (std::size_t i = 2; i < values; ++i) text += ",0";
    return text + "]";
  };
  const Caller caller(shared_server());
  caller.script("tool/go", "jq -nc '[range(1000000)]' > \"$OUTPUT_PATH\"", "limit: {maxInputBytes: 10m}");
  caller.schema("tool/go", "input", "{}");
  write_file(caller.work("big.json"), list(1'000'001));
  const Ran input = caller.band({"run", "tool/go", "--input", "@big.json"});
  CHECK_STATUS(input, 2);
  CHECK_HAS(input.err, "more than 1000000 values");
  const std::string answer = ask(request("input", list(1'500'001)));
  CHECK(status_of(answer) == 400);
  CHECK_HAS(answer, "more than 1500000 values");
  const Ran output = caller.band({"run", "tool/go"});
  CHECK_STATUS(output, 5);
  CHECK_HAS(output.err, "more than 1000000 values");
  CHECK(well());
}

TEST_CASE("wrong types and values of every member are refused, and nothing runs") {
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"script", "5"},
      {"script", R"("../x")"},
      {"script", R"("tool/go/../../x")"},
      {"source", "null"},
      {"source", "[\"sleep 20\"]"},
      {"lib", "{}"},
      {"lib", R"([{"path":"../x","mode":"0644","content":""}])"},
      {"skillFiles", R"([{"path":"assets/../../x","mode":"0644","content":""}])"},
      {"skillFiles", R"([{"path":"scripts/other/x","mode":"0644","content":""}])"},
      {"config", "7"},
      {"rules", "[]"},
      {"rules", R"({"limit":{"maxRuntimeMs":-1}})"},
      {"rules", R"({"limit":{"maxRuntimeMs":"long"}})"},
      {"env", "[]"},
      {"env", R"({"NOT_NAMED":"x"})"},
      {"rules", R"({"env":[{"name":"LD_PRELOAD","secret":false,"default":"/work/x.so"}]})"},
      {"rules", R"({"read":{"opened":[[{"pattern":"/opt/../etc/**"}]]}})"},
      {"secrets", R"({"A":5})"},
      {"files", R"([{"path":"/etc/passwd","mode":"0644","content":""}])"},
      {"files", R"([{"path":"a/../../b","mode":"0644","content":""}])"},
      {"files", R"([{"path":"a","mode":"4755","content":""}])"},
      {"files", R"([{"path":"a","mode":"0644","content":"not base64!"}])"},
      {"files", R"([{"path":"a","mode":"0644","content":""},{"path":"a","mode":"0644","content":""}])"},
      {"surprise", "1"},
  };
  for (const auto& [name, value] : wrong) {
    const std::string member = std::string(name).append(": ").append(value);
    INFO(member);
    const std::string answer = ask(request(name, value));
    const bool refused = status_of(answer) == 400 || contains(answer, R"("error":{"code":")");
    CHECK_MESSAGE(refused, answer);
    CHECK_HAS_NOT(answer, R"("data":{})");
    CHECK_HAS_NOT(answer, "INTERNAL");
  }
  CHECK(well());
}

TEST_CASE("the operator's ceiling applies to a request with any rules") {
  const auto read_below = [](const std::string& directory, const std::string& file) {
    const std::string rules = R"({"read":{"opened":[[{"pattern":")" + directory + R"(/**"}]]}})";
    std::string body = request("rules", rules);
    const std::string source = R"("echo '{}' > $OUTPUT_PATH")";
    return ask(body.replace(body.find(source), source.size(), "\"head -c1 " + file + " && echo '{}' > $OUTPUT_PATH\""));
  };
  REQUIRE(!read_file("/etc/ssl/openssl.cnf").empty());
  CHECK_HAS(read_below("/usr/share/common-licenses", "/usr/share/common-licenses/GPL-3"),
            R"("data":{})");  // the control
  CHECK_HAS_NOT(read_below("/etc/ssl", "/etc/ssl/openssl.cnf"), R"("data":{})");
}

TEST_CASE("an execution can be cancelled only by its own caller; for others it does not exist") {
  shared_server().add_token("other");
  REQUIRE(within(5000, [] { return Caller(shared_server(), "other").band({"status"}).status == 0; }));
  const std::string body = request("source", R"("sleep 20")");
  Socket execution;
  std::string start = head(body.size());
  start.insert(start.find("Content-Length"), "Accept: application/x-ndjson\r\n");
  execution.send(start + body);
  const std::string id = id_of(execution.receive("\"id\":\""));
  const auto cancel = [](const std::string& which, const std::string& token) {
    Socket socket;
    std::string request = head(0, shared_server().token(token));
    socket.send(request.replace(0, std::string("POST /v1/exec").size(), "DELETE /v1/exec/" + which));
    return socket.receive();
  };
  const std::string theirs = cancel(id, "other"), nobodys = cancel("0123456789abcdef", "other");
  CHECK_HAS(theirs, "HTTP/1.1 404");
  CHECK(theirs.substr(theirs.find("\r\n\r\n")) == nobodys.substr(nobodys.find("\r\n\r\n")));
  CHECK(within(10'000, [] { return !shared_server().script_processes().empty(); }));
  CHECK_HAS(cancel(id, "laptop"), "HTTP/1.1 200");
  CHECK_HAS(execution.receive(), "the caller ended it");
  CHECK(shared_server().script_processes().empty());
}
