#include "client/answers/judgement.h"

#include <algorithm>

#include "schemas/core/json_text.h"
#include "schemas/rules/text.h"

namespace band::client {
namespace {

bool among(const RuleSet& rules, const Rule& rule) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const Rule& other) { return other.pattern == rule.pattern && other.origin == rule.origin; });
}

}  // namespace

std::optional<Rule> nearest_of(const Domain& domain,
                               const std::function<std::optional<std::size_t>(const Rule&)>& common) {
  std::optional<Rule> nearest;
  std::size_t most = 0;
  for (const RuleSet& layer : domain.opened)
    for (const Rule& rule : layer) {
      const auto count = common(rule);
      if (!count || (nearest && *count <= most)) continue;
      nearest = rule;
      most = *count;
    }
  return nearest;
}

void closed_by_deny(Judgement& judgement, const Rule& deny, const RuleSet& own) {
  judgement.outcome = Judgement::Outcome::Refused;
  judgement.rule = deny;
  judgement.reason = judgement.section + " " + shown_rule(deny);
  const std::string where = escaped(deny.origin);
  judgement.mend = among(own, deny)
                       ? "a deny has precedence over every allow: narrow or remove the deny in " + where
                       : "the operator of the target denies it, and no band can allow it: `ceiling.deny` in " + where;
}

Status not_opened(Judgement& judgement, const Grounds& grounds, Domain Rules::*domain, const Opens& opens) {
  judgement.outcome = Judgement::Outcome::Refused;
  const Domain &own = grounds.rules.*domain, &ceiling = grounds.ceiling.*domain;
  std::vector<std::size_t> layers;  // indices of the band's layers that do not open it
  for (std::size_t i = 0; i < own.opened.size(); ++i) {
    BAND_TRY(const bool opened, opens(own.opened[i]));
    if (!opened) layers.push_back(i);
  }
  if (own.opened.empty() || !layers.empty())
    judgement.remedies = remedies(judgement.question, grounds.band, own, layers);
  for (const RuleSet& layer : ceiling.opened) {
    BAND_TRY(const bool opened, opens(layer));
    if (opened) continue;
    judgement.mend = "the operator of the target does not allow it, and no band can allow it: `ceiling.allow." +
                     std::string(judgement.question.domain()) + "` in " +
                     (layer.empty() ? "server.yaml" : shown_file_of(layer.front()));
    break;
  }
  return done();
}

Result<Judgement> judge(const Question& question, const Grounds& grounds) {
  const auto of_kind = question.is_path()                     ? judge_path
                       : question.kind == Question::Kind::Net ? judge_net
                                                              : judge_command;
  BAND_TRY(Judgement judgement, of_kind(question, grounds));
  if (grounds.refused && judgement.outcome == Judgement::Outcome::Allowed) {
    judgement.outcome = Judgement::Outcome::Refused;
    judgement.reason += "; but the script cannot start: " + escaped(grounds.refused->message());
    judgement.mend = escaped(grounds.refused->hint);
  }
  return judgement;
}

}  // namespace band::client
