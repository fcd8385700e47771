// Sandboxes that are made ahead, as a caller and the operator see them. The second rounds of tests/promises show that
// every layer applies in them.
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;
namespace fs = std::filesystem;

namespace {

// A request for POST /v1/exec, as JSON text.
struct Request {
  std::string source = "echo '{\\\"ok\\\":true}' > \\\"$OUTPUT_PATH\\\"";
  std::string deny = "never";  // for cli: makes rules differ
  std::string opened_read, members, env, limit;
  std::string input = "null";

  std::string text() const {
    const std::string none = R"({"opened":[],"deny":[],"insist":[]})";
    const std::string read = opened_read.empty() ? none
                                                 : R"({"opened":[[{"pattern":")" + opened_read +
                                                       R"(","origin":"s/BAND.md:2"}]],"deny":[],"insist":[]})";
    return R"({"script":"s/go","source":")" + source + R"(","input":)" + input + members +
           R"(,"rules":{"cli":{"opened":[],"deny":[{"pattern":"gh )" + deny +
           R"(","origin":"s/BAND.md:1"}],"insist":[]},"net":)" + none + R"(,"read":)" + read + R"(,"write":)" + none +
           R"(,"limit":{)" + limit + R"(},"env":[)" + env + "]}}";
  }
};

std::string exec(const Server& server, const Request& request, const std::string& token = "laptop") {
  const TempDir place;
  std::ofstream(place.path + "/body") << request.text();
  return Running(
             {"/usr/bin/curl", "-sS", "-H", "Authorization: Bearer " + server.token(token), "-H",
              "Content-Type: application/json", "--data-binary", "@" + place.path + "/body", server.url() + "/v1/exec"},
             {{"PATH", "/usr/bin:/bin"}}, "/")
      .wait()
      .out;
}

bool is_ok(const std::string& answer) { return contains(answer, R"("data":{"ok":true})"); }
bool is_warm(const std::string& answer) { return contains(answer, R"("warm":true)"); }

// Returns "warm" or "cold"; an answer that is neither is returned itself.
std::string start_of(const std::string& answer) {
  if (!is_ok(answer)) return answer;
  return is_warm(answer) ? "warm" : "cold";
}

std::string metric(const Server& server, const std::string& name) {
  const std::string token = "Authorization: Bearer " + server.token("laptop");
  const std::string text = "\n" + Running({"/usr/bin/curl", "-sS", "-H", token, server.url() + "/v1/metrics"},
                                          {{"PATH", "/usr/bin:/bin"}}, "/")
                                      .wait()
                                      .out;
  const std::size_t at = text.find("\n" + name + " ");
  if (at == std::string::npos) return "(none)";
  const std::size_t from = at + name.size() + 2;
  return text.substr(from, text.find('\n', from) - from);
}

bool waiting_comes_to(const Server& server, int count) {
  return within(20'000, [&] { return metric(server, "band_warm_sandboxes") == std::to_string(count); });
}

pid_t parent_of(pid_t pid) {
  const std::string stat = read_file("/proc/" + std::to_string(pid) + "/stat");  // proc_pid_stat(5)
  const std::size_t at = stat.rfind(") ");
  return at == std::string::npos ? 0 : std::atoi(stat.c_str() + at + 4);
}

// Returns band-init of each waiting view: its parent is the zygote, which bubblewrap has started for the server.
std::vector<pid_t> waiting_processes(const Server& server) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (read_file(entry.path() / "comm") == "band-init\n" && parent_of(parent_of(parent_of(pid))) == server.pid())
      found.push_back(pid);
  }
  return found;
}

std::vector<std::string> names_in(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) names.push_back(entry.path().filename());
  return names;
}

}  // namespace

