#include "client/convert/shell_arguments.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <utility>

#include "client/convert/shell_cases.h"
#include "schemas/core/letter_case.h"

namespace band::client {
namespace {

using Kind = ShellToken::Kind;
using Form = Argument::Form;

constexpr std::size_t kMostCases = 20;

// For a whole word `$2`, `"${2}"` or `${2:-10}`: returns the number, and whether it may be missing.
struct PositionalUse {
  int number = 0;
  bool optional = false;
  std::string fallback;
};
std::optional<PositionalUse> positional_use(std::string word) {
  if (word.size() >= 2 && word.front() == '"' && word.back() == '"') word = word.substr(1, word.size() - 2);
  if (word.size() == 2 && word[0] == '$' && word[1] >= '1' && word[1] <= '9')
    return PositionalUse{word[1] - '0', false, ""};
  if (word.size() < 4 || !word.starts_with("${") || word.back() != '}' || word[2] < '1' || word[2] > '9')
    return std::nullopt;
  PositionalUse use{word[2] - '0', false, ""};
  const std::string rest = word.substr(3, word.size() - 4);
  if (rest.empty() || rest.starts_with(":?") || rest.starts_with("?")) return use;
  if (!rest.starts_with(":-") && !rest.starts_with("-")) return std::nullopt;
  use.optional = true;
  use.fallback = rest.substr(rest.find('-') + 1);
  return use;
}

class Reader {
 public:
  Reader(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions, const Usage& usage)
      : tokens_(tokens), functions_(functions), usage_(usage) {}

  ReadArguments read() {
    find_options();
    if (found_.why_not.empty()) positionals();
    if (found_.why_not.empty() && arguments_.empty()) from_usage();
    if (!found_.why_not.empty() || (arguments_.empty() && !takes_nothing_)) return std::move(found_);
    if (found_.source.empty()) found_.source = "$1";
    for (Argument& argument : arguments_) finish(argument);
    found_.forms.push_back({"", "", {}, std::move(arguments_), knows_end_});
    return std::move(found_);
  }

 private:
  void find_options() {
    std::size_t cases = 0;
    std::string letters, variable;
    for (std::size_t at = 0; at < tokens_.size() && cases < kMostCases; ++at) {
      if (tokens_[at].is_word("getopts") && at + 2 < tokens_.size() && letters.empty()) {
        letters = tokens_[at + 1].plain;
        variable = tokens_[at + 2].plain;
        if (letters.find('$') != std::string::npos)
          return give_up(tokens_[at], "the letters of `getopts` are computed at run time");
      }
      if (!tokens_[at].is_word("case") || !begins_command(tokens_, at)) continue;
      ++cases;
      const ShellCase found = read_case(tokens_, at);
      const bool of_getopts =
          !letters.empty() && (found.subject == "$" + variable || found.subject == "${" + variable + "}");
      if (of_getopts) return getopts(letters, found);
      if (is_first_argument(found.subject) && std::any_of(found.arms.begin(), found.arms.end(), is_option_arm))
        return case_loop(found);
    }
    if (!letters.empty()) getopts(letters, {});
  }

  static bool is_first_argument(const std::string& subject) {
    return positional_use(subject).value_or(PositionalUse{}).number == 1;
  }
  static bool is_option_arm(const ShellArm& arm) {
    return std::any_of(arm.patterns.begin(), arm.patterns.end(), [](const std::string& pattern) {
      return pattern.size() > 1 && pattern[0] == '-' && pattern != "-*" && pattern != "--*";
    });
  }

  void give_up(const ShellToken& token, std::string why) {
    if (!found_.why_not.empty()) return;
    found_.why_not = std::move(why);
    found_.line = token.line;
    found_.column = token.column;
  }

  void add(Argument argument) {
    if (arguments_.size() < kMostShellArguments) arguments_.push_back(std::move(argument));
  }

  void getopts(const std::string& letters, const ShellCase& found) {
    found_.source = "getopts";
    knows_end_ = takes_nothing_ = true;
    after_ = found.end;
    for (const ShellArm& arm : found.arms) check_order(arm);
    for (Argument& argument : getopts_arguments(tokens_, letters, found)) add(std::move(argument));
  }

  void case_loop(const ShellCase& found) {
    found_.source = "case";
    takes_nothing_ = true;
    after_ = found.end;
    for (const ShellArm& arm : found.arms) {
      if (is_option_arm(arm)) {
        option_arm(arm);
      } else if (std::find(arm.patterns.begin(), arm.patterns.end(), "*") != arm.patterns.end()) {
        other_arm(arm);
      }
    }
  }

