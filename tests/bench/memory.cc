// The memory of the engine for large requests: the largest heap while one request runs, and what is resident
// afterwards. Used by tools/bench.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "schemas/core/json.h"
#include "server/base/io.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"

namespace {

using namespace band;
using namespace band::bench;

constexpr std::size_t kMiB = 1 << 20, kContent = 45 * kMiB;

// A number of /proc/PID/status, in MiB.
double mib(int pid, const std::string& field) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field + ":")) return std::strtod(line.c_str() + field.size() + 1, nullptr) / 1024;
  fmt::print(stderr, "bench: no {} of process {}\n", field, pid);
  std::_Exit(1);
}

ExecRequest request_of(const std::string& source) {
  ExecRequest request;
  request.script = "bench/script";
  request.source = source;
  request.rules.limit.maxInputBytes = 80 * kMiB;
  request.rules.limit.maxDiskBytes = 160 * kMiB;
  request.rules.read.opened = request.rules.write.opened = {{{"./**", "bench/BAND.md:1"}}};
  return request;
}

struct Body {
  const char* what;
  std::string text;
  double most;  // x the request. More than 1 for an input, because besides its text there is the rest of the request
};

std::vector<Body> bodies() {
  const ShippedFile file{"f", 0644, std::string(kContent, 'x')};
  ExecRequest one = request_of(kEcho), many = request_of(kEcho), input = request_of(kEcho),
              changed = request_of("sed -i s/^x/y/ f\n" + std::string(kEcho));
  one.files = {file};
  changed.files = {file};
  for (std::size_t i = 0; i < 45; ++i) many.files.push_back({"f" + std::to_string(i), 0644, std::string(kMiB, 'x')});
  input.input = Json(std::string(kContent / 3 * 4, 'x'));
  std::vector<Body> all;
  for (const auto& [what, request, most] : {std::tuple{"a file of 45 MiB", &one, 1.0},
                                            {"45 files of 1 MiB", &many, 1.0},
                                            {"an input of 60 MiB", &input, 1.01},
                                            {"a file of 45 MiB that comes back changed", &changed, 2.2}})
    all.push_back({what, dump_json(request_to_json(*request)), most});
  return all;
}

// With a connection of its own, because the server closes an idle one.
Result<double> peak_mib(std::uint16_t port, const std::string& token, int pid, const std::string& body) {
  Connection connection(port, token);
  const double before = mib(pid, "RssAnon");
  std::atomic<bool> ended = false;
  std::atomic<double> most = before;
  std::thread sampler([&] {
    while (!ended) most = std::max(most.load(), mib(pid, "RssAnon"));
  });
  const Status ran = connection.run(body);
  ended = true;
  sampler.join();
  if (!ran.ok()) return ran.error();
  return most - before;
}

Status at_rest(std::uint16_t port, const std::string& token, int pid, const std::string& body) {
  std::vector<std::thread> callers;
  std::vector<Status> ran(4, done());
  callers.reserve(ran.size());
  for (Status& one : ran)
    callers.emplace_back([&] {
      Connection connection(port, token);
      one = connection.run(body);
    });
  for (std::thread& caller : callers) caller.join();
  for (const Status& one : ran) BAND_CHECK(one);
  ::sleep(10);
  bar("engine, MiB resident 10 s after 4 requests of 60 MiB", mib(pid, "VmRSS"), Bound::AtMost, 64);
  return done();
}

Status measure(std::uint16_t port, const std::string& token, int pid) {
  fmt::print("\nMemory of the engine for large requests:\n");
  const std::vector<Body> all = bodies();
  BAND_CHECK(Connection(port, token).run(all.front().text));  // allocates what is kept for later executions
  for (const Body& body : all) {
    ::sleep(7);  // the engine returns freed memory every five seconds
    BAND_TRY(const double peak, peak_mib(port, token, pid, body.text));
    bar(std::string("heap for ") + body.what + ", x the request",
        peak * static_cast<double>(kMiB) / static_cast<double>(body.text.size()), Bound::AtMost, body.most);
  }
  return at_rest(port, token, pid, all.front().text);
}

}  // namespace

int main(int argc, char** argv) {
  return run_measure(argc, argv, 1, 1, "PID",
                     [](const Server& server) { return measure(server.port, server.token, server.number(0)); });
}
