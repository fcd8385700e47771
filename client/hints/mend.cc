#include "client/hints/mend.h"

#include "client/answers/judgement.h"
#include "client/terminal/terminal.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/named_path.h"
#include "schemas/rules/placeholders.h"
#include "schemas/rules/text.h"

namespace band::client {
namespace {

std::string flag(const char* name, const std::string& value) {
  return std::string("--") + name + " " + quoted_word(value);
}

// The value of --read is a pattern, and must not look like a flag.
std::string read_flag(const std::string& path) {
  return flag("read", (path.starts_with('-') ? "./" : "") + escaped_path(path));
}

std::optional<Question> asked(Result<Question> question) {
  if (!question.ok()) return std::nullopt;
  return std::move(question).value();
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + quoted_word(word);
  return text;
}

}  // namespace

Mend::Mend(const Failure& failure) : reader_(failure.reader) {
  auto grounds = grounds_of(failure.script.band, failure.input, std::nullopt);
  if (grounds.ok()) grounds_ = std::move(grounds).value();
}

std::string_view Mend::asks() const { return reader_ == Reader::Agent ? "ask your user to " : ""; }

std::string_view Mend::does_not_allow() const {
  return reader_ == Reader::CommandLine ? "the flags do not allow" : "the band does not allow";
}

std::string Mend::of(const Line& line) const {
  if (!grounds_ || !line.question) return "";
  const auto judgement = judge(*line.question, *grounds_);
  if (!judgement.ok() || judgement->outcome != Judgement::Outcome::Refused) return "";
  if (judgement->section.starts_with("deny") && judgement->rule)
    return printable_line(judgement->section + " " + shown_rule(*judgement->rule) + " denies it");
  if (judgement->remedies.empty()) return "";  // no pattern can name it
  if (reader_ == Reader::CommandLine) return "add `" + printable_line(line.flag) + "`";
  std::string lines;
  for (const Remedy& remedy : judgement->remedies) {
    const std::string text = !line.pattern.empty()                 ? remedy.instruction(line.pattern)
                             : line.wider && !remedy.wider.empty() ? remedy.instruction(remedy.wider)
                                                                   : remedy.instruction();
    lines += (lines.empty() ? "" : "; ") + text;
  }
  return std::string(asks()) + lines;
}

std::string Mend::file(const std::string& path, const std::string& property) const {
  const std::string pattern = property.empty() || has_hidden_name(path) ? "" : "{" + property + "}";
  return of({asked(ask_path(Question::Kind::Read, "./" + path)), read_flag(path),
             placeholder_of(pattern) ? pattern : "", false});
}

std::string Mend::directory(const std::string& path) const {
  // Any file of the directory stands for all of them.
  const std::string below = path.empty() ? "" : path + "/";
  return of({asked(ask_path(Question::Kind::Read, "./" + below + "any file")),
             path.empty() ? flag("read", ".") : read_flag(below), "./" + escaped_path(below) + "**", false});
}

std::string Mend::command(const std::vector<std::string>& argv) const {
  return of({asked(ask_command(argv)), flag("cli", joined(argv)), "", false});
}

std::string Mend::program(const std::string& name) const {
  return of({asked(ask_command({name})), flag("cli", quoted_word(name) + " *"), quoted_word(name) + " *", false});
}

std::string Mend::host(const std::string& name, std::uint16_t port) const {
  const bool usual = port == 0 || port == 443 || port == 80;
  const std::string text = usual ? name : name + ":" + std::to_string(port);
  return of({asked(ask_net(text)), flag("net", text), "", usual});
}

std::string Mend::variables(const std::vector<std::string>& names) const {
  if (!grounds_ || names.empty()) return "";
  std::string flags, list;
  for (const std::string& name : names) {
    flags += (flags.empty() ? "--env " : " --env ") + printable_line(name);
    list += (list.empty() ? "" : ", ") + printable_line(name);
  }
  if (reader_ == Reader::CommandLine) return "add `" + flags + "`";
  const std::string in = std::string(asks()) + "write in " + printable_line(grounds_->band.file);
  const int line = line_of_key(grounds_->band, "/env");
  return line == 0 ? in + ":  env: [" + list + "]" : in + ", to env (line " + std::to_string(line) + "):  " + list;
}

std::string Mend::script(const std::string& what) const {
  return reader_ == Reader::Agent ? "ask your user to change the script: " + what : what;
}

}  // namespace band::client
