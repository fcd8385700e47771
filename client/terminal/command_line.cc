#include "client/terminal/command_line.h"

#include <algorithm>
#include <iterator>

#include "client/terminal/nearest.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

bool verb_has(const VerbInfo* verb, std::string_view flag) {
  if (flag == "help" || verb == nullptr) return true;
  return std::find(verb->flags.begin(), verb->flags.end(), flag) != verb->flags.end();
}

Status set_once(std::optional<std::string>& slot, std::string_view flag, std::string value) {
  if (slot) return usage("--" + std::string(flag) + " is given twice", "say it once");
  slot = std::move(value);
  return done();
}

// Flags that can be repeated.
constexpr std::pair<std::string_view, std::vector<std::string> CommandLine::*> kLists[] = {
    {"skills", &CommandLine::skills}, {"cli", &CommandLine::cli},     {"net", &CommandLine::net},
    {"read", &CommandLine::read},     {"write", &CommandLine::write}, {"env", &CommandLine::env},
    {"limit", &CommandLine::limits},  {"with", &CommandLine::with}};

// Flags with one value.
constexpr std::pair<std::string_view, std::optional<std::string> CommandLine::*> kValues[] = {
    {"input", &CommandLine::input},       {"workspace", &CommandLine::workspace},
    {"env-file", &CommandLine::env_file}, {"keep-partial", &CommandLine::keep_partial},
    {"target", &CommandLine::target},     {"band", &CommandLine::band},
    {"name", &CommandLine::name},         {"cpus", &CommandLine::cpus},
    {"memory", &CommandLine::memory},     {"disk", &CommandLine::disk},
    {"drain", &CommandLine::drain},       {"to", &CommandLine::to},
    {"filter", &CommandLine::filter},     {"jobs", &CommandLine::jobs},
    {"junit", &CommandLine::junit},       {"runs", &CommandLine::runs},
    {"output", &CommandLine::output}};

// Flags without a value.
constexpr std::pair<std::string_view, bool CommandLine::*> kSwitches[] = {{"tty", &CommandLine::tty},
                                                                          {"write-back", &CommandLine::write_back},
                                                                          {"stdin", &CommandLine::standard_input},
                                                                          {"token-stdin", &CommandLine::token_stdin},
                                                                          {"force", &CommandLine::force},
                                                                          {"offline", &CommandLine::offline},
                                                                          {"apply", &CommandLine::apply},
                                                                          {"json", &CommandLine::json},
                                                                          {"dry-run", &CommandLine::dry_run},
                                                                          {"explain", &CommandLine::explain},
                                                                          {"purge", &CommandLine::purge},
                                                                          {"remove", &CommandLine::remove},
                                                                          {"help", &CommandLine::help},
                                                                          {"version", &CommandLine::version}};

Status set_flag(CommandLine& line, std::string_view flag, std::string value) {
  if (line.verb == "learn" && flag == "input") return line.inputs.push_back(std::move(value)), done();
  for (const auto& [name, slot] : kValues)
    if (flag == name) return set_once(line.*slot, flag, std::move(value));
  for (const auto& [name, list] : kLists)
    if (flag == name) return (line.*list).push_back(std::move(value)), done();
  for (const auto& [name, on] : kSwitches)
    if (flag == name) line.*on = true;
  if (flag == "quiet") line.verbosity = Verbosity::Quiet;
  if (flag == "verbose") line.verbosity = Verbosity::Verbose;
  return done();
}

Error unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbInfo& verb : verbs())
    if (verb.group != VerbGroup::Hidden) names.emplace_back(verb.name);
  return usage("there is no command `band " + word + "`",
               did_you_mean(word, names, "band ", "`band --help` lists the commands"));
}

std::vector<std::string> names_of_flags(const VerbInfo* verb) {
  std::vector<std::string> names;
  for (const FlagInfo& flag : flags())
    if (verb_has(verb, flag.name)) names.emplace_back(flag.name);
  return names;
}

Error unknown_flag(const std::string& word, const VerbInfo* verb) {
  const std::vector<std::string> names = names_of_flags(verb);
  const std::string command = verb == nullptr ? "band" : "band " + std::string(verb->name);
  return usage("`" + command + "` has no flag " + word, did_you_mean(word.substr(word.find_first_not_of('-')), names,
                                                                     "--", "`" + command + " --help` lists its flags"));
}

