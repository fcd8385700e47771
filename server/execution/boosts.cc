#include "server/execution/boosts.h"

#include <algorithm>

#include "server/base/io.h"

namespace band::run {

bool Boosts::allowed(const std::string& token, std::int64_t now_us) {
  const std::lock_guard lock(mutex_);
  refill(now_us);
  const auto found = accounts_.find(token);
  return found == accounts_.end() || found->second.credit_us > 0;
}

void Boosts::charge(const std::string& token, std::int64_t us, std::int64_t now_us) {
  const std::lock_guard lock(mutex_);
  refill(now_us);
  accounts_.try_emplace(token, Account{kMostCreditUs, now_us}).first->second.credit_us -= us;
}

std::size_t Boosts::tokens() const {
  const std::lock_guard lock(mutex_);
  return accounts_.size();
}

void Boosts::refill(std::int64_t now_us) {
  for (auto& [token, account] : accounts_) {
    const std::int64_t gained = (now_us - account.since_us) / kUsPerUs;
    account.credit_us = std::min(kMostCreditUs, account.credit_us + gained);
    account.since_us += gained * kUsPerUs;
  }
  std::erase_if(accounts_, [](const auto& entry) { return entry.second.credit_us == kMostCreditUs; });
}

Boost::Boost(Boosts& boosts, const slot::Slot& slot, const std::string& token)
    : boosts_(boosts),
      slot_(slot),
      token_(token),
      boosted_(boosts.allowed(token, base::monotonic_us())),
      cpu_before_us_(base::thread_cpu_us()) {
  (void)apply();  // the execution calls it again and checks the result
}

Status Boost::apply() const { return slot_.set_shares(boosted_ ? kShares : 1); }

void Boost::sandbox_started() {
  started_us_ = base::monotonic_us();
  cpu_us_ = base::thread_cpu_us() - cpu_before_us_;
}

Status Boost::end() {
  if (!boosted_) return done();
  boosted_ = false;
  const Status lowered = slot_.set_shares(1);
  const std::int64_t now = base::monotonic_us();
  const std::int64_t charge = started_us_ != 0 ? cpu_us_ + now - started_us_ : base::thread_cpu_us() - cpu_before_us_;
  boosts_.charge(token_, charge, now);
  return lowered;
}

}  // namespace band::run
