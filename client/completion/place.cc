#include "client/completion/place.h"

#include <algorithm>

namespace band::client {
namespace {

void read_flag(Place& place, const std::string& word) {
  const std::size_t equals = std::min(word.find('='), word.size());
  const std::string name = word.substr(2, equals - 2);
  const bool has_value = equals < word.size();
  place.given.insert(name);
  if (const FlagInfo* flag = find_flag(place.verb, name)) {
    if (!flag->value.empty() && !has_value) place.value_of = flag;
    if (name == "skills" && has_value) place.skills.push_back(word.substr(equals + 1));
    return;
  }
  if (!takes_script(place.verb_name())) return;
  place.parameter = has_value ? "" : name;
  place.unknown = place.unknown || place.arguments.empty();
}

void read_plain(Place& place, const std::string& word) {
  if (place.verb == nullptr) {
    place.verb = find_verb(word);
    place.unknown = place.verb == nullptr;
    return;
  }
  if (word_at(place) == WordKind::Command) {
    place.of_command = place.command_has_name = true;
    return;
  }
  const bool is_value = takes_script(place.verb->name) && !place.arguments.empty();  // a value of a parameter
  if (!is_value) place.arguments.push_back(word);
}

void read(Place& place, const std::string& word) {
  if (place.of_command) {
    place.command_has_name = true;
    return;
  }
  if (place.value_of != nullptr) {
    if (place.value_of->name == "skills") place.skills.push_back(word);
    place.value_of = nullptr;
    return;
  }
  const bool of_script = takes_script(place.verb_name());
  if (word == "--" && !of_script) {
    place.of_command = true;
    return;
  }
  if (word.starts_with("--")) {
    place.parameter.clear();
    return read_flag(place, word);
  }
  const bool is_short_flag = word.starts_with('-') && word.size() > 1 && place.parameter.empty();
  if (!is_short_flag) read_plain(place, word);
  place.parameter.clear();
}

}  // namespace

Place place_of(const std::vector<std::string>& before) {
  Place place;
  for (const std::string& word : before) read(place, word);
  return place;
}

WordKind word_at(const Place& place) {
  if (place.verb == nullptr || place.unknown) return WordKind::Free;
  const std::vector<WordKind>* words = &place.verb->words;
  std::size_t at = place.arguments.size();
  if (!place.verb->forms.empty()) {
    if (at == 0) return WordKind::Free;  // one of the forms
    const auto form = std::find_if(place.verb->forms.begin(), place.verb->forms.end(),
                                   [&](const VerbForm& one) { return one.word == place.arguments.front(); });
    if (form == place.verb->forms.end()) return WordKind::Free;
    words = &form->then;
    --at;
  }
  return at < words->size() ? (*words)[at] : WordKind::Free;
}

}  // namespace band::client
