// Executions one after the other on one connection, without pauses, with a server that makes sandboxes ahead: the
// figures include the cost of making them. Blocks of each kind and of bare bubblewrap alternate, because the speed of
// the machine changes. Each bar is measured in three rounds, and the median of the rounds counts. Used by tools/bench.
// Without BAND-RUN: four rule sets alternately, for a server with four slots.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "server/base/io.h"
#include "tests/bench/bare.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"

namespace {

using band::Status;
using band::bench::bar;
using band::bench::Bound;
using band::bench::Connection;
using band::bench::request_body;
using band::bench::Series;

constexpr useconds_t kPauseUs = 20'000;  // the shortest pause of an agent, and long enough to make the next sandbox

int blocks(int count) { return count < 1000 ? 1 : 3; }  // tools/bench --quick measures fewer than 1000

// Executions at the beginning of a block are not measured during this time. At first the server had time to make
// sandboxes, and for one second (Queue::kSettledUs) it keeps those of the kind before. In tools/bench --quick, and for
// the short loops, the time is shorter.
std::int64_t lead_in_us(int count) { return count < 1000 ? 300'000 : 1'200'000; }

struct Loop {
  Series series;
  int count = 0;            // executions in all blocks together
  useconds_t pause_us = 0;  // before each
  bool leads_in = true;
  bool counts_warm = true;
  int warm = 0;                                  // number of measured executions in a sandbox that was made ahead
  std::vector<double> medians = {}, tails = {};  // for each block: the median in ms; p99 divided by the median
};

double p99_to_median(const Series& series) { return series.at(0.99) / series.at(0.5); }

Status run_block(Loop& loop, int count, const int& warm) {
  const std::size_t first = loop.series.ms.size();
  const std::int64_t from_us = band::base::monotonic_us() + (loop.leads_in ? lead_in_us(loop.count) : 0);
  for (int i = 0; i < count;) {
    if (loop.pause_us > 0) ::usleep(loop.pause_us);
    const int warm_before = warm;
    const std::int64_t from = band::base::monotonic_us();
    BAND_CHECK(loop.series.once());
    if (from < from_us) continue;
    loop.series.ms.push_back(static_cast<double>(band::base::monotonic_us() - from) / 1000.0);
    loop.warm += warm - warm_before;
    ++i;
  }
  const auto& ms = loop.series.ms;
  const Series block{loop.series.name, {}, {ms.begin() + static_cast<std::ptrdiff_t>(first), ms.end()}};
  loop.medians.push_back(block.at(0.5));
  loop.tails.push_back(p99_to_median(block));
  return band::done();
}

// The median of the quotients of all blocks.
double ratio(const std::vector<double>& of, const std::vector<double>& to) {
  std::vector<double> ratios;
  ratios.reserve(of.size());
  for (std::size_t i = 0; i < of.size(); ++i) ratios.push_back(of[i] / to[i]);
  return band::bench::median(std::move(ratios));
}

struct Kind {
  const char* name;
  std::vector<std::string> bodies;  // used in turn
  std::string in_ledger;            // expected in each answer
  double limit = 0;                 // x bwrap; 0: no limit
};

// Checks the ledger: a ledger that does not match the rules would come from another execution.
Status exec_one(Connection& connection, const Kind& kind, std::size_t turn, int& warm) {
  const auto output = connection.exec(kind.bodies[turn % kind.bodies.size()]);
  if (!output.ok()) return output.error();
  const std::string& answer = connection.answer();
  if (answer.find("\"warm\":true") != std::string::npos) ++warm;
  const bool empty = answer.find("\"ledger\":[]") != std::string::npos;
  if (kind.in_ledger.empty() ? !empty : answer.find(kind.in_ledger) == std::string::npos)
    return band::layer_error("bench",
                             std::string(kind.name) + ": the answer's ledger does not match its rules: " + answer, 0);
  return band::done();
}

void print(const Loop& loop, const Series& bwrap) {
  const Series& series = loop.series;
  fmt::print("{:<34}{:>10.2f}{:>10.2f}{:>12.2f}{:>10.2f}", series.name, series.at(0.5), series.at(0.99),
             p99_to_median(series), series.at(0.5) / bwrap.at(0.5));
  if (loop.counts_warm) fmt::print("  {:.1f} % warm", 100.0 * loop.warm / static_cast<double>(series.ms.size()));
  fmt::print("\n");
}

std::vector<Kind> four_in_turn() {
  std::vector<std::string> bodies;
  bodies.reserve(4);
  for (int i = 0; i < 4; ++i) bodies.push_back(request_body(band::bench::kEcho, {"gh never" + std::to_string(i)}));
  return {{"warm, four rule sets in turn", bodies, "", 0.7}};
}

std::vector<Kind> one_by_one(int count) {
  const std::string echo = band::bench::kEcho;
  const int most = count + blocks(count) * 1000;  // 1000: more than the executions of a lead-in
  std::vector<std::string> always_new;
  always_new.reserve(static_cast<std::size_t>(most));
  for (int i = 0; i < most; ++i)
    always_new.push_back(request_body(echo, {"gh never"}, {}, "s/BAND.md:" + std::to_string(i)));
  return {
      {"warm", {request_body(echo)}, "", 0.7},
      {"warm, with a command view", {request_body(echo, {"true never"})}, "", 0.9},
      {"warm, a command runs", {request_body("true; " + echo, {"true never"})}, "true: exited 0"},
      {"warm, with net rules", {request_body(echo, {}, {"api.github.com", "*.githubusercontent.com"})}, "", 0.9},
      {"cold, the pool full of others", always_new, ""},
  };
}

Status measure(std::uint16_t port, const char* token, const std::string& floor, int count,
               const std::vector<std::string>& band_run) {
  const std::vector<Kind> kinds = band_run.empty() ? four_in_turn() : one_by_one(count);
  Connection connection(port, token);
  int warm = 0;
  const auto bare = [&] { return band::bench::run_program(band::bench::bare_bwrap(floor)); };
  std::vector<Loop> loops = {{{"bare bwrap with the floor", bare}, count / 2, 0, false, false}};
  for (const Kind& kind : kinds)
    loops.push_back(
        {{kind.name, [&, turn = std::size_t{0}]() mutable { return exec_one(connection, kind, turn++, warm); }},
         count});
  const std::size_t others = loops.size();
  if (!band_run.empty()) {
    // With pauses, also for bare bubblewrap: the latency that one caller sees.
    loops.push_back({{"bare bwrap, 20 ms between", bare}, count / 5, kPauseUs, false, false});
    loops.push_back({{"warm, 20 ms between requests", [&] { return exec_one(connection, kinds.front(), 0, warm); }},
                     count / 5,
                     kPauseUs});
    loops.push_back({{"band run, the whole process", [&] { return band::bench::run_program(band_run); }},
                     count / 4,
                     0,
                     true,
                     false});
  }
  for (int block = 0; block < blocks(count); ++block)
    for (Loop& loop : loops) BAND_CHECK(run_block(loop, loop.count / blocks(count), warm));

  const Loop& bwrap = loops.front();
  fmt::print("\n{} executions each, one after the other:\n{:<34}{:>10}{:>10}{:>12}{:>10}\n", count, "", "median ms",
             "p99 ms", "p99/median", "x bwrap");
  for (const Loop& loop : loops) print(loop, bwrap.series);
  if (!band_run.empty()) {
    bar("warm, 20 ms between requests, x bwrap with as long pauses",
        ratio(loops[others + 1].medians, loops[others].medians), Bound::AtMost, 0.7);
    bar("band run, the whole process, warm, x bwrap", ratio(loops[others + 2].medians, bwrap.medians), Bound::AtMost,
        1.7);
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const Loop& loop = loops[i + 1];
    if (kinds[i].limit == 0) continue;
    bar(loop.series.name + ", x bwrap", ratio(loop.medians, bwrap.medians), Bound::AtMost, kinds[i].limit);
    bar(loop.series.name + ", p99/median x that of bwrap", ratio(loop.tails, bwrap.tails), Bound::AtMost, 1.2);
  }
  return band::done();
}

}  // namespace

int main(int argc, char** argv) {
  return band::bench::run_measure(argc, argv, 2, 1'000, "FLOOR COUNT [BAND-RUN ...]",
                                  [](const band::bench::Server& server) {
                                    return measure(server.port, server.token.c_str(), server.words[0], server.number(1),
                                                   {server.words.begin() + 2, server.words.end()});
                                  });
}
