#include "client/shell/named_programs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace band::client {
namespace {

// `letters`: short options with a value, as far as they matter for where the option `letter` can stand.
struct Naming {
  std::string_view program, letters;
  char letter = 0;               // 0: it has a long name only
  std::string_view name;         // "": it has a letter only
  std::string_view starts = {};  // the program, where the option has no value
  std::string_view prefix = {};  // only a value that begins so names a program
};
constexpr std::string_view kTar = "bCfFgHIKLNTVX", kComplete = "ACFGoPSWX", kSdiff = "oIw";
constexpr Naming kNamings[] = {
    {"tar", kTar, 0, "to-command"},
    {"tar", kTar, 0, "checkpoint-action", {}, "exec="},
    {"tar", kTar, 'I', "use-compress-program"},
    {"tar", kTar, 'F', "info-script"},
    {"tar", kTar, 'F', "new-volume-script"},
    {"tar", kTar, 0, "rsh-command"},
    {"tar", kTar, 0, "rmt-command"},
    {"tar", kTar, 'j', "bzip2", "bzip2"},
    {"tar", kTar, 'J', "xz", "xz"},
    {"tar", kTar, 'Z', "compress", "compress"},
    {"tar", kTar, 0, "lzip", "lzip"},
    {"tar", kTar, 0, "lzma", "lzma"},
    {"tar", kTar, 0, "lzop", "lzop"},
    {"tar", kTar, 0, "zstd", "zstd"},
    {"sort", "kSTto", 0, "compress-program"},
    {"split", "abClnt", 0, "filter"},
    {"install", "gmoSt", 0, "strip-program"},
    {"install", "gmoSt", 's', "strip", "strip"},
    {"diff3", "L", 0, "diff-program"},
    {"sdiff", kSdiff, 0, "diff-program"},
    {"sdiff", kSdiff, 'o', "output", "the editor of the variable EDITOR"},
    {"compgen", kComplete, 'C', ""},
    {"complete", kComplete, 'C', ""},
    {"bind", "fmqrux", 'x', ""},
    {"enable", "f", 'f', ""},
};

// A longer name of these begins with one that is an option of its own, and wins where it is written out.
constexpr std::string_view kExact[] = {"checkpoint", "compress", "strip", "output", "lzma"};

bool means(std::string_view given, std::string_view name) {
  if (given == name) return true;
  const bool exact = std::find(std::begin(kExact), std::end(kExact), given) != std::end(kExact);
  return !exact && !given.empty() && name.starts_with(given);
}

std::string next_word(std::span<const ShellWord> words, std::size_t at) {
  return at + 1 < words.size() ? words[at + 1].text : "";
}

// The option in words[at], with its value.
std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at) {
  const std::string& text = words[at].text;
  if (text.starts_with("--")) {
    const std::size_t equals = text.find('=');
    if (naming.name.empty() ||
        !means(std::string_view(text).substr(2, equals == std::string::npos ? equals : equals - 2), naming.name))
      return std::nullopt;
    return equals == std::string::npos ? next_word(words, at) : text.substr(equals + 1);
  }
  const bool dashed = text.size() > 1 && text.front() == '-';
  const bool bundled = at == 1 && naming.program == "tar" && !dashed;  // tar xjf
  if (naming.letter == 0 || (!dashed && !bundled)) return std::nullopt;
  for (std::size_t i = dashed ? 1 : 0; i < text.size(); ++i) {
    if (text[i] == naming.letter) return dashed && i + 1 < text.size() ? text.substr(i + 1) : next_word(words, at);
    if (dashed && naming.letters.find(text[i]) != std::string_view::npos) break;  // the rest is its value
  }
  return std::nullopt;
}

std::string shown_option(const Naming& naming, const std::string& word) {
  return word.starts_with("--") || naming.letter == 0 ? "--" + std::string(naming.name)
                                                      : std::string{'-', naming.letter};
}

std::optional<NamedProgram> by_option(std::string_view name, std::span<const ShellWord> words) {
  for (std::size_t at = 1; at < words.size() && words[at].text != "--"; ++at)
    for (const Naming& naming : kNamings) {
      if (naming.program != name) continue;
      const auto value = value_of(naming, words, at);
      if (!value || !value->starts_with(naming.prefix)) continue;
      const std::string text = naming.starts.empty() ? value->substr(naming.prefix.size()) : std::string(naming.starts);
      return NamedProgram{shown_option(naming, words[at].text), text};
    }
  return std::nullopt;
}

// ---- sed ----------------------------------------------------------------------------------------------------------

class SedScript {
 public:
  explicit SedScript(std::string_view text) : text_(text) {}

  bool starts_program() {
    while (skip_to_command()) {
      if (!skip_addresses()) return true;
      if (at_ >= text_.size()) return true;
      const char command = text_[at_++];
      if (command == 'e') return true;
      if (command == 's' || command == 'y') {
        if (!skip_parts()) return true;
        if (command == 's' && flags_start_program()) return true;
      } else if (has("aicrRwW:btTv", command)) {
        at_ = std::min(text_.find_first_of(has("aicrRwW", command) ? "\n" : ";\n}", at_), text_.size());
        if (command == 'a' || command == 'i' || command == 'c') skip_text();
      } else if (!has("{}=dDgGhHlLnNpPqQxzF#", command)) {
        return true;
      } else if (command == '#') {
        skip_line();
      } else if (has("lLqQ", command)) {
        skip_digits();
      }
    }
    return false;
  }

