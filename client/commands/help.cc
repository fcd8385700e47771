#include <algorithm>
#include <iterator>
#include <set>

#include "client/commands/commands.h"
#include "client/skills/schema_view.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

struct ExitRow {
  Code code;
  std::string_view about;
};

// Beside the name the number comes from exit_code(): the two cannot disagree.
constexpr ExitRow kExits[] = {
    {Code::ScriptFailed, "the script said that it failed, or exited with another status than 0"},
    {Code::Usage, "the command line is wrong"},
    {Code::BadRequest, "the server did not understand the request"},
    {Code::InputInvalid, "the input does not fit the script's schema"},
    {Code::SkillInvalid, "a BAND.md, a schema or a script is wrong"},
    {Code::PermissionDenied, "the script tried what its band does not allow, or a file or host is closed to it"},
    {Code::InsistNotSatisfied, "something that the band insists on did not happen"},
    {Code::OutputInvalid, "the script's output is missing, no JSON, or does not fit its schema"},
    {Code::WriteConflict, "a file changed while the script ran; nothing was written back"},
    {Code::SecretMissing, "a required variable is not set"},
    {Code::LimitExceeded, "a limit on memory, processes, files, output ... was reached"},
    {Code::ServerUnreachable, "no server answers"},
    {Code::Unauthorized, "the server does not know the token, or did not prove that it does"},
    {Code::SandboxUnavailable, "the sandbox cannot be set up as the band declares; nothing was run"},
    {Code::Cancelled, "the run was ended from outside"},
    {Code::ServerBusy, "the queue is full, no slot is in service, or there are too many connections; try again"},
    {Code::NoVmSoftware, "there is no software to run a virtual machine"},
    {Code::Internal, "a bug in band"},
    {Code::Timeout, "the script took longer than limit.maxRuntimeMs"},
};
static_assert(std::size(kExits) == static_cast<std::size_t>(kLastCode) + 1);

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size()), ' ');
  return text;
}

std::string exit_codes() {
  std::string text = "  0   success\n";
  for (const ExitRow& row : kExits)
    text += "  " + padded(std::to_string(exit_code(row.code)), 4) + padded(std::string(code_name(row.code)), 22) +
            std::string(row.about) + "\n";
  return text +
         "  74  NO_OUTPUT             stdout cannot be written (141: its reader has gone, as in `| head -n 1`)\n" +
         "  130 INTERRUPTED           Ctrl-C (143: SIGTERM); the server ended the execution\n";
}

std::string flag_lines(const std::vector<std::string_view>& names) {
  std::string text;
  for (const FlagInfo& flag : flags()) {
    if (std::find(names.begin(), names.end(), flag.name) == names.end()) continue;
    const std::string left = "--" + std::string(flag.name) + (flag.value.empty() ? "" : " " + std::string(flag.value));
    text += "  " + padded(left, 24) + std::string(flag.about) + "\n";
  }
  return text;
}

std::string overview(const Terminal& terminal) {
  std::string text =
      "band runs scripts that agents wrote behind real walls: a script can touch what its\n"
      "BAND.md opens, and nothing else.\n\n" +
      terminal.bold("Usage:") + " band COMMAND ...\n\n" + terminal.bold("Commands:") + "\n";
  for (const VerbInfo& verb : verbs())
    text += "  " + padded(std::string(verb.name), 16) + std::string(verb.about) + "\n";
  return text + "\n" + terminal.bold("First steps:") +
         "\n  band setup                           once: a virtual machine; or, on Linux:\n"
         "  sudo band setup --target local       this machine itself\n"
         "  band list\n  band run hello/greet --help\n  band run hello/greet --name World\n\n" +
         "`band COMMAND --help` says more; `band help exit-codes` lists the exit codes.\n";
}

// Of a schema's text: shown to people, whoever wrote it.
std::string first_paragraph(const std::string& text) {
  return printable(text.substr(0, std::min(text.find("\n\n"), text.size())));
}

