#include "schemas/permit/closed.h"

#include <algorithm>
#include <optional>
#include <string>

#include "schemas/address/special_addresses.h"
#include "schemas/pattern/pattern.h"

namespace band {
namespace {

using Reading = PathPattern::Reading;

// The time for comparing two patterns is proportional to the product of their lengths, and rules are untrusted input.
// This number of steps takes about 100 ms.
constexpr std::size_t kMaxSteps = 1u << 26;
constexpr std::size_t kMaxNotes = 100;

template <class Pattern>
struct Parsed {
  const Rule* rule;
  Pattern pattern;
  std::optional<Pattern> below;  // for a deny rule of a path: matches everything below the path, which is denied, too
};
template <class Pattern>
using Layer = std::vector<Parsed<Pattern>>;

Parsed<PathPattern> as_deny(const Rule& rule, PathPattern pattern) {
  auto below = pattern.below();
  return {&rule, std::move(pattern), std::move(below)};
}
Parsed<NetPattern> as_deny(const Rule& rule, const NetPattern& pattern) { return {&rule, pattern.as_deny(), {}}; }

bool closes(const PathPattern& deny, const PathPattern& rule) { return deny.covers(rule, Reading::Denies); }
bool closes(const NetPattern& deny, const NetPattern& rule) { return deny.covers(rule); }

bool both_open(const PathPattern& a, const PathPattern& b) { return a.may_overlap(b, Reading::Opens); }
bool both_open(const NetPattern& a, const NetPattern& b) { return a.may_overlap(b); }

constexpr const char* kAskTheOperator =
    "allow it under `ceiling` in /etc/band/server.yaml, or remove the rule from the band";

std::string mend_of(const NetPattern&) { return kAskTheOperator; }
// A common mistake is a path of the caller's own machine.
std::string mend_of(const PathPattern& pattern) {
  if (!pattern.absolute()) return kAskTheOperator;
  return std::string(
             "for a file of the caller write `./...` and run with --workspace, because an absolute path names a file "
             "of the server's machine; if that is intended, ") +
         kAskTheOperator;
}

using AllowPrivate = std::vector<Cidr>;

// The reason why a rule has no effect on this server, regardless of the ceiling.
struct Unreachable {
  std::string why, hint;
};

Unreachable closed_private(const Cidr& range, const std::string& use) {
  const std::string why = " has no effect, because it is " + use + " and not in the server's gateway.allow_private";
  if (use.starts_with("for documentation"))
    return {why, "write the host's real address: this one is reserved for examples"};
  const std::string text = range.bits == range.network.bits() ? range.network.text() : range.text();
  const std::string item = range.network.ipv6 ? "\"" + text + "\"" : text;  // `::1` without quotes is not valid YAML
  return {why, "allow it with `gateway: {allow_private: [" + item +
                   "]}` in /etc/band/server.yaml, or remove the rule from the band"};
}

std::optional<Unreachable> unreachable(const PathPattern&, const AllowPrivate&) { return {}; }
std::optional<Unreachable> unreachable(const NetPattern& pattern, const AllowPrivate& allowed) {
  const bool localhost = pattern.matches("localhost") && pattern.kind == NetPattern::Kind::Name;
  if (!localhost && !pattern.is_address()) return {};
  const Cidr range = localhost ? Cidr{IpAddress::v4(0x7f000001), 32} : pattern.range;
  const std::string use = special_use(range);
  if (use.empty()) return {};
  const auto meets = [&](const Cidr& other) { return other.contains(range) || range.contains(other); };
  if (range.bits == range.network.bits() && is_metadata(range.network))
    return Unreachable{" has no effect, because it is " + use,
                       "remove the rule from the band: no setting allows a metadata service"};
  if (std::any_of(allowed.begin(), allowed.end(), meets)) return {};
  return closed_private(range, use);
}

// For patterns of the workspace, the client reports the files that it ships.
bool is_of_the_server(const PathPattern& pattern) { return pattern.absolute(); }
bool is_of_the_server(const NetPattern&) { return true; }

template <class Pattern>
Result<Layer<Pattern>> parse_all(const RuleSet& rules, bool denies) {
  Layer<Pattern> layer;
  for (const Rule& rule : rules) {
    BAND_TRY(Pattern pattern, Pattern::parse(rule.pattern));
    layer.push_back(denies ? as_deny(rule, std::move(pattern)) : Parsed<Pattern>{&rule, std::move(pattern), {}});
  }
  return layer;
}

template <class Pattern>
struct Side {
  std::vector<Layer<Pattern>> opened;
  Layer<Pattern> deny;

  static Result<Side> of(const Domain& domain) {
    Side side;
    for (const RuleSet& rules : domain.opened) {
      BAND_TRY(Layer<Pattern> layer, parse_all<Pattern>(rules, false));
      side.opened.push_back(std::move(layer));
    }
    BAND_TRY(side.deny, parse_all<Pattern>(domain.deny, true));
    return side;
  }
};

std::string named(const Rule& rule) { return "`" + rule.pattern + "` (" + rule.origin + ")"; }

template <class Pattern>
class Judge {
  using Set = Layer<Pattern>;
  using One = Parsed<Pattern>;

 public:
  Judge(const char* use, const Side<Pattern>& request, const Side<Pattern>& ceiling, const AllowPrivate& allow_private,
        std::size_t& steps)
      : use_(use), request_(request), ceiling_(ceiling), allow_private_(allow_private), steps_(steps) {}

