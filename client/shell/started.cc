#include "client/shell/started.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "client/shell/find_actions.h"

namespace band::client {
namespace {

bool is_option(const ShellWord& word) { return word.text.size() > 1 && word.text.front() == '-'; }

// A program whose arguments are to be examined.
struct Start {
  std::span<const ShellWord> words;
  SearchPath path = SearchPath::Kept;
  bool appends = false;                   // unknown arguments are appended to `words`
  std::vector<std::string> placeholders;  // each stands for an unknown argument, also as a part of a word: `{}` of find

  bool has_placeholder(const std::string& word) const {
    return std::any_of(placeholders.begin(), placeholders.end(),
                       [&](const std::string& placeholder) { return word.find(placeholder) != std::string::npos; });
  }
  bool is_whole() const {
    return !appends &&
           std::none_of(words.begin(), words.end(), [&](const ShellWord& word) { return has_placeholder(word.text); });
  }
};

class Follower {
 public:
  // `starter`: index of the program that starts it.
  void follow(const Start& start, std::optional<std::size_t> starter = std::nullopt) {
    if (start.words.empty() || !start.words.front().literal || programs_.size() >= kMaxStartedPrograms) return;
    const std::string& word = start.words.front().text;
    if (starter && start.has_placeholder(word)) {
      programs_[*starter].unread = word;
      return;
    }
    programs_.push_back({start.words, start.is_whole(), "", start.path});
    const std::string name = word.substr(word.rfind('/') + 1);  // also for /usr/bin/env
    if (name == "find") find(start);
    if (is_wrapper(name)) wrapper(name, start);
  }

  std::vector<StartedProgram> programs() && { return std::move(programs_); }

 private:
  void find(const Start& start) {
    const std::size_t self = programs_.size() - 1;
    FindActions actions = find_actions(start.words);
    if (actions.unread.empty() && start.appends) actions.unread = start.words.front().text;
    programs_[self].unread = std::move(actions.unread);
    for (const auto& words : actions.commands) {
      Start inner{words, start.path, start.appends && &words.back() == &start.words.back(), start.placeholders};
      inner.placeholders.emplace_back("{}");
      follow(inner, self);
    }
  }

  void wrapper(const std::string& name, const Start& start) {
    const std::size_t self = programs_.size() - 1;
    const Wrapped found = wrapped(name, start.words);
    if (found.kind == Wrapped::Kind::Unread) programs_[self].unread = found.unread;
    if (found.kind == Wrapped::Kind::Nothing && found.at >= start.words.size() && start.appends)
      programs_[self].unread = start.words.front().text;  // the first appended argument is the program
    if (found.kind != Wrapped::Kind::Program) return;
    Start inner{start.words.subspan(found.at), start.path, start.appends, start.placeholders};
    if (found.path != SearchPath::Kept) inner.path = found.path;
    if (found.appends) inner.appends = true;
    if (!found.replaced.empty()) inner.placeholders.push_back(found.replaced);
    follow(inner, self);
  }

  std::vector<StartedProgram> programs_;
};

}  // namespace

std::vector<StartedProgram> started_programs(const ShellCommand& command, SearchPath path) {
  Follower follower;
  follower.follow({command.words, path, false, {}});
  return std::move(follower).programs();
}

std::vector<ShellWord> operands_of(std::span<const ShellWord> words, std::string_view taking,
                                   std::initializer_list<std::string_view> long_taking) {
  std::vector<ShellWord> operands;
  bool options = true;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (!options || !is_option(words[at])) {
      operands.push_back(words[at]);
    } else if (text == "--") {
      options = false;
    } else if (text.starts_with("--")) {
      if (std::find(long_taking.begin(), long_taking.end(), std::string_view(text)) != long_taking.end()) ++at;
    } else {
      const std::size_t option = text.find_first_of(taking, 1);
      if (option != std::string::npos && option + 1 == text.size()) ++at;
    }
  }
  return operands;
}

}  // namespace band::client
