// One function for each verb of client/terminal/verbs.cc. Each prints what it has to say and returns the exit
// code.
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

// Null for what is no verb.
using Command = int (*)(const CommandLine&, Terminal&);
Command command_of(const std::string& verb);

// The whole program, for main and for tests: `words` without the program's name.
int dispatch(const std::vector<std::string>& words, Terminal& terminal);

// Message and hint on stderr, with --json the error object on stdout as well; returns the exit code.
int fail(const CommandLine& line, Terminal& terminal, const Error& error);
// Prints to stdout. When that does not work, the exit code is one of these; a reader that has gone (`| head`) is no
// message.
inline constexpr int kNoOutput = 74, kReaderGone = 128 + 13;  // EX_IOERR of sysexits.h; SIGPIPE
int print(Terminal& terminal, const std::string& text);
int print_json(Terminal& terminal, const Json& value);
int print_json_text(Terminal& terminal, const std::string& json);

// How `band setup` and `band login` end: JSON on stdout, or a note.
struct TargetNews {
  std::string name, url, what;
  bool changed = false;
};
int tell_target(const CommandLine& line, Terminal& terminal, const TargetNews& news);

// The target that the line on standard input describes: what `band token add` printed.
Result<Target> target_from_input(const std::string& name, Terminal& terminal);

// skill_roots(), with a warning about each directory of $BAND_SKILLS that leads to no skill.
Result<std::vector<std::string>> roots_of(const CommandLine& line, Terminal& terminal);

// `band VERB --help`, and `band run SKILL/SCRIPT --help`, which `band shell` has, too.
std::string verb_help(const VerbInfo& verb, const Terminal& terminal);
std::string script_help(const Script& script, const std::string& verb, const Terminal& terminal);

}  // namespace band::client
