// Runs the declared commands of one execution. The broker checks each command line. The command view is the set of
// namespaces in which the allowed commands run. Its pid 1, the holder, starts them (command_view.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
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
  // All of these must outlive the Commands.
  struct Parts {
    const slot::Slot& slot;
    const policy::ExecutionPlan& plan;
    broker::Witness& witness;
    FileWitness* files = nullptr;  // null: the rules do not insist on files
  };
  // Moves `view` into the result. Does not wait for the holder. The broker reads no request before ready() returns
  // true; earlier requests wait in the door (the broker's socket). Returns an error when the command rules are invalid.
  static Result<std::unique_ptr<Commands>> serve(const Parts& parts, CommandView view);
  Commands(broker::Broker broker, CommandView view, FileWitness* files);

  // Two descriptors for poll(2). When control() is readable, call on_control_readable(). When door() is readable, call
  // on_door_readable(). -1 means that there is nothing to poll.
  int control() const { return view_.holder ? view_.holder->control() : -1; }
  int door() const { return broker_.fd(); }
  void on_door_readable() { broker_.on_readable(); }
  bool ready() const { return ready_; }  // returns true when the holder is ready, or when no command is declared
  // Returns true after on_control_readable() has found that the holder exited.
  bool lost() const { return view_.holder && view_.holder->gone(); }
  Status on_control_readable();  // after an error the caller must end the execution

  // Kills all processes of the command view, and records the end of each running command. Returns false when a process
  // was still alive after `ms` milliseconds.
  bool end(int ms);
  // Call it after end(). Returns the command view without its door, which this object closes in its destructor. If
  // end() returned false, the caller must call Sandbox::end() of CommandView::holder until it returns true.
  CommandView take_view() { return std::exchange(view_, {}); }

 private:
  CommandView view_;  // its door is in broker_
  broker::Broker broker_;
  FileWitness* files_ = nullptr;
  bool ready_ = false;
};

}  // namespace band::run
