// Decides which executions get a boost, a larger part of the processors for a short time. Each execution runs in a
// slot, which has control groups of its own. A *share* is a unit of CPU weight (server/slot): while several slots
// compute, each slot gets CPU time in proportion to the shares of its control group. Normally a slot has one share. A
// *boost* gives a slot Boost::kShares shares instead, from the beginning of an execution until 0.1 s after the start of
// its script. Boosts is thread-safe. Its times (`now_us`) are times of base::monotonic_us().
//
// While other slots fork continuously, each process of a short execution without a boost waits 100 ms or more for its
// first time slice (docs/performance.md). Without a limit on boosts, many short executions of one token could take the
// processors from the long executions of other tokens. Therefore each token has a *credit* of at most kMostCreditUs,
// which grows by 1 s every 3 s. Each boost of an execution reduces the credit of the execution's token (see Boost).
// While the credit is 0 or less, the executions of this token start with one share.
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
  static constexpr std::int64_t kUsPerUs = 3;  // the credit grows by 1 µs every 3 µs

  bool allowed(const std::string& token, std::int64_t now_us);  // returns true when the token's credit is above 0
  // Subtracts `us` microseconds from the token's credit. The credit may become negative.
  void charge(const std::string& token, std::int64_t us, std::int64_t now_us);
  std::size_t tokens() const;  // number of tokens whose credit is stored; a full credit is not stored

 private:
  struct Account {
    std::int64_t credit_us = kMostCreditUs;
    std::int64_t since_us = 0;  // the time up to which the growth is included in credit_us
  };
  void refill(std::int64_t now_us);

  mutable std::mutex mutex_;
  std::map<std::string, Account> accounts_;
};

// The boost of one execution. `boosts` and `slot` must outlive it. Use a Boost on the slot's thread. If
// Boosts::allowed() returns true, the slot's control group has kShares shares from the construction of this object
// until end() or the destruction. Two amounts are subtracted from the token's credit: the CPU time that the slot's
// thread uses before sandbox_started() is called, and the time that elapses between this call and the end of the boost.
// The second amount is not a CPU time, because the processes of the sandbox may compute during this whole time. If
// sandbox_started() is not called, only the CPU time that the slot's thread uses during the boost is subtracted.
class Boost {
 public:
  static constexpr int kShares = 64;

  Boost(Boosts& boosts, const slot::Slot& slot, const std::string& token);
  ~Boost() { (void)end(); }
  Boost(const Boost&) = delete;
  Boost& operator=(const Boost&) = delete;

  // Sets the slot's shares: kShares if the execution has a boost, otherwise 1. Call it after Slot::limit_memory(),
  // which may have reset the shares to 1.
  Status apply() const;
  void sandbox_started();  // call it before the sandbox's first process starts, or before a warm sandbox is used
  Status end();            // sets one share and reduces the credit; a second call does nothing

 private:
  Boosts& boosts_;
  const slot::Slot& slot_;
  const std::string token_;
  bool boosted_ = false;
  std::int64_t cpu_before_us_ = 0, started_us_ = 0, cpu_us_ = 0;
};

}  // namespace band::run
