// The texts of the pages (page.h). A text consists of paragraphs, headings (a line that ends with a colon), and lines
// indented by two spaces: examples, or terms with their meaning after at least two spaces. Code is in backquotes.
#include <iterator>

#include "client/manual/page.h"

namespace band::client {
namespace {

// Names and numbers come from code_name() and exit_code().
constexpr ExitInfo kExits[] = {
    {Code::ScriptFailed, "the script reported an error, or exited with another status than 0"},
    {Code::Usage, "the command line is wrong"},
    {Code::BadRequest, "the server cannot parse the request"},
    {Code::InputInvalid, "the input does not match the script's schema"},
    {Code::SkillInvalid, "a BAND.md, a schema or a script is invalid"},
    {Code::PermissionDenied,
     "the script tried something that its band does not allow, or a file or host is closed to it"},
    {Code::InsistNotSatisfied, "something that the band insists on did not happen"},
    {Code::OutputInvalid, "the script's output is missing, is not JSON, or does not match its schema"},
    {Code::WriteConflict, "a file changed while the script ran; nothing was written back"},
    {Code::SecretMissing, "a required variable is not set"},
    {Code::LimitExceeded, "a limit of memory, processes, files, output or another resource was reached"},
    {Code::ServerUnreachable, "no server answers"},
    {Code::Unauthorized, "the server refuses the token, or did not prove that it has the token"},
    {Code::SandboxUnavailable, "the sandbox cannot be set up as the band declares; nothing was run"},
    {Code::Cancelled, "the run was cancelled"},
    {Code::ServerBusy, "the queue is full, no slot is in service, or there are too many connections; try again later"},
    {Code::NoVmSoftware, "the software to run a virtual machine is not installed"},
    {Code::Internal, "a bug in band"},
    {Code::Timeout, "the script ran longer than limit.maxRuntimeMs"},
};
static_assert(std::size(kExits) == static_cast<std::size_t>(kLastCode) + 1);

struct VerbText {
  std::string_view verb, text;
};
// The text below the flags in the help of a verb.
constexpr VerbText kVerbTexts[] = {
    {"run", R"(
All other arguments that begin with -- are parameters of the script; `band run SKILL/SCRIPT --help` lists them.

The target is --target, else $BAND_TARGET, else the one of `band target use`, else the target that is set up
(local-lima before local). `band status` shows the chosen target and the reason.

Variables that the band declares are read from --env-file, then the environment, then ~/.config/band/env.
The result is printed to stdout as JSON (indented on a terminal, compact otherwise), messages to stderr.

  band run hello/greet --name World
  band run text/wordcount --input '{"path": "./book.txt"}' --json
)"},
    {"call", R"(
The same as `band run SKILL/SCRIPT`, for an agent that is allowed `Bash(band call SKILL/*)` and nothing else.

It finds skills only in ~/.band/skills and among the installed ones: there is no --skills, and $BAND_SKILLS is
ignored, so a skill that the agent wrote itself does not run. The workspace is the current directory: there is no
--workspace. There is no --env-file, --target, --keep-partial or `--input @FILE` either: no argument makes it read
or write a place that the script's band does not open. `band call SKILL/SCRIPT --help` lists the parameters.

  band call hello/greet --name World

Exit codes: the same as those of `band run`.
)"},
    {"exec", R"(
Flags of band precede COMMAND; all arguments after COMMAND belong to the command. The command can use the essentials
(`ls`, `grep`, `jq` ...), itself, and everything that the flags and FILE open. It is started by its name, without a
path. Pipes and other shell syntax need a shell: `band exec -- bash -c 'sort x | uniq'`.

Standard input, output and error pass through. Standard input is read even if the command does not read it: in a
loop that reads a file, write `</dev/null`. Files that the command writes in the workspace, and that --write opens,
are written back for every exit status. `--read .` leaves out .git and all names that begin with a dot, unless
another --read names them (`--read . --read .git`).

The command is killed after 60 s (with -t: 1 h), unless --limit maxRuntimeMs=... or FILE sets another limit. --limit
overrides FILE. Files that a killed command wrote are lost without --keep-partial.

  band exec --read src -- grep -rn TODO src
  band exec --net api.github.com --env GITHUB_TOKEN -- gh api user
  band exec --read . --write dist/ -t -- bash

Exit codes: that of the command; 128 + N when signal N killed it; 124 when it ran longer than limit.maxRuntimeMs;
126 and 127 also for a command that is not allowed or does not exist; 125 when band itself failed, or ended the
command; 2 when band's own flags are wrong. With -t, the keys `Enter ~ .` disconnect.
)"},
    {"shell", R"(
Starts bash in the sandbox that `band run SKILL/SCRIPT` would use, with the same input, rules and variables.
$INPUT_PATH names the file with the input, and `bash /band/skill/scripts/SCRIPT/run.sh` runs the script. Insist rules
are not checked. Changed files are lost when the shell ends, unless --write-back is given.

The shell is killed after one hour, or later if limit.maxRuntimeMs is longer, or earlier if the operator's ceiling
allows less. `exit` or ctrl-D ends it; the keys `Enter ~ .` end it when nothing else does.

  band shell notes/summary --path ./today.md

Exit codes: that of the shell; 124 when it ran longer than its limit; 125 when band itself failed, or ended it; 2 and
6 as for `band run`, before anything starts.
)"},
    {"list", R"(
`band list SKILL` lists only the scripts of that skill, each with its parameters.

  band list
  band list github
)"},
    {"show", R"(
For a script: the rules of all its bands, each with FILE:LINE; limits, variables, configuration, targets, parameters,
and the files that are sent with it. For a skill: a summary of each script. No server is contacted; `band why` also
checks the operator's ceiling of a target.

  band show github
  band show github/issue-list
)"},
    {"why", R"(
For each question it prints the rule that allows the action, with FILE:LINE; or what closes it, and which line to write
in which BAND.md. It runs nothing. It contacts only the target's server, to get the operator's ceiling; when no server
answers, the result is printed without the ceiling, with a note. --offline contacts no server.

A PATH is a file of the workspace (notes/today.md), or one of the machine that runs the script (/srv/x/a.csv).
A rule such as {path} opens the file that the input names: give that input with --input.

  band why github/issue-list -- gh repo delete x
  band why text/wordcount --read ./book.txt --input '{"path": "./book.txt"}'
  band why notes/publish --write out/report.md --net api.example.com:8443 --json

Exit codes: 0 when every action is allowed; 3 (PERMISSION_DENIED) when an action is not allowed, or depends on a
missing input; 2 when the command line or the skill is wrong.
)"},
    {"status", R"(
The target is --target, else $BAND_TARGET, else the one of `band target use`, else the target that is set up
(local-lima before local). The first line shows the chosen target and the reason.

  band status
  band status --target local --json

Exit codes: 0 when the server answers; 8 when it does not answer, or refuses the token; 2 when the command line is wrong.
)"},
    {"doctor", R"(
It checks the parts in the order in which a run uses them and stops at the first broken one. The line `remedy:` says
what to do about that part.

  band doctor

Exit codes: 0 when every part works, otherwise that of the error that it found.
)"},
    {"test", R"(
Each case runs its script on the target with its own workspace, which is a temporary directory. The caller's
environment, ~/.config/band/env and ~/.config/band/skills are ignored, so a case has the same result everywhere.
A file names a script and has its cases; of a case only `name` is required. This is tests/greet.yaml:

  script: greet                       # of all cases; a case may have its own `script:`
  cases:
    - name: "greets"
      input: {name: World}
      expect:
        output: {greeting: "Hello, World!"}
    - name: "has every key that a case may have"
      arguments: ["--name", "World"]  # parameters, as on the command line; they override `input`
      config: {perPage: 10}           # narrows the band's own configuration
      env: {EXAMPLE_TOKEN: "abc"}     # variables that the band declares
      stdin: "text"
      workspace:                      # or a directory below tests/ that is copied: `workspace: files/small`
        notes/a.txt: "text"
        notes/a.bin: {base64: "AAEC"}
      expect:
        contains: {items: [{id: 1}]}  # part of the output, which may have other keys
        stdout: ["read", "a.txt"]     # a text or a list of texts that the log contains; the same for stderr
        refused: "gh repo delete"     # part of a refusal in the ledger
        files:                        # of the workspace, after the run
          out/a.txt: "text"
          out/b.txt: {contains: "part"}
          out/c.txt: {absent: true}
        noOtherFiles: true            # a file that is written back and not in `files` fails the case
    - name: "fails when the file does not exist"
      input: {name: "nobody.txt"}
      expect:
        code: SCRIPT_FAILED           # default: SUCCESS; `band help exit-codes` has the names
        exit: 3                       # exit status of the script
        message: "no such file"       # part of the error message; `hint` works in the same way

A case whose run succeeds fails nevertheless when the sandbox refused an action that `refused` does not name.

  band test hello                     # all cases
  band test hello/greet --filter language --verbose
  band test hello --junit report.xml  # for CI

Exit codes: 0 when all cases passed; 1 when one failed; 2 when a file of tests/ is wrong or no case was run; those of
`band run` when the server cannot run any (8, 9); 130 after Ctrl-C.
)"},
    {"learn", R"(
Runs the script under the rules of its BAND.md and reads its refusals from the ledger and the log. It prints lines that
would open these, each with a reason, and the next run has them if you agree. It stops when the script works with
each --input, or when no further line can be proposed. Without --apply it does not change the band, and it never writes
files of the script back into the workspace.

Every run is real: it does everything that its rules allow. After a run that sent data, or that may have written on the
machine, no further run is made. Variables, paths of the machine, a repository, and files whose name begins with a dot
(except those that your own input names) are listed, but neither opened nor written: you decide about them. With
--runs, a script that you do not trust can choose files and hosts that the next run opens: read run.sh first.

  band learn notes/summary --path ./today.md
  band learn notes/summary --input '{"path": "a.md"}' --input '{"path": "b.md"}' --runs 6 --apply

With two or more inputs, a command that exited with 0 for each of them becomes `insist`. Lines that no run used are
removed. Both need one more run of each input, with the band as it would be written; without it they are listed and
left out. The lines are written into the BAND.md that governs the script. If that file also governs other scripts, they
are written into a new scripts/NAME/BAND.md. --apply writes only when the script worked with each input; otherwise it
prints the diff, and what to run.

A line that a band which this one extends, or the operator's ceiling, does not open is listed with the file that would
have to open it. It is neither tried nor written.

Exit codes: 0 when the script worked with the proposed lines for each input; 3 when no run has had some proposed lines
yet, when an input has no successful run with them, or when other rules close what the script needs; otherwise that of
the last run, which had all lines and failed.
)"},
    {"new", R"(
  band new skill NAME [SCRIPT]   NAME/ in ~/.band/skills, or in the directory of --to: SKILL.md for agents, BAND.md with
                                 the permissions, and the script NAME/SCRIPT (`hello`) with its two schemas and tests
  band new script SKILL/NAME     one more script of an existing skill (--skills, $BAND_SKILLS, ~/.band/skills)

The new files work, open nothing, and pass `band validate`. Existing files are not changed. If the skill's BAND.md opens
something, a new script gets scripts/NAME/BAND.md, which opens nothing and replaces the skill's BAND.md for it.

  band new skill weather forecast
)"},
    {"validate", R"(
  band validate hello              a skill by its name: --skills, $BAND_SKILLS, ~/.band/skills, the installed ones
  band validate ./hello            a skill's directory (a word with / or ., or a directory in the current one)
  band validate ./skills a b       every skill in a directory, and two more

Each finding is a line FILE:LINE:COLUMN: the problem; the remedy. Errors stop a run, are refused by agents, or are
contradictions; then the exit code is 2. Notes are probably mistakes: for example a variable, a command or a file that a
script uses and its band does not open. No part of a skill is executed: scripts are read, `bash -n` checks their
syntax, and shellcheck runs if it is installed. --json: {valid, skills, scripts, errors, notes, known, shellcheck}.

To mark a note as known, write `# band validate: known REASON` on its line, or alone on the line above. Known notes
about the text of a script are counted, not printed; other known notes are printed with the reason.
)"},
    {"convert", R"(
  band convert ./csv-tools --output ~/.band/skills/csv-tools
  band convert ./csv-tools --output ~/.band/skills/csv-tools --dry-run   # prints files and bands; writes nothing

SOURCE is an ordinary Agent Skill: SKILL.md, and scripts in scripts/ that accept arguments and print text. It is only
read, never executed. The new skill has a copy of its scripts/ as scripts/_lib, and for each script NAME a run.sh that
calls it:

  the input    properties, if the text shows the arguments (argparse, getopts, `case "$1" in --x)`, sys.argv, a usage
               text); else {"args": [...], "stdin": "..."}
  the output   {"text": ...} with the printed text; JSON unchanged, if the script prints an object or a list
  BAND.md      opens the script's interpreter, and the files that a caller names; directories, defaults of paths, hosts,
               variables and commands that the script's text names are comments: remove the `#` to open them

Each guess, and each construct that may make a run fail, is a note with its place. A script that cannot be converted is
an error: the others are converted, and the exit code is 2. A link that points outside SOURCE is refused. A skill
without scripts is refused, too, because band has nothing to run in it. If DIR cannot be completed, it is removed.
)"},
    {"setup", R"(
`band setup`, or --target local-lima: makes a virtual machine with Lima, so that even a script that exploits the
kernel stays in the machine. It needs limactl (Lima 2) and no root. An interrupted set-up is continued; parts that
exist and work are not changed; an older server is replaced when its executions have ended.

--target local: sets up a server on this machine, which must be Linux: users and groups, /etc/band, /var/lib/band, a
service, and a token for you in ~/.config/band/targets. It needs root. With sudo the token belongs to the user who
called it, and is written with that user's id; other users get one with `band token add NAME` and `band login`.

  band setup
  band setup --cpus 4 --memory 8
  sudo band setup --target local
)"},
    {"start", R"(
It starts the machine of target local-lima. `band run` also starts it when it is stopped. The server of target local is
a service of this machine: `sudo band-server start`.

  band start
)"},
    {"stop", R"(
It stops the machine of target local-lima. The server of target local is a service of this machine; to stop it:
`sudo band-server stop`.

  band stop
)"},
    {"login", R"(
Standard input is the line that `band token add NAME` printed: {"url": "http://127.0.0.1:PORT", "token": "band_..."},
or the token alone for port 7433. The server has to prove that it has the token; then the token is stored in
~/.config/band/targets/TARGET.json, which only you can read. TARGET is --target, else $BAND_TARGET, else local.
The token is never an argument, because every user of the machine can read the arguments of a process.

  sudo band token add "$USER" | band login
)"},
    {"teardown", R"(
The target has no default: --target or $BAND_TARGET has to name it. local-lima: the machine is stopped and deleted, with
its disk. local: the server and its service are removed; /etc/band and the users are kept, unless --purge is given.

  band teardown --target local-lima
  sudo band teardown --target local --purge
)"},
    {"target", R"(
  band target add NAME ssh://USER@HOST[:PORT]
                           band on another machine, where `band setup --target local` has run. ssh must log in
                           without a prompt, as root or as a user with sudo without a password, to make the
                           token; or give a token of its operator with --token-stdin.
  band target list         all targets; * marks the default, without --target and $BAND_TARGET
  band target use NAME     makes it the default
  band target remove NAME  removes its tunnel, its token on the target and its file here

band opens the tunnel when it is needed and leaves it open: one ssh in the background, with a socket in ~/.band/ssh for
you only. A broken tunnel is opened again.

  band target add build ssh://ann@build.example.com
)"},
    {"install-skills", R"(
It makes a link for each skill that ships with this band (share/band/skills, next to the program), in ~/.claude/skills
for Claude Code and in ~/.agents/skills for other agents; missing directories are made. The agent reads SKILL.md there
and calls `band call SKILL/SCRIPT`, so `band` has to be in its PATH. If a file with the name of a skill exists and is not
a link of this band, it is reported and not changed (exit code 5). Then the command prints the settings that allow
Claude Code such calls without a prompt; band does not change settings itself.

--remove removes the links to this band's skills. Other files and the directories are kept.

  band install-skills
  band install-skills --to .claude/skills
)"},
    {"completion", R"(
  source <(band completion bash)                                  in ~/.bashrc
  band completion zsh > "${fpath[1]}/_band"                       once; ~/.zshrc has to call compinit
  band completion fish > ~/.config/fish/completions/band.fish     once

The shell then completes commands, flags, skills, scripts, targets, and the parameters of a script with the values that
its input schema names. It calls `band complete`, which reads the files of skills and targets, executes nothing, writes
nothing and contacts no server. `cmake --install` installs the same three files where the shells look for them.
)"},
    {"complete", R"(
  band complete -- WORD ...         the words after `band` up to the cursor; completes the last one, which may be empty
  band complete bash -- LINE TEXT   LINE: the command up to the cursor; TEXT: its end, which bash replaces

The first line of the answer has what the shell completes by itself (`nothing`, `files`, `directories` or
`commands`), and the number of characters before that. Each further line has a word, a tab, and its meaning. Words that
end with / = or @ are not complete. For bash the words are quoted, and have no meaning after them. The exit code is
always 0, and standard error is always empty.

  band complete -- run hel
)"},
    {"manual", R"(
It writes a page for each command into DIR/man1, and the exit codes into DIR/man7.

  band manual /tmp/man
)"},
    {"help", R"(
  band help COMMAND             the same as `band COMMAND --help`
  band help run SKILL/SCRIPT    the parameters of a script
  band help exit-codes          the meaning of the exit codes

  band help run hello/greet
)"},
    {"token", R"(
  band token add NAME      makes a token and prints it once, as a line for NAME's `band login`
  band token list          names and ids of all tokens
  band token revoke NAME   the server no longer accepts it; executions that were started with it end

It needs root, on the machine of the server.

  sudo band token add ann
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
band runs scripts that agents wrote in a sandbox: a script can use only what its
BAND.md opens.
)";
}

std::string_view first_steps() {
  return R"(
First steps:
  band setup                           once: make a virtual machine; or, on Linux:
  sudo band setup --target local       set up this machine itself
  band list                            all skills and scripts
  band run hello/greet --help          the parameters of a script
  band run hello/greet --name World    the script's result, as JSON
)";
}

}  // namespace band::client
