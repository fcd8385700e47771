// A script of a test, the evidence of its runs, and the learner for it.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "client/learn/learner.h"
#include "schemas/core/json.h"
#include "schemas/pattern/pattern.h"

namespace band::client::learn {

using Texts = std::vector<std::string>;

// A script of a test: its text, its band, and the files of its caller.
struct Stage {
  std::string source;
  Rules rules;
  std::set<std::string> files, properties{"path", "output", "dir"};
  std::vector<std::string> sharers;
  ClosedBy closed_by = {};

  Learner learner() const {
    const auto look = [files = files](const std::string& path) {
      if (files.contains(path)) return FileKind::File;
      const auto below = [&](const std::string& file) { return file.starts_with(path + "/"); };
      return std::any_of(files.begin(), files.end(), below) ? FileKind::Directory : FileKind::Missing;
    };
    const auto matches = [files = files](const std::string& pattern) {
      const auto parsed = PathPattern::parse(pattern);
      return parsed.ok() &&
             std::any_of(files.begin(), files.end(), [&](const std::string& file) { return parsed->matches(file); });
    };
    return Learner({rules,
                    "t/BAND.md",
                    "t/BAND.md",
                    sharers,
                    read_shell(source),
                    properties,
                    {"/home/me/work", look, matches},
                    closed_by});
  }
};

// The evidence of a run, in the form of a server's answer.
struct RunOutcome {
  Answer answer;
  RunOutcome() { answer.exit_status = 0; }
  RunOutcome& failed(const std::string& log = "", Code code = Code::ScriptFailed) {
    answer.exit_status = 1;
    answer.error = Error{.code = code, .doing = "the script exited with 1"};
    answer.stderr_log = log;
    return *this;
  }
  RunOutcome& entry(const std::string& kind, Json details) {
    const std::string text = kind + " " + dump_json(details);
    answer.ledger.push_back({kind, text, std::move(details)});
    return *this;
  }
  RunOutcome& not_found(const std::vector<std::string>& argv) { return entry("not-found", {{"argv", argv}}); }
  RunOutcome& ran(const std::vector<std::string>& argv, const std::string& pattern = "",
                  const std::string& origin = "") {
    return entry("command", {{"argv", argv},
                             {"denied", false},
                             {"status", 0},
                             {"rule", {{"section", "allow.cli"}, {"pattern", pattern}, {"origin", origin}}}});
  }
  RunOutcome& net(const std::string& outcome, const std::string& host, unsigned port, unsigned up = 0) {
    return entry("net", {{"outcome", outcome}, {"host", host}, {"port", port}, {"upBytes", up}});
  }
  RunOutcome& read(const std::string& path) { return entry("read", {{"path", path}}); }
  Evidence evidence() const { return evidence_of(answer); }
};

inline bool observe(Learner& learner, int number, const RunOutcome& run_outcome, const Json& input = Json::object(),
                    std::size_t index = 0) {
  return learner.observe({number, index, input, input, run_outcome.evidence()});
}

inline Texts decisions_of(const Learner& learner) {
  Texts decisions;
  for (const Decision& decision : learner.proposal(1, false).decisions) decisions.push_back(decision.write);
  std::sort(decisions.begin(), decisions.end());
  return decisions;
}

inline Texts shown(const std::vector<Line>& lines) {
  Texts texts;
  for (const Line& line : lines)
    texts.push_back(line.section + "." + line.domain + " " + line.pattern + (line.optional ? " optional" : ""));
  std::sort(texts.begin(), texts.end());
  return texts;
}

inline Rules trial_of(const Learner& learner, const Json& input = Json::object(), std::size_t index = 0) {
  std::vector<Watch> watched;
  return learner.trial(input, input, index, watched);
}

}  // namespace band::client::learn
