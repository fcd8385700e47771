#include "client/shell/options.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace band::client {
namespace {

enum class Takes { Nothing, Value, OwnWord };  // OwnWord: a value can only follow in the same word

struct LongOption {
  std::string name;
  Takes takes = Takes::Nothing;
};

Takes takes_of(std::string_view marks) {
  return marks.starts_with("::") ? Takes::OwnWord : marks.starts_with(":") ? Takes::Value : Takes::Nothing;
}

// Returns the option with this name, else the only one with this prefix.
std::optional<LongOption> long_option(std::string_view longs, std::string_view given) {
  std::optional<LongOption> found;
  bool several = false;
  for (std::size_t at = 0; at < longs.size();) {
    const std::size_t end = std::min(longs.find(' ', at), longs.size());
    const std::string_view entry = longs.substr(at, end - at);
    at = end + 1;
    const std::string_view name = entry.substr(0, entry.find(':'));
    LongOption option{"--" + std::string(name), takes_of(entry.substr(name.size()))};
    if (name == given) return option;
    if (!name.starts_with(given)) continue;
    several = several || found.has_value();
    found = std::move(option);
  }
  return several ? std::nullopt : found;
}

bool is_number(const std::string& text) {
  const std::size_t digit = text[1] == '-' || text[1] == '+' ? 2 : 1;
  return digit < text.size() && std::isdigit(static_cast<unsigned char>(text[digit])) != 0;
}

class OptionReader {
 public:
  OptionReader(std::span<const ShellWord> words, const OptionSyntax& syntax, std::size_t from)
      : words_(words), syntax_(syntax), at_(from) {}

  GivenOptions read() {
    while (at_ < words_.size() && found_.unread.empty()) {
      const std::string& text = words_[at_].text;
      if (text.size() < 2 || text.front() != '-') break;
      ++at_;
      if (text == "--") break;
      if (syntax_.numbers && is_number(text)) continue;
      const bool read = words_[at_ - 1].literal && (text.starts_with("--") ? long_word(text) : short_word(text));
      if (!read) found_.unread = text;
    }
    found_.behind = at_;
    return std::move(found_);
  }

 private:
  bool long_word(const std::string& text) {
    const std::size_t equals = text.find('=');
    const bool has_value = equals != std::string::npos;
    const auto option = long_option(syntax_.longs, std::string_view(text).substr(2, has_value ? equals - 2 : equals));
    if (!option || (has_value && option->takes == Takes::Nothing)) return false;
    if (has_value || option->takes != Takes::Value) {
      found_.all.push_back({option->name, has_value ? text.substr(equals + 1) : ""});
      return true;
    }
    return with_next_word(option->name);
  }

  bool short_word(const std::string& text) {
    for (std::size_t at = 1; at < text.size(); ++at) {
      const std::size_t place = text[at] == ':' ? std::string::npos : syntax_.shorts.find(text[at]);
      if (place == std::string::npos) return false;
      const std::string name = {'-', text[at]};
      const Takes takes = takes_of(syntax_.shorts.substr(place + 1));
      if (takes == Takes::Value && at + 1 == text.size()) return with_next_word(name);
      found_.all.push_back({name, takes == Takes::Nothing ? "" : text.substr(at + 1)});
      if (takes != Takes::Nothing) return true;
    }
    return true;
  }

  bool with_next_word(const std::string& name) {
    if (at_ >= words_.size()) return false;
    found_.all.push_back({name, words_[at_++].text});
    return true;
  }

  std::span<const ShellWord> words_;
  const OptionSyntax& syntax_;
  std::size_t at_;
  GivenOptions found_;
};

}  // namespace

GivenOptions read_options(std::span<const ShellWord> words, const OptionSyntax& syntax, std::size_t from) {
  return OptionReader(words, syntax, from).read();
}

}  // namespace band::client
