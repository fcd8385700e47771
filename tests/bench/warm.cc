// Executions one after the other on one connection, without pauses, with a server that makes sandboxes ahead: the
// figures include the cost of making them. Bare bubblewrap is measured in the same loop before and after. Used by
// tools/bench. Without BAND-RUN: four rule sets alternately, for a server with four slots.
#include <fmt/format.h>
#include <unistd.h>

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

Status loop(Series& series, int count, useconds_t pause_us = 0) {
  for (int i = 0; i < count; ++i) {
    if (pause_us > 0) ::usleep(pause_us);
    const std::int64_t from = band::base::monotonic_us();
    BAND_CHECK(series.once());
    series.ms.push_back(static_cast<double>(band::base::monotonic_us() - from) / 1000.0);
  }
  return band::done();
}

struct Kind {
  const char* name;
  std::vector<std::string> bodies;  // used alternately
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

void print(const Series& series, double bwrap, const std::string& more) {
  fmt::print("{:<34}{:>10.2f}{:>10.2f}{:>12.2f}{:>10.2f}  {}\n", series.name, series.at(0.5), series.at(0.99),
             series.at(0.99) / series.at(0.5), series.at(0.5) / bwrap, more);
}

Status measure(std::uint16_t port, const char* token, const std::string& floor, int count,
               const std::vector<std::string>& band_run) {
  const std::string echo = band::bench::kEcho;
  std::vector<std::string> four, always_new;
  for (int i = 0; i < 4; ++i) four.push_back(request_body(echo, {"gh never" + std::to_string(i)}));
  for (int i = 0; i < count; ++i)
    always_new.push_back(request_body(echo, {"gh never"}, {}, "s/BAND.md:" + std::to_string(i)));
  const std::vector<Kind> in_turn = {{"warm, four rule sets in turn", four, "", 0.7}};
  const std::vector<Kind> one_by_one = {
      {"warm", {request_body(echo)}, "", 0.7},
      {"warm, with a command view", {request_body(echo, {"true never"})}, "", 0.9},
      {"warm, a command runs", {request_body("true; " + echo, {"true never"})}, "true: exited 0"},
      {"warm, with net rules", {request_body(echo, {}, {"api.github.com", "*.githubusercontent.com"})}, "", 0.9},
      {"cold, the pool full of others", always_new, ""},
  };
  const std::vector<Kind>& kinds = band_run.empty() ? in_turn : one_by_one;
  Series bwrap{"bare bwrap with the floor", [&] { return band::bench::run_program(band::bench::bare_bwrap(floor)); }};
  BAND_CHECK(loop(bwrap, count / 4));
  Connection connection(port, token);
  // With pauses, also for bare bubblewrap: the latency that one caller sees.
  int in_time = 0;
  Series paused{"warm, 20 ms between requests", [&] { return exec_one(connection, kinds.front(), 0, in_time); }};
  Series bwrap_paused{"bare bwrap, 20 ms between", bwrap.once};
  if (!band_run.empty()) {
    BAND_CHECK(loop(bwrap_paused, count / 10, kPauseUs));
    BAND_CHECK(loop(paused, count / 10, kPauseUs));
  }
  Series run{"band run, the whole process", [&] { return band::bench::run_program(band_run); }};
  if (!band_run.empty()) BAND_CHECK(loop(run, count / 4));
  std::vector<Series> all;
  std::vector<int> hits;
  for (const Kind& kind : kinds) {
    int warm = 0;
    std::size_t turn = 0;
    Series series{kind.name, [&] { return exec_one(connection, kind, turn++, warm); }};
    BAND_CHECK(loop(series, count));
    all.push_back(std::move(series));
    hits.push_back(warm);
  }
  BAND_CHECK(loop(bwrap, count / 4));
  fmt::print("\n{} executions each, one after the other:\n{:<34}{:>10}{:>10}{:>12}{:>10}\n", count, "", "median ms",
             "p99 ms", "p99/median", "x bwrap");
  print(bwrap, bwrap.at(0.5), "");
  for (std::size_t i = 0; i < all.size(); ++i)
    print(all[i], bwrap.at(0.5), fmt::format("{:.1f} % warm", 100.0 * hits[i] / count));
  if (!band_run.empty()) {
    print(bwrap_paused, bwrap.at(0.5), "");
    print(paused, bwrap.at(0.5), fmt::format("{:.1f} % warm", 1000.0 * in_time / count));
    bar("warm, 20 ms between requests, x bwrap with as long pauses", paused.at(0.5) / bwrap_paused.at(0.5),
        Bound::AtMost, 0.7);
    print(run, bwrap.at(0.5), "");
    bar("band run, the whole process, warm, x bwrap", run.at(0.5) / bwrap.at(0.5), Bound::AtMost, 1.7);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kinds[i].limit == 0) continue;
    bar(fmt::format("{}, x bwrap", kinds[i].name), all[i].at(0.5) / bwrap.at(0.5), Bound::AtMost, kinds[i].limit);
    bar(fmt::format("{}, p99/median x that of bwrap", kinds[i].name),
        all[i].at(0.99) / all[i].at(0.5) / (bwrap.at(0.99) / bwrap.at(0.5)), Bound::AtMost, 1.2);
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
