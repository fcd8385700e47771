#include "server/policy/closed.h"

#include <algorithm>
#include <optional>
#include <string>

#include "schemas/pattern.h"

namespace band::policy {
namespace {

using Reading = PathPattern::Reading;

// Comparing two patterns costs the product of their lengths, and rules come from strangers: some 100 ms.
constexpr std::size_t kMaxSteps = 1u << 26;
constexpr std::size_t kMaxNotes = 100;

struct Parsed {
  const Rule* rule;
  PathPattern pattern;
  std::optional<PathPattern> below;  // of a deny: it closes what is below, too
};
using Layer = std::vector<Parsed>;

Result<Layer> parse_all(const RuleSet& rules, bool denies) {
  Layer layer;
  for (const Rule& rule : rules) {
    BAND_TRY(PathPattern pattern, PathPattern::parse(rule.pattern));
    std::optional<PathPattern> below;
    if (denies) {
      std::string text = rule.pattern;
      while (text.size() > 1 && text.back() == '/') text.pop_back();
      auto wider = PathPattern::parse(text + "/**");
      if (wider.ok()) below = std::move(wider).value();  // else it is as long as a pattern can be
    }
    layer.push_back({&rule, std::move(pattern), std::move(below)});
  }
  return layer;
}

struct Side {
  std::vector<Layer> opened;
  Layer deny;

  static Result<Side> of(const Domain& domain) {
    Side side;
    for (const RuleSet& rules : domain.opened) {
      BAND_TRY(Layer layer, parse_all(rules, false));
      side.opened.push_back(std::move(layer));
    }
    BAND_TRY(side.deny, parse_all(domain.deny, true));
    return side;
  }
};

std::string named(const Rule& rule) { return "`" + rule.pattern + "` (" + rule.origin + ")"; }

class Judge {
 public:
  Judge(const char* use, const Side& request, const Side& ceiling, std::size_t& steps)
      : use_(use), request_(request), ceiling_(ceiling), steps_(steps) {}

  Status rules(std::vector<LedgerEntry>& notes) {
    for (const Layer& layer : request_.opened)
      for (const Parsed& rule : layer) {
        const Status status = one(layer, rule, notes);
        // First: a comparison that was not made is no verdict.
        if (steps_ > kMaxSteps)
          return Error{Code::BadRequest, "", "too many long patterns to compare", 0, "write fewer or shorter ones", ""};
        BAND_CHECK(status);
      }
    return done();
  }

 private:
  Status one(const Layer& own, const Parsed& rule, std::vector<LedgerEntry>& notes) {
    const std::string subject = std::string(use_) + " " + named(*rule.rule);
    std::string closed;
    if (closed_whole(request_.deny, rule, closed)) {
      if (rule.pattern.absolute())
        note(notes, *rule.rule, subject + " opens nothing: the band denies it with " + closed);
    } else if (cut_away(own, rule)) {
      // What another layer of the band leaves nothing of was never asked for.
    } else if (closed_whole(ceiling_.deny, rule, closed)) {
      return refused(subject + " is closed by this server's ceiling, which denies " + closed);
    } else if (outside_of(ceiling_.opened, rule)) {
      return refused(subject + " is closed by this server's ceiling, which allows nothing of it");
    } else if (closed_partly(rule, closed)) {
      note(notes, *rule.rule, "this server's ceiling closes a part of " + subject + ": " + closed);
    }
    return done();
  }

  static Error refused(std::string what) {
    return Error{Code::PermissionDenied,
                 "",
                 std::move(what),
                 0,
                 "open it: `ceiling` in /etc/band/server.yaml; or take the rule out of the band",
                 ""};
  }

  static void note(std::vector<LedgerEntry>& notes, const Rule& rule, std::string text) {
    if (notes.size() < kMaxNotes)
      notes.push_back({"closed", std::move(text), {{"pattern", rule.pattern}, {"origin", rule.origin}}});
  }

  bool affordable(const Parsed& a, const Parsed& b) {
    steps_ += (a.rule->pattern.size() + 1) * (b.rule->pattern.size() + 1);
    return steps_ <= kMaxSteps;
  }

  bool closes(const Parsed& deny, const Parsed& rule) {
    return affordable(deny, rule) && (deny.pattern.covers(rule.pattern, Reading::Denies) ||
                                      (deny.below && deny.below->covers(rule.pattern, Reading::Denies)));
  }

  bool closed_whole(const Layer& denies, const Parsed& rule, std::string& by) {
    const auto deny = std::find_if(denies.begin(), denies.end(), [&](const Parsed& d) { return closes(d, rule); });
    if (deny == denies.end()) return false;
    by = named(*deny->rule);
    return true;
  }

  bool meets(const Layer& layer, const Parsed& rule) {
    return std::any_of(layer.begin(), layer.end(), [&](const Parsed& other) {
      return affordable(other, rule) && rule.pattern.may_overlap(other.pattern, Reading::Opens);
    });
  }

  bool outside_of(const std::vector<Layer>& layers, const Parsed& rule) {
    return std::any_of(layers.begin(), layers.end(), [&](const Layer& layer) { return !meets(layer, rule); });
  }

  bool cut_away(const Layer& own, const Parsed& rule) {
    return std::any_of(request_.opened.begin(), request_.opened.end(),
                       [&](const Layer& layer) { return &layer != &own && !meets(layer, rule); });
  }

  bool touches(const Parsed& deny, const Parsed& rule) {
    return affordable(deny, rule) &&
           (rule.pattern.may_overlap(deny.pattern) || (deny.below && rule.pattern.may_overlap(*deny.below)));
  }

  bool closed_partly(const Parsed& rule, std::string& by) {
    std::vector<const Parsed*> met;
    for (const Parsed& deny : ceiling_.deny) {
      // `/var/lib/**` says nothing new after `/var/lib`.
      const auto said = [&](const Parsed* earlier) { return closes(*earlier, deny); };
      if (touches(deny, rule) && std::none_of(met.begin(), met.end(), said)) met.push_back(&deny);
    }
    by.clear();
    for (const Parsed* deny : met) by += (by.empty() ? "it denies " : ", ") + named(*deny->rule);
    for (const Layer& layer : ceiling_.opened) {
      const auto holds = [&](const Parsed& o) { return affordable(o, rule) && o.pattern.covers(rule.pattern); };
      if (std::none_of(layer.begin(), layer.end(), holds))
        by += std::string(by.empty() ? "" : ", and ") + "it allows less";
    }
    return !by.empty();
  }

  const char* use_;
  const Side& request_;
  const Side& ceiling_;
  std::size_t& steps_;
};

}  // namespace

Result<std::vector<LedgerEntry>> what_is_closed(const Rules& request, const Rules& ceiling) {
  struct Use {
    const char* name;
    Domain Rules::*domain;
  };
  std::vector<LedgerEntry> notes;
  std::size_t steps = 0;
  for (const Use& use : {Use{"read", &Rules::read}, Use{"write", &Rules::write}}) {
    BAND_TRY(const Side asked, Side::of(request.*use.domain));
    BAND_TRY(const Side allowed, Side::of(ceiling.*use.domain));
    BAND_CHECK(Judge(use.name, asked, allowed, steps).rules(notes));
  }
  return notes;
}

}  // namespace band::policy
