// Finds names that a command line can contain: of skills, of scripts and their parameters, of targets. Reads files only
// when a name is needed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/completion/candidates.h"
#include "client/completion/place.h"
#include "client/skills/schema_view.h"
#include "client/skills/skills.h"

namespace band::client {

// A parameter of the script that the command line names.
struct ScriptParameter {
  Parameter parameter;
  std::string flag;             // in kebab-case, without "--"
  bool is_path = false;         // the value seems to be a path
  bool can_be_bare = false;     // the flag can be written without a value
  bool can_be_negated = false;  // `--no-FLAG` is valid
  bool repeats = false;         // the flag can be given several times
};

class Values {
 public:
  // `place` must outlive this object. `described`: of() also sets Candidate::about of skills and scripts.
  Values(const Place& place, bool described) : place_(place), described_(described) {}

  // Returns words of this kind. `typed`: the part of the word that is before the cursor. For some kinds, the result
  // also has words that do not begin with `typed`; the caller must drop these words.
  std::vector<Candidate> of(WordKind kind, const std::string& typed) const;

  // Returns the parameters of the script that the command line names. Returns an empty list if the command line names
  // no script, or if the script has an error. Parameters that have the name of a flag of band are left out, because
  // band parses them as its own flag.
  const std::vector<ScriptParameter>& parameters();
  const ScriptParameter* parameter(std::string_view flag);  // null if the script has no such parameter
  // Returns the values of the parameter that the schema lists (choices_of() in client/skills/schema_view.h).
  // `parameter` must be from parameters() or parameter() of this object.
  std::vector<std::string> choices(const ScriptParameter& parameter) const;

 private:
  std::vector<std::string> roots() const;
  std::vector<Candidate> skills(bool of_scripts) const;
  std::vector<Candidate> scripts(const std::string& typed) const;
  void add_scripts(const SkillPlace& skill, std::vector<Candidate>& found) const;

  const Place& place_;
  const bool described_;
  std::optional<Script> script_;
  std::optional<std::vector<ScriptParameter>> parameters_;
};

}  // namespace band::client
