// For tests of skills/github: callers with tokens, and the state of the stand-in for GitHub. tests/services/github.py
// lists the users. A program that includes this header has the stand-in in its network.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "tests/end_to_end/shipped_skill.h"
#include "tests/outside/outside.h"

namespace band::test {

inline const bool kWithGitHub = with_services("github");
inline const Service kGitHub("github");
inline const std::string kBand = BAND_BIN_DIR "/band";
inline constexpr const char* kGitHubSkill = BAND_SOURCE_DIR "/skills/github";

// A caller with the token of ann or bob; bob has only read access.
class Person : public Caller {
 public:
  explicit Person(const std::string& token = "token-of-ann") : Caller(networked_server()) {
    env["GITHUB_TOKEN"] = token;
  }

  Ran call(const std::string& script, const std::string& input, const Words& more = {}) const {
    Words words = {verb, "github/" + script, "--input", "-"};
    words.insert(words.end(), more.begin(), more.end());
    return band(words, input);
  }

  std::string verb = "call";  // "run": for skills that are not installed
};

// Returns the stand-in's state through a jq filter; `it` is ann/project.
inline std::string state(const std::string& filter) {
  write_file(outside().file("filter"), "def it: .repositories[\"ann/project\"]; " + filter);
  const Ran ran = outside().shell("jq -c -f filter github.json");
  CHECK_STATUS(ran, 0);
  return ran.out.substr(0, ran.out.find_last_not_of('\n') + 1);
}

struct Case {
  std::string script, input, wanted;  // wanted: a part of the output
};

// Runs the cases, four at a time, because the server has four slots.
inline void all_of(const Person& person, const std::vector<Case>& cases, int status) {
  for (std::size_t from = 0; from < cases.size(); from += 4) {
    std::vector<Running> running;
    const std::size_t to = std::min(from + 4, cases.size());
    for (std::size_t i = from; i < to; ++i)
      running.emplace_back(Words{kBand, person.verb, "github/" + cases[i].script, "--input", "-"}, person.env,
                           person.work(""), cases[i].input);
    for (std::size_t i = from; i < to; ++i) {
      const Ran ran = running[i - from].wait();
      CAPTURE(cases[i].script);
      CAPTURE(cases[i].input.substr(0, 200));
      CHECK_STATUS(ran, status);
      CHECK_HAS(ran.out + ran.err, cases[i].wanted);
    }
  }
}

}  // namespace band::test
