// The cost of an execution, compared with bare bash, and with bare bubblewrap with the same floor.
//
// They are measured alternately within one run, because the machine is shared and noisy. Compare ratios of medians of
// one run, never milliseconds of different runs. Used by tools/bench, which starts the server.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "schemas/core/json.h"
#include "server/base/io.h"
#include "tests/bench/bare.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"
#include "tests/bench/rivals.h"

namespace {

using band::Result;
using band::Status;
using band::bench::bar;
using band::bench::bare_bwrap;
using band::bench::Bound;
using band::bench::Connection;
using band::bench::request_body;
using band::bench::run_program;
using band::bench::Series;

// In one script, alternately: `true` through its shim, because a rule names it, and the floor's `false`, which is the
// same program except for its exit code. The script measures both.
constexpr const char* kTwins = R"sh(
brokered=() direct=()
for ((i = 0; i < 25; i++)); do
  a=$EPOCHREALTIME; true; b=$EPOCHREALTIME; /usr/bin/false; c=$EPOCHREALTIME
  brokered+=($((${b/./} - ${a/./}))) direct+=($((${c/./} - ${b/./})))
done
IFS=,
echo "{\"ok\":true,\"brokered\":[${brokered[*]}],\"direct\":[${direct[*]}]}" > "$OUTPUT_PATH"
)sh";

// 1 GB through two commands; brokered when a rule names them.
constexpr const char* kPipe = R"sh(
a=$EPOCHREALTIME
[ "$(head -c 1000000000 /dev/zero | cat | wc -c)" = 1000000000 ]
b=$EPOCHREALTIME
echo "{\"ok\":true,\"us\":$((${b/./} - ${a/./}))}" > "$OUTPUT_PATH"
)sh";

Status take(const Result<band::Json>& output, const char* member, Series& series) {
  if (!output.ok()) return output.error();
  const band::Json& value = output->at(member);
  for (const band::Json& us : value.is_array() ? value : band::Json::array({value}))
    series.ms.push_back(us.get<double>() / 1000.0);
  return band::done();
}

// The time that the broker adds to a command, and its effect on the throughput of a pipe.
Status measure_commands(Connection& connection, int rounds) {
  Series brokered{"true, brokered", {}}, direct{"true, direct", {}};
  Series pipe{"1 GB through cat | wc, brokered", {}}, plain{"1 GB through cat | wc, direct", {}};
  const std::string twins = request_body(kTwins, {"true never"});
  const std::string through = request_body(kPipe, {"cat never", "wc never"}), past = request_body(kPipe);
  for (int round = 0; round < std::max(1, rounds / 25); ++round) {
    const auto output = connection.exec(twins);
    BAND_CHECK(take(output, "brokered", brokered));
    BAND_CHECK(take(output, "direct", direct));
  }
  for (int round = 0; round < 5; ++round) {
    BAND_CHECK(take(connection.exec(through), "us", pipe));
    BAND_CHECK(take(connection.exec(past), "us", plain));
  }
  fmt::print("\n{:<34}{:>10}{:>10}\n", "", "median ms", "p95 ms");
  for (const Series* series : {&brokered, &direct, &pipe, &plain})
    fmt::print("{:<34}{:>10.2f}{:>10.2f}\n", series->name, series->at(0.5), series->at(0.95));
  fmt::print("a brokered command costs {:.2f} ms more; the brokered pipe has {:.2f} of the direct one's speed\n",
             brokered.at(0.5) - direct.at(0.5), plain.at(0.5) / pipe.at(0.5));
  return band::done();
}

Status done_if(const Result<band::Json>& output) {
  if (!output.ok()) return output.error();
  return band::done();
}

void print_table(const std::vector<Series>& all) {
  const double bash = all[0].at(0.5), bwrap = all[1].at(0.5);
  fmt::print("{:<34}{:>10}{:>10}{:>10}{:>10}\n", "", "median ms", "p95 ms", "x bash", "x bwrap");
  for (const Series& series : all)
    fmt::print("{:<34}{:>10.2f}{:>10.2f}{:>10.2f}{:>10.2f}\n", series.name, series.at(0.5), series.at(0.95),
               series.at(0.5) / bash, series.at(0.5) / bwrap);
}

Status measure(const band::bench::Server& server) {
  const std::string source = band::bench::kEcho;
  const std::string body = request_body(source), with_command = request_body(source, {"true never"}),
                    with_net = request_body(source, {}, {"api.github.com", "*.githubusercontent.com"});
  Connection connection(server.port, server.token);
  std::vector<Series> all = {
      {"bash",
       [] {
         return run_program({"/usr/bin/bash", "-c", "echo {} > /dev/null"});
       }},
      {"bare bwrap with the floor", [&] { return run_program(bare_bwrap(server.words[0])); }},
      {"band, request to answer (cold)", [&] { return done_if(connection.exec(body)); }},
      {"band, with a command view (cold)", [&] { return done_if(connection.exec(with_command)); }},
      {"band, with net rules (cold)", [&] { return done_if(connection.exec(with_net)); }},
  };
  for (const band::bench::Rival& rival : band::bench::rivals()) {
    if (run_program(rival.argv).ok())
      all.push_back({rival.name, [argv = rival.argv] { return run_program(argv); }});
    else
      fmt::print("{} is left out: it is installed but fails here (see its message above)\n", rival.name);
  }
  const int rounds = server.number(1);
  for (int round = -5; round < rounds; ++round) {  // the first five rounds warm up every path and are not counted
    for (Series& series : all) {
      const std::int64_t from = band::base::monotonic_us();
      BAND_CHECK(band::bench::named(series.name, series.once()));
      if (round >= 0) series.ms.push_back(static_cast<double>(band::base::monotonic_us() - from) / 1000.0);
    }
  }
  print_table(all);
  const double bwrap = all[1].at(0.5);
  bar("cold, x bwrap", all[2].at(0.5) / bwrap, Bound::AtMost, 1.3);
  bar("cold, with a command view, x bwrap", all[3].at(0.5) / bwrap, Bound::AtMost, 1.6);
  bar("cold, with net rules, x bwrap", all[4].at(0.5) / bwrap, Bound::AtMost, 1.5);
  return measure_commands(connection, rounds);
}

}  // namespace

int main(int argc, char** argv) { return band::bench::run_measure(argc, argv, 2, 2, "FLOOR ROUNDS", measure); }
