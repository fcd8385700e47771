// The cost of the parts of a request: rules, files of the workspace, files below a directory of the machine, bytes of
// input and output; and of brokered interpreters. Used by tools/bench, with a server without sandboxes made ahead.
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "schemas/core/json.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "tests/bench/bare.h"
#include "tests/bench/bars.h"
#include "tests/bench/connection.h"
#include "tests/bench/rivals.h"

namespace {

using namespace band;
using namespace band::bench;

ExecRequest request_of(const std::string& source) {
  ExecRequest request;
  request.script = "bench/script";
  request.source = source;
  return request;
}

std::string body_of(const ExecRequest& request) { return dump_json(request_to_json(request)); }

// Returns the time of one further measurement in milliseconds.
using Reference = std::function<Result<double>()>;

// Medians in milliseconds; the bodies, and then the references, are measured alternately.
Result<std::vector<double>> medians(Connection& connection, const std::vector<std::string>& bodies, int rounds,
                                    const std::vector<Reference>& references = {}) {
  std::vector<Series> all(bodies.size() + references.size());
  for (int round = -2; round < rounds; ++round) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const std::int64_t from = base::monotonic_us();
      BAND_CHECK(connection.run(bodies[i]));
      if (round >= 0) all[i].ms.push_back(static_cast<double>(base::monotonic_us() - from) / 1000);
    }
    for (std::size_t i = 0; i < references.size(); ++i) {
      BAND_TRY(const double ms, references[i]());
      if (round >= 0) all[bodies.size() + i].ms.push_back(ms);
    }
  }
  std::vector<double> found;
  found.reserve(all.size());
  for (const Series& series : all) found.push_back(series.at(0.5));
  return found;
}

// Two references of the machine, because the same build needs twice the time on another machine: parsing with
// nlohmann/json alone, and copying to memory that has no pages yet. They are measured between the requests.
double parsing_ms(const std::string& text) {
  const std::int64_t from = base::monotonic_us();
  [[maybe_unused]] const auto parsed = nlohmann::ordered_json::parse(text);
  return static_cast<double>(base::monotonic_us() - from) / 1000;
}

Result<double> copying_ms(const std::string& bytes) {
  const std::int64_t from = base::monotonic_us();
  void* fresh = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (fresh == MAP_FAILED) return layer_error("bench", "mmap", errno);
  // Pages of one size on all machines: some use huge pages for every mapping.
  ::madvise(fresh, bytes.size(), MADV_NOHUGEPAGE);
  std::memcpy(fresh, bytes.data(), bytes.size());
  ::munmap(fresh, bytes.size());
  return static_cast<double>(base::monotonic_us() - from) / 1000;
}

void print_curve(const char* what, const std::vector<int>& at, const std::vector<double>& ms) {
  fmt::print("{:<34}", what);
  for (std::size_t i = 0; i < at.size(); ++i) fmt::print("  {}: {:.2f} ms", at[i], ms[i]);
  fmt::print("\n");
}

// The rules are distributed evenly over cli, net, read and write.
Status rules(Connection& connection, int rounds) {
  const std::vector<int> counts = {1, 10, 100, 1000};
  std::vector<std::string> bodies;
  for (const int count : counts) {
    ExecRequest request = request_of(kEcho);
    for (int i = 0; i < std::max(1, count / 4); ++i) {
      const std::string number = std::to_string(i), origin = "bench/BAND.md:" + number;
      request.rules.cli.deny.push_back({"gh never" + number, origin});
      if (count == 1) break;
      request.rules.net.deny.push_back({"h" + number + ".example.com", origin});
      request.rules.read.deny.push_back({"./r" + number + "/**", origin});
      request.rules.write.deny.push_back({"./w" + number + "/**", origin});
    }
    bodies.push_back(body_of(request));
  }
  const auto parsing = [&](const std::string& body) { return [&body] { return Result<double>(parsing_ms(body)); }; };
  BAND_TRY(auto ms, medians(connection, bodies, rounds, {parsing(bodies.front()), parsing(bodies.back())}));
  const double json = ms[counts.size() + 1] - ms[counts.size()];
  ms.resize(counts.size());
  print_curve("rules", counts, ms);
  // Not 1.2 x one rule: that ratio would become stricter with each saving elsewhere. A rule has 54 bytes of JSON, a
  // pattern and an origin.
  const double more = ms.back() - ms.front();
  fmt::print("  a rule more: {:.2f} us; its JSON alone: {:.2f} us\n", more * 1000 / counts.back(),
             json * 1000 / counts.back());
  if (json <= 0) return layer_error("bench", "the time to parse the rules is not measurable", 0);
  bar("a rule more, x nlohmann/json parsing it", more / json, Bound::AtMost, 2);
  return done();
}

Status workspace_files(Connection& connection, int rounds) {
  const std::vector<int> counts = {0, 10, 100, 900};
  std::vector<std::string> bodies;
  for (const int count : counts) {
    ExecRequest request = request_of(kEcho);
    request.rules.read.opened = {{{"./data/**", "bench/BAND.md:1"}}};
    request.rules.limit.maxFiles = 2000;
    for (int i = 0; i < count; ++i)
      request.files.push_back({"data/f" + std::to_string(i), 0644, std::string(1000, 'x')});
    bodies.push_back(body_of(request));
  }
  BAND_TRY(const auto ms, medians(connection, bodies, rounds));
  print_curve("files of the workspace, 1 kB each", counts, ms);
  bar("a workspace file more, us", (ms.back() - ms.front()) * 1000 / counts.back(), Bound::AtMost, 60);
  return done();
}

