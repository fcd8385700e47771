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
     "the script tried an action that its band does not allow, or the operator or the machine denies a file or host"},
    {Code::InsistNotSatisfied, "an action that the band insists on did not happen"},
    {Code::OutputInvalid, "the script's output is missing, is not JSON, or does not match its schema"},
    {Code::WriteConflict, "a file changed while the script ran; nothing was written back"},
    {Code::SecretMissing, "a required variable is not set"},
    {Code::LimitExceeded, "a limit of memory, processes, files, output or another resource was reached"},
    {Code::ServerUnreachable, "no server answers"},
    {Code::Unauthorized, "the server refuses the token, or did not prove that it has the token"},
    {Code::SandboxUnavailable, "the sandbox cannot be set up as the band declares; nothing was run"},
    {Code::Cancelled, "the run was cancelled"},
    {Code::ServerBusy, "the queue is full, no slot can be used, or there are too many connections; try again later"},
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

The target is --target, else $BAND_TARGET, else the target of `band target use`, else the target that is set up
(local-lima before local). `band status` shows the chosen target and the reason for the choice.

Variables that the band declares are read from --env-file, then the environment, then ~/.config/band/env.
The result is printed to stdout as JSON (indented on a terminal, compact otherwise), messages to stderr.

  band run hello/greet --name World
  band run text/wordcount --input '{"path": "./book.txt"}' --json
)"},
    {"call", R"(
The same as `band run SKILL/SCRIPT`, for an agent that has only the permission `Bash(band call SKILL/*)`.

`band call` finds skills only in ~/.band/skills and among the installed skills: there is no --skills, and $BAND_SKILLS
is ignored, so a skill that the agent wrote elsewhere does not run. The workspace is the current directory: there is no
--workspace. There is no --env-file, --target, --keep-partial or `--input @FILE` either: no argument makes `band call`
read or write a file that the script's band does not allow. `band call SKILL/SCRIPT --help` lists the parameters.

If a file that would be written back contains the value of a secret, nothing is written back, and the run fails.

If the band allows files of the workspace, `band call` does not run in the home directory, in the directories of band,
in directories whose name begins with a dot, in ~/Library, and in directories of the system such as /etc. Exceptions are
the directories in ~/.config/band/call.yaml (`workspaces: [~/.claude/worktrees]`). It replaces an executable file only if
a rule spells the file's name.

  band call hello/greet --name World

Exit codes: those of `band run`.
)"},
    {"exec", R"(
Flags of band precede COMMAND; all arguments after COMMAND belong to the command. The command can start itself and the
essentials (`ls`, `grep`, `jq` ...), and can use everything that the flags and the FILE of --band allow. Write COMMAND
as a name, without a path. Pipes and other shell syntax need a shell: `band exec -- bash -c 'sort x | uniq'`.

Standard input, output and error pass through. band reads its standard input even if the command does not: in a shell
loop that reads a file, write `</dev/null` after the call of band. For every exit status, band writes back the files of
the workspace that the command has written, if --write allows these files. `--read .` leaves out .git and all names that
begin with a dot, unless another --read names them (`--read . --read .git`).

The command is killed after 60 s (with -t: 1 h), unless --limit maxRuntimeMs=... or FILE sets another limit. --limit
overrides FILE. Files that a killed command wrote are lost unless --keep-partial is given.

  band exec --read src -- grep -rn TODO src
  band exec --net api.github.com --env GITHUB_TOKEN -- gh api user
  band exec --read . --write dist/ -t -- bash

Exit codes: that of the command; 128 + N when signal N killed the command; 124 when the command ran longer than
limit.maxRuntimeMs; 126 when the command is not allowed or cannot be executed; 127 when the command does not exist; 125
when band itself failed, or ended the command; 2 when band's own flags are wrong. With -t, the keys `Enter ~ .` end the
connection.
)"},
    {"shell", R"(
Starts bash in the sandbox that `band run SKILL/SCRIPT` would use, with the same input, rules and variables.
$INPUT_PATH names the file with the input, and `bash /band/skill/scripts/SCRIPT/run.sh` runs the script. Insist rules
are not checked. Changed files are lost when the shell ends, unless --write-back is given.

The shell is killed after one hour, or later if limit.maxRuntimeMs is longer, or earlier if the operator's ceiling
allows less. `exit` or ctrl-D ends the shell; the keys `Enter ~ .` end a shell that does not respond.

  band shell notes/summary --path ./today.md

Exit codes: that of the shell; 124 when the shell ran longer than its limit; 125 when band itself failed, or ended the
shell; if the shell was not started, 2 and 6 with the same meaning as for `band run`.
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
For each action, `band why` prints the rule that allows the action, with FILE:LINE. If the action is denied, it prints
the reason, the line that would allow the action, and the BAND.md in which to write this line. The script is not run.
`band why` contacts only the target's server, to get the operator's ceiling. When the server does not answer, the result
ignores the ceiling, and a note states this. With --offline, `band why` contacts no server.

A PATH is a file of the workspace (notes/today.md), or a file of the machine that runs the script (/srv/x/a.csv).
A rule such as {path} allows the file that the input names: give this input with --input.

  band why github/issue-list -- gh repo delete x
  band why text/wordcount --read ./book.txt --input '{"path": "./book.txt"}'
  band why notes/publish --write out/report.md --net api.example.com:8443 --json

Exit codes: 0 when every action is allowed; 3 (PERMISSION_DENIED) when an action is not allowed, or depends on a
missing input; 2 when the command line or the skill is wrong.
)"},
    {"status", R"(
The target is --target, else $BAND_TARGET, else the target of `band target use`, else the target that is set up
(local-lima before local). The first line shows the chosen target and the reason for the choice. The line `build` shows
whether the server was built from the same sources as this band, and otherwise how to update the older one. Below
`running` are the executions of your token, also those of other terminals and agents: id, script, and the time since
the request. `band cancel ID` ends one.

  band status
  band status --target local --json

Exit codes: 0 when the server answers; 8 when the server does not answer, or refuses the token; 2 when the command line
is wrong.
)"},
    {"cancel", R"(
Ends an execution of your token, also one that was started in another terminal or by an agent. The script gets SIGTERM,
and SIGKILL a second later. The command that waits for the execution then ends with CANCELLED. `band status` shows the
ids.

  band status
  band cancel 9f2c4e6a8b0d1f35

Exit codes: 0 when the server ends the execution; 2 when it has ended already, or the id is of another token.
)"},
    {"doctor", R"(
`band doctor` checks the parts in the order in which a run uses them, and stops at the first part that does not work.
The line `remedy:` states how to repair this part.

  band doctor

Exit codes: 0 when every part works; otherwise the exit code of the first error.
)"},
    {"test", R"(
Each case runs its script on the target with its own workspace, which is a temporary directory. The caller's
environment, ~/.config/band/env and ~/.config/band/skills are ignored, so the result of a case does not depend on them.
A file tests/*.yaml names a script and contains cases for this script; a case must have a `name`, all other keys are
optional. An example of tests/greet.yaml:

  script: greet                       # of all cases; a case may have its own `script:`
  cases:
    - name: "greets"
      input: {name: World}
      expect:
        output: {greeting: "Hello, World!"}
    - name: "has every key that a case may have"
      arguments: ["--name", "World"]  # parameters, as on the command line; they override `input`
      config: {perPage: 10}           # as a user's configuration of the skill: it can only restrict that of the band
      env: {EXAMPLE_TOKEN: "abc"}     # variables that the band declares
      stdin: "text"
      workspace:                      # or the name of a directory below tests/, which is copied: `files/small`
        notes/a.txt: "text"
        notes/a.bin: {base64: "AAEC"}
      expect:
        contains: {items: [{id: 1}]}  # part of the output, which may have other keys
        stdout: ["read", "a.txt"]     # a text or a list of texts that the log contains; `stderr` works in the same way
        refused: "gh repo delete"     # part of a refusal in the ledger
        files:                        # files of the workspace after the run
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

A case whose run succeeds still fails if the sandbox refused an action that `refused` does not name.

  band test hello                     # all cases
  band test hello/greet --filter language --verbose
  band test hello --junit report.xml  # for CI

Exit codes: 0 when all cases passed; 1 when a case failed; 2 when a file of tests/ is wrong or no case was run; 8 or 9,
as for `band run`, when the server cannot run the cases; 130 after Ctrl-C.
)"},
    {"learn", R"(
`band learn` runs the script under the rules of its BAND.md, and finds in the ledger and the log which actions were
refused. It prints BAND.md lines that would allow these actions, each with a reason; if you agree, the next run has
these lines. `band learn` stops when the script works with each --input, or when no further line can be proposed.
Without --apply it does not change BAND.md. It never writes files of the script back into the workspace.

Every run is real: the script can do everything that its rules allow. After a run that sent data, or that may have
written on the machine, no further run is made. Lines for variables, paths of the machine, a repository, and files whose
name begins with a dot (except files that your own input names) are listed, but neither tried nor written: you decide
about these lines. With --runs there is no prompt before the next run: a script that you do not trust can choose files
and hosts that the next run allows. Read run.sh first.

  band learn notes/summary --path ./today.md
  band learn notes/summary --input '{"path": "a.md"}' --input '{"path": "b.md"}' --runs 6 --apply

With two or more inputs, the line of a command that exited with 0 for each input becomes a line of `insist`. Lines that
no run used are removed. For these two changes, each input needs one more run with the band as it would be written;
without these runs the changes are listed, but not written. The lines are written into the BAND.md that governs the
script. If this BAND.md also governs other scripts, the lines are written into a new scripts/NAME/BAND.md. --apply
writes only when the script worked with each input; otherwise `band learn` prints the diff, and what to do next.

If the operator's ceiling, or another band that the script's band extends, does not allow an action, a line that allows
the action would have no effect. Such a line is neither tried nor written; it is listed with the file that would have to
allow the action.

Exit codes: 0 when the script worked with the proposed lines for each input; 2 when it did, but --apply cannot edit the
BAND.md; 3 when a proposed line was not in any run, when an input has no successful run with the proposed lines, or when
another band or the operator denies an action that the script needs; otherwise the exit code of the last run, which had
all proposed lines and failed.
)"},
    {"new", R"(
  band new skill NAME [SCRIPT]   NAME/ in ~/.band/skills, or in the directory of --to: SKILL.md for agents, BAND.md with
                                 the permissions, and the script NAME/SCRIPT (`hello`) with its two schemas and tests
  band new script SKILL/NAME     one more script of an existing skill (--skills, $BAND_SKILLS, ~/.band/skills)

The new skill or script works, its band allows nothing, and it passes `band validate`. Existing files are not changed.
If the skill's BAND.md allows something, a new script gets scripts/NAME/BAND.md, which allows nothing and is used for
this script instead of the skill's BAND.md.

  band new skill weather forecast
)"},
    {"validate", R"(
  band validate hello              a skill's name, searched in --skills, $BAND_SKILLS, ~/.band/skills, installed skills
  band validate ./hello            a skill's directory (a word with / or ., or a directory in the current one)
  band validate ./skills a b       every skill in the directory ./skills, and the skills a and b

Each finding is a line FILE:LINE:COLUMN: the problem; the remedy. An error is a mistake that stops a run or makes an
agent refuse the skill, or a contradiction; with an error the exit code is 2. A note names a probable mistake: for
example a variable, a command or a file that a script uses and its band does not allow. No part of a skill is executed:
scripts are read, `bash -n` checks their syntax, and shellcheck runs if it is installed. --json: {valid, skills,
scripts, errors, notes, known, shellcheck}.

To mark a note as known, write `# band validate: known REASON` on the line that the note names, or alone on the line
above. Known notes about the text of a script are counted, not printed; other known notes are printed with the reason.
)"},
    {"convert", R"(
  band convert ./csv-tools --output ~/.band/skills/csv-tools
  band convert ./csv-tools --output ~/.band/skills/csv-tools --dry-run   # prints files and bands; writes nothing

SOURCE is an ordinary Agent Skill: SKILL.md, and scripts in scripts/ that accept arguments and print text. SOURCE is
only read; none of its files is executed. The new skill has a copy of scripts/ as scripts/_lib, and for each script a
run.sh that calls the copy of the script:

  the input    properties, if the text shows the arguments (argparse, getopts, `case "$1" in --x)`, sys.argv, a usage
               text); else {"args": [...], "stdin": "..."}
  the output   {"text": ...} with the printed text; if the script prints a JSON object or list, this JSON unchanged
  BAND.md      allows the script's interpreter, and the files that a caller names; directories, defaults of paths,
               hosts, variables and commands that the script's text names are comments: remove the `#` to allow them

There is a note, with FILE:LINE:COLUMN, for each guess and for each construct that may make a run fail. If a script
cannot be converted, there is an error, the other scripts are converted, and the exit code is 2. A link that points
outside SOURCE is refused. A skill without scripts is refused, too, because band has nothing to run in it. If the
directory of --output cannot be completed, it is removed.
)"},
    {"setup", R"(
Without --target, or with --target local-lima, `band setup` makes a virtual machine with Lima. Even a script that
exploits the kernel is still confined to the virtual machine. limactl (Lima 2) is needed, root is not. `band setup`
continues an interrupted set-up, does not change parts that exist and work, and replaces an older server when the
executions of this server have ended.

With --target local, `band setup` sets up a server on this machine, which must be Linux: users and groups, /etc/band,
/var/lib/band, a service, and a token for you in ~/.config/band/targets. Root is needed. With sudo, the token is for the
user who called sudo, and is written with this user's id. Other users get a token with `band token add NAME` and
`band login`. A running server that was built from other sources than this band is replaced when its executions have
ended, at the latest after 300 s; if some still run then, `band setup` fails, and the running server stays.

  band setup
  band setup --cpus 4 --memory 8
  sudo band setup --target local
)"},
    {"start", R"(
`band start` starts the virtual machine of target local-lima. `band run` also starts this machine if it is stopped. The
server of target local is a service of this machine; to start it: `sudo band-server start`.

  band start
)"},
    {"stop", R"(
`band stop` stops the virtual machine of target local-lima. The server of target local is a service of this machine; to
stop it: `sudo band-server stop`.

  band stop
)"},
    {"login", R"(
Write to standard input the line that `band token add NAME` printed:
{"url": "http://127.0.0.1:PORT", "token": "band_..."}. If you write only the token, the port is 7433. When the server
has proved that it has the token's hash, band stores the token in ~/.config/band/targets/TARGET.json, which only you
can read. TARGET is --target, else $BAND_TARGET, else local. The token is never an argument, because every user of the
machine can read the arguments of a process.

  sudo band token add "$USER" | band login
)"},
    {"teardown", R"(
There is no default target: --target or $BAND_TARGET must name the target. local-lima: the virtual machine is stopped
and deleted, with its disk. local: the server and its service are removed; /etc/band and the users are kept, unless
--purge is given.

  band teardown --target local-lima
  sudo band teardown --target local --purge
)"},
    {"target", R"(
  band target add NAME ssh://USER@HOST[:PORT]
                           adds another machine, on which `band setup --target local` has run. ssh must log in without a
                           prompt, as root or as a user with sudo without a password, because `add` makes a token on
                           that machine. If this is not possible, the operator of that machine makes a token; with
                           --token-stdin, `add` reads this token.
  band target list         lists all targets; * marks the target used without --target and $BAND_TARGET
  band target use NAME     makes NAME the default target
  band target remove NAME  ends the tunnel to NAME, revokes the token on that machine, and removes the target's file

band opens the tunnel when it is needed and leaves it open: one ssh in the background, with a socket in ~/.band/ssh for
you only. A broken tunnel is opened again.

  band target add build ssh://ann@build.example.com
)"},
    {"install-skills", R"(
For each named skill, this command makes a link in ~/.claude/skills for Claude Code, and in ~/.agents/skills for other
agents; missing directories are made. A SKILL is one of ~/.band/skills, such as your own and converted skills, or one that
is installed with this band (../share/band/skills of the program); without SKILL, all of the latter are linked. An agent
reads SKILL.md there and calls `band call SKILL/SCRIPT`, so `band` must be in the agent's PATH. If a file with the name of a
skill exists and is not a link of this band, the file is reported and not changed (exit code 5). At the end the command
prints the settings with which Claude Code makes such calls without a prompt. You have to write these settings yourself.

--remove removes the links to such skills, or only those of the named skills. Other files and the directories are kept.

  band install-skills
  band install-skills notes
  band install-skills --to .claude/skills
)"},
    {"completion", R"(
  source <(band completion bash)                                  in ~/.bashrc
  band completion zsh > "${fpath[1]}/_band"                       once; ~/.zshrc has to call compinit
  band completion fish > ~/.config/fish/completions/band.fish     once

The shell then completes commands, flags, skills, scripts, targets, and the parameters of a script with the values in
the script's input schema. The shell calls `band complete`, which only reads the files of skills and targets: it
executes no file, writes no file and contacts no server. `cmake --install` installs the same three scripts in the
directories where the shells search for them.
)"},
    {"complete", R"(
  band complete -- WORD ...         WORD ...: the words after `band` up to the cursor. The last one is completed; it may
                                    be empty
  band complete bash -- LINE TEXT   LINE: the command up to the cursor; TEXT: the end of LINE that bash replaces

The first line of the output states which names the shell adds itself (`nothing`, `files`, `directories` or `commands`),
and how many characters of the last word precede such a name. Each further line has a word, a tab, and the word's
meaning. A word with / = or @ at its end is not complete. For bash the words are quoted, and the lines have no meaning.
The exit code is always 0, and standard error is always empty.

  band complete -- run hel
)"},
    {"manual", R"(
Writes a page for each command into DIR/man1, and a page about the exit codes into DIR/man7.

  band manual /tmp/man
)"},
    {"help", R"(
  band help COMMAND             the same as `band COMMAND --help`
  band help run SKILL/SCRIPT    the parameters of a script
  band help exit-codes          the meaning of the exit codes

  band help run hello/greet
)"},
    {"token", R"(
  band token add NAME      makes a token and prints it once, as a line that the caller gives to `band login`
  band token list          lists the names and ids of all tokens
  band token revoke NAME   revokes the token: the server no longer accepts it, and executions started with it end

Call `band token` as root on the machine of the server.

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
band runs scripts of AI agents in a sandbox. A script can use only the files,
hosts and commands that its BAND.md allows.
)";
}

std::string_view first_steps() {
  return R"(
First steps:
  band setup                           once: make a virtual machine in which scripts run
  sudo band setup --target local       instead, on Linux: run scripts on this machine
  band list                            all skills and scripts
  band run hello/greet --help          the parameters of a script
  band run hello/greet --name World    the script's result, as JSON
)";
}

}  // namespace band::client