TEST_CASE("the second execution with the same rules is warm; with other rules, another token, or warm: 0 it is cold") {
  Server server("", "4");
  server.add_token("other");
  CHECK(start_of(exec(server, {})) == "cold");
  REQUIRE(waiting_comes_to(server, 1));
  CHECK(start_of(exec(server, {}, "other")) == "cold");
  REQUIRE(waiting_comes_to(server, 2));
  Request different;
  different.deny = "ever";
  CHECK(start_of(exec(server, different)) == "cold");
  REQUIRE(waiting_comes_to(server, 3));
  const std::string warm = exec(server, {});
  CHECK(start_of(warm) == "warm");
  CHECK(contains(warm, R"("chain":0.0,)"));                                        // in metrics.steps: made ahead
  CHECK(metric(server, "band_step_seconds_total{step=\"chain\"}") != "0.000000");  // the time of the cold ones
  CHECK(start_of(exec(server, {}, "other")) == "warm");
  CHECK(start_of(exec(server, different)) == "warm");
  CHECK(metric(server, "band_warm_sandboxes_ended_total{fate=\"used\"}") == "3");
  CHECK(metric(server, "band_cold_starts_total") == "3");
  server.stop();

  Server without("", "4, warm: 0");
  for (int i = 0; i < 3; ++i) CHECK(start_of(exec(without, {})) == "cold");
  CHECK(metric(without, "band_warm_sandboxes") == "0");
  without.stop();
}

TEST_CASE("the configured number of rule sets have a sandbox, and a slot that is needed loses its own") {
  Server server("", "2, warm: 2");
  Request a, b, c;
  b.deny = "b";
  c.deny = "c";
  CHECK(start_of(exec(server, a)) == "cold");
  CHECK(start_of(exec(server, b)) == "cold");
  REQUIRE(waiting_comes_to(server, 2));
  CHECK(start_of(exec(server, c)) == "cold");
  CHECK(metric(server, "band_warm_sandboxes_ended_total{fate=\"displaced\"}") == "1");
  REQUIRE(waiting_comes_to(server, 2));
  CHECK(start_of(exec(server, c)) == "warm");
  server.stop();
}

TEST_CASE("an execution finds no trace of the one before it, and all of its own files and values") {
  Server server("", "1");
  Request first;
  first.env = R"({"name":"KEY","required":true,"secret":true,"description":"","origin":"s/BAND.md:9"})";
  first.opened_read = "./data/**";
  first.source = R"(echo $KEY > /tmp/left; mkdir -p data; echo changed > data/new; (sleep 300 &) ; )"
                 R"([ \"$(jq -r .a \"$INPUT_PATH\")\" = one ] && [ \"$(cat data/x)\" = first ] && [ ! -e data/y ] && )"
                 R"([ \"$(cat \"$BAND_LIB/l.sh\")\" = lib-one ] && echo '{\"ok\":true}' > \"$OUTPUT_PATH\")";
  first.input = R"({"a":"one"})";
  first.members = R"(,"secrets":{"KEY":"s3cret-of-one"},"lib":[{"path":"l.sh","mode":"0644","content":"bGliLW9uZQ=="}])"
                  R"(,"files":[{"path":"data/x","mode":"0644","content":"Zmlyc3QK"}])";
  CHECK(start_of(exec(server, first)) == "cold");
  REQUIRE(waiting_comes_to(server, 1));
  const std::vector<pid_t> waiting = waiting_processes(server);
  CHECK(waiting.size() == 1);
  for (const pid_t pid : waiting) {
    const std::string proc = "/proc/" + std::to_string(pid);
    CHECK(read_file(proc + "/environ").find("s3cret") == std::string::npos);
    const std::vector<std::string> in = names_in(proc + "/root/band/in");  // the control: this is a view
    CHECK_MESSAGE(in == std::vector<std::string>{"prelude.sh"}, "only the file of the server that never changes");
    CHECK(fs::is_empty(proc + "/root/work"));
    CHECK(fs::is_empty(proc + "/root/tmp"));
    CHECK(fs::is_empty(proc + "/root/band/skill/lib"));
  }
  Request second = first;
  second.source =
      R"([ ! -e /tmp/left ] && [ ! -e data/new ] && [ ! -e data/x ] && [ \"$(cat data/y)\" = second ] && )"
      R"([ ! -e \"$BAND_LIB/l.sh\" ] && [ \"$(jq -r .a \"$INPUT_PATH\")\" = two ] && [ \"$KEY\" = s3cret-of-two ] && )"
      R"(! pgrep sleep && echo '{\"ok\":true}' > \"$OUTPUT_PATH\")";
  second.input = R"({"a":"two"})";
  second.members =
      R"(,"secrets":{"KEY":"s3cret-of-two"},"files":[{"path":"data/y","mode":"0644","content":"c2Vjb25kCg=="}])";
  CHECK(start_of(exec(server, second)) == "warm");
  server.stop();
}

