#include "server/execution/floors.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <utility>

#include "server/base/io.h"
#include "server/layout/places.h"

namespace band::run {

Status Floors::first() {
  BAND_TRY(const auto floor, current());
  floor::remove_others(config_, *floor);
  return sets_.clean();
}

Result<std::shared_ptr<const floor::Floor>> Floors::current() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = base::monotonic_us();
  if (floor_ && now - checked_us_ < 1'000'000) return floor_;
  if (!floor_ || !floor::is_current(*floor_)) {
    BAND_TRY(floor_, floor::build(config_));
    spdlog::info("floor {} of {} files", floor_->key, floor_->sources.size());
    if (::access((floor_->path + layout::kCertificates).c_str(), F_OK) != 0)
      spdlog::warn("no certificates of authorities: programs refuse every TLS server; apt-get install ca-certificates");
  }
  checked_us_ = now;
  return floor_;
}

Result<std::shared_ptr<const floor::CommandFloor>> Floors::for_commands(const policy::CommandPlan& plan) {
  BAND_TRY(const auto floor, current());
  std::vector<std::shared_ptr<const floor::Program>> programs;
  for (const policy::DeclaredCommand& command : plan.declared) {
    auto program = programs_.find(command.word);
    if (!program.ok()) {
      Error missing = program.error();
      missing.doing = command.origin + ": " + missing.doing;
      return missing;
    }
    tell_left_out(**program);
    programs.push_back(std::move(program).value());
  }
  return sets_.get(*floor, programs, plan.shimmed);
}

// Once for each state of the program: a program without its data fails in ways that nobody would guess.
void Floors::tell_left_out(const floor::Program& program) {
  const std::lock_guard lock(mutex_);
  std::string& told = told_[program.name];
  if (std::exchange(told, program.key) == program.key) return;
  for (const std::string& what : program.left_out) spdlog::warn("commands get {} without: {}", program.name, what);
}

}  // namespace band::run
