// Searches the memory of the server's two processes for a secret: while its script runs, and afterwards.
#include "tests/end_to_end/memory_scan.h"
#include "tests/end_to_end/raw_request.h"

using namespace band::test;

namespace {

constexpr const char* kTakes = "env: [API_KEY]";

std::string escaped(const std::string& secret) {
  std::string text;
  for (const char c : secret) text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return text;
}

int copies_in_engine(const std::string& secret) { return copies_in(shared_server().pid(), {secret, escaped(secret)}); }
int copies_in_http(const std::string& secret) {
  return copies_in(shared_server().http_pid(), {secret, escaped(secret)});
}

// The answer is sent a moment before the last buffers are freed.
void check_gone(const std::string& secret) {
  const bool gone = within(3000, [&] { return copies_in_engine(secret) + copies_in_http(secret) == 0; });
  CHECK_MESSAGE(gone, copies_in_engine(secret) << " in the engine, " << copies_in_http(secret) << " in band-http");
}

struct CallerWith : Caller {
  explicit CallerWith(const std::string& secret) : Caller(shared_server()) { env["API_KEY"] = secret; }
};

std::string request_with(const std::string& secret, const Members& more = {}) {
  Members members = {{"rules", R"({"env":[{"name":"API_KEY","secret":true}]})"},
                     {"secrets", "{\"API_KEY\":\"" + escaped(secret) + "\"}"}};
  for (const auto& [name, value] : more) members[name] = value;
  return request(members);
}

}  // namespace

TEST_CASE("a secret is in the engine's memory while its script runs, and in no process of the server afterwards") {
  for (const std::size_t size : {std::size_t{32}, std::size_t{12}}) {  // a short string is stored in its object
    const std::string secret = random_secret(size);
    const CallerWith caller(secret);
    caller.script("tool/go", "until [ -e /work/never ]; do sleep 0.1; done",
                  kTakes + std::string("\nlimit: {maxRuntimeMs: 2s}"));
    Running running = caller.start({"run", "tool/go"});
    REQUIRE(within(5000, [] { return !shared_server().script_processes().empty(); }));
    CHECK(copies_in_engine(secret) > 0);  // the control: the scan finds it
    CHECK(copies_in(shared_server().http_pid(), {shared_server().token("laptop").substr(5, 8)}) > 0);
    CHECK(copies_in_http(secret) == 0);  // it has passed the body on, and no longer needs it
    CHECK_STATUS(running.wait(), 124);
    check_gone(secret);
  }
}

TEST_CASE(
    "while its script runs, a secret is in the memory of the script, and not in that of band-init and the zygote") {
  const std::string secret = random_secret(), text_of_band_init = "cannot mount /proc with subset=pid";
  const CallerWith caller(secret);
  caller.script("tool/go", "exec sleep 271", kTakes);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(shared_server().held());
  const auto parent_of = [](pid_t pid) { return static_cast<pid_t>(field_of_status(pid, "PPid")); };
  const auto name_of = [](pid_t pid) { return read_file("/proc/" + std::to_string(pid) + "/comm"); };
  const pid_t script = shared_server().holding().front(), init = parent_of(script), zygote = parent_of(init);
  CHECK(copies_in(script, {secret}) > 0);  // the control
  CHECK(name_of(init) == "band-init\n");
  CHECK(name_of(zygote) == "band-zygote\n");
  for (const pid_t pid : {init, zygote}) {
    CHECK(copies_in(pid, {text_of_band_init}) > 0);  // the control
    CHECK(copies_in(pid, {secret}) == 0);
  }
  shared_server().let_go();
  CHECK_STATUS(running.wait(), 1);
}

TEST_CASE("a secret is removed from memory however its script ends") {
  const std::string output =
      "jq -n --arg v \"$API_KEY\" '{$v}' > \"$OUTPUT_PATH\"; echo \"$API_KEY\"; echo \"$API_KEY\" >&2; "
      "echo \"$API_KEY\" > changed; ";
  for (const std::string& end : {std::string("exit 0"), std::string("exit 3"), std::string("kill -KILL $$")}) {
    CAPTURE(end);
    const std::string secret = random_secret();
    const CallerWith caller(secret);
    const Ran ran = caller.run(output + end, kTakes + std::string("\nallow: {write: [\"./**\"]}"));
    CHECK(ran.status == (end == "exit 0" ? 0 : 1));
    check_gone(secret);
  }
}

