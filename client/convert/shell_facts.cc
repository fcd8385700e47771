#include <algorithm>
#include <span>
#include <utility>

#include "client/convert/facts.h"
#include "client/shell/started.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"

namespace band::client {
namespace {

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Environment variables have names in capitals; others belong to the script, or to a file that it sources.
bool is_exported_name(std::string_view name) {
  return name.size() > 1 && std::none_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

class Reader {
 public:
  Reader(const ShellReading& reading, const std::vector<ShellToken>& tokens, const std::set<std::string>& siblings)
      : reading_(reading), tokens_(tokens), siblings_(siblings) {}

  Facts read() {
    for (const ShellCommand& command : reading_.commands) look_at(command);
    for (const ShellRedirection& redirection : reading_.redirections) look_at(redirection);
    for (const ShellVariable& use : reading_.uses)
      if (is_exported_name(use.name) && !is_own_variable(use.name))
        mention(facts_.variables, use.name, use.line, use.column);
    facts_.reads_stdin = facts_.reads_stdin || (reads_ && !is_fed());
    facts_.functions = reading_.functions;
    facts_.assigned = reading_.assigned;
    bool begins = true;
    for (const ShellToken& token : tokens_) {
      if (token.kind == ShellToken::Kind::Comment && begins && !token.raw.starts_with("#!") &&
          facts_.description.empty())
        facts_.description = token.raw.substr(std::min(token.raw.find_first_not_of("# \t"), token.raw.size()));
      if (token.kind == ShellToken::Kind::Word) {
        begins = false;
        look_at(token);
      }
      if (token.kind != ShellToken::Kind::Comment) find_hosts(facts_, token.raw, token.line, token.column);
    }
    return std::move(facts_);
  }

 private:
  void look_at(const ShellCommand& command) {
    for (const StartedProgram& program : started_programs(command)) look_at(program);
    for (const ShellWord& word : command.words) look_at_sibling(word);
  }

  void look_at(const StartedProgram& program) {
    const ShellWord& first = program.words.front();
    const std::string name = base_name(first.text);
    if (name == "jq") facts_.prints_json = true;
    if (name == "read" || name == "select") read_command(program.words);
    if (name == "cat" && program.whole && (program.words.size() == 1 || program.words[1].text == "-"))
      facts_.reads_stdin = true;
    if (find_installer(facts_, name, first.line, first.column)) return;
    const bool plain = !name.empty() && name.find_first_of("$`*?[]{}()=\n ") == std::string::npos;
    if (!plain || siblings_.contains(name) || is_shell_own(name) || is_essential(name)) return;
    mention(facts_.programs, name, first.line, first.column);
  }

  // `read -p` asks a question; other calls of `read` use redirected input.
  void read_command(std::span<const ShellWord> words) {
    for (const ShellWord& word : words)
      if (word.text.starts_with("-") && word.text.find('p') != std::string::npos)
        return find_thing(facts_, word.line, word.column,
                          "prompts for an answer (`read -p`): no user can answer in a sandbox",
                          "take the answer from an argument");
    reads_ = true;
  }

  // Returns true when a `read` has redirected input: `while read x; do ... done < file`.
  bool is_fed() const {
    return std::any_of(tokens_.begin(), tokens_.end(), [](const ShellToken& token) {
      return token.is_operator("<") || token.is_operator("<<<") || token.is_operator("<<") || token.is_operator("|");
    });
  }

  void look_at_sibling(const ShellWord& word) {
    const std::string name = base_name(word.text);
    if (siblings_.contains(name)) facts_.uses.insert(name);
  }

  void look_at(const ShellRedirection& redirection) {
    const ShellWord& target = redirection.target;
    if (!target.literal || redirection.operation.find_first_of("<>") == std::string::npos) return;
    const bool writes = redirection.operation.find('>') != std::string::npos;
    if (is_plain_path(target.text) && target.text.find_first_not_of("0123456789") != std::string::npos)
      mention(writes ? facts_.writes : facts_.reads, target.text, target.line, target.column);
  }

  void look_at(const ShellToken& token) {
    const std::string& text = token.plain;
    if (text == "/dev/stdin") facts_.reads_stdin = true;
    if (text.starts_with("{\"")) facts_.prints_json = true;
    if (text.starts_with("~/") || text.starts_with("$HOME/") || text.starts_with("${HOME}/"))
      find_thing(facts_, token.line, token.column,
                 "names a file of the home directory (`" + text.substr(0, 60) + "`): the home of a sandbox is empty",
                 "take the path, or the file's content, from an argument or a variable");
    const std::size_t equals = text.find('=');
    const std::string value = equals == std::string::npos ? text : text.substr(equals + 1);
    if (is_machine_path(value) && !(token.column == 1 && equals == std::string::npos))
      find_thing(facts_, token.line, token.column,
                 "names a path of the machine (`" + value.substr(0, 60) + "`), which a sandbox does not have",
                 "allow it in BAND.md (`read: [\"" + value.substr(0, 60) + "\"]`), or take a file of the workspace");
    const bool beside = text.find("$(dirname") != std::string::npos || text.find("BASH_SOURCE") != std::string::npos;
    if (!beside) return;
    const auto at = static_cast<std::size_t>(&token - tokens_.data());
    if (at > 0 && (tokens_[at - 1].is_operator(">") || tokens_[at - 1].is_operator(">>")))
      find_thing(facts_, token.line, token.column,
                 "writes into the script's directory: the files of a skill are read-only in a sandbox",
                 "write into the workspace or to /tmp");
  }

  const ShellReading& reading_;
  const std::vector<ShellToken>& tokens_;
  const std::set<std::string>& siblings_;
  Facts facts_;
  bool reads_ = false;  // has a `read` without `-p`
};

}  // namespace

Facts shell_facts(const ShellReading& reading, const std::vector<ShellToken>& tokens,
                  const std::set<std::string>& siblings) {
  return Reader(reading, tokens, siblings).read();
}

}  // namespace band::client
