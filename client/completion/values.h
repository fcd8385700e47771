// The names that a command line can contain: skills, scripts with their parameters, targets. Read on demand.
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
  std::string flag;  // in kebab-case, without "--"
  bool is_path = false;
  bool can_be_bare = false;     // `--flag` alone
  bool can_be_negated = false;  // `--no-flag`
  bool repeats = false;
};

class Values {
 public:
  Values(const Place& place, bool described) : place_(place), described_(described) {}

  // Returns words of this kind. `typed` is only a hint: the caller compares prefixes.
  std::vector<Candidate> of(WordKind kind, const std::string& typed) const;

  // Returns the parameters of the script; empty if there is no script or it has an error. Without parameters that have
  // the name of one of band's own flags, because the flag hides them.
  const std::vector<ScriptParameter>& parameters();
  const ScriptParameter* parameter(std::string_view flag);                   // null if there is none
  std::vector<std::string> choices(const ScriptParameter& parameter) const;  // for the parameter's value

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
