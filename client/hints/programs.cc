#include <algorithm>
#include <optional>
#include <set>

#include "client/answers/remedy.h"
#include "client/hints/authored.h"
#include "client/hints/finders.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

constexpr std::size_t kMostNamed = 3;
using End = learn::AskedCommand::End;

std::set<std::string> declared_programs(const Domain& cli) {
  std::set<std::string> names;
  for (const RuleSet& layer : cli.opened)
    for (const Rule& rule : layer)
      if (const auto pattern = CliPattern::parse(rule.pattern); pattern.ok())
        names.insert(std::string(pattern->base_name()));
  return names;
}

// Returns true when the ledger has the whole line unchanged: not truncated, masked or escaped.
bool is_as_called(const learn::AskedCommand& command) {
  return !command.cut && std::none_of(command.argv.begin(), command.argv.end(), [](const std::string& word) {
    return word.find('\\') != std::string::npos || word.find(kMasked) != std::string::npos;
  });
}

std::string fact(const learn::AskedCommand& command) {
  const std::string name = printable_line(command.argv.front());
  if (command.end == End::NotFound) return "the band does not declare the command " + name;
  return "the band does not allow `" + printable_line(shell_text(command.argv)) + "`";
}

std::string mend_of_name(const std::string& name, const Inquiry& inquiry) {
  if (!is_authored(name, inquiry.failure)) return std::string(kFromData);
  const std::string mend = inquiry.mend.program(name);
  return mend.empty() ? "" : "; " + mend + " (or, with fewer arguments allowed, the arguments in place of `*`)";
}

void find_refused(const Inquiry& inquiry, std::set<std::string>& named, Hints& hints) {
  for (const learn::AskedCommand& command : inquiry.evidence.commands) {
    if ((command.end != End::NotFound && command.end != End::Denied) || command.argv.empty()) continue;
    const std::string& name = command.argv.front();
    if (named.size() >= kMostNamed || (command.end == End::NotFound && !named.insert(name).second)) continue;
    named.insert(name);
    const bool reported = inquiry.failure.log.find(name) != std::string::npos;
    if (!reported && !inquiry.refusals_count()) continue;
    std::string mend;
    if (!is_authored(name, inquiry.failure))
      mend = kFromData;
    else if (is_as_called(command))
      mend = inquiry.mend.command(command.argv);
    else
      mend = inquiry.mend.program(name);
    if (!mend.empty() && !mend.starts_with("; ")) mend = "; " + mend;
    hints.add(reported ? Likelihood::Reported : Likelihood::Refused, fact(command) + mend);
  }
}

void find_missing(const Inquiry& inquiry, std::set<std::string>& named, Hints& hints) {
  const std::set<std::string> declared = declared_programs(inquiry.failure.script.band.rules.cli);
  for (const LogWord& word : missing_words(inquiry.failure.log)) {
    const std::string name = program_of(word);
    if (name.empty() || named.size() >= kMostNamed || named.contains(name)) continue;
    if (declared.contains(name)) {
      if (name == word.text || !named.insert(name).second) continue;
      hints.add(Likelihood::Reported,
                "a declared command is found by its name, not by a path: start " + name + " by its name");
    } else if (can_be_declared({name})) {  // `env cd /`: no line can declare it
      named.insert(name);
      hints.add(Likelihood::Reported, "the band does not declare the command " + name + mend_of_name(name, inquiry));
    }
  }
}

}  // namespace

void find_programs(const Inquiry& inquiry, Hints& hints) {
  std::set<std::string> named;
  find_refused(inquiry, named, hints);
  find_missing(inquiry, named, hints);
}

}  // namespace band::client
