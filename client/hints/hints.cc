#include "client/hints/hints.h"

#include <algorithm>

#include "client/hints/finders.h"
#include "client/hints/lost.h"
#include "client/hints/unnoticed.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/pattern/pattern.h"

namespace band::client {
namespace {

// The first lines of a log name the cause; the others are its consequences. Each line is compared with each input
// value.
constexpr std::size_t kMostAbsences = 50, kMostLine = 500;

std::set<std::string> declared_programs(const Domain& cli) {
  std::set<std::string> names;
  for (const RuleSet& layer : cli.opened)
    for (const Rule& rule : layer)
      if (const auto pattern = CliPattern::parse(rule.pattern); pattern.ok())
        names.insert(std::string(pattern->base_name()));
  return names;
}

std::vector<std::string> absences_in(std::string_view log) {
  std::vector<std::string> lines;
  for (const std::string_view line : lines_of(log))
    if (lines.size() < kMostAbsences && is_about_missing_file(line)) lines.emplace_back(line.substr(0, kMostLine));
  return lines;
}

}  // namespace

bool Hints::has(std::string_view subject) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Hint& hint) { return hint.subject == subject; });
}

bool Hints::add(Likelihood likelihood, std::string text, std::string subject) {
  const auto same = [&](const Hint& hint) { return hint.text == text; };
  if (text.empty() || excluded_.contains(subject) || (!subject.empty() && has(subject)) ||
      std::any_of(all_.begin(), all_.end(), same))
    return false;
  all_.push_back({likelihood, std::move(text), std::move(subject)});
  return true;
}

std::vector<std::string> Hints::subjects() const {
  std::vector<std::string> subjects;
  for (const Hint& hint : all_)
    if (!hint.subject.empty()) subjects.push_back(hint.subject);
  return subjects;
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
      absences(absences_in(of.log)),
      declared(declared_programs(of.script.band.rules.cli)),
      authored(of),
      mend(of) {}

bool Inquiry::unnamed_refusal_can_be_cause() const {
  const Answer& answer = failure.answer;
  return (answer.stderr_log.empty() && answer.stdout_log.empty()) ||
         (answer.error && answer.error->code == Code::PermissionDenied);
}

const Tested& Inquiry::tested() const {
  if (!tested_) tested_ = tested_by(authored);
  return *tested_;
}

bool Inquiry::uses_program(std::string_view name) const {
  return (!failure.command.empty() && failure.command.front() == name) || declared.contains(std::string(name));
}

namespace {

std::string allowing_text(std::string_view text, const Inquiry& inquiry) {
  using End = learn::AskedCommand::End;
  for (const learn::AskedCommand& command : inquiry.evidence.commands)
    if (command.text == text &&
        (command.end == End::NotFound || (command.end == End::Denied && command.section.empty())))
      return mend_of_refused(command, inquiry);
  for (const learn::Contact& contact : inquiry.evidence.contacts)
    if (contact.text == text && contact.end == learn::Contact::End::Refused && contact.section.empty())
      return mend_of_refused(contact, inquiry);
  const bool packets =
      text.starts_with("refused ") && contains(text, " packet") && contains(text, "no rule of allow.net");
  return packets ? mend_of_refused_packets(inquiry) : "";
}

}  // namespace

std::vector<std::string> hints_of(const Failure& failure) { return Advice(failure).hints(); }

Advice::Advice(const Failure& run) : inquiry_(std::make_unique<Inquiry>(run)) {}
Advice::~Advice() = default;

std::vector<std::string> Advice::rendered(std::vector<std::string> texts) {
  inquiry_->mend.render(texts);
  return texts;
}

std::vector<std::string> Advice::hints(std::size_t most) {
  Hints hints;
  // The order is that of hints about equally likely causes.
  for (const auto find :
       {find_forbidden_acts, find_inputs, find_files, find_programs, find_modules, find_hosts, find_settings})
    find(*inquiry_, hints);
  hinted_ = hints.subjects();
  return rendered(hints.first(most));
}

std::vector<std::string> Advice::unnoticed(std::size_t most) {
  Hints hints;
  hints.exclude(hinted_);
  find_inputs(*inquiry_, hints);
  find_unnoticed(*inquiry_, hints);
  return rendered(hints.first(most));
}

std::vector<std::string> Advice::lost(const std::vector<std::string>& paths) {
  Hints hints;
  find_lost(*inquiry_, paths, hints);
  return rendered(hints.first(kMostHints));
}

std::vector<std::string> Advice::conflicts() {
  Hints hints;
  find_conflicts(*inquiry_, hints);
  return rendered(hints.first(kMostHints));
}

std::vector<std::string> Advice::allowing(const std::vector<std::string_view>& refusals) {
  std::vector<std::string> texts;
  texts.reserve(refusals.size());
  for (const std::string_view text : refusals) texts.push_back(allowing_text(text, *inquiry_));
  return rendered(std::move(texts));
}

}  // namespace band::client
