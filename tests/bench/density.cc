// The memory of a live execution, compared with a sleeping bare bubblewrap, and the time of a further
// execution while they live. Used by tools/bench, which starts a server with enough slots.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <list>
#include <string>
#include <vector>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "tests/bench/bare.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"

namespace {

using namespace band;
using namespace band::bench;

constexpr int kNext = 40;
constexpr double kStableKib = 512;
constexpr const char* kSleep = "sleep 3600; true\n";  // `true` keeps bash running beside sleep

// Returns a value in KiB: MemAvailable of proc_meminfo(5), VmRSS of proc_pid_status(5).
Result<double> kib(const char* path, const std::string& name) {
  BAND_TRY(const std::string text, base::read_file(path, 1 << 16));
  const std::size_t at = text.find(name + ":");
  if (at == std::string::npos) return layer_error("bench", std::string(path) + " has no " + name, 0);
  return std::atof(text.c_str() + at + name.size() + 1);
}

// The decrease of the machine's available memory, without this program's own memory.
class Used {
 public:
  // First waits until the available memory is stable. The kernel frees the memory of processes and namespaces that
  // ended before with a delay, and that would reduce the result. `quick`: waits at most 3 s instead of a minute.
  Status begin(bool quick) {
    const int wanted = quick ? 1 : 5, most = quick ? 3 : 60;  // seconds
    BAND_CHECK(now(before_));
    int stable = 0;
    for (int waited = 0; waited < most && stable < wanted; ++waited) {
      const double last = before_;
      ::sleep(1);
      BAND_CHECK(now(before_));
      stable = std::abs(last - before_) < kStableKib ? stable + 1 : 0;
    }
    if (stable < wanted) fmt::print("the available memory is not stable: the memory of an execution is imprecise\n");
    return done();
  }
  Result<double> mb_each(int count) const {
    double after = 0;
    BAND_CHECK(now(after));
    return (after - before_) / 1024 / count;
  }

 private:
  static Status now(double& used) {
    BAND_TRY(const double available, kib("/proc/meminfo", "MemAvailable"));
    BAND_TRY(const double own, kib("/proc/self/status", "VmRSS"));
    used = -available - own;
    return done();
  }
  double before_ = 0;
};

bool is_quick(int count) { return count < 200; }  // tools/bench --quick measures fewer

// Four kinds of requests: without rules, with a host, with a command, with an insist on a file of the workspace.
std::vector<std::string> sleeping_bodies() {
  const RuleSet data = {{"./data/**", "bench/BAND.md:1"}};
  std::vector<ExecRequest> kinds(4);
  kinds[1].rules.net.opened = {{{"api.github.com", "bench/BAND.md:1"}}};
  kinds[2].rules.cli.deny = {{"true never", "bench/BAND.md:1"}};
  kinds[3].files = {{"data/x", 0644, "x"}};
  kinds[3].rules.read = {{data}, {}, data};
  std::vector<std::string> bodies;
  for (ExecRequest& kind : kinds) {
    kind.script = "bench/script";
    kind.source = std::string(kind.files.empty() ? "" : "cat data/x > /dev/null; ") + kSleep;
    kind.rules.limit.maxRuntimeMs = 3'600'000;  // the last one may start a long time after the first
    bodies.push_back(dump_json(request_to_json(kind)));
  }
  return bodies;
}

// Uses a new connection, because the server closes an idle one.
Result<double> next_ms(std::uint16_t port, const char* token) {
  Connection connection(port, token);
  Series series{"", {}};
  const std::string body = request_body(kEcho);
  for (int i = -3; i < kNext; ++i) {
    const std::int64_t from = base::monotonic_us();
    if (const auto output = connection.exec(body); !output.ok()) return output.error();
    if (i >= 0) series.ms.push_back(static_cast<double>(base::monotonic_us() - from) / 1000);
  }
  return series.at(0.5);
}

Result<double> of_bwrap(const std::string& floor, int count) {
  auto argv = bare_bwrap(floor);
  argv.back() = std::string("echo; ") + kSleep;
  argv.insert(argv.begin() + 1, "--die-with-parent");
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  std::list<base::Child> all;
  Used used;
  BAND_CHECK(used.begin(is_quick(count)));
  for (int i = 0; i < count; ++i) {
    BAND_TRY(auto out, base::stream_pair());
    BAND_TRY(base::Child child, base::spawn({argv, {"PATH=/usr/bin", "HOME=/tmp"}, {null.get(), out.second.get(), 2}}));
    all.push_back(std::move(child));
    out.second.reset();
    char newline = 0;
    if (::read(out.first.get(), &newline, 1) != 1) return layer_error("bench", "bare bwrap did not start", 0);
  }
  ::sleep(3);
  auto each = used.mb_each(count);
  all.clear();  // ends them
  ::sleep(2);
  return each;
}

Status measure(std::uint16_t port, const char* token, const std::string& floor, int count) {
  BAND_TRY(const double bare, of_bwrap(floor, count));
  BAND_TRY(const double idle, next_ms(port, token));
  const std::vector<std::string> bodies = sleeping_bodies();
  std::list<Connection> all;
  Used used;
  BAND_CHECK(used.begin(is_quick(count)));
  for (int i = 0; i < count; ++i)
    BAND_CHECK(all.emplace_back(port, token).begin(bodies[static_cast<std::size_t>(i) % bodies.size()]));
  ::sleep(3);
  BAND_TRY(const double each, used.mb_each(count));
  BAND_TRY(const double beside, next_ms(port, token));
  for (Connection& one : all)
    if (one.answered()) return layer_error("bench", "an execution ended early: " + one.answer(), 0);
  fmt::print(
      "\n{} executions alive: bwrap {:.2f} MB each, band {:.2f} MB each; the next one {:.2f} ms, on an idle server "
      "{:.2f} ms\n",
      count, bare, each, beside, idle);
  bar(fmt::format("memory of each of {} alive, x bwrap", count), each / bare, Bound::AtMost, 2);
  bar(fmt::format("the next one beside {} alive, x idle", count), beside / idle, Bound::AtMost, 1.3);
  return done();
}

}  // namespace

int main(int argc, char** argv) {
  return run_measure(argc, argv, 2, 2, "FLOOR COUNT", [](const Server& server) {
    return measure(server.port, server.token.c_str(), server.words[0], server.number(1));
  });
}