 private:
  static bool has(std::string_view set, char c) { return set.find(c) != std::string_view::npos; }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_digits() {
    while (has(" 0123456789", peek()) && at_ < text_.size()) ++at_;
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  bool skip_to_command() {
    while (at_ < text_.size() && has(" \t\n;", text_[at_])) ++at_;
    return at_ < text_.size();
  }

  // /x/I,+3!
  bool skip_addresses() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (has("0123456789$,~+! \tIM", c)) {
        ++at_;
      } else if (c == '/' || c == '\\') {
        at_ += c == '\\' ? 1 : 0;
        const char end = peek();
        ++at_;
        if (!skip_part(end)) return false;
      } else {
        return true;
      }
    }
    return true;
  }

  // Up to the delimiter and behind it. One in brackets counts: in doubt the reading ends early, and what follows is not
  // understood.
  bool skip_part(char end) {
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == end) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  bool skip_parts() {
    const char end = peek();
    if (end == '\0' || end == '\n' || end == '\\') return false;
    ++at_;
    return skip_part(end) && skip_part(end);
  }

  bool flags_start_program() {
    for (; at_ < text_.size() && !has(" \t\n;}#", text_[at_]); ++at_) {
      if (text_[at_] == 'w') {
        skip_line();
        return false;
      }
      if (!has("gpIiMm0123456789", text_[at_])) return true;  // `e`, or what is not understood
    }
    return false;
  }

  // Lines of a text go on behind a backslash at the end of a line.
  void skip_text() {
    while (at_ < text_.size() && at_ > 0 && text_[at_ - 1] == '\\') {
      ++at_;
      skip_line();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

std::optional<NamedProgram> by_sed_script(std::span<const ShellWord> words) {
  std::vector<std::string> scripts;
  std::optional<std::string> operand;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (text == "--sandbox" && at == 1) return std::nullopt;  // it has neither e nor r nor w
    if (text.starts_with("--e")) {
      scripts.push_back(text.find('=') == std::string::npos ? next_word(words, at++) : text.substr(text.find('=') + 1));
    } else if (text.starts_with("--fi")) {
      return NamedProgram{"the command `e` of its script", ""};
    } else if (text.starts_with("--l") && text.find('=') == std::string::npos) {
      ++at;
    } else if (text.size() > 1 && text[0] == '-' && text[1] != '-') {
      for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] == 'i') break;  // the rest is a suffix
        if (text[i] == 'f') return NamedProgram{"the command `e` of its script", ""};
        if (text[i] != 'e' && text[i] != 'l') continue;
        const std::string value = i + 1 < text.size() ? text.substr(i + 1) : next_word(words, at++);
        if (text[i] == 'e') scripts.push_back(value);
        break;
      }
    } else if (!text.starts_with("--") && !operand) {
      operand = text;
    }
  }
  if (scripts.empty() && operand) scripts.push_back(*operand);
  const bool starts =
      std::any_of(scripts.begin(), scripts.end(), [](const std::string& s) { return sed_starts_program(s); });
  return starts ? std::optional(NamedProgram{"the command `e` of its script", ""}) : std::nullopt;
}

// ---- git ----------------------------------------------------------------------------------------------------------

// Sections and names of git-config(1) that name no program.
constexpr std::string_view kHarmless[] = {"user.",
                                          "author.",
                                          "committer.",
                                          "color.",
                                          "advice.",
                                          "init.",
                                          "core.quotepath",
                                          "core.autocrlf",
                                          "core.abbrev",
                                          "core.longpaths",
                                          "core.filemode",
                                          "core.bare",
                                          "safe.directory",
                                          "http.sslverify",
                                          "column.",
                                          "status.",
                                          "i18n.",
                                          "core.ignorecase",
                                          "core.precomposeunicode"};

bool is_harmless(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                     [&](std::string_view name) { return text.starts_with(name); });
}

// In front of the subcommand.
std::optional<NamedProgram> by_git_option(std::span<const ShellWord> words) {
  for (std::size_t at = 1; at < words.size() && words[at].text.starts_with('-'); ++at) {
    const std::string& text = words[at].text;
    if (text == "-c" || text.starts_with("--config-env")) {
      const bool next = text == "-c" || text == "--config-env";
      const std::string setting = next ? next_word(words, at++) : text.substr(text.find('=') + 1);
      if (!is_harmless(setting)) return NamedProgram{"-c " + setting.substr(0, setting.find('=')), ""};
    } else if (text == "-C" || text == "--git-dir" || text == "--work-tree" || text == "--namespace") {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace

bool sed_starts_program(std::string_view script) { return SedScript(script).starts_program(); }

std::optional<NamedProgram> named_program(std::string_view name, std::span<const ShellWord> words) {
  if (name == "sed") return by_sed_script(words);
  if (name == "git") return by_git_option(words);
  return by_option(name, words);
}

}  // namespace band::client
