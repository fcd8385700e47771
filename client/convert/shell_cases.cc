#include "client/convert/shell_cases.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "schemas/core/letter_case.h"

namespace band::client {

using Kind = ShellToken::Kind;
using Form = Argument::Form;

std::string assigned_name(const std::string& raw, std::size_t& equals) {
  equals = raw.find('=');
  if (equals == std::string::npos || equals == 0) return "";
  std::string name = raw.substr(0, raw[equals - 1] == '+' ? equals - 1 : equals);
  const auto part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return std::all_of(name.begin(), name.end(), part) && std::isdigit(static_cast<unsigned char>(name[0])) == 0 ? name
                                                                                                               : "";
}

bool begins_command(const std::vector<ShellToken>& tokens, std::size_t at) {
  if (at == 0) return true;
  const ShellToken& before = tokens[at - 1];
  if (before.kind != Kind::Word && before.kind != Kind::Operator) return true;
  for (const char* word : {"do", "then", "else", "{", "!", "elif", "while", "if", "until"})
    if (before.is_word(word)) return true;
  return before.kind == Kind::Operator && before.raw.find_first_of("<>") == std::string::npos;
}

ShellCase read_case(const std::vector<ShellToken>& tokens, std::size_t at) {
  ShellCase found;
  if (at + 1 < tokens.size()) found.subject = tokens[at + 1].plain;
  at += 2;
  while (at < tokens.size() && tokens[at].kind != Kind::Word) ++at;
  ++at;  // `in`
  while (at < tokens.size()) {
    while (at < tokens.size() && tokens[at].kind != Kind::Word) ++at;
    if (at >= tokens.size() || tokens[at].is_word("esac")) break;
    ShellArm arm;
    arm.line = tokens[at].line;
    arm.column = tokens[at].column;
    for (; at < tokens.size() && !tokens[at].is_operator(")"); ++at) {
      if (tokens[at].kind == Kind::LineEnd) break;
      if (tokens[at].kind == Kind::Word) arm.patterns.push_back(tokens[at].plain);
    }
    arm.begin = ++at;
    int nested = 0;
    for (; at < tokens.size(); ++at) {
      if (tokens[at].is_word("case") && begins_command(tokens, at)) ++nested;
      if (tokens[at].is_word("esac") && nested-- == 0) break;
      const std::string& raw = tokens[at].raw;
      if (nested == 0 && tokens[at].kind == Kind::Operator && (raw == ";;" || raw == ";&" || raw == ";;&")) break;
    }
    arm.end = std::min(at, tokens.size());
    found.arms.push_back(std::move(arm));
    if (at < tokens.size() && tokens[at].is_word("esac")) break;
  }
  found.end = std::min(at + 1, tokens.size());
  return found;
}

std::string name_in(const std::vector<ShellToken>& tokens, const ShellArm& arm) {
  for (std::size_t at = arm.begin; at < arm.end; ++at) {
    std::size_t equals = 0;
    if (tokens[at].kind != Kind::Word) continue;
    if (const std::string name = assigned_name(tokens[at].raw, equals); !name.empty()) return lower_case(name);
  }
  return "";
}

bool is_help(const std::vector<ShellToken>& tokens, const ShellArm& arm) {
  for (const std::string& pattern : arm.patterns)
    if (pattern == "--help" || pattern == "--usage" || pattern == "--version") return true;
  if (!name_in(tokens, arm).empty()) return false;
  for (std::size_t at = arm.begin; at < arm.end; ++at)
    if (tokens[at].kind == Kind::Word && lower_case(tokens[at].plain).find("usage") != std::string::npos) return true;
  return false;
}

bool appends(const std::vector<ShellToken>& tokens, const ShellArm& arm) {
  for (std::size_t at = arm.begin; at < arm.end; ++at)
    if (tokens[at].kind == Kind::Word && tokens[at].raw.ends_with("+=")) return true;
  return false;
}

bool takes_value(const std::vector<ShellToken>& tokens, const ShellArm& arm) {
  bool shifted = false;
  for (std::size_t at = arm.begin; at < arm.end; ++at) {
    const ShellToken& token = tokens[at];
    if (token.kind != Kind::Word) continue;
    if (token.raw.find("$2") != std::string::npos || token.raw.find("${2") != std::string::npos) return true;
    if (token.is_word("shift") && at + 1 < arm.end && tokens[at + 1].raw == "2") return true;
    if (shifted && (token.raw.find("$1") != std::string::npos || token.raw.find("${1") != std::string::npos))
      return true;
    shifted = shifted || token.is_word("shift");
  }
  return false;
}

bool takes_words_behind(const std::vector<ShellToken>& tokens, const ShellArm& arm) {
  int loops = 0;
  bool all = false, sets = false;  // `set -- "$@"` restores the words
  for (std::size_t at = arm.begin; at < arm.end; ++at) {
    const ShellToken& token = tokens[at];
    if (token.kind != Kind::Word) continue;
    if (token.is_word("do")) ++loops;
    if (token.is_word("done")) --loops;
    if (token.is_word("shift") && loops > 0) return true;
    if (token.raw.find("OPTIND") != std::string::npos) return true;
    all = all || token.plain == "$@" || token.plain == "$*";
    sets = sets || token.is_word("set");
  }
  return all && !sets;
}

std::vector<Argument> getopts_arguments(const std::vector<ShellToken>& tokens, const std::string& letters,
                                        const ShellCase& found) {
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < letters.size() && arguments.size() < kMostShellArguments; ++i) {
    if (std::isalnum(static_cast<unsigned char>(letters[i])) == 0) continue;
    Argument argument;
    argument.option = std::string("-") + letters[i];
    argument.form = i + 1 < letters.size() && letters[i + 1] == ':' ? Form::Value : Form::Flag;
    argument.property = property_name(argument.option);
    bool help = false;
    for (const ShellArm& arm : found.arms) {
      if (std::find(arm.patterns.begin(), arm.patterns.end(), std::string(1, letters[i])) == arm.patterns.end())
        continue;
      help = is_help(tokens, arm);
      if (const std::string name = name_in(tokens, arm);
          !name.empty() && !(argument.form == Form::Flag && appends(tokens, arm)))
        argument.property = property_name(name);
      argument.line = arm.line;
      argument.column = arm.column;
      if (argument.form == Form::Value && appends(tokens, arm)) argument.form = Form::Repeated;
    }
    if (!help) arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace band::client
