#include "client/commands/refusal_hints.h"

#include <algorithm>
#include <vector>

#include "client/answers/question.h"
#include "client/commands/lines_to_write.h"
#include "client/learn/evidence.h"
#include "schemas/wire/masked.h"

namespace band::client {
namespace {

constexpr std::size_t kMostLines = 3;

// Returns true when the ledger has the whole line unchanged: not truncated, masked or escaped.
bool is_as_called(const learn::AskedCommand& command) {
  return !command.cut && !command.argv.empty() &&
         std::none_of(command.argv.begin(), command.argv.end(), [](const std::string& word) {
           return word.find('\\') != std::string::npos || word.find(kMasked) != std::string::npos;
         });
}

}  // namespace

void add_refusal_hints(const RunPlan& plan, Answer& answer) {
  if (!answer.error) return;
  const Code code = answer.error->code;
  if (code != Code::PermissionDenied && code != Code::ScriptFailed) return;
  const LinesToWrite lines_to_write(plan);
  const learn::Evidence evidence = learn::evidence_of(answer);
  std::vector<std::string> lines;
  const auto add = [&](const Result<Question>& question, bool wider) {
    if (!question.ok() || lines.size() >= kMostLines) return;
    std::string line = lines_to_write.for_question(*question, wider);
    if (!line.empty() && std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  };
  using CommandEnd = learn::AskedCommand::End;
  for (const learn::AskedCommand& command : evidence.commands)
    if ((command.end == CommandEnd::NotFound || command.end == CommandEnd::Denied) && is_as_called(command))
      add(ask_command(command.argv), false);
  for (const learn::Contact& contact : evidence.contacts)
    if (contact.end == learn::Contact::End::Refused)  // port 0: only the name was looked up
      add(ask_net(contact.host + (contact.port == 0 ? "" : ":" + std::to_string(contact.port))), contact.port == 0);
  std::string& hint = answer.error->hint;
  for (const std::string& line : lines) hint += (hint.empty() ? "" : "; ") + line;
}

}  // namespace band::client
