// Executions per second of several callers together, over persistent connections and as processes of `band run`,
// compared with bare bubblewrap under `xargs -P`. Used by tools/bench.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/base/io.h"
#include "tests/bench/bare.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"

namespace {

using namespace band;
using namespace band::bench;

constexpr int kRounds = 2;

struct Settings {
  std::uint16_t port = 0;
  std::string token, floor;
  std::vector<std::string> run;  // command line of `band run`
  int count = 0;
};

std::string quoted(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " '" + word + "'";
  return text;
}

// Returns executions per second.
Result<double> of_processes(const std::vector<std::string>& argv, int callers, int count) {
  // -I: each input line starts one process, and is not passed as an argument.
  const std::string script = fmt::format("seq {} | xargs -P {} -I@@{}", count, callers, quoted(argv));
  const std::int64_t from = base::monotonic_us();
  BAND_CHECK(run_program({"/usr/bin/bash", "-c", script}, 300'000));
  return count * 1e6 / static_cast<double>(base::monotonic_us() - from);
}

// Each of `callers` uses its own connection; `ms` gets the time of each request.
Result<double> of_connections(const Settings& settings, int callers, std::vector<double>& ms) {
  const std::string body = request_body(kEcho);
  std::atomic<int> left = settings.count;
  std::mutex mutex;  // guards `ms` and `first`
  Status first = done();
  std::vector<std::thread> threads;
  threads.reserve(static_cast<std::size_t>(callers));
  const std::int64_t from = base::monotonic_us();
  for (int i = 0; i < callers; ++i)
    threads.emplace_back([&] {
      Connection connection(settings.port, settings.token);
      while (left.fetch_sub(1) > 0) {
        const std::int64_t began = base::monotonic_us();
        const auto output = connection.exec(body);
        const std::lock_guard lock(mutex);
        ms.push_back(static_cast<double>(base::monotonic_us() - began) / 1000);
        if (output.ok()) continue;
        first = output.error();
        return;
      }
    });
  for (std::thread& thread : threads) thread.join();
  const double seconds = static_cast<double>(base::monotonic_us() - from) / 1e6;
  if (!first.ok()) return first.error();
  return settings.count / seconds;
}

Status measure(const Settings& settings, int callers) {
  std::vector<double> bare, kept, run;
  Series requests{"", {}};
  for (int round = 0; round < kRounds; ++round) {
    BAND_TRY(const double of_bwrap, of_processes(bare_bwrap(settings.floor), callers, settings.count));
    BAND_TRY(const double of_band, of_connections(settings, callers, requests.ms));
    BAND_TRY(const double of_run, of_processes(settings.run, callers, settings.count));
    bare.push_back(of_bwrap);
    kept.push_back(of_band);
    run.push_back(of_run);
  }
  fmt::print("{:>4} callers: bwrap {:6.0f}/s, band {:6.0f}/s (median {:.1f} ms, p99 {:.1f} ms), band run {:6.0f}/s\n",
             callers, median(bare), median(kept), requests.at(0.5), requests.at(0.99), median(run));
  bar(fmt::format("throughput, {} callers, x bwrap", callers), median(kept) / median(bare), Bound::AtLeast, 0.7);
  bar(fmt::format("throughput of band run, {} at a time, x bwrap", callers), median(run) / median(bare), Bound::AtLeast,
      0.4);
  if (callers == 32) bar("p99 / median, 32 callers", requests.at(0.99) / requests.at(0.5), Bound::AtMost, 10);
  return done();
}

}  // namespace

int main(int argc, char** argv) {
  return run_measure(argc, argv, 3, 1'000, "FLOOR COUNT BAND-RUN ...", [](const Server& server) -> Status {
    const Settings settings{
        server.port, server.token, server.words[0], {server.words.begin() + 2, server.words.end()}, server.number(1)};
    fmt::print("\nExecutions per second, {} of each:\n", settings.count);
    for (const int callers : {2, 8, 32, 128})
      BAND_CHECK(named(fmt::format("{} callers", callers), measure(settings, callers)));
    return done();
  });
}
