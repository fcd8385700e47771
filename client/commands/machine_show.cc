#include "client/commands/machine_show.h"

namespace band::client {
namespace {

std::string seconds_since(std::chrono::steady_clock::time_point from) {
  const auto passed = std::chrono::steady_clock::now() - from;
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(passed).count()) + " s";
}

}  // namespace

vm::Show MachineShow::show() {
  vm::Show show;
  show.begin = [this](const vm::Step& step) {
    end_step();
    const std::string about = " (about " + std::to_string(step.usual.count()) + " s";
    began_ = std::chrono::steady_clock::now();
    if (step.steps == 0) {
      step_ = step.what;
      terminal_.note("note: " + step_ + about + ")");
    } else {
      step_ = "step " + std::to_string(step.step) + " of " + std::to_string(step.steps) + ": " + step.what;
      terminal_.note(step_ + about + "; " + seconds_since(all_began_) + " since the start)");
    }
    if (!terminal_.quiet()) progress_.emplace(terminal_, step.what);
  };
  show.progress = [this](const std::string& line) {
    if (progress_) progress_->say(printable_line(step_ + ": " + line.substr(0, 60)));
  };
  show.note = [this](const std::string& line) {
    progress_.reset();
    terminal_.note(line);
  };
  return show;
}

void MachineShow::end_step() {
  progress_.reset();
  if (!step_.empty()) terminal_.note("  " + seconds_since(began_));
  step_.clear();
}

}  // namespace band::client
