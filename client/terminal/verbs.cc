#include "client/terminal/verbs.h"

#include <algorithm>

namespace band::client {
namespace {

bool verb_has(const VerbInfo* verb, std::string_view flag) {
  if (flag == "help" || verb == nullptr) return true;
  return std::find(verb->flags.begin(), verb->flags.end(), flag) != verb->flags.end();
}

// Returns whether the text names this flag of `band run`. A longer word that begins with the flag does not count, nor
// does a flag of another command, as in `band setup --target x`.
bool names_flag_of_run(std::string_view text, std::string_view word) {
  constexpr std::string_view kOfWord = "abcdefghijklmnopqrstuvwxyz-", kBand = "band ";
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (end < text.size() && kOfWord.find(text[end]) != std::string_view::npos) continue;
    const std::size_t band = text.substr(0, at).rfind(kBand);
    if (band == std::string_view::npos) return true;
    const std::string_view after = text.substr(band + kBand.size());
    const std::string_view verb = after.substr(0, after.find_first_not_of(kOfWord));
    if (verb == "run" || find_verb(verb) == nullptr) return true;
  }
  return false;
}

// Value and description of a flag for one verb, where they differ from the table of flags. If `value` is empty, only
// the description differs.
struct OwnWords {
  std::string_view verb, flag, value, about;
};
constexpr OwnWords kOwnWords[] = {
    {"call", "input", "JSON|-", "the input as JSON, or from standard input; parameter flags override its properties"},
    {"exec", "explain", "",
     "after the run, print on stderr the band that is equivalent to the flags, the rules that applied, and the ledger"},
    {"exec", "keep-partial", "",
     "if band ends the command or cannot finish the run, write the files that the command created into DIR, which must "
     "be empty or "
     "missing"},
    {"why", "read", "",
     "whether the script may read this file of the workspace, or of the server's machine (/srv/x); can be repeated"},
    {"why", "write", "", "whether the script may write this file; can be repeated"},
    {"why", "net", "", "whether the script may connect to this host (default port: 443); can be repeated"},
    {"why", "input", "", "the input of the run: a rule such as {path} allows the file that the input names"},
    {"why", "target", "", "the target whose ceiling applies; default as for `band run`"},
    {"test", "verbose", "", "print a line for each finished case"},
    {"learn", "input", "",
     "an input as JSON, from a file, or from standard input; parameter flags override its properties; this option can "
     "be repeated"},
    {"new", "to", "DIR", "with `new skill`: create the skill's directory in DIR (default: ~/.band/skills)"},
    {"new", "skills", "", "with `new script`: look for the skill in DIR first; can be repeated"},
    {"convert", "dry-run", "", "print the tree and the bands; write nothing"},
    {"setup", "target", "", "local-lima or local (default: $BAND_TARGET, or else local-lima)"},
    {"teardown", "target", "", "local-lima or local; required unless $BAND_TARGET is set"},
    {"teardown", "name", "", "the virtual machine's name for limactl (default: that of the target)"},
    {"login", "target", "", "the target to create (default: $BAND_TARGET, or else local)"},
    {"install-skills", "to", "", "create the links only in DIR"},
};

}  // namespace

