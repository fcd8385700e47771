// The examples of a skill that ships, as an agent would call them: each line of SKILL.md that is indented by four
// blanks and begins with `band call`, word for word.
#pragma once

#include <sstream>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

inline Words examples_of(const std::string& skill) {
  std::istringstream text(read_file(BAND_SOURCE_DIR "/skills/" + skill + "/SKILL.md"));
  const std::string begin = "    band call " + skill + "/";
  Words found;
  for (std::string line; std::getline(text, line);)
    if (line.starts_with(begin)) found.push_back(line.substr(4));
  return found;
}

// By a shell, in the caller's workspace, with `band` in its PATH.
inline Ran run_example(const Caller& caller, const std::string& line) {
  Environment env = caller.env;
  env["PATH"] = BAND_BIN_DIR ":/usr/bin:/bin";
  return Running({"/usr/bin/bash", "-c", line}, env, caller.work("")).wait(60'000);
}

}  // namespace band::test
