// The engine's reports: GET /v1/health and GET /v1/metrics.
#include "schemas/core/json.h"
#include "schemas/wire/features.h"
#include "server/base/io.h"
#include "server/engine/engine.h"
#include "server/landlock/landlock.h"

namespace band::run {
namespace {

// Each layer is reported as active: the server runs only after the first slot has passed self_check(), and every other
// slot passes it before it serves.
Json layer(const char* name, const std::string& detail) {
  return {{"name", name}, {"active", true}, {"detail", detail}};
}

}  // namespace

Json Engine::health(const std::string& token) const {
  const int abi = landlock::abi();
  std::string landlock = "ABI " + std::to_string(abi);
  for (const std::string& what : landlock::missing(abi)) landlock += "; this kernel lacks " + what;
  const std::lock_guard lock(mutex_);
  const int out = slots_out_ + starter_.state().failing;
  const std::int64_t now = base::monotonic_us();
  Json executions = Json::array();
  for (const auto& [id, one] : known_)
    if (one.token == token)
      executions.push_back({{"id", id},
                            {"script", one.script.empty() ? Json() : Json(one.script)},
                            {"ageMs", (now - one.since_us) / 1000}});
  return {{"version", BAND_VERSION},
          {"source", site_.source},
          {"features", feature_names()},
          {"draining", drained_until_us_ > base::monotonic_us()},
          {"uptimeSeconds", (base::monotonic_us() - began_us_) / 1'000'000},
          {"layers",
           {layer("slot", "uid, network namespace and mount namespace per slot"),
            layer("cgroup", "memory, v" + std::to_string(slot_config_.cgroups.memory.version) + "; cpu, v" +
                                std::to_string(slot_config_.cgroups.cpu.version) + "; pids, v" +
                                std::to_string(slot_config_.cgroups.pids.version)),
            layer("firewall", "iptables chains per execution; only the gateway is reachable"),
            layer("gateway", "one process per execution with net rules: the only way out, to allowed host names"),
            layer("floor", "read-only root with copies of the machine's programs"),
            layer("view", "namespaces of its own, with a tree of mounts that the server has built"),
            layer("broker", "checks every declared command, argument by argument"),
            layer("ledger", "records what an execution did; insists are checked against this record"),
            layer("landlock", landlock), layer("seccomp", "allow list"), layer("capabilities", "none, no_new_privs"),
            layer("rlimits", "per process")}},
          {"slots", {{"total", slots_}, {"free", slots_ - slots_busy_ - out}, {"dying", out}}},
          {"queue", {{"length", queue_.size()}, {"max", site_.config.queue_length}}},
          {"executions", std::move(executions)},
          {"ceiling", *ceiling_}};
}

void Engine::count_phases(const Metrics& of) {
  const std::lock_guard lock(mutex_);
  phases_ms_["queue"] += of.queueMs;
  phases_ms_["setup"] += of.setupMs;
  phases_ms_["run"] += of.runMs;
  phases_ms_["teardown"] += of.teardownMs;
  for (const auto& [name, member] : kStepTimes) steps_ms_.*member += of.steps.*member;
}

std::string Engine::metrics() const {
  const std::lock_guard lock(mutex_);
  const Starter::State slots = starter_.state();
  std::string text = "# TYPE band_slots gauge\nband_slots " + std::to_string(slots_) +
                     "\n# TYPE band_slots_started gauge\nband_slots_started " + std::to_string(slots.started) +
                     "\n# TYPE band_slots_busy gauge\nband_slots_busy " + std::to_string(slots_busy_) +
                     "\n# TYPE band_slots_dying gauge\nband_slots_dying " + std::to_string(slots_out_ + slots.failing) +
                     "\n# TYPE band_queue_length gauge\nband_queue_length " + std::to_string(queue_.size()) +
                     "\n# TYPE band_busy_seconds_total counter\nband_busy_seconds_total " +
                     std::to_string(busy_seconds_) + "\n" + warm_budget_.metrics() +
                     "# TYPE band_phase_seconds_total counter\n";
  for (const auto& [phase, ms] : phases_ms_)
    text += "band_phase_seconds_total{phase=\"" + phase + "\"} " + std::to_string(ms / 1000) + "\n";
  text += "# TYPE band_step_seconds_total counter\n";
  for (const auto& [name, member] : kStepTimes)
    text += std::string("band_step_seconds_total{step=\"") + name + "\"} " + std::to_string(steps_ms_.*member / 1000) +
            "\n";
  text += "# TYPE band_executions_total counter\n";
  for (const auto& [outcome, count] : finished_)
    text += "band_executions_total{outcome=\"" + outcome + "\"} " + std::to_string(count) + "\n";
  return text;
}

}  // namespace band::run
