#include <algorithm>
#include <set>

#include "client/commands/commands.h"
#include "client/manual/terminal_page.h"
#include "client/skills/described.h"
#include "client/terminal/nearest.h"
#include "client/terminal/verbs.h"

namespace band::client {

std::string verb_help(const VerbInfo& verb, const Terminal& terminal) { return terminal_page(page_of(verb), terminal); }

std::string script_help(const Script& script, const std::string& verb, const Terminal& terminal) {
  const std::string parameters = parameters_help(script, verb);
  std::string text = terminal.bold(script.place.name);
  if (const std::string about = script.description(); !about.empty()) text += ": " + first_paragraph(about);
  text += "\n\n" + terminal.bold("Usage:") + " band " + verb + " " + script.place.name + required_flags(script);
  text += " [flags]\n\n" + terminal.bold("Parameters:") + (parameters.empty() ? " none\n" : "\n" + parameters);
  std::string env;
  for (const EnvRule& rule : script.band.rules.env)
    env += "  " + rule.name + (rule.required && !rule.fallback ? "  (required)" : "") +
           (rule.description.empty() ? "" : "  " + printable_line(rule.description)) + "\n";
  if (!env.empty()) text += "\n" + terminal.bold("Variables:") + "\n" + env;
  std::set<int> seen;
  std::string exits = "0 success";
  for (const ExitInfo& row : exit_table()) {
    const bool fresh = seen.insert(exit_code(row.code)).second;
    exits += (fresh ? ", " + std::to_string(exit_code(row.code)) + " " : "/") + std::string(code_name(row.code));
  }
  return text + "\n`band " + verb + " --help` lists band's own flags (--input ...).\n" + terminal.bold("Exit codes:") +
         " " + exits + "\n";
}

int help_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.empty()) return print(terminal, terminal_overview(terminal));
  const std::string& topic = line.arguments.front();
  if (topic == "exit-codes") return print(terminal, terminal_exit_codes());
  if (const VerbInfo* verb = find_verb(topic)) {
    CommandLine of_script;
    of_script.verb = topic;
    of_script.arguments.assign(line.arguments.begin() + 1, line.arguments.end());
    of_script.help = true;
    const bool is_script = takes_script(topic) && !of_script.arguments.empty();
    return is_script ? command_of(topic)(of_script, terminal) : print(terminal, verb_help(*verb, terminal));
  }
  std::vector<std::string> topics{"exit-codes"};
  for (const VerbInfo& verb : verbs())
    if (verb.group != VerbGroup::Hidden) topics.emplace_back(verb.name);
  return fail(line, terminal,
              {Code::Usage, "", "there is no help for `" + topic + "`", 0,
               did_you_mean(topic, topics, "band help ", "`band --help` lists the commands"), ""});
}

}  // namespace band::client