// Below /srv: other places of the machine are closed by default.
Status declared_directory(Connection& connection, int rounds) {
  std::string place = "/srv/band-bench-XXXXXX";
  if (::mkdtemp(place.data()) == nullptr || ::chmod(place.c_str(), 0755) != 0)
    return layer_error("bench", "make " + place, errno);
  const base::Undo remove([&] { std::filesystem::remove_all(place); });
  const std::vector<int> counts = {1, 10'000};
  std::vector<std::string> bodies;
  for (const int count : counts) {
    const std::string directory = place + "/" + std::to_string(count);
    std::filesystem::create_directory(directory);
    for (int i = 0; i < count; ++i) std::ofstream(directory + "/f" + std::to_string(i)) << "x";
    ExecRequest request = request_of(kEcho);
    request.rules.read.opened = {{{directory + "/**", "bench/BAND.md:1"}}};
    bodies.push_back(body_of(request));
  }
  BAND_TRY(const auto ms, medians(connection, bodies, rounds));
  print_curve("files of a declared directory", counts, ms);
  // Not constant: each file is examined, because a socket, a FIFO or a denied name would open a way out of the sandbox
  // (docs/security.md).
  bar("a file of a declared directory more, us", (ms.back() - ms.front()) * 1000 / counts.back(), Bound::AtMost, 10);
  return done();
}

Status large_input(Connection& connection, int rounds) {
  ExecRequest copies =
      request_of("{ printf '{\"ok\":true,\"input\":'; cat \"$INPUT_PATH\"; echo '}'; } > \"$OUTPUT_PATH\"\n");
  copies.rules.limit.maxInputBytes = copies.rules.limit.maxOutputBytes = 16 << 20;
  copies.input = Json{{"text", std::string(10 << 20, 'x')}};
  const std::string body = body_of(copies);
  BAND_TRY(const auto ms,
           medians(connection, {body_of(request_of(kEcho)), body}, rounds, {[&] { return copying_ms(body); }}));
  print_curve("MB of input and of output", {0, 10}, {ms[0], ms[1]});
  fmt::print("  10 MB of input and output: {:.1f} ms; one copy to new memory: {:.1f} ms\n", ms[1] - ms[0], ms[2]);
  // The bytes are copied to new memory seven times (docs/performance.md); the time of three copies is for all other
  // work.
  bar("10 MB of input and output, x copying it to new memory", (ms[1] - ms[0]) / ms[2], Bound::AtMost, 10);
  return done();
}

// Measures the time to the first line, in one bash; used outside and in the sandbox.
std::string first_lines(const std::string& command, int rounds) {
  return "times=()\nfor ((i = 0; i < " + std::to_string(rounds) + "; i++)); do a=$EPOCHREALTIME; read -r line < <(" +
         command + "); b=$EPOCHREALTIME; times+=($((${b/./} - ${a/./}))); done\nIFS=,\n";
}

Result<double> first_line_outside(const std::string& command, int rounds) {
  std::string file = "/tmp/band-bench-line-XXXXXX";
  const base::Fd made(::mkstemp(file.data()));
  const base::Undo remove([&] { ::unlink(file.c_str()); });
  BAND_CHECK(
      run_program({"/usr/bin/bash", "-c", first_lines(command, rounds) + "echo \"[${times[*]}]\" > " + file}, 60'000));
  BAND_TRY(const std::string text, base::read_file(file, 1 << 16));
  BAND_TRY(const Json times, parse_json(text, "the times"));
  return median(times.get<std::vector<double>>()) / 1000;
}

Status interpreter(Connection& connection, const std::string& name, const std::string& code, int rounds) {
  if (!in_path(name)) return done();
  const std::string command = name + " " + code;
  ExecRequest request = request_of(first_lines(command, rounds) +
                                   "echo \"{\\\"ok\\\":true,\\\"us\\\":[${times[*]}]}\" > \"$OUTPUT_PATH\"\n");
  request.rules.cli.opened = {{{name + " *", "bench/BAND.md:1"}}};
  request.rules.limit.maxRuntimeMs = 60'000;
  const std::string body = body_of(request);
  Series inside{name, {}};
  std::vector<double> outside;
  for (int round = 0; round < 3; ++round) {  // alternately
    BAND_TRY(const double direct, first_line_outside(command, rounds));
    outside.push_back(direct);
    BAND_TRY(const Json output, connection.exec(body));
    for (const Json& us : output.at("us")) inside.ms.push_back(us.get<double>() / 1000);
  }
  fmt::print("first line of {:<20}  direct {:.2f} ms, brokered {:.2f} ms\n", name, median(outside), inside.at(0.5));
  bar("first line of " + name + ", brokered, ms more", inside.at(0.5) - median(outside), Bound::AtMost, 2);
  return done();
}

Status measure(std::uint16_t port, const char* token, int rounds) {
  Connection connection(port, token);
  fmt::print("\nCosts that grow with a request, medians:\n");
  BAND_CHECK(rules(connection, rounds));
  BAND_CHECK(workspace_files(connection, rounds));
  BAND_CHECK(declared_directory(connection, rounds));
  BAND_CHECK(large_input(connection, std::max(3, rounds / 5)));
  BAND_CHECK(interpreter(connection, "python3", "-c 'print(1)'", rounds));
  return interpreter(connection, "node", "-e 'console.log(1)'", rounds);
}

}  // namespace

int main(int argc, char** argv) {
  return run_measure(argc, argv, 1, 1, "ROUNDS", [](const Server& server) {
    return measure(server.port, server.token.c_str(), std::max(3, server.number(0)));
  });
}
