// Words of the command line, sorted: band's own flags, and the words that a script's schema has to explain. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/terminal/terminal.h"
#include "schemas/core/result.h"

namespace band::client {

struct CommandLine {
  std::string verb;                    // "run"; empty: `band` alone or `band --help`
  std::vector<std::string> arguments;  // words that are no flags, in order
  // Of a verb that takes a script: every word that is not band's own, in order ("--name", "World", "--tags=a"); see
  // parameters.h.
  std::vector<std::string> parameters;

  std::optional<std::string> input, workspace, env_file, target, keep_partial;
  std::vector<std::string> skills;
  bool standard_input = false;  // --stdin
  bool token_stdin = false;     // of `target add`

  // `setup` of a virtual machine.
  std::optional<std::string> name, cpus, memory, disk, drain;
  std::vector<std::string> with;
  bool force = false;

  // `learn` only; it has its inputs in place of `input`.
  std::vector<std::string> inputs;
  std::optional<std::string> runs;
  bool apply = false;

  // `install-skills` only.
  std::optional<std::string> to;
  bool remove = false;

  // `test` only.
  std::optional<std::string> filter, jobs, junit;
  // `convert` only.
  std::optional<std::string> output;

  // `exec` only: a command with its arguments, and what it may do.
  std::vector<std::string> command, cli, net, read, write, env, limits;
  std::optional<std::string> band;
  bool tty = false, write_back = false;  // of `shell`: write_back

  // `why` only; the command line that it is asked about is `command`, paths and hosts are `read`, `write` and `net`.
  bool offline = false;

  bool json = false, dry_run = false, explain = false, purge = false, help = false, version = false;
  Verbosity verbosity = Verbosity::Normal;
};

// `words` without the program's name. Errors (Code::Usage): an unknown verb or flag with the nearest ones, a flag
// without its value or given twice, a flag that the verb does not have.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words);

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
std::string_view about_flag(std::string_view verb, const FlagInfo& flag);  // what it does for this verb
const FlagInfo* find_flag(const VerbInfo* verb, std::string_view name);    // null: the verb lacks it; no verb: of any
bool can_repeat(std::string_view flag);
bool takes_script(std::string_view verb);                  // and its parameters
std::vector<std::string> flags_of(std::string_view verb);  // their names, --help's included
// Flags of `band run` that `text` names (`--env-file`) and this verb lacks; each once. A flag of another command, as in
// `band setup --target x`, is not one.
std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text);

}  // namespace band::client
