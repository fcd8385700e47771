// Searches the memory of the server's two processes for a secret: while its script runs, and afterwards.
#include <fcntl.h>
#include <sys/random.h>

#include <sstream>

#include "tests/end_to_end/raw_request.h"

using namespace band::test;

namespace {

constexpr const char* kTakes = "env: [API_KEY]";

// 32 random characters, including some that JSON escapes, so that both forms have no long common part.
std::string random_secret(std::size_t size = 32) {
  std::string bytes(size, '\0');
  REQUIRE(::getrandom(bytes.data(), size, 0) == static_cast<ssize_t>(size));
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = i % 8 == 7 ? "\"\\"[i / 8 % 2] : "0123456789abcdefghijklmnopqrstuv"[bytes[i] & 31];
  return bytes;
}

std::string escaped(const std::string& secret) {
  std::string text;
  for (const char c : secret) text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return text;
}

int count(std::string_view text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Counts `parts` in the memory from `from` to `to` of the process whose memory file is `mem`.
int copies_between(int mem, std::uint64_t from, std::uint64_t to, const std::vector<std::string>& parts) {
  constexpr std::size_t kStep = 1 << 20, kOverlap = 128;
  std::string bytes(kStep + kOverlap, '\0');
  int found = 0;
  for (; from < to; from += kStep) {
    const ssize_t n =
        ::pread(mem, bytes.data(), std::min<std::uint64_t>(bytes.size(), to - from), static_cast<off_t>(from));
    for (const std::string& part : parts)
      if (n > 0) found += count(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)), part);
  }
  return found;
}

int copies_in(pid_t pid, const std::vector<std::string>& parts) {
  // A sanitizer's shadow: terabytes, and a bit for a byte of what is scanned elsewhere.
  constexpr std::uint64_t kShadow = std::uint64_t{1} << 36;
  const std::string process = "/proc/" + std::to_string(pid);
  const int mem = ::open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(mem >= 0);
  std::istringstream maps(read_file(process + "/maps"));
  int found = 0, regions = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t from = 0, to = 0;
    char rights[5] = "";
    REQUIRE(std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, rights) == 3);
    if (rights[0] != 'r' || contains(line, "[v") || to - from > kShadow) continue;  // [vvar], [vsyscall]
    found += copies_between(mem, from, to, parts);
    ++regions;
  }
  ::close(mem);
  REQUIRE(regions > 3);  // band-init is linked statically, and has few
  return found;
}

pid_t parent_of(pid_t pid) {
  const std::string status = read_file("/proc/" + std::to_string(pid) + "/status");
  const std::size_t at = status.find("PPid:");
  REQUIRE(at != std::string::npos);
  return std::atoi(status.c_str() + at + 5);
}

std::string name_of(pid_t pid) {
  std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
  name.pop_back();
  return name;
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
  const std::string secret = random_secret();
  const CallerWith caller(secret);
  caller.script("tool/go", "exec sleep 271",
                kTakes + std::string("\nlimit: {maxRuntimeMs: 2s}"));
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(within(5000, [] { return !shared_server().script_processes().empty(); }));
  const pid_t script = shared_server().script_processes().front();
  const pid_t init = parent_of(script), zygote = parent_of(init);
  CHECK(copies_in(script, {secret}) > 0);  // the control
  CHECK(name_of(init) == "band-init");
  CHECK(copies_in(init, {secret}) == 0);
  CHECK(name_of(zygote) == "band-zygote");
  CHECK(copies_in(zygote, {secret}) == 0);
  CHECK_STATUS(running.wait(), 124);
}

TEST_CASE("a secret is removed from memory however its script ends") {
  const std::string output =
      "jq -n --arg v \"$API_KEY\" '{$v}' > \"$OUTPUT_PATH\"; echo \"$API_KEY\"; echo \"$API_KEY\" >&2; ";
  for (const std::string& end : {std::string("exit 0"), std::string("exit 3"), std::string("kill -KILL $$")}) {
    CAPTURE(end);
    const std::string secret = random_secret();
    const CallerWith caller(secret);
    const Ran ran = caller.run(output + "echo \"$API_KEY\" > changed; " + end,
                               kTakes + std::string("\nallow: {write: [\"./**\"]}"));
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
