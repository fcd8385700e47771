// Runs one case of `band test`. Several threads may run cases at the same time.
#pragma once

#include <condition_variable>
#include <mutex>
#include <set>

#include "client/commands/connect.h"
#include "client/skill_tests/judging.h"
#include "client/skill_tests/skill_case.h"
#include "client/skills/skills.h"
#include "client/targets/targets.h"
#include "schemas/core/result.h"

namespace band::client {

// Ends all running cases, and prevents the start of further cases.
class CaseStopper {
 public:
  void stop();  // may be called from any thread
  bool stopped() const;
  // Waits for `ms` milliseconds. Returns false when stop() was called before wait_ms() or during it; wait_ms() then
  // returns early.
  bool wait_ms(int ms);

  // While a Reach exists, CaseStopper::stop() also calls Connection::stop() of the connection that was passed to the
  // Reach. If stop() was called earlier, the constructor of Reach stops the connection.
  class Reach {
   public:
    Reach(CaseStopper& stopper, Connection& connection);
    ~Reach();
    Reach(const Reach&) = delete;
    Reach& operator=(const Reach&) = delete;

   private:
    CaseStopper& stopper_;
    Connection& connection_;
  };

 private:
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::set<Connection*> open_;
  bool stopped_ = false;
};

// Returns an error for each variable that the case sets and the band does not declare.
std::vector<Diagnostic> undeclared_variables(const SkillCase& one, const Script& script);

// Returns an Error only for causes outside of the script: the server is unreachable, is still busy after 30 attempts,
// or refuses the token; the workspace cannot be created or read; CaseStopper::stop() was called (Code::Cancelled). In
// every other case, also if the script failed, returns a RunEnd.
Result<RunEnd> run_case(const SkillCase& one, const Script& script, const Target& target, CaseStopper& stopper);

}  // namespace band::client
