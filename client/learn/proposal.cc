// The rules of a run, and the final proposal (learner.h).
#include <algorithm>

#include "client/learn/band_edit.h"
#include "client/learn/learner.h"
#include "client/learn/use.h"
#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/permit/algebra.h"
#include "schemas/rules/placeholders.h"

namespace band::client::learn {
namespace {

constexpr std::size_t kLeastInputs = 2;  // for insist: one input is not evidence for others

void open_rule(Domain& domain, Rule rule) {
  if (domain.opened.empty()) domain.opened.emplace_back();
  domain.opened.front().push_back(std::move(rule));
}

// Allows and denies the same pattern: it opens nothing, and the ledger records each attempt.
void watch(Domain& domain, std::string_view what) {
  const Rule rule{std::string(what), std::string(kWatchOrigin)};
  open_rule(domain, rule);
  domain.deny.push_back(rule);
}

bool insists(const Domain& domain, const Rule& rule) {
  return std::any_of(domain.insist.begin(), domain.insist.end(),
                     [&](const Rule& other) { return other.pattern == rule.pattern && other.origin == rule.origin; });
}

}  // namespace

Rules Learner::rules_with(const std::function<bool(const Line&)>& is_open) const {
  Rules rules = subject_.rules;
  for (const Line& line : lines_)
    if (is_open(line))
      open_rule(domain_of(rules, line.domain), {line.pattern, std::string(kWatchOrigin), line.optional});
  return rules;
}

Rules Learner::opened_rules() const {
  return rules_with([](const Line&) { return true; });
}

Rules Learner::opened_rules(const Json& input, const Json& given) const {
  return rules_with([&](const Line& line) { return is_open_for(line, input, given); });
}

bool Learner::is_open_for(const Line& line, const Json& input, const Json& given) {
  const bool of_files = line.domain == "read" || line.domain == "write";
  const auto property = of_files ? placeholder_of(line.pattern) : std::nullopt;
  return !property || !has_hidden_default(input, given, *property);
}

Rules Learner::trial(const Json& input, const Json& given, std::size_t index, std::vector<Watch>& watched) const {
  Rules rules = opened_rules(input, given);
  if (rules.net.opens_nothing()) {
    watch(rules.net, kWatchedHost);
    watched.push_back({"net: names the host " + std::string(kWatchedHost) + " and denies it",
                       "so that each refused name is in the ledger; allows nothing"});
  }
  for (const std::string& program : programs_) {
    watch(rules.cli, program);
    watched.push_back({"cli: names the command " + program + " and denies it",
                       "so that its arguments are in the ledger; allows nothing"});
  }
  for (const Rule& rule : wanted_reads(input, given, index)) {
    rules.read.insist.push_back(rule);
    watched.push_back(
        {"read: insists on reading " + rule.pattern,
         "so that the ledger shows whether the file was read; a run in which the file was not read does not count"});
  }
  return rules;
}

std::vector<Rule> Learner::wanted_reads(const Json& input, const Json& given, std::size_t index) const {
  std::vector<Rule> wanted;
  if (incomplete_) return wanted;  // the ledger may lack entries, so a missing entry is not evidence
  const Rules rules = opened_rules(input, given);
  const auto fits = [&](const Rule& rule) {
    Rules more = rules;
    more.read.insist.push_back(rule);
    const auto named = with_input(more, input), plain = with_input(rules, input);
    return named.ok() && plain.ok() && check_insists(*named).size() <= check_insists(*plain).size();
  };
  for (const Line& line : lines_) {
    const Rule rule{line.pattern, std::string(kWatchOrigin)};
    if (line.domain == "read" && line.wants_read && !line.seen && !kept_.contains(key_of(line)) && fits(rule))
      wanted.push_back(rule);
  }
  for (const BandRead& read : band_reads_) {
    const Rule rule{read.rule.pattern, std::string(kWatchOrigin)};
    if (writes_by(rule.pattern)) continue;  // it allows replacing a file, which needs no read
    if (subject_.sharers.empty() && !read.seen && !read.unseen.contains(index) &&
        is_there("read", rule.pattern, input) && fits(rule))
      wanted.push_back(rule);
  }
  return wanted;
}

bool Learner::is_there(const std::string& domain, const std::string& pattern, const Json& input) const {
  const std::vector<std::string> named = patterns_named(domain, pattern, input);
  return std::any_of(named.begin(), named.end(),
                     [&](const std::string& one) { return one.starts_with("./") && subject_.workspace.matches(one); });
}

bool Learner::insists_on(const Line& line, std::size_t inputs) const {
  const auto pattern = CliPattern::parse(line.pattern);
  if (line.domain != "cli" || inputs < kLeastInputs || !pattern.ok()) return false;
  for (std::size_t i = 0; i < inputs; ++i) {
    const auto ran = ok_.find(i);
    if (ran == ok_.end() ||
        std::none_of(ran->second.begin(), ran->second.end(), [&](const auto& argv) { return pattern->matches(argv); }))
      return false;
  }
  return true;
}

// A line `{property}` opens nothing in a run whose input lacks the property. Such a run is not evidence about the line.
std::vector<std::string> Learner::unnamed_placeholders() const {
  std::vector<std::string> texts;
  const auto add = [&](const std::string& verb, const Rule& rule, const std::string& which) {
    const std::string property = *placeholder_of(rule.pattern);
    texts.push_back("whether the script " + verb + " what `" + rule.pattern + "` allows (" + rule.origin +
                    "): no input names " + which + " by `" + property +
                    "`; give an --input with that property to find out");
  };
  for (const RuleSet& layer : subject_.rules.write.opened)
    for (const Rule& rule : layer)
      if (is_of_file(rule, subject_.file) && placeholder_of(rule.pattern) && !insists(subject_.rules.write, rule) &&
          !named_.contains(key_of_rule("write", rule)))
        add("writes", rule, "a file");
  for (const BandRead& read : band_reads_)
    if (placeholder_of(read.rule.pattern) && !read.seen && read.unseen.empty() && !writes_by(read.rule.pattern))
      add("reads", read.rule, "an existing file");
  return texts;
}

std::vector<Removal> Learner::removals() const {
  std::vector<Removal> removals;
  const auto look = [&](const char* domain, const Domain& rules, const auto& is_unused) {
    for (const RuleSet& layer : rules.opened)
      for (const Rule& rule : layer) {
        const auto same = [&](const Removal& other) { return other.pattern == rule.pattern && other.domain == domain; };
        if (!is_of_file(rule, subject_.file) || insists(rules, rule) || !is_unused(rule)) continue;
        if (std::none_of(removals.begin(), removals.end(), same))
          removals.push_back({"allow", domain, rule.pattern, rule.origin, "no run used this line"});
      }
  };
  const auto unused = [&](const char* domain) {
    return [&, domain](const Rule& rule) {
      return !rule.pattern.starts_with('/') && !used_.contains(key_of_rule(domain, rule));
    };
  };
  look("cli", subject_.rules.cli, unused("cli"));
  look("net", subject_.rules.net, unused("net"));
  look("write", subject_.rules.write, [&](const Rule& rule) {
    return unused("write")(rule) && (!placeholder_of(rule.pattern) || named_.contains(key_of_rule("write", rule)));
  });
  look("read", subject_.rules.read, [&](const Rule& rule) {
    return std::any_of(band_reads_.begin(), band_reads_.end(), [&](const BandRead& read) {
      return read.rule.pattern == rule.pattern && !read.seen && !read.unseen.empty();
    });
  });
  return removals;
}

Proposal Learner::proposal(std::size_t inputs, bool settled) const {
  Proposal proposal{lines_, {}, decisions_, {}, closed_, {}};
  for (const auto& [key, text] : unknown_) proposal.unknown.push_back(text);
  for (const auto& [input, texts] : missing_)
    proposal.unknown.insert(proposal.unknown.end(), texts.begin(), texts.end());
  for (Decision& decision : wider_commands()) proposal.decisions.push_back(std::move(decision));
  for (Decision& decision : tolerated_commands()) proposal.decisions.push_back(std::move(decision));
  if (!settled) return proposal;
  for (Line& line : proposal.lines) {
    if (!insists_on(line, inputs)) continue;
    line.section = "insist";
    line.reason += ", and it exited with 0 for each of " + std::to_string(inputs) + " inputs";
  }
  if (incomplete_)
    proposal.unknown.push_back("which lines no run used: the ledger of a run was too long to be kept completely");
  else if (!subject_.sharers.empty())
    proposal.unknown.push_back("which lines no run used: " + subject_.governing + " is also the band of " +
                               join(subject_.sharers, ", "));
  if (incomplete_ || !subject_.sharers.empty()) return proposal;
  proposal.removals = removals();
  for (std::string& text : unnamed_placeholders()) proposal.unknown.push_back(std::move(text));
  return proposal;
}

Proposal tried_part(Proposal proposal) {
  std::vector<Line> lines;
  for (Line& line : proposal.lines) {
    const bool insists = line.section == "insist";
    if (insists || !line.tried)
      proposal.left_out.push_back(line.section + ": {" + line.domain + ": [" + item_text(line) + "]}");
    if (insists) line.section = "allow";
    if (line.tried) lines.push_back(std::move(line));
  }
  proposal.lines = std::move(lines);
  for (const Removal& removal : proposal.removals)
    proposal.left_out.push_back("without " + removal.section + "." + removal.domain + " " +
                                json_string(removal.pattern) + "  (" + removal.origin + "), which no run used");
  proposal.removals.clear();
  return proposal;
}

}  // namespace band::client::learn
