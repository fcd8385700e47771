#include "client/hints/hints.h"

#include <algorithm>

#include "client/hints/finders.h"

namespace band::client {

void Hints::add(Likelihood likelihood, std::string text, std::string subject) {
  const auto same = [&](const Hint& hint) {
    return hint.text == text || (!subject.empty() && hint.subject == subject);
  };
  if (!text.empty() && std::none_of(all_.begin(), all_.end(), same))
    all_.push_back({likelihood, std::move(text), std::move(subject)});
}

std::vector<std::string> Hints::first(std::size_t most) const {
  std::vector<Hint> ordered = all_;
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Hint& a, const Hint& b) { return a.likelihood < b.likelihood; });
  std::vector<std::string> texts;
  for (Hint& hint : ordered)
    if (texts.size() < most) texts.push_back(std::move(hint.text));
  return texts;
}

std::vector<std::string> hints_of(const Failure& failure) {
  const Inquiry inquiry(failure);
  Hints hints;
  // Of equally likely causes, the first of this list is named first.
  for (const auto find :
       {find_inputs, find_files, find_programs, find_modules, find_forbidden_acts, find_hosts, find_settings})
    find(inquiry, hints);
  return hints.first(kMostHints);
}

}  // namespace band::client