std::string parameter_lines(const Json& root, const Parameter& parameter, const std::string& verb) {
  const Json& schema = parameter.schema;
  const std::string flag = printable_line(kebab_case(parameter.name));
  std::string text = "  --" + flag;
  const bool only_boolean = parameter.types.size() == 1 && parameter.takes("boolean");
  text += only_boolean ? ", --no-" + flag : " <" + type_label(root, parameter) + ">";
  if (parameter.required && !schema.contains("default")) text += "  (required)";
  for (const std::string& own : flags_of(verb))
    if (own == kebab_case(parameter.name)) text += "  (band has a flag of this name: set it with --input)";
  text += "\n";
  if (schema.contains("description") && schema["description"].is_string())
    text += "      " + first_paragraph(schema["description"].get<std::string>()) + "\n";
  if (schema.contains("default")) text += "      default: " + printable_line(dump_json(schema["default"])) + "\n";
  if (schema.contains("enum") && schema["enum"].is_array()) {
    std::string values;
    for (const Json& value : schema["enum"]) values += (values.empty() ? "" : ", ") + dump_json(value);
    text += "      one of: " + printable_line(values) + "\n";
  }
  std::string bounds;
  for (const char* key : {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength",
                          "maxLength", "pattern", "format", "minItems", "maxItems"})
    if (schema.contains(key)) bounds += (bounds.empty() ? "" : ", ") + std::string(key) + " " + dump_json(schema[key]);
  if (!bounds.empty()) text += "      " + printable_line(bounds) + "\n";
  return text;
}