const std::vector<VerbInfo>& verbs() {
  static const std::vector<VerbInfo> all{
      {"run",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "run a script in its sandbox and print its result",
       {"input", "stdin", "workspace", "skills", "env-file", "target", "json", "dry-run", "explain", "keep-partial",
        "log", "quiet", "verbose"},
       VerbGroup::Run,
       {WordKind::Script}},
      {"call",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "`band run` for agents: only installed skills, only the current directory, no flags that widen the band",
       {"input", "stdin", "json", "dry-run", "explain", "quiet", "verbose"},
       VerbGroup::Run,
       {WordKind::Script}},
      {"exec",
       "[FLAGS] [--] COMMAND [ARGUMENT ...]",
       "run a command in the same sandbox, without a skill",
       {"cli", "net", "read", "write", "replace", "env", "limit", "band", "tty", "workspace", "env-file", "target",
        "dry-run", "explain", "keep-partial", "log", "quiet"},
       VerbGroup::Run,
       {WordKind::Command}},
      {"shell",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "a shell in the sandbox of a script, to examine it",
       {"input", "write-back", "keep-partial", "workspace", "skills", "env-file", "target", "explain", "quiet"},
       VerbGroup::Run,
       {WordKind::Script}},
      {"list",
       "[SKILL]",
       "the skills and scripts that can be run",
       {"skills", "json", "quiet"},
       VerbGroup::Look,
       {WordKind::Skill}},
      {"show",
       "SKILL[/SCRIPT]",
       "the rules that apply to a script, and the file and line of each",
       {"skills", "json", "quiet"},
       VerbGroup::Look,
       {WordKind::SkillOrScript}},
      {"why",
       "SKILL/SCRIPT [FLAGS] [-- COMMAND [ARGUMENT ...]]",
       "print whether an action is allowed, and the line that allows it, or the line to write",
       {"read", "write", "net", "input", "skills", "target", "offline", "json", "quiet"},
       VerbGroup::Look,
       {WordKind::Script}},
      {"status",
       "",
       "the server of a target: version, layers, free slots, your running scripts",
       {"target", "json"},
       VerbGroup::Look},
      {"cancel", "ID", "end a running script", {"target", "json", "quiet"}, VerbGroup::Run},
      {"doctor",
       "",
       "check everything that a run needs, and print what to do about each failure",
       {"target", "json"},
       VerbGroup::Look},
      {"help",
       "[COMMAND | exit-codes]",
       "print this text, the help of a command, or the exit codes",
       {},
       VerbGroup::Look,
       {WordKind::Topic}},
      {"validate",
       "SKILL|DIR ...",
       "check skills: SKILL.md, every BAND.md, schema and script; nothing is executed",
       {"skills", "json"},
       VerbGroup::Write,
       {WordKind::SkillOrDirectory}},
      {"test",
       "SKILL[/SCRIPT]|DIR",
       "run the cases of a skill's tests/*.yaml, each in a sandbox of its own",
       {"filter", "jobs", "junit", "skills", "target", "json", "quiet", "verbose"},
       VerbGroup::Write,
       {WordKind::SkillOrScript}},
      {"learn",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "run a script in its sandbox, and propose the smallest band with which it works",
       {"input", "runs", "apply", "workspace", "skills", "env-file", "target", "json"},
       VerbGroup::Write,
       {WordKind::Script}},
      {"new",
       "skill NAME [SCRIPT] | script SKILL/NAME",
       "create a working skill, or a script in a skill, as a start for your own",
       {"to", "skills", "json"},
       VerbGroup::Write,
       {},
       {{"skill"}, {"script", {WordKind::NewScript}}}},
      {"convert",
       "SOURCE",
       "convert an ordinary skill into one with bands, in a new directory",
       {"output", "dry-run", "json", "quiet"},
       VerbGroup::Write,
       {WordKind::Directory}},
      {"setup",
       "",
       "set up a target: band's virtual machine, or this machine's own server",
       {"target", "cpus", "memory", "disk", "name", "with", "force", "drain", "quiet", "json"},
       VerbGroup::SetUp},
      {"teardown",
       "",
       "remove a target that setup has created",
       {"target", "name", "purge", "quiet"},
       VerbGroup::SetUp},
      {"start", "", "start the virtual machine", {"target", "quiet"}, VerbGroup::SetUp},
      {"stop", "", "stop the virtual machine; `band run` starts it again", {"target", "quiet"}, VerbGroup::SetUp},
      {"login",
       "",
       "read a token from standard input and store it for a target",
       {"target", "quiet", "json"},
       VerbGroup::SetUp},
      {"target",
       "add NAME ssh://USER@HOST | list | use NAME | remove NAME",
       "servers on other machines, and the default target",
       {"token-stdin", "quiet", "json"},
       VerbGroup::SetUp,
       {},
       {{"add"}, {"list"}, {"use", {WordKind::SetUp}}, {"remove", {WordKind::SetUp}}}},
      {"token",
       "add|list|revoke [NAME]",
       "the tokens that this machine's server accepts",
       {"json"},
       VerbGroup::SetUp,
       {},
       {{"add"}, {"list"}, {"revoke"}}},
      {"install-skills",
       "[SKILL ...]",
       "link skills into the directories of agents",
       {"to", "remove", "json"},
       VerbGroup::SetUp,
       {WordKind::Skill}},
      {"completion",
       "bash|zsh|fish",
       "print the script with which a shell completes the words of `band`",
       {},
       VerbGroup::SetUp,
       {WordKind::Shell}},
      {"complete", "[bash] -- WORD ...", "for shells: print candidates for the last word", {}, VerbGroup::Hidden},
      {"manual", "DIR", "for the build: write the man pages into DIR", {}, VerbGroup::Hidden, {WordKind::Directory}},
  };
  return all;
}

