#include "client/convert/usage.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "schemas/core/letter_case.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

using Form = Argument::Form;

constexpr std::size_t kMostBytes = 64u << 10, kMostWords = 200;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t\r"), text.size());
  const std::size_t end = text.find_last_not_of(" \t\r");
  return end == std::string_view::npos ? "" : text.substr(begin, end + 1 - begin);
}

// Splits into words. `[` `]` `|` `...` are separate words; `<input file>` and `$(basename "$0")` are one word.
std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  const auto end_word = [&] {
    if (!word.empty()) words.push_back(std::exchange(word, ""));
  };
  for (std::size_t at = 0; at < line.size() && words.size() < kMostWords; ++at) {
    const char c = line[at];
    const bool opens = c == '<' || c == '{' || (c == '$' && at + 1 < line.size() && line[at + 1] == '(');
    const std::size_t close = opens ? line.find(c == '<' ? '>' : c == '{' ? '}' : ')', at) : std::string_view::npos;
    if (opens && close != std::string_view::npos) {
      word += line.substr(at, close + 1 - at);
      at = close;
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if (c == '[' || c == ']' || c == '|') {
      end_word();
      words.emplace_back(1, c);
    } else if (line.compare(at, 3, "...") == 0) {
      end_word();
      words.emplace_back("...");
      at += 2;
    } else {
      word += c;
    }
  }
  end_word();
  return words;
}