  // Only the script decides where such an option ends, and whether `--` ends it.
  void check_order(const ShellArm& arm) {
    if (takes_words_behind(tokens_, arm) && !is_help(tokens_, arm))
      give_up(tokens_[arm.begin], "an option consumes more than one word after it");
  }

  void option_arm(const ShellArm& arm) {
    Argument argument;
    bool joined_only = true, end_only = true;
    for (std::string pattern : arm.patterns) {
      if (pattern == "--") {
        knows_end_ = true;
        continue;
      }
      if (!pattern.starts_with('-')) continue;
      end_only = false;
      const std::size_t equals = pattern.find('=');
      if (equals == std::string::npos) joined_only = false;
      pattern.resize(std::min(equals, pattern.size()));
      if (pattern.find_first_of("*?[$") != std::string::npos) return;
      if (argument.option.empty() || (pattern.starts_with("--") && !argument.option.starts_with("--")))
        argument.option = pattern;
    }
    if (end_only || is_help(tokens_, arm)) return;
    check_order(arm);
    argument.form = joined_only || takes_value(tokens_, arm) ? Form::Value : Form::Flag;
    argument.joined = joined_only;
    if (argument.form == Form::Value && appends(tokens_, arm)) argument.form = Form::Repeated;
    argument.property = property_name(argument.option);
    if (const std::string name = name_in(tokens_, arm); !name.empty() && !argument.option.starts_with("--"))
      argument.property = property_name(name);
    argument.line = arm.line;
    argument.column = arm.column;
    // `--name` and `--name=*` are two arms of one option.
    for (const Argument& known : arguments_)
      if (known.option == argument.option) return;
    add(std::move(argument));
  }

  // Reads the arms `*) file="$1"; shift ;;` and `*) files+=("$1"); shift ;;`.
  void other_arm(const ShellArm& arm) {
    for (std::size_t at = arm.begin; at < arm.end; ++at) {
      if (tokens_[at].kind != Kind::Word) continue;
      Argument argument;
      argument.line = arm.line;
      argument.column = arm.column;
      std::size_t equals = 0;
      const std::string name = assigned_name(tokens_[at].raw, equals);
      if (name.empty()) continue;
      if (equals + 1 == tokens_[at].raw.size() && tokens_[at].raw.find("+=") != std::string::npos)
        argument.form = Form::Positionals;
      else if (!positional_use(tokens_[at].raw.substr(equals + 1)))
        continue;
      argument.property = property_name(lower_case(name));
      return add(std::move(argument));
    }
  }

  // Reads `file="$1"`, `count="${2:-10}"`, and `"$@"` for the rest; after the loop of the options, if it exists.
  void positionals() {
    std::map<int, Argument> named;
    bool list = false, shifts = false;
    int most = 0;
    for (std::size_t at = after_; at < tokens_.size(); ++at) {
      const ShellToken& token = tokens_[at];
      if (token.kind != Kind::Word) continue;
      if (token.plain == "$@" || token.plain == "$*" || token.plain == "${@}")
        list = list || at == 0 || !functions_.contains(tokens_[at - 1].plain);
      if (token.is_word("shift") && after_ == 0) shifts = true;
      std::size_t equals = 0;
      std::string name = assigned_name(token.raw, equals);
      const auto use = name.empty() ? std::nullopt : positional_use(token.raw.substr(equals + 1));
      if (!use) {
        if (const int other = largest_positional(token.raw); !inside_function(at)) most = std::max(most, other);
        continue;
      }
      if (inside_function(at) || named.contains(use->number)) continue;
      Argument argument;
      argument.property = property_name(lower_case(std::move(name)));
      argument.help = use->fallback.empty() ? "" : "(default: " + use->fallback + ")";
      argument.line = token.line;
      argument.column = token.column;
      named.emplace(use->number, std::move(argument));
    }
    const bool had_positionals =
        std::any_of(arguments_.begin(), arguments_.end(), [](const Argument& a) { return a.is_positional(); });
    if (had_positionals) return;
    if (usage_.readable && (most > 0 || list || shifts || !named.empty())) return positionals_of_usage();
    const auto count = static_cast<int>(named.size());
    if (shifts || most > count || (count > 0 && named.rbegin()->first != count)) {
      if (const auto word = first_use(); word != nullptr)
        give_up(*word, "not all of `$1`, `$2` ... are assigned to variables");
      return;
    }
    for (auto& [number, argument] : named) add(std::move(argument));
    if (!list) return;
    Argument rest;
    rest.form = Form::Positionals;
    rest.property = "args";
    rest.help = "further arguments";
    add(std::move(rest));
  }