const std::vector<FlagInfo>& flags() {
  static const std::vector<FlagInfo> all{
      {"input", "JSON|@FILE|-",
       "the input as JSON, from a file, or from standard input; parameter flags override its properties",
       WordKind::Input},
      {"stdin", "",
       "the script reads this command's standard input; without the flag the script's standard input is empty"},
      {"cli", "PATTERN", "allow these command lines ('git log *'), in addition to the command itself; can be repeated"},
      {"net", "HOST[:PORT]", "allow connections to this host; can be repeated"},
      {"read", "PATH",
       "allow reading this file, directory or pattern of the workspace, or of the server's machine (/srv/x/); can be "
       "repeated",
       WordKind::Path},
      {"write", "PATH",
       "allow writing this file, directory or pattern; files of the workspace are written back; write a directory that "
       "does not exist yet as dist/; can be repeated",
       WordKind::Path},
      {"replace", "",
       "files that the command makes also replace existing files that --write allows and --read does not; without this "
       "flag, such files stop the run before it starts"},
      {"env", "NAME",
       "pass this variable as a secret: its value is masked in output and logs, not in files; can be repeated",
       WordKind::Variable},
      {"limit", "NAME=VALUE", "set this limit, as in `maxRuntimeMs=10m`; can be repeated", WordKind::Limit},
      {"band", "FILE", "use the rules of this BAND.md, in addition to those of the flags", WordKind::File},
      {"tty", "", "-t: the command uses this terminal; without a COMMAND, bash is started"},
      {"write-back", "", "write changes in the workspace back when the shell ends"},
      {"workspace", "DIR", "the directory of relative read and write patterns (default: the current one)",
       WordKind::Directory},
      {"skills", "DIR", "look for skills in DIR first; can be repeated", WordKind::Directory},
      {"env-file", "FILE", "NAME=VALUE lines for the variables of the band; has precedence over the environment",
       WordKind::File},
      {"target", "NAME",
       "the target; else $BAND_TARGET, else the target of `band target use`, else the target that is set up, "
       "local-lima "
       "before local",
       WordKind::Target},
      {"token-stdin", "", "with `add`: read from standard input the line that the operator's `band token add` printed"},
      {"json", "", "print the whole result as one JSON object, also after a failure"},
      {"dry-run", "", "print rules, files, mounts, variables and limits; do not run or send anything"},
      {"explain", "", "after the run, print on stderr the rules that applied and the ledger"},
      {"keep-partial", "DIR",
       "if the run fails, write the files that the script created into DIR, which must be empty or missing",
       WordKind::Directory},
      {"log", "FILE", "also write stdout and stderr of the script into FILE, in the order in which they arrive",
       WordKind::File},
      {"filter", "TEXT", "run only the cases whose name contains TEXT"},
      {"jobs", "N", "run N cases at a time (default: the number of the server's free slots, at most 8)"},
      {"junit", "FILE", "also write a report in JUnit's XML into FILE", WordKind::File},
      {"runs", "N",
       "make at most N runs, without a prompt (default: on a terminal a prompt before each further run, otherwise one "
       "run)"},
      {"apply", "", "at the end, show the lines and write them into BAND.md"},
      {"cpus", "N",
       "processors of the virtual machine (default: 2); an existing machine gets the new number at its next start"},
      {"memory", "GIB",
       "memory of the virtual machine (default: 4); an existing machine gets the new size at its next start"},
      {"disk", "GIB", "disk of the virtual machine (default: 20); only for a new machine"},
      {"name", "NAME", "the virtual machine's name for limactl (default: band)"},
      {"with", "claude", "also install Claude Code in the virtual machine", WordKind::Itself},
      {"force", "", "delete the existing machine with its disk, and create a new one"},
      {"offline", "", "do not query a server for the operator's ceiling"},
      {"drain", "SECONDS", "how long to wait for running executions of an older server (default: 300)"},
      {"to", "DIR", "write only to DIR", WordKind::Directory},
      {"output", "DIR", "the new skill's directory, which must be empty or missing; its last part is the skill's name",
       WordKind::Directory},
      {"remove", "", "remove only the links that this command has created"},
      {"purge", "", "also remove the configuration, the tokens and the users"},
      {"quiet", "", "print no notes and no progress"},
      {"verbose", "", "show what the script logs while it runs"},
      {"help", "", "print this text"},
      {"version", "", "print the version"},
  };
  return all;
}

FlagInfo flag_for(std::string_view verb, const FlagInfo& flag) {
  FlagInfo own = flag;
  for (const OwnWords& words : kOwnWords)
    if (words.verb == verb && words.flag == flag.name) {
      own.about = words.about;
      if (!words.value.empty()) own.value = words.value;
    }
  return own;
}

const VerbInfo* find_verb(std::string_view name) {
  for (const VerbInfo& verb : verbs())
    if (verb.name == name) return &verb;
  return nullptr;
}

const FlagInfo* find_flag(const VerbInfo* verb, std::string_view name) {
  for (const FlagInfo& flag : flags())
    if (flag.name == name) return verb_has(verb, name) ? &flag : nullptr;
  return nullptr;
}

bool takes_script(std::string_view verb) {
  return verb == "run" || verb == "call" || verb == "shell" || verb == "learn";
}

std::vector<std::string> flags_of(std::string_view verb) {
  const VerbInfo* info = find_verb(verb);
  std::vector<std::string> names;
  for (const FlagInfo& flag : flags())
    if (verb_has(info, flag.name)) names.emplace_back(flag.name);
  return names;
}

std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text) {
  std::vector<std::string> lacking;
  for (const std::string_view flag : find_verb("run")->flags) {
    const std::string word = "--" + std::string(flag);
    if (!verb_has(find_verb(verb), flag) && names_flag_of_run(text, word)) lacking.push_back(word);
  }
  return lacking;
}

}  // namespace band::client
