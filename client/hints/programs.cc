#include <unistd.h>

#include <algorithm>
#include <array>
#include <set>

#include "client/answers/remedy.h"
#include "client/hints/finders.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/programs.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

using End = learn::AskedCommand::End;

constexpr std::size_t kMostVariedWords = 200;  // different words that are compared with the authored texts

// Returns true when the ledger has the whole line unchanged: not truncated, masked or escaped.
bool is_as_called(const learn::AskedCommand& command) {
  return !command.cut && std::none_of(command.argv.begin(), command.argv.end(), [](const std::string& word) {
    return word.find('\\') != std::string::npos || word.find(kMasked) != std::string::npos;
  });
}

std::string absent_text(const std::string& name) {
  const ProgramNeeds* known = built_in_programs().find(name);
  return "the machine that runs the script has no program " + printable_line(name) +
         (known != nullptr && !known->package.empty()
              ? "; its operator installs it: `apt-get install " + known->package + "`, and then a rule allows it"
              : "");
}

// The remedy for a program whose arguments are not known.
std::string mend_of_name(const std::string& name, const Inquiry& inquiry) {
  if (!inquiry.authored.names_program(name)) return std::string(kFromData);
  const std::string mend = inquiry.mend.program(name);
  return mend.empty() ? "" : "; " + mend + std::string(kFewerArguments);
}

std::string mend_of_line(const learn::AskedCommand& command, const Inquiry& inquiry) {
  // Arguments from data are not proposed as a rule.
  const bool authored = std::all_of(command.argv.begin() + 1, command.argv.end(),
                                    [&](const std::string& word) { return inquiry.authored.contains(word); });
  if (!is_as_called(command) || !authored || !inquiry.authored.names_program(command.argv.front()))
    return mend_of_name(command.argv.front(), inquiry);
  const std::string mend = inquiry.mend.command(command.argv);
  return mend.empty() ? "" : "; " + mend;
}

// The first words of programs in Python and JavaScript. bash reports them if it runs such a program.
bool is_other_language(std::string_view name) {
  static constexpr std::array kWords = {"import", "from", "def", "const", "class", "require", "async"};
  return std::find(kWords.begin(), kWords.end(), name) != kWords.end();
}

std::string text_of(const learn::AskedCommand& command, const Inquiry& inquiry) {
  const std::string& name = command.argv.front();
  if (is_other_language(name))
    return inquiry.mend.script("a shell runs a program in another language (its first word is `" + name +
                               "`): start it with its interpreter, such as python3 or node");
  if (command.end == End::NotFound && is_absent(name, inquiry.failure)) return absent_text(name);
  const std::string fact =
      command.end == End::NotFound
          ? std::string(inquiry.mend.does_not_allow()) + " the command " + printable_line(name)
          : std::string(inquiry.mend.does_not_allow()) + " `" + printable_line(shell_text(command.argv)) + "`";
  return fact + mend_of_line(command, inquiry);
}

// Commands that the log names come before those that it does not name.
void find_refused(const Inquiry& inquiry, Hints& hints) {
  for (const bool reported : {true, false}) {
    std::size_t examined = 0, added = 0;
    for (const learn::AskedCommand& command : inquiry.evidence.commands) {
      if (added >= kMostOfKind || ++examined > kMostExamined) break;
      if ((command.end != End::NotFound && command.end != End::Denied) || command.argv.empty()) continue;
      const std::string& name = command.argv.front();
      if (hints.has(name) || contains_word(inquiry.failure.log, name) != reported) continue;
      if (!reported && !inquiry.unnamed_refusal_can_be_cause()) continue;
      if (hints.add(reported ? Likelihood::Reported : Likelihood::Refused, text_of(command, inquiry), name)) ++added;
    }
  }
}

void add_undeclared(const std::string& name, const Inquiry& inquiry, Hints& hints) {
  if (hints.has(name)) return;
  // A script can do without a program that the machine does not have, and report this.
  const bool absent = is_absent(name, inquiry.failure);
  hints.add(absent ? Likelihood::Possible : Likelihood::Reported,
            absent ? absent_text(name)
                   : std::string(inquiry.mend.does_not_allow()) + " the command " + printable_line(name) +
                         mend_of_name(name, inquiry),
            name);
}

void find_missing(const Inquiry& inquiry, Hints& hints) {
  std::size_t examined = 0, found = 0;
  std::set<std::string> seen;
  for (const LogWord& word : inquiry.missing) {
    if (++examined > kMostExamined || found >= kMostOfKind) break;
    const std::string name = program_of(word);
    if (name.empty() || hints.has(name) || !seen.insert(name).second) continue;
    ++found;
    if (!inquiry.declared.contains(name)) {
      if (can_be_declared({name})) add_undeclared(name, inquiry, hints);  // not `cd`: no line can declare it
    } else if (name != word.text) {
      hints.add(Likelihood::Reported,
                inquiry.mend.script("start " + name + " by its name: a declared command is not found by a path"), name);
    }
  }
}

// "gh is not installed": a script tests for a program (`command -v gh`) and prints its own message.
void find_tested(const Inquiry& inquiry, Hints& hints) {
  static constexpr std::array kMessages = {"not installed", "not found",     "is required",
                                           "lease install", "not available", "o install ",
                                           "on the PATH",   "in PATH",       "in the PATH"};
  std::size_t examined = 0;
  std::set<std::string> seen;
  for (const std::string_view line : lines_of(inquiry.failure.log)) {
    if (std::none_of(kMessages.begin(), kMessages.end(),
                     [&](const char* message) { return line.find(message) != std::string_view::npos; }))
      continue;
    for (const LogWord& word : words_of(line)) {
      if (++examined > kMostExamined) return;
      const std::string& name = word.text;
      if (seen.size() >= kMostVariedWords || !seen.insert(name).second) continue;
      if (built_in_programs().find(name) == nullptr || inquiry.declared.contains(name) || is_essential(name) ||
          is_shell_own(name) || !inquiry.authored.names_program(name))
        continue;
      add_undeclared(name, inquiry, hints);
      break;  // the first program of the line
    }
  }
}

}  // namespace

bool is_absent(const std::string& name, const Failure& failure) {
  if (!failure.runs_here || name.find('/') != std::string::npos) return false;
  const auto& directories = built_in_programs().directories;
  return std::none_of(directories.begin(), directories.end(), [&](const std::string& directory) {
    return ::access((directory + "/" + name).c_str(), X_OK) == 0;
  });
}

std::string mend_of_refused(const learn::AskedCommand& command, const Inquiry& inquiry) {
  if (command.argv.empty() || is_absent(command.argv.front(), inquiry.failure)) return "";
  return mend_of_line(command, inquiry);
}

void find_programs(const Inquiry& inquiry, Hints& hints) {
  find_refused(inquiry, hints);
  find_missing(inquiry, hints);
  find_tested(inquiry, hints);
}

}  // namespace band::client
