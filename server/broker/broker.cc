#include "server/broker/broker.h"

#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/base/channel.h"
#include "server/base/io.h"

namespace band::broker {
namespace {

constexpr const char* kLayer = "broker";

// Returns an anonymous memory file with `bytes`. argv and environment can be longer than a message. They contain
// secrets, and no other process can open an anonymous file.
Result<base::Fd> in_memory(const std::string& bytes) {
  base::Fd memory = base::memory_file("band-command", MFD_CLOEXEC);
  if (!memory) return layer_error(kLayer, "memfd_create", errno);
  BAND_CHECK(base::write_all(memory.get(), bytes));
  return memory;
}

std::size_t bytes_of(const std::vector<std::string>& strings) {
  std::size_t bytes = 0;
  for (const std::string& text : strings) bytes += text.size() + sizeof(std::string);
  return bytes;
}

}  // namespace

void Broker::on_readable() {
  if (!serving_) return;  // shims wait until the command view is ready
  door_.on_readable([this](Caller caller) { judge(std::move(caller)); },
                    [this](const Error& error) { witness_->malformed(error); });
}

std::optional<std::size_t> Broker::offer_of(const std::string& name) const {
  const auto found = std::find_if(config_.offers.begin(), config_.offers.end(),
                                  [&](const Offer& offer) { return offer.name == name; });
  if (found == config_.offers.end()) return std::nullopt;
  return static_cast<std::size_t>(found - config_.offers.begin());
}

void Broker::judge(Caller caller) {
  // argv[0] of the caller is ignored: some programs act as different programs, depending on argv[0].
  std::vector<std::string>& argv = caller.request.argv;
  argv[0] = caller.request.name;
  const bool runs = caller.request.mode == shim::Mode::Run;
  if (!runs)
    argv = witness_->masked(argv);  // the command does not exist, so no rule is compared; the reason contains the name
  Decision decision = runs ? config_.rules.decide(argv) : config_.rules.not_found(argv);
  const auto offer = offer_of(caller.request.name);
  if (decision.outcome != Decision::Outcome::Allowed || !offer) {
    const bool denied = decision.outcome == Decision::Outcome::Denied;
    // Secrets are masked before the command line is quoted and truncated, because the mask of the script's log finds
    // only complete, unquoted secrets.
    refuse(caller.shim, denied ? shim::kCannotRun : shim::kNotFound, decision.for_stderr(witness_->masked(argv)));
    return witness_->refused(argv, decision);
  }
  if (const std::string why = too_much(argv); !why.empty())
    return refuse_allowed(std::move(caller), std::move(decision), why);
  const std::uint64_t id = next_id_++;
  if (const Status started = start(*offer, caller, id); !started.ok())
    return refuse_allowed(std::move(caller), std::move(decision), started.error().message());
  const std::size_t bytes = bytes_of(argv);
  running_bytes_ += bytes;
  running_[id] = {std::move(argv), std::move(decision), base::monotonic_us(), bytes};
}

// Refuses a command that the rules allow, and records the reason.
void Broker::refuse_allowed(Caller caller, Decision decision, const std::string& why) {
  refuse(caller.shim, shim::kCannotRun, "band: " + caller.request.argv[0] + ": " + why + "\n");
  witness_->ended(
      {std::move(caller.request.argv), std::move(decision), base::monotonic_us(), 0, std::nullopt, std::nullopt, why});
}

std::string Broker::too_much(const std::vector<std::string>& argv) const {
  if (running_.size() >= static_cast<std::size_t>(config_.max_running))
    return std::to_string(running_.size()) + " commands are already running (limit.maxProcesses)";
  if (running_bytes_ + bytes_of(argv) > kMaxRunningBytes)
    return "the arguments of all running commands have too many bytes";
  return "";
}

Status Broker::start(std::size_t offer, const Caller& caller, std::uint64_t id) {
  init::Command command;
  BAND_CHECK(config_.make_room(running_.size() + 1));
  command.directory = caller.request.directory;
  const std::vector<std::string>& start = config_.offers[offer].start;
  command.argv.push_back(start[0]);
  command.argv.push_back(caller.request.name);
  command.argv.insert(command.argv.end(), start.begin() + 1, start.end());
  command.argv.insert(command.argv.end(), caller.request.argv.begin() + 1, caller.request.argv.end());
  Config::Environment environment = config_.environment(caller.request);
  command.env = std::move(environment.variables);
  command.ignored = caller.request.ignored;
  command.umask = caller.request.umask;
  command.descriptors = caller.request.descriptors;
  BAND_TRY(const base::Fd memory, in_memory(init::encode(command)));
  const init::StartCommand order{id, static_cast<std::uint32_t>(offer), 0};
  std::vector<int> fds = {caller.shim.get(), memory.get()};
  for (const base::Fd& fd : caller.descriptors) fds.push_back(fd.get());
  static_assert(shim::kMaxDescriptors + 2 <= base::kMostMessageFds);
  // Does not block, because the slot must enforce the deadline of the execution even while no warden reads orders.
  BAND_CHECK(base::send(holder_, {reinterpret_cast<const char*>(&order), sizeof order}, fds, MSG_DONTWAIT));
  for (const NotPassed& variable : environment.not_passed) witness_->not_passed(caller.request.name, variable);
  return done();
}

void Broker::ended(const init::Report& report) {
  const auto found = running_.find(report.id);
  if (found == running_.end()) return;
  if (report.text[0] != '\0') return forget(found, std::nullopt, std::nullopt, report.text);
  const int code = static_cast<int>(report.code);
  forget(found, report.signalled != 0 ? std::nullopt : std::optional(code),
         report.signalled != 0 ? std::optional(code) : std::nullopt);
}

void Broker::all_ended() {
  while (!running_.empty()) forget(running_.begin(), std::nullopt, std::nullopt);
}

void Broker::forget(std::map<std::uint64_t, Running>::iterator which, std::optional<int> status,
                    std::optional<int> signal, std::string unstarted) {
  Running& command = which->second;
  witness_->ended({std::move(command.argv), std::move(command.decision), command.started_us,
                   base::monotonic_us() - command.started_us, status, signal, std::move(unstarted)});
  running_bytes_ -= command.bytes;
  running_.erase(which);
  (void)config_.make_room(
      running_.size());  // after a failure the room for one command too many remains, which does no harm
}

}  // namespace band::broker
