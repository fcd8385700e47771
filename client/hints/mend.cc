#include "client/hints/mend.h"

#include <algorithm>
#include <charconv>

#include "client/answers/judgement.h"
#include "client/skills/secrets.h"
#include "client/terminal/terminal.h"
#include "schemas/core/words.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/rules/named_path.h"
#include "schemas/rules/placeholders.h"
#include "schemas/rules/text.h"

namespace band::client {
namespace {

// A proposal in a text that is not rendered yet: its index between these characters. printable_line() escapes them, so
// no text of a script has them.
constexpr char kBegin = '\1', kEnd = '\2';
constexpr std::string_view kJoined = " (it has the line of another message, too: write only this one)";

std::string flag(const char* name, const std::string& value) {
  return std::string("--") + name + " " + quoted_word(value);
}

// The value of --read and --write is a pattern, and must not look like a flag.
std::string path_flag(const char* name, const std::string& path) {
  return flag(name, (path.starts_with('-') ? "./" : "") + escaped_path(path));
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

// "{path}", or "" if no rule can have this placeholder, or the placeholder would not allow the path.
std::string placeholder_for(const std::string& property, const std::string& path) {
  const std::string pattern = "{" + property + "}";
  return property.empty() || has_hidden_name(path) || !placeholder_of(pattern) ? "" : pattern;
}

}  // namespace

Mend::Mend(const Failure& failure) : reader_(failure.reader) {
  auto grounds = grounds_of(failure.script.band, failure.input, std::nullopt);
  if (grounds.ok()) grounds_ = std::move(grounds).value();
}

std::string Mend::read_flag(const std::string& path) { return printable_line(path_flag("read", path)); }

std::string_view Mend::asks() const { return reader_ == Reader::Agent ? "ask your user to " : ""; }

std::string_view Mend::does_not_allow() const {
  return reader_ == Reader::CommandLine ? "the flags do not allow" : "the band does not allow";
}

void Mend::add_lines(const Judgement& judgement, const Line& line, bool optional, Proposal& proposal) const {
  for (const Remedy& remedy : judgement.remedies) {
    const bool wider = line.wider && !remedy.wider.empty();
    proposal.is_wider = proposal.is_wider || (!wider && line.pattern.empty() && remedy.pattern.empty());
    const std::string& pattern = !line.pattern.empty()             ? line.pattern
                                 : wider || remedy.pattern.empty() ? remedy.wider
                                                                   : remedy.pattern;
    proposal.lines.push_back({remedy, pattern, optional});
  }
}

std::string Mend::of(const Line& line, const std::optional<Line>& also) const {
  if (!grounds_ || !line.question) return "";
  const auto judgement = judge(*line.question, *grounds_);
  if (!judgement.ok() || judgement->outcome != Judgement::Outcome::Refused) return "";
  if (judgement->section.starts_with("deny") && judgement->rule)
    return printable_line(judgement->section + " " + shown_rule(*judgement->rule) + " denies it");
  if (judgement->remedies.empty()) return "";  // no pattern can name it
  if (reader_ == Reader::CommandLine) return "add `" + printable_line(line.flag) + "`";
  Proposal proposal;
  add_lines(*judgement, line, false, proposal);
  if (also && also->question) {
    const auto second = judge(*also->question, *grounds_);
    if (second.ok() && second->outcome == Judgement::Outcome::Refused && !second->section.starts_with("deny"))
      add_lines(*second, *also, true, proposal);
  }
  return marker_of(std::move(proposal));
}

std::string Mend::marker_of(Proposal proposal) const {
  const auto same = [&](const Proposal& one) { return text_of(one, {}) == text_of(proposal, {}); };
  auto found = std::find_if(proposals_.begin(), proposals_.end(), same);
  if (found == proposals_.end()) found = proposals_.insert(found, std::move(proposal));
  return kBegin + std::to_string(found - proposals_.begin()) + kEnd;
}

std::string Mend::text_of(const Proposal& proposal, const Shown& shown) const {
  std::string text(asks());
  if (!proposal.names.empty()) {
    std::vector<std::string> names = shown.names;
    for (const std::string& name : proposal.names)
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return text + env_line(names, proposal.optional) +
           (names.size() > proposal.names.size() ? std::string(kJoined) : "");
  }
  if (proposal.is_wider) text += "wider than requested: ";
  bool first = true;
  std::vector<bool> done(proposal.lines.size());
  for (std::size_t i = 0; i < proposal.lines.size(); ++i) {
    if (done[i]) continue;
    std::vector<RemedyLine> all, own;
    for (const RemedyLine& one : shown.lines)
      if (one.remedy.writes_key_of(proposal.lines[i].remedy)) all.push_back(one);
    for (std::size_t k = i; k < proposal.lines.size(); ++k)
      if (k == i || proposal.lines[k].remedy.writes_key_of(proposal.lines[i].remedy)) {
        own.push_back(proposal.lines[k]);
        done[k] = true;
      }
    all.insert(all.end(), own.begin(), own.end());
    const std::string alone = joined_instruction(own), joined = joined_instruction(all);
    text.append(first ? "" : "; ").append(joined).append(joined == alone ? "" : kJoined);
    first = false;
  }
  return text;
}

void Mend::render(std::vector<std::string>& texts) {
  for (std::string& text : texts)
    for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1)) {
      const std::size_t end = text.find(kEnd, at);
      if (end == std::string::npos) break;
      std::size_t index = proposals_.size();
      std::from_chars(text.data() + at + 1, text.data() + end, index);
      if (index >= proposals_.size()) continue;
      const Proposal& proposal = proposals_[index];
      text.replace(at, end + 1 - at, text_of(proposal, shown_));
      shown_.lines.insert(shown_.lines.end(), proposal.lines.begin(), proposal.lines.end());
      shown_.names.insert(shown_.names.end(), proposal.names.begin(), proposal.names.end());
    }
}

