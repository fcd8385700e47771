#include "client/hints/hints.h"

#include <algorithm>

#include "client/hints/finders.h"
#include "schemas/pattern/pattern.h"

namespace band::client {
namespace {

std::set<std::string> declared_programs(const Domain& cli) {
  std::set<std::string> names;
  for (const RuleSet& layer : cli.opened)
    for (const Rule& rule : layer)
      if (const auto pattern = CliPattern::parse(rule.pattern); pattern.ok())
        names.insert(std::string(pattern->base_name()));
  return names;
}

}  // namespace

bool Hints::has(std::string_view subject) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Hint& hint) { return hint.subject == subject; });
}

bool Hints::add(Likelihood likelihood, std::string text, std::string subject) {
  const auto same = [&](const Hint& hint) { return hint.text == text; };
  if (text.empty() || (!subject.empty() && has(subject)) || std::any_of(all_.begin(), all_.end(), same)) return false;
  all_.push_back({likelihood, std::move(text), std::move(subject)});
  return true;
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

Inquiry::Inquiry(const Failure& of)
    : failure(of),
      evidence(learn::evidence_of(of.answer)),
      missing(missing_words(of.log)),
      declared(declared_programs(of.script.band.rules.cli)),
      authored(of),
      mend(of) {}

bool Inquiry::unnamed_refusal_can_be_cause() const {
  const Answer& answer = failure.answer;
  return (answer.stderr_log.empty() && answer.stdout_log.empty()) ||
         (answer.error && answer.error->code == Code::PermissionDenied);
}

bool Inquiry::uses_program(std::string_view name) const {
  return (!failure.command.empty() && failure.command.front() == name) || declared.contains(std::string(name));
}

std::vector<std::string> hints_of(const Failure& failure) {
  const Inquiry inquiry(failure);
  Hints hints;
  // The order is that of hints about equally likely causes.
  for (const auto find :
       {find_forbidden_acts, find_inputs, find_files, find_programs, find_modules, find_hosts, find_settings})
    find(inquiry, hints);
  return hints.first(kMostHints);
}

std::vector<std::string> unsent_inputs(const Failure& failure) {
  if (failure.reader == Reader::CommandLine) return {};
  const Inquiry inquiry(failure);
  Hints hints;
  find_inputs(inquiry, hints);
  return hints.first(kMostHints);
}

}  // namespace band::client
