#include <algorithm>

#include "client/answers/judgement.h"
#include "schemas/address/special_addresses.h"
#include "schemas/core/json_text.h"
#include "schemas/rules/net_rules.h"
#include "schemas/rules/text.h"

namespace band::client {
namespace {

using Outcome = Judgement::Outcome;

constexpr std::uint16_t kDnsPort = 53;  // on this port, the sandbox's own resolver answers in place of every host

// Reason and remedy for something that no rule opens.
struct Refusal {
  std::string reason, mend;
};

Refusal refusal(const Question& question) {
  if (question.host.address && question.host.address->ipv6)
    return {"a sandbox has no IPv6", "name the host, or its IPv4 address"};
  if (question.host.address && is_metadata(*question.host.address))
    return {"it is a cloud's metadata service, which no rule and no setting allows",
            "pass the data that the script needs as input, or as a variable (`env`)"};
  if (question.port == kDnsPort)
    return {"on port 53 the sandbox's own resolver answers for every host",
            "the name of a host that allow.net allows is resolved without a rule for port 53: ask about the host with "
            "the port of the connection"};
  return {};
}

std::size_t labels_in_common(std::string_view a, std::string_view b) {
  std::size_t labels = 0;
  while (!a.empty() && !b.empty()) {
    const std::size_t x = a.rfind('.'), y = b.rfind('.');
    if (a.substr(x + 1) != b.substr(y + 1)) break;  // npos + 1 is 0
    ++labels;
    a = x == std::string_view::npos ? "" : a.substr(0, x);
    b = y == std::string_view::npos ? "" : b.substr(0, y);
  }
  return labels;
}

// A rule for a host of the same domain: `github.com` for api.github.com. At least two labels must match, because many
// unrelated hosts share `.com`.
std::optional<Rule> nearest_rule(const NetHost& host, const Domain& net) {
  return nearest_of(net, [&](const Rule& rule) -> std::optional<std::size_t> {
    const auto pattern = NetPattern::parse(rule.pattern);
    if (!pattern.ok() || pattern->host.empty() || pattern->is_address()) return std::nullopt;
    const std::size_t labels = labels_in_common(pattern->host, host.name);
    return labels > 1 ? std::optional(labels) : std::nullopt;
  });
}

// Conditions that the relay checks when the connection is made.
void add_notes(Judgement& judgement) {
  const Question& question = judgement.question;
  const std::string name = escaped(question.host.text());
  const bool web = question.port == 443 || question.port == 80;
  judgement.notes.push_back(
      web ? "on ports 443 and 80 only TLS and HTTP pass, and the host name in the TLS handshake or HTTP request must "
            "be " +
                name
          : "if the connection carries TLS or HTTP, the host name in the TLS handshake or HTTP request must be " +
                name);
  if (!question.host.address)
    judgement.notes.push_back(
        "if " + name +
        " resolves to a private address, or to an address of the target's machine, the gateway refuses the connection");
}

void add_note_of_private(Judgement& judgement) {
  const NetHost& host = judgement.question.host;
  const std::string special = host.address ? special_use(*host.address) : "";
  if (special.empty()) return;
  judgement.notes.push_back(escaped(host.text()) + " is " + special +
                            ": a connection passes only if the operator also allows it (gateway.allow_private)");
}

Result<bool> opens(const RuleSet& layer, const Question& question) {
  BAND_TRY(const NetRules rules, NetRules::compile({{layer}, {}, {}}));
  return rules.connect(question.host, question.port).allowed;
}

}  // namespace

Result<Judgement> judge_net(const Question& question, const Grounds& grounds) {
  Judgement judgement;
  judgement.question = question;
  const Refusal refused = refusal(question);
  judgement.reason = refused.reason;
  judgement.mend = refused.mend;
  if (!judgement.reason.empty()) return judgement;
  add_note_of_private(judgement);
  const Domain& net = grounds.permitted.rules.net;
  BAND_TRY(const NetRules rules, NetRules::compile(net));
  const NetVerdict verdict = rules.connect(question.host, question.port);
  judgement.reason = verdict.why;
  judgement.section = verdict.section;
  if (verdict.allowed) {
    judgement.outcome = Outcome::Allowed;
    judgement.rule = verdict.rule;
    judgement.reason = verdict.section + " " + shown_rule(*verdict.rule);
    add_notes(judgement);
    return judgement;
  }
  if (verdict.section == "deny.net") {
    closed_by_deny(judgement, *verdict.rule, grounds.rules.net.deny);
    return judgement;
  }
  judgement.section.clear();
  judgement.nearest = verdict.rule ? verdict.rule : nearest_rule(question.host, net);
  BAND_CHECK(not_opened(judgement, grounds, &Rules::net, [&](const RuleSet& layer) { return opens(layer, question); }));
  return judgement;
}

}  // namespace band::client
