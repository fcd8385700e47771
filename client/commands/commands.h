// One function for each verb of client/terminal/verbs.cc. Each function prints the result of its command and returns
// the exit code.
#pragma once

#include <string>
#include <vector>

#include "client/skills/skills.h"
#include "client/targets/targets.h"
#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "client/terminal/verbs.h"
#include "schemas/core/result.h"

namespace band::client {

int run_command(const CommandLine& line, Terminal& terminal);
int exec_command(const CommandLine& line, Terminal& terminal);
int shell_command(const CommandLine& line, Terminal& terminal);
int list_command(const CommandLine& line, Terminal& terminal);
int show_command(const CommandLine& line, Terminal& terminal);
int why_command(const CommandLine& line, Terminal& terminal);
int cancel_command(const CommandLine& line, Terminal& terminal);
int status_command(const CommandLine& line, Terminal& terminal);
int doctor_command(const CommandLine& line, Terminal& terminal);
int test_command(const CommandLine& line, Terminal& terminal);
int validate_command(const CommandLine& line, Terminal& terminal);
int setup_command(const CommandLine& line, Terminal& terminal);
int teardown_command(const CommandLine& line, Terminal& terminal);
int start_command(const CommandLine& line, Terminal& terminal);
int stop_command(const CommandLine& line, Terminal& terminal);
int login_command(const CommandLine& line, Terminal& terminal);
int target_command(const CommandLine& line, Terminal& terminal);
int token_command(const CommandLine& line, Terminal& terminal);
int learn_command(const CommandLine& line, Terminal& terminal);
int new_command(const CommandLine& line, Terminal& terminal);
int convert_command(const CommandLine& line, Terminal& terminal);
int install_skills_command(const CommandLine& line, Terminal& terminal);
int completion_command(const CommandLine& line, Terminal& terminal);
int complete_command(const CommandLine& line, Terminal& terminal);
int manual_command(const CommandLine& line, Terminal& terminal);
int help_command(const CommandLine& line, Terminal& terminal);

// Returns null when `verb` is not a verb of client/terminal/verbs.cc.
using Command = int (*)(const CommandLine&, Terminal&);
Command command_of(const std::string& verb);

// Runs a whole command line; main and tests call it. `words`: the command line without the program's name. Returns the
// exit code.
int dispatch(const std::vector<std::string>& words, Terminal& terminal);

// Prints the message and the hint of `error` on stderr; with --json, prints `error` as a JSON object on stdout, and as
// one line of JSON on stderr.
// Returns the exit code of `error`.
int fail(const CommandLine& line, Terminal& terminal, const Error& error);
// Prints the error as one line of JSON on stderr, for --json.
void print_error_line(Terminal& terminal, const Error& error);
// The following three functions print to stdout, and return 0 if everything was written. print_json_text() parses
// `json` and prints it like print_json(); it prints a text that is not JSON unchanged, with a newline. If stdout is a
// pipe whose reader has closed it (`| head`), the functions return kReaderGone and print no error. If the output fails
// for another reason, the functions print an error on stderr and return kNoOutput.
inline constexpr int kNoOutput = 74, kReaderGone = 128 + 13;  // EX_IOERR of sysexits.h; SIGPIPE
int print(Terminal& terminal, const std::string& text);
int print_json(Terminal& terminal, const Json& value);
int print_json_text(Terminal& terminal, const std::string& json);

// The result of `band setup`, `band login` and `band target add`. With --json, print_target() prints the result as a
// JSON object on stdout; without --json, as a note on stderr. It returns the exit code. `what`: the middle of the note,
// such as " is ready". `changed`: false if the target was already set up.
struct TargetNews {
  std::string name, url, what;
  bool changed = false;
};
int print_target(const CommandLine& line, Terminal& terminal, const TargetNews& news);

// Reads from standard input the line that `band token add` has printed, and returns the target that this line
// describes. The target gets the name `name`; it is not saved. If standard input is a terminal, a note prompts for the
// line.
Result<Target> target_from_input(const std::string& name, Terminal& terminal);

// Returns the directories that are searched for skills: for `band call` the result of installed_roots(), for all other
// verbs the result of skill_roots() (client/skills/skills.h). For these other verbs, also prints a warning for each
// directory of $BAND_SKILLS in which no skill was found.
Result<std::vector<std::string>> roots_of(const CommandLine& line, Terminal& terminal);

// The texts of `band VERB --help`, and of `band VERB SKILL/SCRIPT --help` for the verbs `run`, `call`, `shell` and
// `learn`.
std::string verb_help(const VerbInfo& verb, const Terminal& terminal);
std::string script_help(const Script& script, const std::string& verb, const Terminal& terminal);

}  // namespace band::client
