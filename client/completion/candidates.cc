#include "client/completion/candidates.h"

#include <algorithm>

#include "client/completion/place.h"
#include "client/completion/values.h"
#include "client/terminal/command_line.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxAboutBytes = 160;

using Ask = Completion::Ask;

// Returns the first line, cut after a whole character.
std::string short_line(const std::string& text) {
  std::string line = printable_line(first_line(text));
  if (line.size() <= kMaxAboutBytes) return line;
  std::size_t end = kMaxAboutBytes;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
  return line.substr(0, end) + "...";
}

bool can_be_offered(const std::string& word) {
  return !word.empty() && word.size() <= kMaxCandidateBytes && printable_line(word) == word;
}

class Completer {
 public:
  Completer(const std::vector<std::string>& words, bool described)
      : place_(place_of(std::vector<std::string>(words.begin(), words.empty() ? words.end() : words.end() - 1))),
        word_(words.empty() ? "" : words.back()),
        values_(place_, described) {}

  Completion complete() {
    if (!place_.unknown) find();
    return std::move(completion_);
  }

 private:
  void find() {
    if (place_.of_command) {
      completion_.ask = place_.command_has_name ? Ask::Files : Ask::Commands;
    } else if (place_.value_of != nullptr) {
      value(*place_.value_of, "");
    } else if (word_.starts_with("--") && word_.find('=') != std::string::npos) {
      value_behind_equals();
    } else if (word_.starts_with('-')) {
      parameter_flags();
      own_flags();
    } else {
      plain();
    }
  }

  // Adds `word` if the word at the cursor is a prefix of it.
  void offer(const std::string& word, const std::string& about) {
    if (completion_.candidates.size() < kMaxCandidates && word.starts_with(word_) && can_be_offered(word))
      completion_.candidates.push_back({word, short_line(about)});
  }

  // `head`: the part of the word before the value: "--target=".
  void value(const FlagInfo& flag, const std::string& head) {
    if (flag.kind == WordKind::Itself) return offer(head + std::string(flag.value), std::string(flag.about));
    of_kind(flag.kind, head);
  }

  void value_behind_equals() {
    const std::size_t equals = word_.find('=');
    const std::string name = word_.substr(2, equals - 2), head = word_.substr(0, equals + 1);
    if (const FlagInfo* flag = find_flag(place_.verb, name)) {
      if (!flag->value.empty()) value(*flag, head);
    } else if (const ScriptParameter* parameter = values_.parameter(name)) {
      of_parameter(*parameter, head);
    }
  }

  void of_kind(WordKind kind, const std::string& head) {
    const std::string typed = word_.substr(head.size());
    if (kind == WordKind::Directory || kind == WordKind::SkillOrDirectory) completion_.ask = Ask::Directories;
    if (kind == WordKind::File || kind == WordKind::Path) completion_.ask = Ask::Files;
    if (kind == WordKind::Command) completion_.ask = Ask::Commands;
    completion_.behind = characters(head);
    if (kind == WordKind::Input && typed.starts_with('@') && place_.verb_name() != "call") {
      completion_.ask = Ask::Files;
      ++completion_.behind;
      return;
    }
    for (const Candidate& one : values_.of(kind, typed)) offer(head + one.word, one.about);
  }

  void of_parameter(const ScriptParameter& parameter, const std::string& head) {
    completion_.behind = characters(head);
    if (parameter.is_path) completion_.ask = Ask::Files;
    // As a separate word, `--x` would be a flag.
    for (const std::string& choice : values_.choices(parameter))
      if (!choice.empty() && (!head.empty() || !choice.starts_with("--"))) offer(head + choice, "");
  }

  // Completes an argument, the value of a parameter, or a flag if nothing else can follow.
  void plain() {
    if (place_.verb == nullptr) {
      for (const VerbInfo& verb : verbs())
        if (verb.group != VerbGroup::Hidden) offer(std::string(verb.name), std::string(verb.about));
      return;
    }
    const bool of_script = takes_script(place_.verb->name) && !place_.arguments.empty();
    const ScriptParameter* parameter = values_.parameter(place_.parameter);
    if (parameter != nullptr) of_parameter(*parameter, "");
    if (parameter != nullptr && !parameter->can_be_bare) return;
    if (of_script) return parameter_flags();
    if (place_.arguments.empty())
      for (const VerbForm& form : place_.verb->forms) offer(std::string(form.word), "");
    const WordKind kind = word_at(place_);
    of_kind(kind, "");
    const bool has_argument = !place_.verb->arguments.empty();
    if (kind == WordKind::Free && !has_argument) own_flags();
  }

  void own_flags() {
    for (const FlagInfo& flag : flags()) {
      const bool in_front = flag.name == "help" || flag.name == "version";  // the flags before the verb
      if (place_.verb == nullptr ? !in_front : find_flag(place_.verb, flag.name) == nullptr) continue;
      const std::string name(flag.name);
      if (place_.given.contains(name) && !can_repeat(place_.verb_name(), name)) continue;
      offer("--" + name, std::string(flag_for(place_.verb_name(), flag).about));
    }
  }

  void parameter_flags() {
    for (const ScriptParameter& parameter : values_.parameters()) {
      const bool given = place_.given.contains(parameter.flag) || place_.given.contains("no-" + parameter.flag);
      if (given && !parameter.repeats) continue;
      offer("--" + parameter.flag, description_of(parameter.parameter));
      if (parameter.can_be_negated) offer("--no-" + parameter.flag, description_of(parameter.parameter));
    }
  }

  const Place place_;
  const std::string word_;
  Values values_;
  Completion completion_;
};

}  // namespace

std::size_t characters(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

Completion complete(const std::vector<std::string>& words, bool described) {
  return Completer(words, described).complete();
}

}  // namespace band::client