TEST_CASE("a secret that commands had is removed from memory") {
  const std::string secret = random_secret();
  const CallerWith caller(secret);
  const Ran ran = caller.run("perl -e 'exit(length($ENV{API_KEY}) != 32)' \"$API_KEY\" && echo '{}' > \"$OUTPUT_PATH\"",
                             kTakes + std::string("\nallow: {cli: [\"perl *\"]}"));
  CHECK_STATUS(ran, 0);
  check_gone(secret);
}

TEST_CASE("a secret is removed from memory after its caller disconnected") {
  for (const int signal : {SIGINT, SIGKILL}) {
    const std::string secret = random_secret();
    const CallerWith caller(secret);
    caller.script("tool/go", "sleep 20", kTakes);
    Running running = caller.start({"run", "tool/go"});
    REQUIRE(within(5000, [] { return !shared_server().script_processes().empty(); }));
    running.signal(signal);
    running.wait();
    CHECK(within(5000, [] { return shared_server().script_processes().empty(); }));
    check_gone(secret);
  }
}

TEST_CASE("a secret in a refused request is removed from memory") {
  const std::string secret = random_secret();
  const std::string good = request_with(secret);
  CHECK_HAS(ask(good), R"("data":{})");  // the control
  check_gone(secret);
  for (const std::string& body :
       {good + "x", good.substr(0, good.size() - 1), "[" + good, request_with(secret, {{"rules", "{}"}}),
        request_with(secret, {{"files", R"([{"path":"../x","mode":"0644","content":""}])"}}),
        request_with(
            secret,
            {{"rules", R"({"env":[{"name":"API_KEY","secret":true}],"read":{"opened":[["/etc/passwd"]]}})"}})}) {
    CAPTURE(body);
    CHECK_HAS(ask(body), R"("error":{"code":")");
    check_gone(secret);
  }
}

TEST_CASE("a secret in an input of 10 MB, whose blocks have huge pages, is removed from memory") {
  const std::string secret = random_secret(), half(5 << 20, 'x');
  const std::string body = request_with(
      secret, {{"rules", R"({"env":[{"name":"API_KEY","secret":true}],"limit":{"maxInputBytes":16777216}})"},
               {"input", "\"" + half + escaped(secret) + half + "\""}});
  CHECK_HAS(ask(body), R"("data":{})");
  check_gone(secret);
}

TEST_CASE("a secret in a body that is truncated, or has no valid token, is removed from memory") {
  const std::string secret = random_secret();
  const std::string body = request_with(secret);
  for (const bool answered : {true, false}) {
    Socket socket;
    socket.send(head(body.size() + 10) + body);
    if (answered) {
      socket.end_sending();
      CHECK_HAS(socket.receive(), "HTTP/1.1 400");
    }
    check_gone(secret);  // also while the server waits for the rest
  }
  Socket unauthenticated;
  unauthenticated.send(head(body.size(), "band_0123abcd_" + std::string(64, '7')) + body);
  CHECK_HAS(unauthenticated.receive(), "HTTP/1.1 401");
  check_gone(secret);
  Socket chunked;
  std::string start = head(0);
  start.replace(start.find("Content-Length: 0"), 17, "Transfer-Encoding: chunked");
  chunked.send(start + "20\r\n" + body.substr(0, 32) + "\r\n" + "fffff;\r\n" + body);
  CHECK_HAS(chunked.receive(), "HTTP/1.1 400");
  check_gone(secret);
}

TEST_CASE("a secret is removed from memory while its connection continues") {
  const std::string secret = random_secret();
  const std::string body = request_with(secret);
  std::string first = head(body.size());
  first.replace(first.find("Connection: close\r\n"), 19, "");
  Socket socket;
  // The second request's head is sent together with the first one's body.
  socket.send(first + body + first.substr(0, 40));
  CHECK_HAS(socket.receive("0\r\n\r\n"), R"("data":{})");
  check_gone(secret);
  socket.send(first.substr(40) + body);
  CHECK_HAS(socket.receive("0\r\n\r\n"), R"("data":{})");
  check_gone(secret);
}