// What stands below the flags of a verb's help. `run` has the exit codes behind it.
struct VerbText {
  std::string_view verb, text;
};
constexpr VerbText kVerbTexts[] = {
    {"run", R"(
Everything else that begins with -- is a parameter of the script: `band run SKILL/SCRIPT --help`.
Where it runs: --target, else $BAND_TARGET, else `band target use`, else the target that is set up,
local-lima before local. `band status` shows which, and why.
Variables that the band takes are looked up in --env-file, the environment, ~/.config/band/env.
The result goes to stdout as JSON (indented on a terminal, compact otherwise), messages to stderr.

Exit codes:
)"},
    {"call", R"(
The same as `band run SKILL/SCRIPT`, for an agent that is allowed `Bash(band call SKILL/*)` and nothing else.
Skills are those of ~/.band/skills and the installed ones: --skills and $BAND_SKILLS do not exist here, so a
skill that the agent wrote itself does not run. Neither do --workspace (it is the current directory),
--env-file, --target, --keep-partial and `--input @FILE`: no argument makes it read or write another place
than the script's band opens. `band call SKILL/SCRIPT --help` shows the parameters.
)"},
    {"exec", R"(
Flags stand before COMMAND; everything behind it is the command's own. The command sees the essentials (`ls`,
`grep`, `jq` ...), itself, and what the flags and FILE open. It is started by its name, without a path; pipes
and the like need a shell: `band exec -- bash -c 'sort x | uniq'`.

Standard input, output and error pass through. Standard input is read even when the command does not read it:
in a loop that reads a file, write `</dev/null`. What the command writes in the workspace, and --write opens,
comes back whatever its exit status is. `--read .` leaves out .git and all names that begin with a dot, unless
another --read names them (`--read . --read .git`).

It is killed after 60 s (with -t: after 1 h), unless --limit maxRuntimeMs=... or FILE says otherwise. What it
has written by then is lost without --keep-partial. --limit wins over FILE.

  band exec --read src -- grep -rn TODO src
  band exec --net api.github.com --env GITHUB_TOKEN -- gh api user
  band exec --read . --write dist/ -t -- bash

Exit codes: the command's own; 128 + N when it died of signal N; 124 when it ran longer than
limit.maxRuntimeMs; 126 and 127 also for what is not allowed or not there; 125 when band itself failed, or
ended it; 2 when band's own flags are wrong. With -t, the keys `Enter ~ .` disconnect.
)"},
    {"shell", R"(
Bash in the sandbox that `band run SKILL/SCRIPT` would run in, with the same input, rules and variables:
$INPUT_PATH has the input, and `bash /band/skill/scripts/SCRIPT/run.sh` runs the script. What the band insists
on is not asked for. Files that change in the sandbox are gone at its end, unless you say --write-back. It may
last an hour, whatever limit.maxRuntimeMs says, if the operator's ceiling allows that. `exit` or ctrl-D ends
it, and the keys `Enter ~ .` when nothing else does.

Exit codes: the shell's own; 125 when band itself failed, or ended it.
)"},
    {"status", R"(
Which target: --target, else $BAND_TARGET, else `band target use`, else the target that is set up,
local-lima before local. The first line shows which, and why.
)"},
    {"new", R"(
  band new skill NAME [SCRIPT]   NAME/ in ~/.band/skills, or in the directory that --to names: SKILL.md for agents, BAND.md
                                 with the permissions, and the script NAME/SCRIPT (`hello`) with its two schemas
  band new script SKILL/NAME     one more script of a skill that is there already (--skills, $BAND_SKILLS, ~/.band/skills)

What is made runs, opens nothing, and passes `band validate`. No file that is there is changed.
)"},
    {"convert", R"(
  band convert ./csv-tools --output ~/.band/skills/csv-tools
  band convert ./csv-tools --output ~/.band/skills/csv-tools --dry-run   # the tree and the bands; nothing is written

SOURCE is an ordinary Agent Skill: SKILL.md, and scripts in scripts/ that take arguments and print text. It is only read, and nothing
of it is executed. The new skill has scripts/ of SOURCE as scripts/_lib, and for each script NAME a run.sh that calls it:

  the input    properties, where the text says what the arguments are (argparse, getopts, `case "$1" in --x)`, sys.argv, a usage
               text); else {"args": [...], "stdin": "..."}
  the output   {"text": what it prints}; JSON as it is, where the script prints an object or a list
  BAND.md      its own interpreter, and the files that a caller names; hosts, variables and commands that the text of a script names
               are comments: remove the `#` of what you want to open

Each guess, and each thing that a run may fail by, is a note with its place. A script that cannot be converted is an error: the others are
converted, and the exit code is 2. A link that leads out of SOURCE is refused, and so is a skill without scripts: band has nothing to
run in it. When DIR cannot be completed, nothing of it is left.
)"},
    {"setup", R"(
`band setup` alone, or --target local-lima: a virtual machine of Lima's, so that even a script that breaks
out of the kernel stays in it. It needs limactl (Lima 2) and no root. What was interrupted is taken up again;
what is there and works is left alone; an older server is replaced when what it executes has ended.

--target local: this machine's own server, on Linux: users and groups, /etc/band, /var/lib/band, a service,
and a token for you in ~/.config/band/targets. As root; by sudo the token is of the user who called it, and
that user alone writes it into their home; others get one with `band token add NAME` and `band login`.
)"},
    {"login", R"(
Standard input is what `band token add NAME` printed: {"url": "http://127.0.0.1:PORT", "token": "band_..."},
or the token alone for port 7433. The server has to prove that it knows the token; then it is kept in
~/.config/band/targets/TARGET.json, which you alone can read. TARGET is `local` unless --target or
$BAND_TARGET names it. Never an argument: every user of the machine could see it.

  sudo band token add "$USER" | band login
)"},
    {"teardown", R"(
--target or $BAND_TARGET has to name it. local-lima: the machine is stopped and deleted, with its disk. local:
/etc/band and the users stay, unless you say --purge.
)"},
    {"target", R"(
  band target add NAME ssh://USER@HOST[:PORT]
                           band on another machine: `band setup --target local` has run there. ssh has to
                           log in without a question, as root or as a user with sudo without a password,
                           who makes the token; or with --token-stdin a token of its operator.
  band target list         * marks the one that is meant without --target and $BAND_TARGET
  band target use NAME     that one, from now on
  band target remove NAME  its tunnel, its token there and its file here

band opens the tunnel when it is needed and leaves it open: one ssh in the background, with a socket in
~/.band/ssh that you alone can use. It is opened anew when it breaks.
)"},
    {"install-skills", R"(
A link for each skill that ships with this band (share/band/skills beside the program), in ~/.claude/skills for Claude
Code and in ~/.agents/skills for other agents; the directories are made where they are missing. The agent reads
SKILL.md there and calls `band call SKILL/SCRIPT`, so `band` has to be in its PATH. What is there already under the name
of a skill, and is no link of this band, is named and left alone (exit code 5). Then the lines are printed that let
Claude Code make such calls without a question; band changes no settings itself.

--remove takes away the links that lead to this band's skills. What else is there stays, the directories as well.
)"},
    {"token", R"(
  band token add NAME      makes a token and prints it, once, as a line for NAME's `band login`
  band token list          names and ids
  band token revoke NAME   the server accepts it no more; executions that were started with it end
)"},
};

}  // namespace

