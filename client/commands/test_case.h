// One case of `band test`: its workspace, its plan, its run, what came of it. For several threads at a time.
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

// Ends all cases that run, and those that have not begun.
class CaseStopper {
 public:
  void stop();  // from any thread
  bool stopped() const;
  // False when it was stopped meanwhile, or before.
  bool wait_ms(int ms);

  // While it exists, stop() reaches the connection.
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

// The variables that the case gives and the band does not declare.
std::vector<Diagnostic> undeclared_variables(const SkillCase& one, const Script& script);

// An Error is none of the script's: the server is gone, busy for minutes or does not know the token, the workspace
// cannot be made, or it was stopped (Code::Cancelled). Every other end is in RunEnd.
Result<RunEnd> run_case(const SkillCase& one, const Script& script, const Target& target, CaseStopper& stopper);

}  // namespace band::client
