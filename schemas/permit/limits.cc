#include "schemas/permit/limits.h"

#include <algorithm>
#include <optional>

namespace band {
namespace {

template <class T>
std::optional<T> smaller_of(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

Limits smaller(const Limits& a, const Limits& b) {
  Limits limits;
  for (const LimitKey& key : kLimitKeys) limits.*key.member = smaller_of(a.*key.member, b.*key.member);
  limits.maxCostDollars = smaller_of(a.maxCostDollars, b.maxCostDollars);
  return limits;
}

EffectiveLimits effective(const Limits& own, const Limits& most) {
  EffectiveLimits all;
  for (const LimitKey& key : kLimitKeys) {
    const std::int64_t value = (own.*key.member).value_or(all.*key.effective);
    all.*key.effective = std::min(value, (most.*key.member).value_or(value));
  }
  all.maxCostDollars = smaller_of(own.maxCostDollars, most.maxCostDollars);
  return all;
}

}  // namespace band
