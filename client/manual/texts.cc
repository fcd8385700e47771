// The words of the pages (page.h). A text has paragraphs; headings, a line with a colon at its end; and lines behind
// two spaces: examples, or a word with what it means behind two spaces more. `code` is written so.
#include <iterator>

#include "client/manual/page.h"

namespace band::client {
namespace {

// Beside the name the number comes from exit_code(): the two cannot disagree.
constexpr ExitInfo kExits[] = {
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

struct VerbText {
  std::string_view verb, text;
};
// What stands below the flags of a verb's help.
constexpr VerbText kVerbTexts[] = {
    {"run", R"(
Everything else that begins with -- is a parameter of the script: `band run SKILL/SCRIPT --help`.
Where it runs: --target, else $BAND_TARGET, else `band target use`, else the target that is set up,
local-lima before local. `band status` shows which, and why.
Variables that the band takes are looked up in --env-file, the environment, ~/.config/band/env.
The result goes to stdout as JSON (indented on a terminal, compact otherwise), messages to stderr.
)"},
    {"call", R"(
The same as `band run SKILL/SCRIPT`, for an agent that is allowed `Bash(band call SKILL/*)` and nothing else.
Skills are those of ~/.band/skills and the installed ones: --skills and $BAND_SKILLS do not exist here, so a
skill that the agent wrote itself does not run. Neither do --workspace (it is the current directory),
--env-file, --target, --keep-partial and `--input @FILE`: no argument makes it read or write another place
than the script's band opens. `band call SKILL/SCRIPT --help` shows the parameters.

Exit codes: those of `band run`.
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

Exit codes: the shell's own; 124 when it lasted longer than it may; 125 when band itself failed, or ended it; 2
and 6 as of `band run`, before anything starts.
)"},
    {"list", R"(
`band list SKILL` lists the scripts of that skill alone, each with its parameters.

  band list
  band list github
)"},
    {"show", R"(
Of a script: the rules of all files that take part, each with FILE:LINE; limits, variables, configuration,
targets, parameters, and the files that travel with it. Of a skill: each script in short. No server is asked;
what the operator of a target closes besides is what `band why` looks at.

  band show github
  band show github/issue-list
)"},
    {"why", R"(
Each question gets its answer: the rule that allows it, with FILE:LINE; or what closes it, and the line to
write in which BAND.md. Nothing is run and nothing is sent but a question for the operator's ceiling, to the
target's server; when none answers, the answer is given without the ceiling and a line says so. --offline
asks no server.

A PATH is a file of the workspace (notes/today.md), or one of the machine that runs the script (/srv/x/a.csv).
A rule such as {path} opens the file that the input names: say it with --input.

  band why github/issue-list -- gh repo delete x
  band why text/wordcount --read ./book.txt --input '{"path": "./book.txt"}'
  band why notes/publish --write out/report.md --net api.example.com:8443 --json

Exit codes: 0 when everything that was asked is allowed, 3 (PERMISSION_DENIED) when something is not, or
depends on an input that was not given; 2 when the command line or the skill is wrong.
)"},
    {"status", R"(
Which target: --target, else $BAND_TARGET, else `band target use`, else the target that is set up,
local-lima before local. The first line shows which, and why.

Exit codes: 0 when the server answers, 8 when it does not, or does not know the token; 2 when the command line is wrong.
)"},
    {"doctor", R"(
The parts are looked at in the order of the way; the first that is broken ends it, and the line `mend:` says what to do.

Exit codes: 0 when every part is well, otherwise that of the error that it found.
)"},
    {"test", R"(
Each case runs its script on the target with a workspace of its own, which is a temporary directory. The caller's
environment, ~/.config/band/env and ~/.config/band/skills are not looked at, so a case has the same result everywhere.
A file has a script and its cases; of a case `name` alone has to be there. This is tests/greet.yaml:

  script: greet                       # of all cases; a case may have its own `script:`
  cases:
    - name: "greets"
      input: {name: World}
      expect:
        output: {greeting: "Hello, World!"}
    - name: "has everything that a case may have"
      arguments: ["--name", "World"]  # parameters, as on the command line; they win over `input`
      config: {perPage: 10}           # narrows the band's own configuration
      env: {EXAMPLE_TOKEN: "abc"}     # variables that the band declares
      stdin: "text"
      workspace:                      # or a directory below tests/ that is copied: `workspace: files/small`
        notes/a.txt: "text"
        notes/a.bin: {base64: "AAEC"}
      expect:
        contains: {items: [{id: 1}]}  # of the output; other keys may be there
        stdout: ["read", "a.txt"]     # a text or a list of texts that are contained; so is stderr
        refused: "gh repo delete"     # contained in a line of the ledger about a refusal
        files:                        # of the workspace, after the run
          out/a.txt: "text"
          out/b.txt: {contains: "part"}
          out/c.txt: {absent: true}
        noOtherFiles: true            # a file that comes back and is not in `files` fails the case
    - name: "fails when there is no file"
      input: {name: "nobody.txt"}
      expect:
        code: SCRIPT_FAILED           # SUCCESS unless said; `band help exit-codes` has the names
        exit: 3                       # the script's status
        message: "no such file"       # contained; so is hint

A case that succeeds fails its test when the walls refused something that `refused` does not name.

  band test hello                     # all of it
  band test hello/greet --filter language --verbose
  band test hello --junit report.xml  # for CI

Exit codes: 0 when all cases passed, 1 when one failed, 2 when a file of tests/ is wrong or no case was run; those of
`band run` when the server cannot run any (8, 9); 130 after Ctrl-C.
)"},
    {"learn", R"(
Runs the script under the rules of its BAND.md, and reads from the ledger and the log what it was refused. What would
open that is shown, as lines with their reasons; the next run has them, if you say so. It ends when the script works
with each --input, or when nothing more can be said. Nothing of the band changes without --apply, and no file that the
script makes comes back into the workspace. Every run is a real one: what it may do, it does. After a run that sent
something, or may have written on the machine, no other one follows. Variables, paths of the machine, a repository, and
files whose name begins with a dot (but for those that your own input names) are named, and neither opened nor written:
they are for you to decide. With --runs a script that you do not trust can name files and hosts, which are open in the
next run: read run.sh first.

  band learn notes/summary --path ./today.md
  band learn notes/summary --input '{"path": "a.md"}' --input '{"path": "b.md"}' --runs 6 --apply

With two inputs and more, a command that ran well for each becomes `insist`. Lines that no run used are taken out. Both
want one more run of each input, with the band as it would be; without it they are named and left out. The lines go
into the BAND.md that governs the script, or, where that is the band of other scripts, too, into scripts/NAME/BAND.md,
which is made then. --apply writes only when the script worked with each input; otherwise it shows the diff, and what
to run.

What a band that this one extends, or the operator's ceiling, does not open is named with the file that has to have it,
and neither tried nor written.

Exit codes: 0 when the script worked with what is proposed, with each input; 3 when lines are proposed that no run has
had yet, an input has not run well with them, or what the script lacks is closed elsewhere; otherwise that of the last
run, which had all of them and failed.
)"},
    {"new", R"(
  band new skill NAME [SCRIPT]   NAME/ in ~/.band/skills, or in the directory that --to names: SKILL.md for agents, BAND.md
                                 with the permissions, and the script NAME/SCRIPT (`hello`) with its two schemas and tests
  band new script SKILL/NAME     one more script of a skill that is there already (--skills, $BAND_SKILLS, ~/.band/skills)

What is made runs, opens nothing, and passes `band validate`. No file that is there is changed. Where the skill's BAND.md
opens something, a new script gets scripts/NAME/BAND.md, which opens nothing and alone counts for it.
)"},
    {"validate", R"(
  band validate hello              a skill by its name: --skills, $BAND_SKILLS, ~/.band/skills, the installed ones
  band validate ./hello            a skill's directory (a word with / or ., or a directory that is here)
  band validate ./skills a b       every skill in a directory, and two more

Each finding is a line FILE:LINE:COLUMN: what is wrong; what to write. Errors stop a run, are refused by agents, or
contradict themselves: exit code 2. Notes are most likely not meant: a variable, a command or a file that a script
uses and its band does not open, for example. Nothing of a skill is executed: scripts are read, `bash -n` checks
their syntax, and shellcheck is asked where it is installed. --json: {valid, skills, scripts, errors, notes, known,
shellcheck}.

A note is marked as known by `# band validate: known REASON` on its line, or alone on the line above.
Those about the text of a script are then counted, not printed; others are printed with the reason.
)"},
    {"convert", R"(
  band convert ./csv-tools --output ~/.band/skills/csv-tools
  band convert ./csv-tools --output ~/.band/skills/csv-tools --dry-run   # the tree and the bands; nothing is written

SOURCE is an ordinary Agent Skill: SKILL.md, and scripts in scripts/ that take arguments and print text. It is only read, and nothing
of it is executed. The new skill has scripts/ of SOURCE as scripts/_lib, and for each script NAME a run.sh that calls it:

  the input    properties, where the text says what the arguments are (argparse, getopts, `case "$1" in --x)`, sys.argv, a usage
               text); else {"args": [...], "stdin": "..."}
  the output   {"text": what it prints}; JSON as it is, where the script prints an object or a list
  BAND.md      its own interpreter, and the files that a caller names; directories, defaults of paths, hosts, variables and commands
               that the text of a script names are comments: remove the `#` of what you want to open

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
    {"start", R"(
The target is local-lima. `band run` starts its machine, too, when it is down. The server of target local is a service
of this machine: `sudo band-server start`.
)"},
    {"stop", R"(
The target is local-lima. The server of target local is a service of this machine: `sudo band-server stop`.
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
    {"completion", R"(
  source <(band completion bash)                                  in ~/.bashrc
  band completion zsh > "${fpath[1]}/_band"                       once; ~/.zshrc has to call compinit
  band completion fish > ~/.config/fish/completions/band.fish     once

The shell then completes commands, flags, skills, scripts, targets, and the parameters of a script with the values
that its input schema names. It asks `band complete`, which reads the files of skills and targets, executes nothing of
them, writes nothing and asks no server. `cmake --install` puts the same three files where the shells look for them.
)"},
    {"complete", R"(
  band complete -- WORD ...         the words behind `band` up to the cursor; the last one, which may be empty, is completed
  band complete bash -- LINE TEXT   LINE: the command up to the cursor; TEXT: its end, which bash replaces

The first line of the answer is what the shell has to complete by itself (`nothing`, `files`, `directories` or
`commands`), and how many characters stand in front of that. Each further line is a word, a tab, and what the word
means. A word that ends with / = or @ is not complete. For bash the words are quoted, and nothing stands behind them.
The exit code is 0, and standard error is empty, whatever is found.
)"},
    {"manual", R"(
DIR/man1 gets a page for each command, DIR/man7 the exit codes.
)"},
    {"help", R"(
  band help COMMAND             the same as `band COMMAND --help`
  band help run SKILL/SCRIPT    the parameters of a script
  band help exit-codes          what the exit codes mean
)"},
    {"token", R"(
  band token add NAME      makes a token and prints it, once, as a line for NAME's `band login`
  band token list          names and ids
  band token revoke NAME   the server accepts it no more; executions that were started with it end

As root, on the machine of the server: `sudo band token list`.
)"},
};

}  // namespace

std::string_view text_of_verb(std::string_view verb) {
  for (const VerbText& row : kVerbTexts)
    if (row.verb == verb) return row.text;
  return "";
}

std::span<const ExitInfo> exit_table() { return kExits; }

std::string_view intro() {
  return R"(
band runs scripts that agents wrote behind real walls: a script can touch what its
BAND.md opens, and nothing else.
)";
}

std::string_view first_steps() {
  return R"(
First steps:
  band setup                           once: a virtual machine; or, on Linux:
  sudo band setup --target local       this machine itself
  band list                            the skills and scripts that there are
  band run hello/greet --help          the parameters of a script
  band run hello/greet --name World    the script's result, as JSON
)";
}

}  // namespace band::client
