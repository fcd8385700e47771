// Decides which executions start with more than one CPU share (a boost). Thread-safe; times are base::monotonic_us().
//
// Without a boost, each process of a short execution waits 100 ms or more for its first time slice while other slots
// fork continuously (docs/performance.md). A token pays for its boosts from a credit; otherwise a token with many short
// executions could starve the long executions of other tokens. The credit grows by one third of the elapsed time. An
// execution of a token without credit has one share from its start.
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

  bool allowed(const std::string& token, std::int64_t now_us);                  // the token has credit
  void charge(const std::string& token, std::int64_t us, std::int64_t now_us);  // the credit may become negative
  std::size_t tokens() const;  // number of stored accounts; an account with the whole credit is removed

 private:
  struct Account {
    std::int64_t credit_us = kMostCreditUs;
    std::int64_t since_us = 0;
  };
  void refill(std::int64_t now_us);

  mutable std::mutex mutex_;
  std::map<std::string, Account> accounts_;
};

// The boost of one execution, on its slot's thread: kShares from construction until end() or destruction, if
// Boosts::allowed(). Its token is charged for the CPU time of this thread before the sandbox's processes start, and for
// all elapsed time after that, because these processes may compute during all of it.
class Boost {
 public:
  static constexpr int kShares = 64;

  Boost(Boosts& boosts, const slot::Slot& slot, const std::string& token);
  ~Boost() { (void)end(); }
  Boost(const Boost&) = delete;
  Boost& operator=(const Boost&) = delete;

  Status apply() const;    // call it after Slot::limit_memory(), which may have made a new control group
  void sandbox_started();  // call it before the first process of the sandbox starts
  Status end();            // sets one share and charges the token. A later call does nothing

 private:
  Boosts& boosts_;
  const slot::Slot& slot_;
  const std::string token_;
  bool boosted_ = false;
  std::int64_t cpu_before_us_ = 0, started_us_ = 0, cpu_us_ = 0;
};

}  // namespace band::run
