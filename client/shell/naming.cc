#include "client/shell/naming.h"

#include <algorithm>
#include <iterator>

namespace band::client {
namespace {

// Each of these is the complete name of an option, and also a prefix of a longer option. It always means the option
// with this complete name.
constexpr std::string_view kExact[] = {"checkpoint", "compress", "strip", "output", "lzma", "to", "cc"};

bool means(std::string_view given, std::string_view name) {
  if (given == name) return true;
  const bool exact = std::find(std::begin(kExact), std::end(kExact), given) != std::end(kExact);
  return !exact && !given.empty() && name.starts_with(given);
}

std::string separate_value(const Naming& naming, std::span<const ShellWord> words, std::size_t at) {
  const bool separate = naming.value == Naming::Value::Program || naming.value == Naming::Value::Directory;
  return separate ? next_word(words, at) : "";
}

std::string shown_option(const Naming& naming, const std::string& word) {
  return word.starts_with("--") || naming.letter.empty() ? "--" + std::string(naming.name)
                                                         : "-" + std::string(naming.letter);
}

}  // namespace

std::string next_word(std::span<const ShellWord> words, std::size_t at) {
  return at + 1 < words.size() ? words[at + 1].text : "";
}

std::optional<std::string> value_of(const Naming& naming, std::span<const ShellWord> words, std::size_t at) {
  const std::string& text = words[at].text;
  if (text.starts_with("--")) {
    const std::size_t equals = text.find('=');
    if (naming.name.empty() ||
        !means(std::string_view(text).substr(2, equals == std::string::npos ? equals : equals - 2), naming.name))
      return std::nullopt;
    return equals == std::string::npos ? separate_value(naming, words, at) : text.substr(equals + 1);
  }
  const bool dashed = text.size() > 1 && text.front() == '-';
  const bool bundled = at == 1 && naming.program == "tar" && !dashed;  // tar xjf
  if (naming.letter.empty() || (!dashed && !bundled)) return std::nullopt;
  for (std::size_t i = dashed ? 1 : 0; i < text.size(); ++i) {
    if (text[i] == naming.letter.front())
      return dashed && i + 1 < text.size() ? text.substr(i + 1) : separate_value(naming, words, at);
    if (dashed && naming.letters.find(text[i]) != std::string_view::npos)
      break;  // the rest is the value of this option
  }
  return std::nullopt;
}

std::optional<NamedProgram> named_by_option(std::span<const Naming> namings, std::string_view program,
                                            std::span<const ShellWord> words) {
  for (std::size_t at = 1; at < words.size() && words[at].text != "--"; ++at)
    for (const Naming& naming : namings) {
      if (naming.program != program) continue;
      const auto value = value_of(naming, words, at);
      if (!value || !value->starts_with(naming.prefix)) continue;
      if (naming.value == Naming::Value::Directory && value->empty()) continue;
      const bool fixed = naming.value == Naming::Value::None || naming.value == Naming::Value::Directory ||
                         (naming.value == Naming::Value::InWord && value->empty());
      const std::size_t marked = naming.prefix.ends_with('=') ? naming.prefix.size() : 0;
      return NamedProgram{shown_option(naming, words[at].text),
                          fixed ? std::string(naming.starts) : value->substr(marked)};
    }
  return std::nullopt;
}

}  // namespace band::client
