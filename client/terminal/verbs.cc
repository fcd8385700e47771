#include "client/terminal/verbs.h"

#include <algorithm>

namespace band::client {
namespace {

bool verb_has(const VerbInfo* verb, std::string_view flag) {
  if (flag == "help" || verb == nullptr) return true;
  return std::find(verb->flags.begin(), verb->flags.end(), flag) != verb->flags.end();
}

// Does the text name this flag? Not as the beginning of a longer word, and not as a flag of another command, as in
// `band setup --target x`.
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

// What a flag is for one verb, where that differs from the table of flags. An empty value: the same.
struct OwnWords {
  std::string_view verb, flag, value, about;
};
constexpr OwnWords kOwnWords[] = {
    {"call", "input", "JSON|-", "the input as JSON, or from standard input; parameter flags win over it"},
    {"exec", "explain", "",
     "after the run, say on stderr which band the flags amounted to, which rules held, and what the ledger saw"},
    {"exec", "keep-partial", "",
     "if band fails or ends the command, write the files that it made into DIR, which is empty or not there"},
    {"why", "read", "", "may it read this file of the workspace, or of the server's machine (/srv/x); can be repeated"},
    {"why", "write", "", "may it write this file; can be repeated"},
    {"why", "net", "", "may it connect there; without a port 443; can be repeated"},
    {"why", "input", "", "the input of the run that is meant: a rule such as {path} opens the file that it names"},
    {"why", "target", "", "the target whose operator's ceiling counts; else as for `band run`"},
    {"test", "verbose", "", "a line for each case that has ended"},
    {"learn", "input", "",
     "an input as JSON, from a file, or from standard input; parameter flags win over it; can be repeated"},
    {"new", "to", "DIR", "of `new skill`: make the skill's directory in this one; else in ~/.band/skills"},
    {"new", "skills", "", "of `new script`: look for the skill here first; can be repeated"},
    {"convert", "dry-run", "", "print the tree and the bands; write nothing"},
    {"setup", "target", "", "local-lima or local; else $BAND_TARGET, else local-lima"},
    {"teardown", "target", "", "local-lima or local; without it $BAND_TARGET has to name one"},
    {"teardown", "name", "", "the virtual machine's name for limactl; else that of the target"},
    {"login", "target", "", "the target that is made; else $BAND_TARGET, else local"},
    {"install-skills", "to", "", "link them there, and nowhere else"},
};

}  // namespace

const std::vector<VerbInfo>& verbs() {
  static const std::vector<VerbInfo> all{
      {"run",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "run a script behind its walls and print its result",
       {"input", "stdin", "workspace", "skills", "env-file", "target", "json", "dry-run", "explain", "keep-partial",
        "quiet", "verbose"},
       VerbGroup::Run,
       {WordKind::Script}},
      {"call",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "`band run` for agents: installed skills, in the current directory, and nothing that widens that",
       {"input", "stdin", "json", "dry-run", "explain", "quiet", "verbose"},
       VerbGroup::Run,
       {WordKind::Script}},
      {"exec",
       "[FLAGS] [--] COMMAND [ARGUMENT ...]",
       "run a command in the same sandbox, without a skill",
       {"cli", "net", "read", "write", "env", "limit", "band", "tty", "workspace", "env-file", "target", "dry-run",
        "explain", "keep-partial", "quiet"},
       VerbGroup::Run,
       {WordKind::Command}},
      {"shell",
       "SKILL/SCRIPT [--PARAMETER VALUE ...]",
       "a shell in the sandbox of a script, to look around in",
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
       "what a script may do in effect, and which line of which file says so",
       {"skills", "json", "quiet"},
       VerbGroup::Look,
       {WordKind::SkillOrScript}},
      {"why",
       "SKILL/SCRIPT [FLAGS] [-- COMMAND [ARGUMENT ...]]",
       "would this be allowed: the line that allows it, or the line to write",
       {"read", "write", "net", "input", "skills", "target", "offline", "json", "quiet"},
       VerbGroup::Look,
       {WordKind::Script}},
      {"status", "", "the server of a target: version, walls, free slots", {"target", "json"}, VerbGroup::Look},
      {"doctor",
       "",
       "look at every part of the way to a script's first line, and say what mends it",
       {"target", "json"},
       VerbGroup::Look},
      {"help",
       "[COMMAND | exit-codes]",
       "this text, that of a command, or the exit codes",
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
       "run a script in its sandbox, and propose the smallest band that lets it work",
       {"input", "runs", "apply", "workspace", "skills", "env-file", "target", "json"},
       VerbGroup::Write,
       {WordKind::Script}},
      {"new",
       "skill NAME [SCRIPT] | script SKILL/NAME",
       "make a working skill, or a script of one, to write your own from",
       {"to", "skills", "json"},
       VerbGroup::Write,
       {},
       {{"skill"}, {"script", {WordKind::NewScript}}}},
      {"convert",
       "SOURCE",
       "make a skill with bands of an ordinary one, in a new directory",
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
       "remove what setup made of the target that is named",
       {"target", "name", "purge", "quiet"},
       VerbGroup::SetUp},
      {"start", "", "start the virtual machine", {"target", "quiet"}, VerbGroup::SetUp},
      {"stop", "", "stop the virtual machine; `band run` starts it again", {"target", "quiet"}, VerbGroup::SetUp},
      {"login",
       "",
       "read a token from standard input and keep it for a target",
       {"target", "quiet", "json"},
       VerbGroup::SetUp},
      {"target",
       "add NAME ssh://USER@HOST | list | use NAME | remove NAME",
       "servers on other machines, and which target is meant when nobody says",
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
       "",
       "link the skills that ship to where agents look for theirs",
       {"to", "remove", "json"},
       VerbGroup::SetUp},
      {"completion",
       "bash|zsh|fish",
       "print what makes a shell complete the words of `band`",
       {},
       VerbGroup::SetUp,
       {WordKind::Shell}},
      {"complete", "[bash] -- WORD ...", "for shells: what the last word may become", {}, VerbGroup::Hidden},
      {"manual", "DIR", "for the build: write the man pages into DIR", {}, VerbGroup::Hidden, {WordKind::Directory}},
  };
  return all;
}

const std::vector<FlagInfo>& flags() {
  static const std::vector<FlagInfo> all{
      {"input", "JSON|@FILE|-", "the input as JSON, from a file, or from standard input; parameter flags win over it",
       WordKind::Input},
      {"stdin", "", "the script reads this command's standard input, which is empty otherwise"},
      {"cli", "PATTERN", "allow such command lines ('git log *'), beside the command itself; can be repeated"},
      {"net", "HOST[:PORT]", "allow connections there; can be repeated"},
      {"read", "PATH",
       "allow reading this file, directory or pattern of the workspace, or of the server's machine (/srv/x/); can be "
       "repeated",
       WordKind::Path},
      {"write", "PATH",
       "allow writing there; what is written in the workspace comes back; a directory that is not there yet: dist/; "
       "can be repeated",
       WordKind::Path},
      {"env", "NAME", "pass this variable, as a secret: in all output its value is replaced; can be repeated",
       WordKind::Variable},
      {"limit", "NAME=VALUE", "a limit, as in `maxRuntimeMs=10m`; can be repeated", WordKind::Limit},
      {"band", "FILE", "take the rules of this BAND.md, beside those of the flags", WordKind::File},
      {"tty", "", "-t: give the command this terminal (alone: a bash)"},
      {"write-back", "", "write what changed in the workspace back when the shell ends"},
      {"workspace", "DIR", "the directory that relative read and write patterns mean (default: the current one)",
       WordKind::Directory},
      {"skills", "DIR", "look for skills here first; can be repeated", WordKind::Directory},
      {"env-file", "FILE", "NAME=VALUE lines for the variables that the band takes; wins over the environment",
       WordKind::File},
      {"target", "NAME",
       "which target, by its name; else $BAND_TARGET, else `band target use`, else what is set up, local-lima before "
       "local",
       WordKind::Target},
      {"token-stdin", "", "of `add`: the token is on standard input, as its operator's `band token add` printed it"},
      {"json", "", "print one JSON object with everything, on failure too"},
      {"dry-run", "", "print rules, files, mounts, variables and limits; run and send nothing"},
      {"explain", "", "after the run, say on stderr which rules held and what the ledger saw"},
      {"keep-partial", "DIR", "if the run fails, write the files that it made into DIR, which is empty or not there",
       WordKind::Directory},
      {"filter", "TEXT", "only cases whose name contains this"},
      {"jobs", "N", "so many cases at a time (as many as the server has free slots, at most 8)"},
      {"junit", "FILE", "write a report in JUnit's XML, too", WordKind::File},
      {"runs", "N", "at most N runs in all, without a question; without it a terminal is asked before each"},
      {"apply", "", "write the lines into BAND.md in the end, after they were shown"},
      {"cpus", "N", "processors of the virtual machine (2); of one that is there from its next start on"},
      {"memory", "GIB", "its memory (4); of one that is there from its next start on"},
      {"disk", "GIB", "its disk (20), when it is made"},
      {"name", "NAME", "its name for limactl (band)"},
      {"with", "claude", "install Claude Code in it", WordKind::Itself},
      {"force", "", "delete the machine that is there, with its disk, and make it anew"},
      {"offline", "", "ask no server for the operator's ceiling"},
      {"drain", "SECONDS", "how long an older server may take for what it executes (300)"},
      {"to", "DIR", "put it there, and nowhere else", WordKind::Directory},
      {"output", "DIR", "the new skill's directory, which is empty or not there; its last part is the skill's name",
       WordKind::Directory},
      {"remove", "", "take away the links that this has made, and nothing else"},
      {"purge", "", "the configuration, the tokens and the users, too"},
      {"quiet", "", "no notes, no progress"},
      {"verbose", "", "show what the script logs while it runs"},
      {"help", "", "this text"},
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