std::string verb_help(const VerbInfo& verb, const Terminal& terminal) {
  constexpr std::string_view kExitCodes = "Exit codes:";
  std::string text = "band " + std::string(verb.name) + ": " + std::string(verb.about) + "\n\n" +
                     terminal.bold("Usage:") + " band " + std::string(verb.name);
  if (!verb.arguments.empty()) text += " " + std::string(verb.arguments);
  const bool flags_first = verb.name == "exec";
  if (!verb.flags.empty())
    text +=
        std::string(flags_first ? "" : " [flags]") + "\n\n" + terminal.bold("Flags:") + "\n" + flag_lines(verb.flags);
  else
    text += "\n";
  for (const VerbText& more : kVerbTexts) {
    if (more.verb != verb.name) continue;
    const std::size_t codes = std::min(more.text.find(kExitCodes), more.text.size());
    text += more.text.substr(0, codes);
    if (codes < more.text.size())
      text.append(terminal.bold(kExitCodes)).append(more.text.substr(codes + kExitCodes.size()));
  }
  return verb.name == "run" ? text + exit_codes() : text;
}

std::string script_help(const Script& script, const std::string& verb, const Terminal& terminal) {
  const Json schema = script.input_schema();
  const std::vector<Parameter> parameters = parameters_of(schema);
  std::string text = terminal.bold(script.place.name);
  if (const std::string about = script.description(); !about.empty()) text += ": " + first_paragraph(about);
  text += "\n\n" + terminal.bold("Usage:") + " band " + verb + " " + script.place.name;
  for (const Parameter& parameter : parameters)
    if (parameter.required && !parameter.schema->contains("default"))
      text += " --" + printable_line(kebab_case(parameter.name)) + " <" + type_label(schema, parameter) + ">";
  text += " [flags]\n\n" + terminal.bold("Parameters:") + (parameters.empty() ? " none\n" : "\n");
  for (const Parameter& parameter : parameters) text += parameter_lines(schema, parameter, verb);
  std::string env;
  for (const EnvRule& rule : script.band.rules.env)
    env += "  " + rule.name + (rule.required && !rule.fallback ? "  (required)" : "") +
           (rule.description.empty() ? "" : "  " + printable_line(rule.description)) + "\n";
  if (!env.empty()) text += "\n" + terminal.bold("Variables:") + "\n" + env;
  std::set<int> seen;
  std::string exits = "0 success";
  for (const ExitRow& row : kExits) {
    const bool fresh = seen.insert(exit_code(row.code)).second;
    exits += (fresh ? ", " + std::to_string(exit_code(row.code)) + " " : "/") + std::string(code_name(row.code));
  }
  return text + "\n`band " + verb + " --help` lists band's own flags (--input ...).\n" + terminal.bold("Exit codes:") +
         " " + exits + "\n";
}

int help_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty()) return print(terminal, overview(terminal));
  const std::string& topic = line.arguments.front();
  if (topic == "exit-codes") return print(terminal, exit_codes());
  std::vector<std::string> topics{"exit-codes"};
  for (const VerbInfo& verb : verbs()) {
    if (verb.name == topic) return print(terminal, verb_help(verb, terminal));
    topics.emplace_back(verb.name);
  }
  return fail(line, terminal,
              {Code::Usage, "", "there is no help about `" + topic + "`", 0,
               did_you_mean(topic, topics, "band help ", "`band --help` lists the commands"), ""});
}

}  // namespace band::client
