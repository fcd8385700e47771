// Which executions begin with more than one share of the processors. Thread-safe; times are base::monotonic_us().
//
// Without it a short execution waits beside slots that fork without a pause, 100 ms and more for the first time slice
// of each of its processes (docs/performance.md). So that nobody takes the processors from the
// long executions of others by starting short ones, a token pays for its boosts from a credit, which grows by a third
// of the time that passes. An execution of a token without credit has one share from its start.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "schemas/core/result.h"
#include "server/slot/slot.h"

namespace band::run {

class Boosts {
 public:
  static constexpr std::int64_t kMostCreditUs = 1'000'000;
  static constexpr std::int64_t kUsPerUs = 3;  // of time for each of credit

  bool allowed(const std::string& token, std::int64_t now_us);
  void charge(const std::string& token, std::int64_t us, std::int64_t now_us);  // the credit may become negative
  std::size_t tokens() const;  // that are remembered: with less than the whole credit

 private:
  struct Account {
    std::int64_t credit_us = kMostCreditUs;
    std::int64_t since_us = 0;
  };
  void refill(std::int64_t now_us);

  mutable std::mutex mutex_;
  std::map<std::string, Account> accounts_;
};

// Of one execution, on its slot's thread: 64 shares from its start until end() or its destruction, if its token may.
// Its token is charged for what this thread computes before the sandbox's processes start, and for all the time from
// then on: they may compute in all of it.
class Boost {
 public:
  static constexpr int kShares = 64;

  Boost(Boosts& boosts, const slot::Slot& slot, const std::string& token);
  ~Boost() { (void)end(); }
  Boost(const Boost&) = delete;
  Boost& operator=(const Boost&) = delete;

  Status apply() const;  // after Slot::limit_memory(), which may have made a new group
  void sandbox_started();
  Status end();  // one share. A later call does nothing

 private:
  Boosts& boosts_;
  const slot::Slot& slot_;
  const std::string token_;
  bool boosted_ = false;
  std::int64_t cpu_before_us_ = 0, started_us_ = 0, cpu_us_ = 0;
};

}  // namespace band::run
