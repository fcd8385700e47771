// The commands of band and their flags, as data for `--help`, man pages, completion and the parser of the command line.
// A verb is the name of a command ("run"). Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// What a word on the command line names; for completion (client/completion). Free: it is not known what the word names.
enum class WordKind {
  Free,
  Script,            // SKILL/SCRIPT
  Skill,             // SKILL
  SkillOrScript,     // SKILL, or SKILL/SCRIPT
  SkillOrDirectory,  // SKILL, or a directory
  NewScript,         // SKILL/NAME: a skill that is not shipped with band, and the name of a script to create
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
  Itself,    // for a flag: its only possible value is FlagInfo::value
};

// The group of a verb in `band --help`. Hidden verbs are not listed, because only programs call them.
enum class VerbGroup { Run, Look, Write, SetUp, Hidden };
struct VerbGroupInfo {
  VerbGroup group;
  std::string_view title;
};
inline constexpr VerbGroupInfo kVerbGroups[] = {{VerbGroup::Run, "Run"},
                                                {VerbGroup::Look, "Look"},
                                                {VerbGroup::Write, "Write skills"},
                                                {VerbGroup::SetUp, "Set up"}};

// One of several words that can be a verb's first argument ("use" of `band target use NAME`), and the kinds of the
// words after it.
struct VerbForm {
  std::string_view word;
  std::vector<WordKind> then = {};
};

// A verb: its arguments in the usage line, one line about it, the names of its flags without `--`.
struct VerbInfo {
  std::string_view name, arguments, about;
  std::vector<std::string_view> flags;
  VerbGroup group = VerbGroup::Write;
  std::vector<WordKind> words = {};  // the kinds of its arguments, in order; further arguments are WordKind::Free
  std::vector<VerbForm> forms = {};  // instead of `words`
};
const std::vector<VerbInfo>& verbs();              // in the order of `band --help`
const VerbInfo* find_verb(std::string_view name);  // null: unknown verb
struct FlagInfo {
  std::string_view name, value, about;  // `name`: without `--`; `value`: "" for a flag without a value
  WordKind kind = WordKind::Free;       // the kind of the value
};
const std::vector<FlagInfo>& flags();
// Returns `flag` with the value and the description that it has for this verb.
FlagInfo flag_for(std::string_view verb, const FlagInfo& flag);
// Returns null when the verb does not have this flag. If `verb` is null, searches the flags of all verbs.
const FlagInfo* find_flag(const VerbInfo* verb, std::string_view name);
bool takes_script(std::string_view verb);  // true when the arguments of the verb are a script and its parameters
// Returns the names of the verb's flags, including "help". For "", returns the names of every flag.
std::vector<std::string> flags_of(std::string_view verb);
// Returns the flags in `text` (`--env-file`) that `band run` has and that this verb does not have. `text`: a hint that
// was written for `band run`. Flags after the name of another command, as in `band setup --target x`, do not count.
std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text);

}  // namespace band::client
