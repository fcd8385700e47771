// The commands of band and their flags, as data for `--help`, man pages, completion and the parser. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// The kind of a word, for completion (client/completion). Free: unknown.
enum class WordKind {
  Free,
  Script,            // SKILL/SCRIPT
  Skill,             // SKILL
  SkillOrScript,     // SKILL, or SKILL/SCRIPT
  SkillOrDirectory,  // SKILL, or a directory
  NewScript,         // SKILL/ of a skill that is not a shipped one, then a new name
  Directory,
  File,
  Path,      // a file or a directory
  Target,    // local-lima, local, and the targets that are set up
  SetUp,     // a target that is set up
  Topic,     // a topic of `band help`
  Shell,     // bash, zsh, fish
  Command,   // the name of a program; its arguments follow
  Input,     // JSON, @FILE or -
  Limit,     // NAME=VALUE
  Variable,  // the name of an environment variable
  Itself,    // for a flag: the only word is FlagInfo::value
};

// The group of a verb in `band --help`. Hidden verbs are for programs.
enum class VerbGroup { Run, Look, Write, SetUp, Hidden };
struct VerbGroupInfo {
  VerbGroup group;
  std::string_view title;
};
inline constexpr VerbGroupInfo kVerbGroups[] = {{VerbGroup::Run, "Run"},
                                                {VerbGroup::Look, "Look"},
                                                {VerbGroup::Write, "Write skills"},
                                                {VerbGroup::SetUp, "Set up"}};

// A first argument that is one of several words ("use"), and the words after it.
struct VerbForm {
  std::string_view word;
  std::vector<WordKind> then = {};
};

// The verbs with a line about each, in the order of `band --help`.
struct VerbInfo {
  std::string_view name, arguments, about;
  std::vector<std::string_view> flags;
  VerbGroup group = VerbGroup::Write;
  std::vector<WordKind> words = {};  // the kinds of its arguments, in order; further ones are WordKind::Free
  std::vector<VerbForm> forms = {};  // instead of `words`
};
const std::vector<VerbInfo>& verbs();
const VerbInfo* find_verb(std::string_view name);  // null: unknown verb
struct FlagInfo {
  std::string_view name, value, about;  // `value` is empty for a flag without a value
  WordKind kind = WordKind::Free;       // the kind of the value
};
const std::vector<FlagInfo>& flags();
FlagInfo flag_for(std::string_view verb, const FlagInfo& flag);  // with value and description for this verb
const FlagInfo* find_flag(const VerbInfo* verb,
                          std::string_view name);  // null: the verb does not have it; without a verb: any flag
bool takes_script(std::string_view verb);          // whether the verb has a script and its parameters as arguments
std::vector<std::string> flags_of(std::string_view verb);  // their names, including help; all flags for ""
// Returns the flags of `band run` that `text` names (`--env-file`) and this verb does not have; each once. Flags of
// another command, as in `band setup --target x`, are excluded.
std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text);

}  // namespace band::client
