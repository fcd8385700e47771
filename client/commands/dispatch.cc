#include <algorithm>
#include <cerrno>

#include "client/commands/commands.h"
#include "client/terminal/verbs.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

// For a command line that could not be parsed: returns true when it has --json.
bool wants_json(const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), "--json") != words.end();
}

// `band call` uses the messages of `band run`. If the hint contains flags that `band call` does not have, appends a
// sentence about these flags.
Error worded_for(const CommandLine& line, Error error) {
  if (line.verb != "call") return error;
  std::string lacking;
  for (const std::string& flag : lacking_flags(line.verb, error.hint)) lacking += (lacking.empty() ? "" : ", ") + flag;
  if (!lacking.empty())
    error.hint += "; `band call` does not accept " + lacking + "; the user can call `band run`, which does";
  return error;
}

}  // namespace

Command command_of(const std::string& verb) {
  if (verb == "run" || verb == "call") return run_command;
  if (verb == "exec") return exec_command;
  if (verb == "shell") return shell_command;
  if (verb == "list") return list_command;
  if (verb == "show") return show_command;
  if (verb == "why") return why_command;
  if (verb == "status") return status_command;
  if (verb == "cancel") return cancel_command;
  if (verb == "doctor") return doctor_command;
  if (verb == "validate") return validate_command;
  if (verb == "test") return test_command;
  if (verb == "learn") return learn_command;
  if (verb == "new") return new_command;
  if (verb == "convert") return convert_command;
  if (verb == "setup") return setup_command;
  if (verb == "teardown") return teardown_command;
  if (verb == "start") return start_command;
  if (verb == "stop") return stop_command;
  if (verb == "login") return login_command;
  if (verb == "target") return target_command;
  if (verb == "token") return token_command;
  if (verb == "install-skills") return install_skills_command;
  if (verb == "completion") return completion_command;
  if (verb == "complete") return complete_command;
  if (verb == "manual") return manual_command;
  if (verb == "help") return help_command;
  return nullptr;
}

void print_error_line(Terminal& terminal, const Error& error) {
  terminal.error_line(json_for_output(error_to_json(error), false));
}

int fail(const CommandLine& line, Terminal& terminal, const Error& error) {
  const Error worded = worded_for(line, error);
  if (!line.json) {
    terminal.error(worded);
    return exit_code(error.code);
  }
  print_error_line(terminal, worded);
  Json json = error_to_json(worded);
  if (terminal.keeps()) json["notes"] = terminal.kept();
  (void)print_json(terminal, json);
  return exit_code(error.code);
}

int print(Terminal& terminal, const std::string& text) {
  if (terminal.out(text)) return 0;
  const int err = errno;
  // The reader has closed the pipe, as `head` does. Other programs die of SIGPIPE then, without a message.
  if (err == EPIPE) return kReaderGone;
  terminal.error({.code = Code::Usage, .doing = "cannot write to standard output", .err = err});
  return kNoOutput;
}

int print_json(Terminal& terminal, const Json& value) {
  return print(terminal, json_for_output(value, terminal.out_is_terminal()));
}

int print_json_text(Terminal& terminal, const std::string& json) {
  const auto value = parse_json(json, "output");
  return value.ok() ? print_json(terminal, *value) : print(terminal, json + "\n");
}

Result<std::vector<std::string>> roots_of(const CommandLine& line, Terminal& terminal) {
  if (line.verb == "call") return installed_roots();
  auto roots = skill_roots(line.skills);
  if (roots.ok())
    for (const std::string& lost : lost_skill_roots()) terminal.note("warning: " + lost);
  return roots;
}

int dispatch(const std::vector<std::string>& words, Terminal& terminal) {
  const auto line = parse_command_line(words);
  if (!line.ok()) {
    CommandLine unread;
    unread.json = wants_json(words);
    return fail(unread, terminal, line.error());
  }
  terminal.set_verbosity(line->verbosity);
  const bool of_run = line->verb == "run" || line->verb == "call";
  if (of_run && line->json && !line->explain && !terminal.verbose()) terminal.keep_messages();
  if (line->version) return print(terminal, "band " BAND_VERSION "\n");
  if (line->verb.empty()) {
    if (line->json)
      return fail(*line, terminal,
                  {.code = Code::Usage, .doing = "no command was given", .hint = "`band --help` lists the commands"});
    const int code = help_command(*line, terminal);
    return line->help || code != 0 ? code : exit_code(Code::Usage);  // `band` alone is an error
  }
  const bool of_script = takes_script(line->verb) && !line->arguments.empty();
  if (line->help && !of_script)
    for (const VerbInfo& verb : verbs())
      if (verb.name == line->verb && verb.name != "help") return print(terminal, verb_help(verb, terminal));
  return command_of(line->verb)(*line, terminal);
}

}  // namespace band::client
