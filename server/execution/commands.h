// The commands of one execution: the view that they run in, its holder, and the broker in front of it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/broker/broker.h"
#include "server/evidence/file_witness.h"
#include "server/evidence/logs.h"
#include "server/execution/sandbox.h"
#include "server/floor/command_floor.h"
#include "server/init/setup.h"
#include "server/policy/plan.h"
#include "server/slot/slot.h"
#include "server/view/command_stage.h"
#include "server/view/stage.h"

namespace band::run {

class Commands {
 public:
  struct Parts {
    const slot::Slot& slot;
    const policy::ExecutionPlan& plan;
    std::shared_ptr<const floor::CommandFloor> floor;  // null: no command is declared, and there is no view for any
    const view::Stage& stage;                          // of the script; lives longer
    std::string place;                                 // for the stage of the command view
    const init::Setup& script;                         // what holds for commands as well: ids, limits, filter
    broker::Witness& witness;
    FileWitness* files = nullptr;  // null: the rules insist on none
    dev_t terminal = 0;            // of the script, which its commands may have, too; 0: there is none
  };
  // Opens the broker's door, builds the view and starts its holder, which then needs some milliseconds: ready() tells.
  static Result<std::unique_ptr<Commands>> start(const Parts& parts);

  // What start() comes to. Destroyed in reverse: the holder first, then what it runs in.
  struct View {
    std::shared_ptr<const floor::CommandFloor> floor;
    view::CommandStage stage;
    Sandbox sandbox;
    init::Setup setup;  // sent when the holder waits for it
  };
  explicit Commands(broker::Broker broker);  // no command is declared, and there is no view
  Commands(broker::Broker broker, View view, FileWitness* files);

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
  static Result<View> start_view(const Parts& parts, broker::Config& config);
  Error reason_of_silence(const Error& error) const;

  std::shared_ptr<const floor::CommandFloor> floor_;
  view::CommandStage stage_;
  std::optional<Sandbox> sandbox_;
  base::Fd errors_;  // what bubblewrap says when it fails
  init::Setup setup_;
  broker::Broker broker_;
  FileWitness* files_ = nullptr;
  bool ready_ = false;
};

}  // namespace band::run