  Status rules(std::vector<LedgerEntry>& notes) {
    for (const Set& layer : request_.opened)
      for (const One& rule : layer) {
        const Status status = one(layer, rule, notes);
        // Checked first: `status` is not valid when comparisons were skipped.
        if (steps_ > kMaxSteps)
          return Error{.code = Code::BadRequest,
                       .doing = "too many long patterns to compare",
                       .hint = "write fewer or shorter ones"};
        BAND_CHECK(status);
      }
    return done();
  }

 private:
  Status one(const Set& own, const One& rule, std::vector<LedgerEntry>& notes) {
    const std::string subject = std::string(use_) + " " + named(*rule.rule);
    std::string closed;
    if (closed_whole(request_.deny, rule, closed)) {
      if (is_of_the_server(rule.pattern))
        note(notes, *rule.rule, subject + " has no effect, because the band denies it with " + closed);
    } else if (cut_away(own, rule)) {
      // Another layer of the band allows no part of what the rule allows, so the ceiling does not matter.
    } else if (closed_whole(ceiling_.deny, rule, closed)) {
      return refused(subject + " is denied by this server's ceiling with " + closed, mend_of(rule.pattern));
    } else if (outside_of(ceiling_.opened, rule)) {
      return refused(subject + " is denied by this server's ceiling, which allows no part of it",
                     mend_of(rule.pattern));
    } else if (const auto nothing = unreachable(rule.pattern, allow_private_)) {
      return refused(subject + nothing->why, nothing->hint);
    } else if (closed_partly(rule, closed)) {
      note(notes, *rule.rule, "this server's ceiling allows only a part of " + subject + ": " + closed);
    }
    return done();
  }

  static Error refused(std::string what, std::string hint) {
    return Error{.code = Code::PermissionDenied, .doing = std::move(what), .hint = std::move(hint)};
  }

  static void note(std::vector<LedgerEntry>& notes, const Rule& rule, std::string text) {
    if (notes.size() < kMaxNotes) notes.push_back({"closed", std::move(text), rule_details(rule)});
  }

  bool affordable(const One& a, const One& b) {
    steps_ += (a.rule->pattern.size() + 1) * (b.rule->pattern.size() + 1);
    return steps_ <= kMaxSteps;
  }

  bool closed_by(const One& deny, const One& rule) {
    return affordable(deny, rule) &&
           (closes(deny.pattern, rule.pattern) || (deny.below && closes(*deny.below, rule.pattern)));
  }

  bool closed_whole(const Set& denies, const One& rule, std::string& by) {
    const auto deny = std::find_if(denies.begin(), denies.end(), [&](const One& d) { return closed_by(d, rule); });
    if (deny == denies.end()) return false;
    by = named(*deny->rule);
    return true;
  }

  bool meets(const Set& layer, const One& rule) {
    return std::any_of(layer.begin(), layer.end(), [&](const One& other) {
      return affordable(other, rule) && both_open(rule.pattern, other.pattern);
    });
  }

  bool outside_of(const std::vector<Set>& layers, const One& rule) {
    return std::any_of(layers.begin(), layers.end(), [&](const Set& layer) { return !meets(layer, rule); });
  }

  bool cut_away(const Set& own, const One& rule) {
    return std::any_of(request_.opened.begin(), request_.opened.end(),
                       [&](const Set& layer) { return &layer != &own && !meets(layer, rule); });
  }

  bool touches(const One& deny, const One& rule) {
    return affordable(deny, rule) &&
           (rule.pattern.may_overlap(deny.pattern) || (deny.below && rule.pattern.may_overlap(*deny.below)));
  }

  bool closed_partly(const One& rule, std::string& by) {
    std::vector<const One*> met;
    for (const One& deny : ceiling_.deny) {
      // After a deny rule `/var/lib`, a deny rule `/var/lib/**` has no further effect and is not listed.
      const auto said = [&](const One* earlier) { return closed_by(*earlier, deny); };
      if (touches(deny, rule) && std::none_of(met.begin(), met.end(), said)) met.push_back(&deny);
    }
    by.clear();
    for (const One* deny : met) by += (by.empty() ? "it denies " : ", ") + named(*deny->rule);
    for (const Set& layer : ceiling_.opened) {
      const auto holds = [&](const One& o) { return affordable(o, rule) && o.pattern.covers(rule.pattern); };
      if (std::none_of(layer.begin(), layer.end(), holds))
        by += std::string(by.empty() ? "" : ", and ") + "its allow rules are narrower";
    }
    return !by.empty();
  }

  const char* use_;
  const Side<Pattern>& request_;
  const Side<Pattern>& ceiling_;
  const AllowPrivate& allow_private_;
  std::size_t& steps_;
};

template <class Pattern>
Status judge(const char* use, const Domain& request, const Domain& ceiling, const AllowPrivate& allow_private,
             std::size_t& steps, std::vector<LedgerEntry>& notes) {
  // Without a rule that allows something, nothing has to be compared. Most bands name no path.
  const auto empty = [](const RuleSet& rules) { return rules.empty(); };
  if (std::all_of(request.opened.begin(), request.opened.end(), empty)) return done();
  BAND_TRY(const auto asked, Side<Pattern>::of(request));
  BAND_TRY(const auto allowed, Side<Pattern>::of(ceiling));
  return Judge<Pattern>(use, asked, allowed, allow_private, steps).rules(notes);
}

}  // namespace

Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling,
                                                const std::vector<Cidr>& allow_private) {
  std::vector<LedgerEntry> notes;
  std::size_t steps = 0;
  BAND_CHECK(judge<NetPattern>("net", request.net, ceiling.net, allow_private, steps, notes));
  BAND_CHECK(judge<PathPattern>("read", request.read, ceiling.read, allow_private, steps, notes));
  BAND_CHECK(judge<PathPattern>("write", request.write, ceiling.write, allow_private, steps, notes));
  return notes;
}

}  // namespace band