  const ShellToken* first_use() const {
    for (std::size_t at = after_; at < tokens_.size(); ++at)
      if (tokens_[at].kind == Kind::Word && largest_positional(tokens_[at].raw) > 0 && !inside_function(at))
        return &tokens_[at];
    return tokens_.empty() ? nullptr : &tokens_.back();
  }

  void positionals_of_usage() {
    const auto positional = [](const Argument& argument) { return argument.is_positional(); };
    // No loop reads its options: the script passes them to another program with "$@".
    if (found_.source.empty() && !std::all_of(usage_.arguments.begin(), usage_.arguments.end(), positional))
      return from_usage();
    for (const Argument& argument : usage_.arguments)
      if (argument.is_positional()) add(argument);
  }

  static int largest_positional(const std::string& raw) {
    int largest = 0;
    bool single = false;
    for (std::size_t at = 0; at + 1 < raw.size(); ++at) {
      if (raw[at] == '\'') single = !single;
      if (raw[at] != '$' || single) continue;
      const char digit = raw[at + 1] == '{' && at + 2 < raw.size() ? raw[at + 2] : raw[at + 1];
      if (digit >= '1' && digit <= '9') largest = std::max(largest, digit - '0');
    }
    return largest;
  }

  // Marks tokens between the braces of a function. Those of `main` do not count, because it gets the script's
  // arguments.
  bool inside_function(std::size_t at) const {
    if (inside_.empty()) mark_functions();
    return inside_[at];
  }

  void mark_functions() const {
    inside_.assign(tokens_.size(), false);
    int depth = 0;
    bool starts = false, marked = false;
    for (std::size_t at = 0; at < tokens_.size(); ++at) {
      const ShellToken& token = tokens_[at];
      if (depth == 0 && token.kind == Kind::Word && token.raw != "main" &&
          ((at + 2 < tokens_.size() && tokens_[at + 1].is_operator("(") && tokens_[at + 2].is_operator(")")) ||
           (at > 0 && tokens_[at - 1].is_word("function"))))
        starts = true;
      if (token.is_word("{")) {
        if (depth++ == 0) marked = std::exchange(starts, false);
      } else if (token.is_word("}") && depth > 0) {
        if (--depth == 0) marked = false;
      }
      inside_[at] = marked;
    }
  }

  void from_usage() {
    if (!usage_.readable) return;
    found_.source = "usage";
    takes_nothing_ = true;
    arguments_ = usage_.arguments;
  }

  void finish(Argument& argument) const {
    if (const auto help = usage_.options.find(argument.option);
        help != usage_.options.end() && !argument.option.empty()) {
      if (argument.help.empty()) argument.help = help->second.help;
      const std::string metavar = lower_case(help->second.metavar);
      if (argument.has_value() && (metavar == "n" || metavar == "num" || metavar == "number" || metavar == "count"))
        argument.type = "integer";
    }
    argument.path = path_use_of(argument);
  }

  const std::vector<ShellToken>& tokens_;
  const std::set<std::string>& functions_;
  const Usage& usage_;
  ReadArguments found_;
  std::vector<Argument> arguments_;
  std::size_t after_ = 0;       // the token after the loop of the options
  bool knows_end_ = false;      // supports `--`
  bool takes_nothing_ = false;  // the script accepts no arguments
  mutable std::vector<bool> inside_;
};

}  // namespace

ReadArguments read_shell_arguments(const std::vector<ShellToken>& tokens, const std::set<std::string>& functions,
                                   const Usage& usage) {
  return Reader(tokens, functions, usage).read();
}

std::string shell_help_text(const std::vector<ShellToken>& tokens) {
  std::string text;
  bool begins = true;  // comments above the first command
  for (std::size_t at = 0; at < tokens.size(); ++at) {
    const ShellToken& token = tokens[at];
    if (token.kind == Kind::HereDocument) text += token.raw;
    if (token.kind == Kind::Comment && begins && !token.raw.starts_with("#!"))
      (text += token.raw.substr(std::min(token.raw.find_first_not_of("# "), token.raw.size()))) += '\n';
    if (token.kind != Kind::Word) continue;
    begins = false;
    const bool prints = at > 0 && (tokens[at - 1].is_word("echo") || tokens[at - 1].is_word("printf"));
    if (prints) (text += token.plain) += '\n';
  }
  return text;
}

}  // namespace band::client
