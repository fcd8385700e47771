// A skill in a temporary directory, and the answers of `band why` for it.
#pragma once

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/answers/judgement.h"
#include "tests/pure/client/client_test.h"

namespace band::client {

using Outcome = Judgement::Outcome;
using Words = std::vector<std::string>;

inline Question command(const Words& argv) { return ask_command(argv).value(); }

// A skill `s` with the script `go`.
class Skill {
 public:
  explicit Skill(const std::string& yaml) { file("s/BAND.md", "band: s\n" + yaml); }

  void file(const std::string& path, const std::string& yaml) const { files.write(path, "---\n" + yaml + "---\n"); }

  Grounds grounds(const std::optional<JsonValue>& input = {}, const std::optional<Rules>& ceiling = {}) const {
    std::vector<Diagnostic> errors;
    const auto band = compose_band(files.path("s"), "go", errors);
    for (const Diagnostic& error : errors) FAIL(error.text());
    auto grounds = grounds_of(*band, input, ceiling);
    REQUIRE_MESSAGE(grounds.ok(), grounds.error().message());
    return std::move(grounds).value();
  }
  Judgement ask(const Question& question, const std::optional<Rules>& ceiling = {}) const {
    auto judgement = judge(question, grounds({}, ceiling));
    REQUIRE(judgement.ok());
    return std::move(judgement).value();
  }

  test::TempDir files;
};

// Each remedy as "FILE: LINE".
inline Words lines(const Judgement& judgement) {
  Words all;
  for (const Remedy& remedy : judgement.remedies) all.push_back(remedy.file + ": " + remedy.yaml(remedy.pattern));
  return all;
}

}  // namespace band::client
