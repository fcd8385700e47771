// Shared by the tests of `band learn`: a server that resolves a test host, and parsers of learn's output.
#pragma once

#include <sys/socket.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/end_to_end/server_fixture.h"
#include "tests/end_to_end/tap.h"

namespace band::test {

// Answers one HTTP request.
inline void answer_http(int connection) {
  char bytes[4096];
  if (::recv(connection, bytes, sizeof bytes, 0) <= 0) return;
  const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi";
  (void)!::send(connection, answer.data(), answer.size(), MSG_NOSIGNAL);
}

inline Port& web() {
  static Port port(answer_http);
  return port;
}

inline Server& server() {
  static SharedServer server("gateway: {resolve: {api.learn.example: \"127.0.0.1:" + std::to_string(web().number) +
                             "\"}}\n");
  return server;
}

// What `band learn` prints about one run: the rules of the run, and the names that learn watches (learn lists these
// only once).
struct Shown {
  std::set<std::string> opens;
  std::string watches;
};
inline std::vector<Shown> shown_runs(const std::string& err) {
  std::vector<Shown> runs;
  std::istringstream lines(err);
  const std::string opens = "  allows ", adds = "  also allows ", closes = "  no longer allows ",
                    watches = "  watches ";
  for (std::string line; std::getline(lines, line);) {
    const auto rule = [&](const std::string& head) {
      return line.substr(head.size(), line.rfind("  (") - head.size());
    };
    if (line.starts_with("run ") && contains(line, ": input "))
      runs.push_back(runs.empty() ? Shown{} : runs.back());
    else if (runs.empty())
      continue;
    else if (line.starts_with(closes))
      runs.back().opens.erase(rule(closes));
    else if (line.starts_with(opens))
      runs.back().opens.insert(rule(opens));
    else if (line.starts_with(adds))
      runs.back().opens.insert(rule(adds));
    else if (line.starts_with(watches))
      runs.back().watches += line + "\n";
  }
  return runs;
}

inline Words learn(Words more, const std::string& script = "tool/go") {
  more.insert(more.begin(), {"learn", script});
  return more;
}

inline std::string band_of(const Caller& caller, const std::string& place = "tool/scripts/go") {
  return read_file(caller.skills() + "/" + place + "/BAND.md");
}

// Returns the lines of a band to which learn has added a comment.
inline Words rows_of(const std::string& band) {
  Words rows;
  std::istringstream text(band);
  for (std::string row; std::getline(text, row);)
    if (contains(row, "   # run ")) rows.push_back(row);
  return rows;
}

inline std::string without(const std::string& band, const std::string& row) {
  std::string rest = band;
  rest.erase(rest.find(row), row.size() + 1);
  // An empty list or section.
  for (int round = 0; round < 2; ++round) {
    std::string kept;
    Words rows;
    std::istringstream text(rest);
    for (std::string line; std::getline(text, line);) rows.push_back(line);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto indent = [&](std::size_t at) { return rows[at].find_first_not_of(' '); };
      const bool key = rows[i].ends_with(":");
      if (!key || (i + 1 < rows.size() && rows[i + 1] != "---" && indent(i + 1) > indent(i))) kept += rows[i] + "\n";
    }
    rest = kept;
  }
  return rest;
}

}  // namespace band::test
