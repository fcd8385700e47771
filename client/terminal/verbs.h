// The commands of band and their flags, as data: what `--help`, man pages, shells and the parser go by. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// What a word is, for shells that complete it (client/completion). Free: nothing is known of it.
enum class WordKind {
  Free,
  Script,            // SKILL/SCRIPT
  Skill,             // SKILL
  SkillOrScript,     // SKILL, or SKILL/SCRIPT
  SkillOrDirectory,  // SKILL, or a directory
  NewScript,         // SKILL/ of a skill of one's own, and a new name behind it
  Directory,
  File,
  Path,      // a file or a directory
  Target,    // local-lima, local, and what is set up
  SetUp,     // a target that is set up
  Topic,     // of `band help`
  Shell,     // bash, zsh, fish
  Command,   // the name of a program; its arguments follow
  Input,     // JSON, @FILE or -
  Limit,     // NAME=VALUE
  Variable,  // the name of an environment variable
  Itself,    // of a flag: the one word that FlagInfo::value names
};

// Where a verb stands in `band --help`; hidden verbs are for programs.
enum class VerbGroup { Run, Look, Write, SetUp, Hidden };
struct VerbGroupInfo {
  VerbGroup group;
  std::string_view title;
};
inline constexpr VerbGroupInfo kVerbGroups[] = {{VerbGroup::Run, "Run"},
                                                {VerbGroup::Look, "Look"},
                                                {VerbGroup::Write, "Write skills"},
                                                {VerbGroup::SetUp, "Set up"}};

// A first argument that is one of several words ("use"), and what follows it.
struct VerbForm {
  std::string_view word;
  std::vector<WordKind> then = {};
};

// The verbs with a line about each, in the order of `band --help`.
struct VerbInfo {
  std::string_view name, arguments, about;
  std::vector<std::string_view> flags;
  VerbGroup group = VerbGroup::Write;
  std::vector<WordKind> words = {};  // its arguments, in order; those behind the last are WordKind::Free
  std::vector<VerbForm> forms = {};  // in place of `words`
};
const std::vector<VerbInfo>& verbs();
const VerbInfo* find_verb(std::string_view name);  // null: no such verb
struct FlagInfo {
  std::string_view name, value, about;  // `value` is empty for a flag that takes none
  WordKind kind = WordKind::Free;       // of the value
};
const std::vector<FlagInfo>& flags();
FlagInfo flag_for(std::string_view verb, const FlagInfo& flag);          // with what it takes and does for this verb
const FlagInfo* find_flag(const VerbInfo* verb, std::string_view name);  // null: the verb lacks it; no verb: of any
bool takes_script(std::string_view verb);                                // and its parameters
std::vector<std::string> flags_of(std::string_view verb);                // their names, --help's included; all for ""
// Flags of `band run` that `text` names (`--env-file`) and this verb lacks; each once. A flag of another command, as in
// `band setup --target x`, is not one.
std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text);

}  // namespace band::client
