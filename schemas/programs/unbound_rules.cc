#include "schemas/programs/unbound_rules.h"

#include <algorithm>
#include <set>

#include "schemas/address/special_addresses.h"
#include "schemas/core/json_text.h"
#include "schemas/core/obeyed_names.h"
#include "schemas/pattern/pattern.h"
#include "schemas/programs/programs.h"
#include "schemas/rules/default_ceiling.h"
#include "schemas/rules/parsed_rule.h"

namespace band {
namespace {

struct Nature {
  bool interpreter = false, reexec = false;
};

Nature nature_of(std::string_view name) {
  if (name == "awk") return {true, false};  // an essential
  const ProgramNeeds* needs = built_in_programs().find(name);
  return needs == nullptr ? Nature{} : Nature{needs->interpreter, needs->reexec};
}

void judge(const RuleSet& rules, bool denies, std::vector<Diagnostic>& found) {
  for (const Rule& rule : rules) {
    const auto pattern = CliPattern::parse(rule.pattern);
    if (!pattern.ok() || (denies ? pattern->as_deny() : *pattern).takes_any_arguments()) continue;
    const std::string name(pattern->base_name());
    const Nature nature = nature_of(name);
    const std::string subject =
        "cli " + shown_string(rule.pattern, 80) + " restricts less than it appears to: `" + name + "` ";
    if (nature.interpreter)
      found.push_back(at_origin(rule.origin, subject + "runs code from files, arguments and its input",
                                "only read, write and net restrict such code"));
    else if (nature.reexec && denies)
      found.push_back(at_origin(rule.origin,
                                subject + "starts itself with other arguments, depending on its configuration",
                                "allow the required command lines instead of denying others"));
  }
}

using Hosts = std::vector<ParsedRule<NetPattern>>;

Hosts hosts_of(const RuleSet& rules) {
  Hosts hosts;
  for (const Rule& rule : rules)
    if (auto pattern = NetPattern::parse(rule.pattern); pattern.ok()) hosts.push_back({rule, std::move(*pattern), ""});
  return hosts;
}

constexpr std::uint16_t kDnsPort = 53;  // the sandbox's own resolver answers on it, for every host

void judge_opened(const ParsedRule<NetPattern>& host, std::vector<Diagnostic>& found) {
  const NetPattern& pattern = host.pattern;
  const auto note = [&](const std::string& what, const std::string& hint) {
    found.push_back(at_origin(host.rule.origin, "net " + shown_string(host.rule.pattern, 80) + " " + what, hint));
  };
  const bool single = pattern.is_address() && pattern.range.bits == pattern.range.network.bits();
  if (pattern.port == kDnsPort)
    note("has no effect: the gateway answers all DNS queries itself",
         "remove the rule, also from `insist`: the names in other rules are resolved without it");
  else if (pattern.kind == NetPattern::Kind::Any)
    note(
        "allows every public host, so a text that the script reads can decide where the script sends data; `*` allows "
        "neither localhost nor private addresses",
        "name the hosts that the script needs");
  else if (pattern.kind == NetPattern::Kind::Cidr && pattern.range == Cidr{IpAddress::v4(0), 0})
    note("allows every public address, and every private address in the server's gateway.allow_private",
         "name the hosts or networks that the script needs");
  else if (single && is_metadata(pattern.range.network))
    note("is a cloud's metadata service, which no script can reach", "remove it");
  else if (pattern.is_address() && pattern.range.network.ipv6)
    note("is never reached: a sandbox has no IPv6", "name the host; the name may resolve to an IPv6 address");
  else if (const std::string use = pattern.is_address() ? special_use(pattern.range) : ""; !use.empty())
    note("is " + use + ": a server refuses the run unless its gateway.allow_private includes it",
         "ask the operator to add it to gateway.allow_private");
  else if (pattern.kind == NetPattern::Kind::Name && pattern.host == "localhost")
    note(
        "is the machine that runs the script: a server refuses the run unless its gateway.allow_private includes "
        "127.0.0.1",
        "ask the operator to add 127.0.0.1 to gateway.allow_private");
}

void judge_denied(const ParsedRule<NetPattern>& deny, const Hosts& opened, std::vector<Diagnostic>& found) {
  const bool named = deny.pattern.kind == NetPattern::Kind::Name || deny.pattern.kind == NetPattern::Kind::Subdomains;
  const bool open = std::any_of(opened.begin(), opened.end(), [](const ParsedRule<NetPattern>& host) {
    return host.pattern.kind == NetPattern::Kind::Any;
  });
  if (named && open)
    found.push_back(
        at_origin(deny.rule.origin,
                  "net " + shown_string(deny.rule.pattern, 80) + " is denied only by name: `*` allows its address",
                  "allow the required names instead of denying others"));
}

Diagnostic without_effect(const Rule& rule, const std::string& what, const std::string& why) {
  return at_origin(rule.origin, what + " has no effect: " + why + "; band never writes it", "remove the rule");
}

Diagnostic chooses_for_programs(const Rule& rule, const std::string& what, const std::string& name,
                                const std::string& why) {
  return at_origin(rule.origin, what + " lets the script choose what programs do outside of the sandbox: " + why,
                   "if the script need not write " + name + ", name other files");
}

}  // namespace

std::vector<Diagnostic> unbound_hosts(const Domain& net) {
  std::vector<Diagnostic> found;
  Hosts all;
  for (const RuleSet& layer : net.opened)
    for (auto& host : hosts_of(layer)) all.push_back(std::move(host));
  for (const auto& host : all) judge_opened(host, found);
  for (const auto& deny : hosts_of(net.deny)) judge_denied(deny, all, found);
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> unbound_writes(const Rules& rules) {
  std::vector<Diagnostic> found;
  for (const RuleSet& layer : rules.write.opened)
    for (const Rule& rule : layer) {
      const auto pattern = PathPattern::parse(rule.pattern);
      if (!pattern.ok() || !pattern->absolute() || !pattern->is_whole_tree()) continue;
      const std::string subject = "write " + shown_string(rule.pattern, 80);
      found.push_back(at_origin(
          rule.origin, subject + " also lets the script create files on the machine whose names begin with a dot",
          "no rule prevents this; existing names that begin with a dot are hidden from the script"));
      for (const RuleSet* denies : {&rules.write.deny, &rules.read.deny})
        for (const Rule& deny : *denies) {
          const auto closed = PathPattern::parse(deny.pattern);
          if (closed.ok() && !closed->is_literal() && !closed->is_whole_tree() && pattern->may_overlap(*closed))
            found.push_back(at_origin(deny.origin,
                                      "deny " + shown_string(deny.pattern, 80) + " is refused by servers: " + subject +
                                          " lets the script create such names later",
                                      "deny existing names, without wildcards"));
        }
    }
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> closed_paths(const Rules& rules) {
  const auto closed = [](const std::string& path) {
    return std::any_of(std::begin(kClosedByDefault), std::end(kClosedByDefault), [&](std::string_view by_default) {
      const std::string directory(by_default.substr(1));
      return path == directory || path.starts_with(directory + "/");
    });
  };
  std::vector<Diagnostic> found;
  for (const auto& [name, domain] : {std::pair("read ", &rules.read), std::pair("write ", &rules.write)})
    for (const RuleSet& layer : domain->opened)
      for (const Rule& rule : layer) {
        const auto pattern = PathPattern::parse(rule.pattern);
        if (!pattern.ok() || !pattern->absolute() || !closed(pattern->literal_prefix())) continue;
        found.push_back(at_origin(
            rule.origin,
            name + shown_string(rule.pattern, 80) +
                " is a path of the machine that runs the script, and denied there unless the operator allows it",
            "for a file of the caller write `./...` and run with --workspace; else ask the operator to allow the path "
            "under `ceiling`"));
      }
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> unread_writes(const Rules& rules) {
  const auto among = [](const RuleSet& set, const PathPattern& inner, PathPattern::Reading reading) {
    return std::any_of(set.begin(), set.end(), [&](const Rule& rule) {
      const auto pattern = PathPattern::parse(rule.pattern);
      return pattern.ok() && pattern->covers(inner, reading);
    });
  };
  const auto is_read = [&](const PathPattern& written) {
    const auto& layers = rules.read.opened;
    return !layers.empty() && !among(rules.read.deny, written, PathPattern::Reading::Denies) &&
           std::all_of(layers.begin(), layers.end(),
                       [&](const RuleSet& layer) { return among(layer, written, PathPattern::Reading::Opens); });
  };
  std::vector<Diagnostic> found;
  for (const RuleSet& layer : rules.write.opened)
    for (const Rule& rule : layer) {
      const auto pattern = PathPattern::parse(rule.pattern);
      if (!pattern.ok() || pattern->absolute() || is_read(*pattern)) continue;
      found.push_back(at_origin(
          rule.origin,
          "write " + shown_string(rule.pattern, 80) +
              " is not allowed by `read`: the script can neither see nor write a file that exists when the run "
              "starts, such as the result of the previous run",
          "to let the script write an existing file, name it in `read`, too, as `{path: " + rule.pattern.substr(0, 80) +
              ", optional: true}`"));
    }
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> obeyed_writes(const Rules& rules) {
  std::vector<Diagnostic> found;
  std::set<std::string> known;
  for (const RuleSet& layer : rules.write.opened)
    for (const Rule& rule : layer) {
      const auto pattern = PathPattern::parse(rule.pattern);
      if (!pattern.ok() || pattern->absolute() || !known.insert(rule.origin + "\n" + rule.pattern).second) continue;
      const ObeyedName* const obeyed = obeyed_name(pattern->spelled_names());
      if (obeyed == nullptr || obeyed->opened_by == OpenedBy::AnyRule) continue;
      const std::string what = "write " + shown_string(rule.pattern, 80), name = "`" + std::string(obeyed->name) + "`",
                        why = name + " " + std::string(obeyed->reason);
      found.push_back(obeyed->opened_by == OpenedBy::NoRule ? without_effect(rule, what, why)
                                                            : chooses_for_programs(rule, what, name, why));
    }
  sort_by_place(found);
  return found;
}

std::vector<Diagnostic> unbound_rules(const Domain& cli) {
  std::vector<Diagnostic> found;
  for (const RuleSet& layer : cli.opened) judge(layer, false, found);
  judge(cli.deny, true, found);
  sort_by_place(found);
  return found;
}

}  // namespace band
