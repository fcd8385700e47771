// The commands of one execution: the broker and the command view that it starts them in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/broker/broker.h"
#include "server/evidence/file_witness.h"
#include "server/execution/command_view.h"
#include "server/execution/sandbox.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"

namespace band::run {

class Commands {
 public:
  struct Parts {
    const slot::Slot& slot;
    const policy::ExecutionPlan& plan;  // must outlive this object
    broker::Witness& witness;
    FileWitness* files = nullptr;  // null: the rules do not insist on files
  };
  // The holder may be ready only some milliseconds later: see ready().
  static Result<std::unique_ptr<Commands>> serve(const Parts& parts, CommandView view);
  Commands(broker::Broker broker, CommandView view, FileWitness* files);

  int control() const { return sandbox_ ? sandbox_->control() : -1; }  // readable: call on_control_readable()
  int door() const { return broker_.fd(); }                            // readable: call on_door_readable()
  void on_door_readable() { broker_.on_readable(); }
  bool ready() const { return ready_; }
  bool lost() const { return sandbox_ && sandbox_->gone(); }  // the holder exited without a report
  Status on_control_readable();                               // an error ends the execution

  // Kills everything in the command view and processes its last reports. Returns false when it did not end within `ms`
  // milliseconds.
  bool end(int ms);
  // For use after end() returned false: releases the processes of the view, which the caller must wait for.
  Sandbox take_sandbox();

 private:
  Error reason_of_silence(const Error& error) const;

  std::shared_ptr<const floor::CommandFloor> floor_;
  view::CommandStage stage_;
  std::optional<Sandbox> sandbox_;
  base::Fd errors_;  // stderr of bubblewrap
  broker::Broker broker_;
  FileWitness* files_ = nullptr;
  bool ready_ = false;
};

}  // namespace band::run
