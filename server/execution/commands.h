// The commands of one execution: the broker in front of the view that they run in.
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
    const policy::ExecutionPlan& plan;  // lives longer
    broker::Witness& witness;
    FileWitness* files = nullptr;  // null: the rules insist on none
  };
  // The holder may need some milliseconds more: ready() tells.
  static Result<std::unique_ptr<Commands>> serve(const Parts& parts, CommandView view);
  Commands(broker::Broker broker, CommandView view, FileWitness* files);

  int control() const { return sandbox_ ? sandbox_->control() : -1; }  // readable: call on_control_readable()
  int door() const { return broker_.fd(); }                            // readable: call on_door_readable()
  void on_door_readable() { broker_.on_readable(); }
  bool ready() const { return ready_; }
  bool lost() const { return sandbox_ && sandbox_->gone(); }  // the holder ended without a report
  Status on_control_readable();                               // an error is the end of the execution

  // Kills everything in the command view and hears what it had to say last. False: later than `ms`.
  bool end(int ms);
  // After end() was false: the view's processes, which somebody else has to wait for.
  Sandbox take_sandbox();

 private:
  Error reason_of_silence(const Error& error) const;

  std::shared_ptr<const floor::CommandFloor> floor_;
  view::CommandStage stage_;
  std::optional<Sandbox> sandbox_;
  base::Fd errors_;  // what bubblewrap says when it fails
  broker::Broker broker_;
  FileWitness* files_ = nullptr;
  bool ready_ = false;
};

}  // namespace band::run
