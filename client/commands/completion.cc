// `band completion` prints the completion script of a shell. That script calls `band complete` for each completion.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <exception>

#include "client/commands/commands.h"
#include "client/completion/bash_line.h"
#include "client/completion/candidates.h"
#include "client/completion/completion_script.h"

namespace band::client {
namespace {

// A person waits at the prompt: `band complete` exits after this time, for any content of a skill.
constexpr unsigned kMostSeconds = 2;

std::string_view name_of(Completion::Ask ask) {
  switch (ask) {
    case Completion::Ask::Files:
      return "files";
    case Completion::Ask::Directories:
      return "directories";
    case Completion::Ask::Commands:
      return "commands";
    case Completion::Ask::Nothing:
      break;
  }
  return "nothing";
}

std::string head_line(Completion::Ask ask, std::size_t behind) {
  return std::string(name_of(ask)) + " " + std::to_string(behind) + "\n";
}

std::string answer(const std::vector<std::string>& words) {
  const Completion completion = complete(words, true);
  std::string text = head_line(completion.ask, completion.behind);
  for (const Candidate& one : completion.candidates) text += one.word + "\t" + one.about + "\n";
  return text;
}

// The text that bash replaces may begin within the word: after a quote, or a `=`.
std::string answer_for_bash(const std::string& typed, const std::string& replaced) {
  const BashLine line = read_bash_line(typed, replaced);
  const Completion completion = complete({line.words.begin() + 1, line.words.end()}, false);
  const std::size_t in_head = characters(line.head);
  std::string text = head_line(completion.ask, completion.behind - std::min(in_head, completion.behind));
  for (const Candidate& one : completion.candidates)
    if (const std::string word = in_bash(line, one.word); !word.empty()) text += word + "\n";
  return text;
}

}  // namespace

int completion_command(const CommandLine& line, Terminal& terminal) {
  const std::string shell = line.arguments.size() == 1 ? line.arguments.front() : "";
  const std::string_view script = completion_script(shell);
  if (shell.empty() || script.empty())
    return fail(line, terminal,
                Error{.code = Code::Usage,
                      .doing = "`band completion` needs the name of a shell: bash, zsh or fish",
                      .hint = "source <(band completion bash); `band completion --help` has the line for each shell"});
  return print(terminal, std::string(script));
}

// Never prints a message: it would appear within the command line that the user is typing.
int complete_command(const CommandLine& line, Terminal& terminal) {
  std::signal(SIGALRM, [](int) { ::_exit(0); });
  ::alarm(kMostSeconds);
  try {
    const bool for_bash = !line.arguments.empty() && line.arguments.front() == "bash";
    if (!for_bash)
      (void)terminal.out(answer(line.command));
    else if (line.command.size() == 2)
      (void)terminal.out(answer_for_bash(line.command[0], line.command[1]));
  } catch (const std::exception&) {
    return 0;
  }
  return 0;
}

}  // namespace band::client