TEST_CASE("a sandbox whose processes were killed is not used, and the execution runs") {
  Server server("", "1");
  CHECK(start_of(exec(server, {})) == "cold");
  REQUIRE(waiting_comes_to(server, 1));
  std::vector<pid_t> waiting = waiting_processes(server);
  REQUIRE(waiting.size() == 1);
  ::kill(waiting[0], SIGKILL);
  REQUIRE(within(5'000, [&] { return waiting_processes(server).empty(); }));
  CHECK(start_of(exec(server, {})) == "cold");
  CHECK(metric(server, "band_warm_sandboxes_ended_total{fate=\"stale\"}") == "1");
  server.stop();
}

TEST_CASE("limits that depend on the request are those of a cold start") {
  Server server("", "1");
  // The maximum number of files does not depend on what was sent with the request.
  Request files;
  files.opened_read = "./data/**";
  files.limit = R"("maxFiles":20)";
  files.source =
      R"(n=0; while (: > f$n) 2> /dev/null; do n=$((n+1)); done; echo $n >&2; rm -f f*; echo '{\"ok\":true}' > \"$OUTPUT_PATH\")";
  const auto made = [](const std::string& answer) {
    const std::size_t at = answer.find("\"stderr\":\"");
    return at == std::string::npos ? answer : answer.substr(at + 10, 2);
  };
  const std::string cold = exec(server, files);
  REQUIRE(start_of(cold) == "cold");
  REQUIRE(waiting_comes_to(server, 1));
  files.members =
      R"(,"files":[{"path":"data/x","mode":"0644","content":""},{"path":"data/y","mode":"0644","content":""},{"path":"data/z","mode":"0644","content":""}])";
  const std::string warm = exec(server, files);
  REQUIRE(start_of(warm) == "warm");
  CHECK(made(cold) == "20");
  CHECK(made(warm) == "20");  // files that were sent, and their directory, are not counted
  // 8 MiB of skill files do not fit into the initial size of a root.
  REQUIRE(waiting_comes_to(server, 1));
  Request large = files;
  large.source = R"([ $(wc -c < \"$BAND_LIB/big\") = 8388608 ] && echo '{\"ok\":true}' > \"$OUTPUT_PATH\")";
  std::string zeros;  // base64 of 8 MiB of NUL
  for (int i = 0; i < 8388608 / 3; ++i) zeros += "AAAA";
  large.members = R"(,"lib":[{"path":"big","mode":"0644","content":")" + zeros + R"(AAA="}])";
  CHECK(start_of(exec(server, large)) == "warm");
  server.stop();
}

TEST_CASE("a stopping server ends its waiting sandboxes") {
  Server server("", "4");
  for (const char* deny : {"a", "b", "c"}) {
    Request request;
    request.deny = deny;
    CHECK(start_of(exec(server, request)) == "cold");
  }
  REQUIRE(waiting_comes_to(server, 3));
  server.stop();  // checks that nothing is left
}

TEST_CASE("a killed server leaves no waiting sandbox") {
  Server server("", "4");
  for (const char* deny : {"a", "b"}) {
    Request request;
    request.deny = deny;
    CHECK(start_of(exec(server, request)) == "cold");
  }
  REQUIRE(waiting_comes_to(server, 2));
  const std::vector<pid_t> waiting = waiting_processes(server);
  REQUIRE(waiting.size() == 2);
  server.kill();
  const auto lives = [](pid_t pid) { return read_file("/proc/" + std::to_string(pid) + "/comm") == "band-init\n"; };
  CHECK(within(10'000, [&] { return std::none_of(waiting.begin(), waiting.end(), lives); }));
  server.start();  // it removes the groups of the killed one
  server.stop();
}
