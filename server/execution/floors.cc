#include "server/execution/floors.h"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <utility>

#include "schemas/core/json_text.h"
#include "server/base/io.h"
#include "server/floor/locate.h"
#include "server/layout/places.h"

namespace band::run {
namespace {

constexpr std::int64_t kFreshUs = 1'000'000;  // a check of the machine's files is valid for this time
constexpr std::size_t kMostNamed = 50;        // commands in one message
constexpr std::size_t kMostLookedUp = 4;      // commands that are searched in apt's packages, half a second each
constexpr std::string_view kInstall = "apt-get install ";

// Collects the errors of all declared commands into one error.
class Unusable {
 public:
  bool empty() const { return count_ == 0; }
  floor::Hint hint() const { return count_ < kMostLookedUp ? floor::Hint::Package : floor::Hint::Quick; }

  void add(const DeclaredCommand& command, Error error) {
    error.doing = command.origin + ": " + error.doing;
    if (++count_ > kMostNamed) return;
    (error.details == floor::kMissing ? missing_ : unusable_).push_back(command.word);
    add_hint(error.hint);
    lines_ += "\n  " + error.message();
    if (count_ == 1) first_ = std::move(error);
  }

  // `details`: the names of the commands, for `band exec`, whose exit code depends on them.
  Error error() const {
    Error error = count_ == 1 ? first_ : all();
    error.details = json_object({{"missing", json_list(missing_)}, {"unusable", json_list(unusable_)}});
    return error;
  }

 private:
  Error all() const {
    const std::string more =
        count_ > kMostNamed ? "\n  and " + std::to_string(count_ - kMostNamed) + " more commands" : "";
    return Error{.code = first_.code,
                 .doing = std::to_string(count_) + " declared commands cannot be used:" + lines_ + more,
                 .hint = packages_.empty() ? hints_
                         : hints_.empty()  ? packages_
                                           : packages_ + "; " + hints_};
  }

  // One apt-get line for all packages, and each other hint once.
  void add_hint(const std::string& hint) {
    if (!known_.insert(hint).second || hint.empty()) return;
    if (hint.starts_with(kInstall))
      packages_ += packages_.empty() ? hint : " " + hint.substr(kInstall.size());
    else
      hints_ += (hints_.empty() ? "" : "; ") + hint;
  }

  std::size_t count_ = 0;
  Error first_;
  std::string lines_, packages_, hints_;
  std::vector<std::string> missing_, unusable_;
  std::set<std::string> known_;
};

}  // namespace

Status Floors::first() {
  BAND_TRY(const auto floor, current());
  floor::remove_others(config_, *floor);
  return sets_.clean();
}

// Releases the lock during the check: executions that start in the meantime use the result of the previous check.
void Floors::look_ahead() {
  const std::int64_t now = base::monotonic_us();
  std::shared_ptr<const floor::Floor> known;
  {
    const std::lock_guard lock(mutex_);
    if (!floor_ || looking_ || now - checked_us_ < kFreshUs / 2) return;
    looking_ = true;
    known = floor_;
  }
  const bool current = floor::is_current(*known);
  const std::lock_guard lock(mutex_);
  looking_ = false;
  if (known != floor_) return;
  checked_us_ = current ? std::max(checked_us_, now) : 0;  // 0: the next current() rebuilds the floor
}

Result<std::shared_ptr<const floor::Floor>> Floors::current() {
  const std::lock_guard lock(mutex_);
  const std::int64_t now = base::monotonic_us();
  if (floor_ && now - checked_us_ < kFreshUs) return floor_;
  if (!floor_ || !floor::is_current(*floor_)) {
    BAND_TRY(floor_, floor::build(config_));
    spdlog::info("made floor {} with {} files", floor_->key, floor_->sources.size());
    if (::access((floor_->path + layout::kCertificates).c_str(), F_OK) != 0)
      spdlog::warn("the machine has no CA certificates: TLS connections fail; run apt-get install ca-certificates");
  }
  checked_us_ = now;
  return floor_;
}

Result<std::shared_ptr<const floor::CommandFloor>> Floors::for_commands(const CommandPlan& plan) {
  BAND_TRY(const auto floor, current());
  std::vector<std::shared_ptr<const floor::Program>> programs;
  Unusable unusable;
  for (const DeclaredCommand& command : plan.declared) {
    auto program = programs_.find(command.word, unusable.hint());
    if (!program.ok()) {
      unusable.add(command, std::move(program).error());
      continue;
    }
    log_left_out(**program);
    programs.push_back(std::move(program).value());
  }
  if (!unusable.empty()) return unusable.error();
  return sets_.get(*floor, programs, plan.shimmed);
}

// Logs once for each state of the program: a program without its data files fails without an indication of the cause.
void Floors::log_left_out(const floor::Program& program) {
  const std::lock_guard lock(mutex_);
  std::string& logged = logged_[program.name];
  if (std::exchange(logged, program.key) == program.key) return;
  for (const std::string& what : program.left_out)
    spdlog::warn("command {}: a sandbox does not get all files of this program: {}", program.name, what);
}

}  // namespace band::run
