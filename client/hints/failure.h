// The facts about a failed run from which hints are derived.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "client/host/tree.h"
#include "client/skills/skills.h"
#include "client/workspace/workspace.h"
#include "schemas/core/json_value.h"
#include "schemas/wire/wire.h"

namespace band::client {

// The user of the command that failed. A hint names what this user can change: a line of a BAND.md (Author: `band run`,
// `band shell`, `band test`), a flag (CommandLine: `band exec`), or a line that another person must write (Agent: `band
// call`).
enum class Reader { Author, CommandLine, Agent };

struct Failure {
  Reader reader = Reader::Author;
  const Script& script;              // with the paths of the input in place of placeholders
  const JsonValue& input;            // with the schema's defaults
  const JsonValue& given;            // without them
  std::vector<std::string> command;  // the words of `band exec`; empty for a script of a skill
  const Tree* workspace = nullptr;   // the workspace, or the directory that would be it; null: there is none
  std::set<std::string> sent;        // the paths of the files that were sent
  std::set<std::string> written;     // the paths of files that the run has written back
  std::vector<LeftOut> left_out;     // files that `read` allows and that were not sent
  bool has_standard_input = false;   // the script gets the caller's standard input
  bool runs_here = false;            // the server is on the machine of the caller
  std::string home;                  // the caller's home directory, or ""
  // The variables that the script gets, with their values, without those whose name is that of a credential, and
  // without those that a BAND.md declares as secrets.
  std::map<std::string, std::string> variables = {};
  // Returns whether the caller's environment has a variable that is not empty.
  std::function<bool(const std::string&)> has_variable;
  const Answer& answer;
  std::string log;  // log_of(answer). Untrusted, as the whole answer
};

}  // namespace band::client