// The words of one command line, from left to right.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  Result<CommandLine> parse() {
    for (; at_ < words_.size() && line_.command.empty(); ++at_) BAND_CHECK(word(words_[at_]));
    BAND_CHECK(flag_before_script());
    return std::move(line_);
  }

 private:
  Status word(const std::string& word) {
    if (word == "-h") return set_flag(line_, "help", "");
    if (is_exec() && word == "-t") return set_flag(line_, "tty", "");
    if (is_exec() && (word == "-it" || word == "-ti" || word == "-i" || word == "--stdin"))
      return usage("`band exec` has no flag " + word, "standard input is always passed; -t gives it your terminal");
    if (is_exec() && (word == "--" || !word.starts_with('-'))) return command(word);
    if (word == "--" && verb_ != nullptr && verb_->name == "why") return question();
    if (word == "--" && verb_ != nullptr && verb_->name == "complete") return command(word);
    if (word == "-V" && verb_ == nullptr) return set_flag(line_, "version", "");
    if (word.starts_with("--") && word.size() > 2) return flag(word);
    const bool of_a_script = is_run() && !line_.arguments.empty();  // there `-5` may be a parameter's value
    if (word.starts_with("-") && word.size() > 1 && !of_a_script) return unknown_flag(word, verb_);
    return plain(word);
  }

  // `band run --dryrun hello/greet`: without a script's name, the unknown flag is most likely a mistyped one.
  Status flag_before_script() const {
    if (!is_run() || !line_.arguments.empty() || line_.parameters.empty() || line_.help) return done();
    const std::string& first = line_.parameters.front();
    const std::string name = first.substr(2, std::min(first.find('='), first.size()) - 2);
    if (nearest(name, names_of_flags(verb_)).empty()) return done();
    return unknown_flag("--" + name, verb_);
  }

  // The verbs that take a script and its parameters.
  bool is_run() const { return verb_ != nullptr && takes_script(verb_->name); }
  bool is_exec() const { return verb_ != nullptr && verb_->name == "exec"; }

  // The command begins: whatever follows is its own.
  Status command(const std::string& word) {
    const std::size_t from = at_ + (word == "--" ? 1 : 0);
    line_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(from), words_.end());
    at_ = words_.size();
    return done();
  }

  // Of `why`: what stands behind `--` is the command line that it is asked about.
  Status question() {
    BAND_CHECK(command("--"));
    if (line_.command.empty()) return usage("`--` is followed by no command", "write it, as in -- gh repo delete x");
    return done();
  }

  Status flag(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    const FlagInfo* info = find_flag(verb_, name);
    if (info == nullptr) {
      if (!is_run()) return unknown_flag("--" + name, verb_);
      line_.parameters.push_back(word);
      return done();
    }
    if (info->value.empty()) {
      if (equals == std::string::npos) return set_flag(line_, name, "");
      return usage("--" + name + " takes no value",
                   is_run() ? "band's own flags win over parameters of the same name; set the parameter with --input"
                            : "write --" + name + " alone");
    }
    if (equals != std::string::npos) return set_flag(line_, name, word.substr(equals + 1));
    if (at_ + 1 >= words_.size())
      return usage("--" + name + " needs a value", "write --" + name + " " + std::string(info->value));
    return set_flag(line_, name, words_[++at_]);
  }

  Status plain(const std::string& word) {
    if (verb_ == nullptr) {
      verb_ = find_verb(word);
      if (verb_ == nullptr) return unknown_verb(word);
      line_.verb = word;
    } else if (is_run() && !(line_.arguments.empty() && line_.parameters.empty())) {
      // Behind the script's name; and `band run --name World hello/greet` cannot be told from a parameter's value.
      line_.parameters.push_back(word);
    } else if (verb_->name == "login") {  // without the word: it may be a token
      return usage("`band login` reads the token from standard input",
                   "`band login < FILE`, or `band login` and paste it; a token that was an argument is in the shell's "
                   "history, and every user could see it: make a new one with `band token add`");
    } else if (verb_->arguments.empty()) {
      return usage("`band " + line_.verb + "` takes no `" + word + "`",
                   "`band " + line_.verb + " --help` shows what it takes");
    } else {
      line_.arguments.push_back(word);
    }
    return done();
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  const VerbInfo* verb_ = nullptr;
  CommandLine line_;
};

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
       "SKILL[/SCRIPT]",
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
       "allow writing there; what is written in the workspace comes back; a directory that is not there yet: dist/",
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
      {"explain", "", "after the run, say on stderr which rules held and what the ledger saw; of `exec` the band, too"},
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
      {"verbose", "", "show what the script logs while it runs; of `test` a line for each case that has ended"},
      {"help", "", "this text"},
      {"version", "", "print the version"},
  };
  return all;
}

std::string_view about_flag(std::string_view verb, const FlagInfo& flag) {
  if (verb == "convert" && flag.name == "dry-run") return "print the tree and the bands; write nothing";
  if (verb == "why") {
    if (flag.name == "read")
      return "may it read this file of the workspace, or of the server's machine (/srv/x); can be repeated";
    if (flag.name == "write") return "may it write this file; can be repeated";
    if (flag.name == "net") return "may it connect there; without a port 443; can be repeated";
    if (flag.name == "input")
      return "the input of the run that is meant: a rule such as {path} opens the file that it names";
    if (flag.name == "target") return "the target whose operator's ceiling counts; else as for `band run`";
  }
  return flag.about;
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

bool can_repeat(std::string_view flag) {
  return std::any_of(std::begin(kLists), std::end(kLists), [&](const auto& list) { return list.first == flag; });
}

bool takes_script(std::string_view verb) {
  return verb == "run" || verb == "call" || verb == "shell" || verb == "learn";
}

std::vector<std::string> flags_of(std::string_view verb) { return names_of_flags(find_verb(verb)); }

std::vector<std::string> lacking_flags(std::string_view verb, std::string_view text) {
  std::vector<std::string> lacking;
  for (const std::string_view flag : find_verb("run")->flags) {
    const std::string word = "--" + std::string(flag);
    if (!verb_has(find_verb(verb), flag) && names_flag_of_run(text, word)) lacking.push_back(word);
  }
  return lacking;
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& words) { return Parser(words).parse(); }

}  // namespace band::client
