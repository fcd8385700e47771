#include "client/shell/named_programs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "client/shell/git_programs.h"
#include "client/shell/naming.h"

namespace band::client {
namespace {

constexpr std::string_view kTar = "bCfFgHIKLNTVX", kComplete = "ACFGoPSWX", kSdiff = "oIw";
using Value = Naming::Value;
constexpr Naming kNamings[] = {
    {"tar", kTar, "", "to-command"},
    {"tar", kTar, "", "checkpoint-action", Value::Program, {}, "exec="},
    {"tar", kTar, "I", "use-compress-program"},
    {"tar", kTar, "F", "info-script"},
    {"tar", kTar, "F", "new-volume-script"},
    {"tar", kTar, "", "rsh-command"},
    {"tar", kTar, "", "rmt-command"},
    {"tar", kTar, "j", "bzip2", Value::None, "bzip2"},
    {"tar", kTar, "J", "xz", Value::None, "xz"},
    {"tar", kTar, "Z", "compress", Value::None, "compress"},
    {"tar", kTar, "", "lzip", Value::None, "lzip"},
    {"tar", kTar, "", "lzma", Value::None, "lzma"},
    {"tar", kTar, "", "lzop", Value::None, "lzop"},
    {"tar", kTar, "", "zstd", Value::None, "zstd"},
    {"sort", "kSTto", "", "compress-program"},
    {"split", "abClnt", "", "filter"},
    {"install", "gmoSt", "", "strip-program"},
    {"install", "gmoSt", "s", "strip", Value::None, "strip"},
    {"diff3", "L", "", "diff-program"},
    {"sdiff", kSdiff, "", "diff-program"},
    {"sdiff", kSdiff, "o", "output", Value::None, "the editor of the variable EDITOR"},
    {"compgen", kComplete, "C", ""},
    {"complete", kComplete, "C", ""},
    {"bind", "fmqrux", "x", ""},
    {"enable", "f", "f", ""},
};

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

  // Moves to the position after the delimiter. A delimiter in brackets counts, too: the part may then end too early,
  // and the rest of the part is reported as not understood.
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
      if (!has("gpIiMm0123456789", text_[at_])) return true;  // `e`, or an unknown flag
    }
    return false;
  }

  // A backslash at the end of a line continues the text on the next line.
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
    if (text == "--sandbox" && at == 1) return std::nullopt;  // e, r and w are disabled
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

}  // namespace

bool sed_starts_program(std::string_view script) { return SedScript(script).starts_program(); }

std::optional<NamedProgram> named_program(std::string_view name, std::span<const ShellWord> words) {
  if (name == "sed") return by_sed_script(words);
  if (name == "git") return program_of_git(words);
  return named_by_option(kNamings, name, words);
}

}  // namespace band::client
