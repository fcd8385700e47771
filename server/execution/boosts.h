// Decides which executions start with more than one CPU share (a boost). Thread-safe; times are base::monotonic_us().
//
// Without a boost, each process of a short execution waits 100 ms or more for its first time slice while other slots
// fork continuously (docs/performance.md). A token pays for its boosts from a credit of CPU time; otherwise a token
// with many short executions could starve the long executions of other tokens. The credit grows by one third of the
// elapsed time, up to kMostCreditUs. If the token has no credit, its executions start with one share.
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
  static constexpr std::int64_t kUsPerUs = 3;  // elapsed microseconds for each microsecond of credit

  bool allowed(const std::string& token, std::int64_t now_us);  // returns true when the token has credit
  void charge(const std::string& token, std::int64_t us, std::int64_t now_us);  // the credit may become negative
  std::size_t tokens() const;  // number of stored accounts; accounts whose credit is full are removed

 private:
  struct Account {
    std::int64_t credit_us = kMostCreditUs;
    std::int64_t since_us = 0;
  };
  void refill(std::int64_t now_us);

  mutable std::mutex mutex_;
  std::map<std::string, Account> accounts_;
};

// The boost of one execution. Use it on the slot's thread. If Boosts::allowed() returns true, the slot's control group
// has kShares shares from the construction until end() or the destruction. The token is charged for the CPU time that
// this thread uses before the first process of the sandbox starts, and for all elapsed time after that start, because
// the processes of the sandbox may compute all the time.
class Boost {
 public:
  static constexpr int kShares = 64;

  Boost(Boosts& boosts, const slot::Slot& slot, const std::string& token);
  ~Boost() { (void)end(); }
  Boost(const Boost&) = delete;
  Boost& operator=(const Boost&) = delete;

  Status apply() const;    // call it after Slot::limit_memory(), because that function may make a new control group
  void sandbox_started();  // call it before the first process of the sandbox starts
  Status end();            // sets one share and charges the token; a second call does nothing

 private:
  Boosts& boosts_;
  const slot::Slot& slot_;
  const std::string token_;
  bool boosted_ = false;
  std::int64_t cpu_before_us_ = 0, started_us_ = 0, cpu_us_ = 0;
};

}  // namespace band::run