bool is_metavar(const std::string& word) {
  if (word.starts_with('<') || word.starts_with('{')) return true;
  return !word.empty() && word.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos &&
         std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

std::string bare(std::string word) {
  if (word.size() > 2 && word.front() == '<' && word.back() == '>') word = word.substr(1, word.size() - 2);
  return word;
}

void type_by(Argument& argument, const std::string& metavar) {
  const std::string word = lower_case(bare(metavar));
  for (const char* number : {"n", "num", "number", "count", "int", "integer"})
    if (word == number) argument.type = "integer";
}

// Reads the words of a synopsis after the program's name.
class Synopsis {
 public:
  explicit Synopsis(std::vector<std::string> words) : words_(std::move(words)) {}

  std::optional<std::vector<Argument>> read() {
    while (at_ < words_.size())
      if (!step()) return std::nullopt;
    if (depth_ != 0) return std::nullopt;
    return std::move(found_);
  }

 private:
  const std::string& word(std::size_t ahead = 0) const {
    static const std::string kNone;
    return at_ + ahead < words_.size() ? words_[at_ + ahead] : kNone;
  }

  bool step() {
    if (word() == "[") return ++at_, ++depth_, true;
    if (word() == "]") return ++at_, depth_-- > 0;
    if (word() == "...") return ++at_, repeat();
    if (word() == "|") return false;
    return word().starts_with('-') && word().size() > 1 ? option() : positional();
  }

  // Reads `FILE...` and `FILE [FILE ...]`.
  bool repeat() {
    if (found_.empty()) return false;
    Argument& last = found_.back();
    if (last.is_positional()) {
      if (found_.size() > 1 && found_[found_.size() - 2].property == last.property) {
        found_.pop_back();
        return repeat();
      }
      last.form = Form::Positionals;
      last.least_items = last.required ? 1 : 0;
      return true;
    }
    // `[--tag TAG]...` and `--tag=TAG...` repeat the option for each value; `--tag TAG...` may give all values once.
    const bool one_each = last.joined || (at_ >= 2 && words_[at_ - 2] == "]");
    if (last.form != Form::Value || !one_each) return false;
    last.form = Form::Repeated;
    return true;
  }

  bool option() {
    Argument argument;
    argument.form = Form::Flag;
    argument.option = word();
    ++at_;
    while (word() == "|" && word(1).starts_with('-')) {  // -n|--name
      if (word(1).starts_with("--")) argument.option = word(1);
      at_ += 2;
    }
    if (const std::size_t equals = argument.option.find('='); equals != std::string::npos) {
      type_by(argument, argument.option.substr(equals + 1));
      argument.option.resize(equals);
      argument.form = Form::Value;
      argument.joined = true;
    } else if (is_metavar(word()) || (depth_ > 0 && word(1) == "]" && word() != "]" && !word().starts_with('-'))) {
      type_by(argument, word());
      argument.form = Form::Value;
      ++at_;
      if (word() == "[" && word(1) == words_[at_ - 1]) return false;  // --tags TAG [TAG ...]
    }
    if (depth_ > 0 && word() == "[" && !word(1).starts_with('-')) return false;  // [--level [LEVEL]]
    const std::string name = lower_case(argument.option);
    if (name == "-h" || name == "--help") return true;
    if (argument.option == "--") return true;
    argument.property = property_name(argument.option);
    argument.required = depth_ == 0 && argument.has_value();
    found_.push_back(std::move(argument));
    return true;
  }

  bool positional() {
    const std::string text = bare(word());
    ++at_;
    const std::string name = lower_case(text);
    if (name == "options" || name == "option" || name == "flags" || name == "args" || name == "arguments") return false;
    for (const char c : text)
      if (std::isalnum(static_cast<unsigned char>(c)) == 0 &&
          std::string_view("_-. /").find(c) == std::string_view::npos)
        return false;
    Argument argument;
    argument.property = property_name(name);
    argument.required = depth_ == 0;
    type_by(argument, text);
    found_.push_back(std::move(argument));
    return true;
  }

  std::vector<std::string> words_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::vector<Argument> found_;
};

// Reads a line `  -n, --name NAME   description`.
void option_line(std::string_view line, std::map<std::string, OptionHelp>& options) {
  const std::string_view text = trimmed(line);
  if (!text.starts_with('-') || text.size() < 2) return;
  std::size_t gap = std::min(text.find("  "), text.find('\t'));
  std::string_view left = text.substr(0, gap);
  OptionHelp help;
  if (gap != std::string_view::npos) help.help = std::string(trimmed(text.substr(gap)));
  std::vector<std::string> spellings;
  for (std::string& word : split(left)) {
    while (!word.empty() && word.back() == ',') word.pop_back();
    const std::size_t equals = word.find('=');
    if (word.starts_with('-') && word.size() > 1) {
      spellings.push_back(word.substr(0, equals));
      if (equals != std::string::npos) help.metavar = word.substr(equals + 1);
    } else if (is_metavar(word)) {
      help.metavar = bare(word);
    }
  }
  for (const std::string& spelling : spellings) options.emplace(spelling, help);
}

bool is_program(const std::string& word, std::string_view file) {
  const std::string_view stem = file.substr(0, file.find('.'));
  return word.find("$0") != std::string::npos || word.find("argv[0]") != std::string::npos ||
         word.find("{prog}") != std::string::npos || word.find("%(prog)s") != std::string::npos || word == "%s" ||
         word == "$PROGNAME" || word == "$(basename $0)" || word == file || word == stem ||
         word.ends_with("/" + std::string(file));
}

}  // namespace

Usage read_usage(std::string_view text, std::string_view file) {
  Usage usage;
  const std::vector<std::string_view> lines = lines_of(text.substr(0, kMostBytes));
  std::optional<std::string> synopsis;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    option_line(lines[i], usage.options);
    const std::size_t at = lower_case(lines[i]).find("usage:");
    if (synopsis || at == std::string::npos) continue;
    std::string_view rest = trimmed(lines[i].substr(at + 6));
    if (rest.empty() && i + 1 < lines.size()) rest = trimmed(lines[i + 1]);
    synopsis = std::string(rest);
  }
  if (!synopsis) return usage;
  std::vector<std::string> words = split(*synopsis);
  const auto program =
      std::find_if(words.begin(), words.end(), [&](const auto& word) { return is_program(word, file); });
  if (program == words.end()) return usage;
  words.erase(words.begin(), program + 1);
  auto arguments = Synopsis(std::move(words)).read();
  if (!arguments) return usage;
  usage.readable = true;
  usage.arguments = std::move(*arguments);
  for (Argument& argument : usage.arguments) {
    const auto help = usage.options.find(argument.option);
    if (help != usage.options.end() && argument.help.empty()) argument.help = help->second.help;
    argument.path = path_use_of(argument);
  }
  return usage;
}

}  // namespace band::client