std::string Mend::file(const std::string& path, const std::string& property) const {
  return of({asked(ask_path(Question::Kind::Read, "./" + path)), path_flag("read", path),
             placeholder_for(property, path), false});
}

std::string Mend::directory(const std::string& path) const {
  // Any file of the directory stands for all of them.
  const std::string below = path.empty() ? "" : path + "/";
  return of({asked(ask_path(Question::Kind::Read, "./" + below + "any file")),
             path.empty() ? flag("read", ".") : path_flag("read", below), "./" + escaped_path(below) + "**", false});
}

std::string Mend::written_file(const std::string& path, const std::string& property) const {
  const std::string placeholder = placeholder_for(property, path);
  return of({asked(ask_path(Question::Kind::Write, "./" + path)), path_flag("write", path), placeholder, false},
            Line{asked(ask_path(Question::Kind::Read, "./" + path)), "", placeholder, false});
}

std::string Mend::written_directory(const std::string& path) const {
  return of({asked(ask_path(Question::Kind::Write, "./" + path + "/any file")), path_flag("write", path + "/"),
             "./" + escaped_path(path) + "/**", false});
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

std::string Mend::variables(const std::vector<std::string>& names, bool optional) const {
  if (!grounds_ || names.empty()) return "";
  if (reader_ != Reader::CommandLine) return marker_of({{}, names, false, optional});
  std::string flags;
  for (const std::string& name : names)
    flags.append(flags.empty() ? "" : " ").append("--env ").append(printable_line(name));
  return "add `" + flags + "`";
}

std::string Mend::env_line(const std::vector<std::string>& names, bool optional) const {
  const std::string required = optional ? "required: false" : "";
  const auto member = [&](const std::string& name) {
    // Other values need not be masked in the answer.
    const std::string secret = is_credential_name(name) ? "" : "secret: false";
    return printable_line(name) + ": {" + required + (required.empty() || secret.empty() ? "" : ", ") + secret + "}";
  };
  const auto joined = [&](bool map, const std::string& before, const std::string& separator) {
    std::string text;
    for (const std::string& name : names)
      text.append(text.empty() ? "" : separator).append(before).append(map ? member(name) : printable_line(name));
    return text;
  };
  const std::string in = "write in " + printable_line(grounds_->band.file);
  const KeyPlace env = place_of_key(grounds_->band, "/env");
  const bool all_secrets = !optional && std::all_of(names.begin(), names.end(), is_credential_name);
  if (env.line == 0)
    return in + ":  env: " + (all_secrets ? "[" + joined(false, "", ", ") + "]" : "{" + joined(true, "", ", ") + "}");
  const std::string line = " (line " + std::to_string(env.line) + "):  ";
  const auto first = grounds_->band.keys.lower_bound("/env/");
  const bool map = first != grounds_->band.keys.end() && first->first.starts_with("/env/");
  if (!env.flow) return in + ", below env" + line + joined(map, map ? "" : "- ", " and, on a line below,  ");
  if (!map) return in + ", to env" + line + joined(false, "", ", ");
  return in + ", before the } of env" + line + (env.empty ? "" : ", ") + joined(true, "", ", ");
}

std::string Mend::script(const std::string& what) const {
  return reader_ == Reader::Agent ? "ask your user to change the script: " + what : what;
}

}  // namespace band::client
