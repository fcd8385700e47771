// The threads of the slots. Each thread runs one execution after the other; between two executions it may make a warm
// sandbox.
#include <fcntl.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <future>
#include <system_error>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/base/wiped.h"
#include "server/engine/busy.h"
#include "server/engine/engine.h"
#include "server/engine/executions_log.h"
#include "server/engine/self_check.h"
#include "server/firewall/firewall.h"
#include "server/network/sockets.h"
#include "server/slot/network.h"

namespace band::run {
namespace {

Result<ExecRequest> read_request(int body) {
  struct stat info {};
  if (::fstat(body, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0)
    return Error{.code = Code::BadRequest, .doing = "the request has no body"};
  if (info.st_size > static_cast<off_t>(kMaxBodyBytes))
    return Error{.code = Code::BadRequest, .doing = "the request is larger than 90 MiB"};
  // Without these seals band-http could change the text while it is parsed, or kill the engine with SIGBUS by
  // truncating the file (memfd_create(2)).
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_WRITE;
  const int seals = ::fcntl(body, F_GET_SEALS);  // -1: the file cannot have seals
  if (seals < 0 || (seals & kSeals) != kSeals)
    return Error{.code = Code::BadRequest, .doing = "the request's body is not sealed"};
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const text = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, body, 0);
  if (text == MAP_FAILED) return layer_error("run", "cannot map the request's body", errno);
  const base::Undo unmap([&] { ::munmap(text, size); });
  return request_from_text({static_cast<const char*>(text), size});
}

constexpr int kDeathTickMs = 200;  // interval between checks of a dying execution while the server may stop

}  // namespace

Status Engine::start_slot(int index) {
  std::promise<Status> made;
  std::future<Status> ready = made.get_future();
  std::thread thread;
  try {
    thread = std::thread([this, index, made = std::move(made)]() mutable { slot_thread(index, std::move(made)); });
  } catch (const std::system_error& failed) {
    return layer_error("slot", "cannot create a thread for slot " + std::to_string(index), failed.code().value());
  }
  Status status = ready.get();
  if (status.ok()) {
    const std::lock_guard lock(mutex_);
    threads_.push_back(std::move(thread));
    return status;
  }
  thread.join();
  status.error().doing = "slot " + std::to_string(index) + ": " + status.error().doing;
  return status;
}

void Engine::slot_thread(int index, std::promise<Status> made) {
  const std::string name = "slot-" + std::to_string(index);  // for gdb and top
  ::pthread_setname_np(::pthread_self(), ("new-" + name).c_str());
  auto kept = enter_slot(index);
  ::pthread_setname_np(::pthread_self(), name.c_str());
  made.set_value(kept.ok() ? done() : Status(kept.error()));
  if (kept.ok()) serve_slot(std::move(kept).value());
}

Result<Engine::Kept> Engine::enter_slot(int index) {
  BAND_TRY(slot::Slot slot, slot::Slot::enter(index, slot_config_));
  BAND_CHECK(firewall::prepare());
  // Opens the network's sockets as a trial, so that missing features of the machine are reported now and not by the
  // first execution with a net rule.
  if (const auto trial = network::open_sockets(); !trial.ok()) return trial.error();
  BAND_TRY(SlotMounts mounts, SlotMounts::make(slot, site_));
  BAND_CHECK(self_check(slot, mounts, site_));
  return Kept{std::move(slot), std::move(mounts), {}};
}

void Engine::serve_slot(Kept kept) {
  Warm& warm = kept.warm;
  Seat seat;
  for (;;) {
    // With cgroup v1 the slot's thread is in the slot's groups. These shares let the thread start the next execution
    // without delay. A failure only costs time.
    (void)kept.slot.set_shares(Boost::kShares);
    seat.warm = warm.sandbox ? &warm.recipe : nullptr;
    seat.warm_since_us = warm.since_us;
    Queue::Next next = queue_.pop(seat);
    bool serves = next.waiting || next.discard;
    if (next.discard) serves = discard(warm, Fate::Expired);
    if (next.waiting) serves = take_turn(kept, seat, std::move(*next.waiting));
    if (!serves) return;
  }
}

bool Engine::take_turn(Kept& kept, const Seat& seat, Waiting waiting) {
  const std::string token = waiting.token;
  const std::int64_t from = base::monotonic_us();
  const auto count_busy = [&](int more) {
    const std::lock_guard lock(mutex_);
    slots_busy_ += more;
    if (more > 0) start_what_is_needed();
    if (more < 0) ended_since_trim_ = true;
    if (more < 0) busy_seconds_ += static_cast<double>(base::monotonic_us() - from) / 1e6;
  };
  count_busy(1);
  base::Undo idle([&] { count_busy(-1); });
  std::optional<Recipe> recipe;
  Remains remains;
  {
    Boost boost(boosts_, kept.slot, token);
    const bool passed_on = waiting.request.has_value();  // a request is passed on at most once
    const bool is_read = passed_on || read(waiting);
    if (is_read && !waiting.cancellation->why().empty()) {  // cancelled after the queue had chosen this slot
      end_before_start(std::move(waiting));
    } else if (is_read) {
      if (!passed_on && !is_for(kept.warm, waiting) && queue_.pass_on(waiting, seat)) return true;
      std::unique_ptr<Prepared> sandbox;
      if (!use_or_discard(kept.warm, waiting, sandbox)) {
        refuse(std::move(waiting.reply), stopping(kServerStops));
        forget(waiting, "CANCELLED");
        queue_.release(token);
        return false;
      }
      recipe = std::move(waiting.recipe);
      if (recipe && !sandbox) warm_budget_.started_cold();
      remains = serve_one(kept, std::move(waiting), boost, std::move(sandbox));
    }
  }
  std::optional<policy::SandboxPlan> plan = std::move(remains.plan);
  idle.now();
  if (!recover(token, std::move(remains))) return false;
  return !recipe || !plan || make_warm(kept, std::move(*recipe), std::move(*plan));
}

bool Engine::is_for(const Warm& warm, const Waiting& waiting) {
  return warm.sandbox && waiting.recipe && *waiting.recipe == warm.recipe;
}

// Sets `sandbox` to the warm sandbox when it was made for this execution's recipe and is equal to a sandbox that would
// be made now. Otherwise discards it.
bool Engine::use_or_discard(Warm& warm, const Waiting& waiting, std::unique_ptr<Prepared>& sandbox) {
  if (!warm.sandbox) return true;
  if (!is_for(warm, waiting)) return discard(warm, Fate::Displaced);
  if (!is_current(*warm.sandbox, site_, warm.plan)) return discard(warm, Fate::Stale);
  sandbox = std::move(warm.sandbox);
  warm_budget_.ended(Fate::Used);
  return true;
}

bool Engine::discard(Warm& warm, Fate fate) {
  Remains remains;
  const Status ended = run::discard(std::move(warm.sandbox), remains.dying);
  warm_budget_.ended(fate);
  if (!ended.ok()) spdlog::warn("cannot discard a warm sandbox: {}", ended.error().message());
  remains.had_network = !ended.ok();  // no connection was made in a warm sandbox
  return recover(std::nullopt, std::move(remains));
}

// A failure is only logged, because no request waits for this sandbox. If the failure occurs again when an execution
// needs a sandbox, it is part of the execution's answer.
bool Engine::make_warm(Kept& kept, Recipe recipe, policy::SandboxPlan plan) {
  if (warm_budget_.most() == 0 || queue_.lacks_slots()) return true;
  if (!warm_budget_.take()) {
    if (warm_budget_.full()) queue_.discard_settled(base::monotonic_us());
    return true;
  }
  site_.floors->look_ahead();
  Warm& warm = kept.warm;
  warm.sandbox = std::make_unique<Prepared>();
  Status made = kept.slot.limit_memory(plan.limits.maxMemoryBytes, recipe.token);
  const auto go_on = [] { return true; };
  StepClock nobody_waits;
  if (made.ok())
    made = make(*warm.sandbox, {kept.slot, kept.mounts, site_, plan, nobody_waits, {}, recipe.takes_input, go_on, {}});
  warm.recipe = std::move(recipe);
  warm.plan = std::move(plan);
  if (!made.ok()) {
    spdlog::warn("cannot make a warm sandbox: {}", made.error().message());
    return discard(warm, Fate::Failed);
  }
  warm.since_us = base::monotonic_us();
  const std::lock_guard lock(mutex_);
  start_what_is_needed();
  return true;
}

bool Engine::recover(const std::optional<std::string>& token, Remains remains) {
  if (const Status removed = remove(std::move(remains.rest)); !removed.ok()) {
    spdlog::warn("cannot remove the network of an execution; the network namespace of the slot is renewed: {}",
                 removed.error().message());
    remains.had_network = true;
  }
  using Action = Recovery::Action;
  Recovery recovery(!remains.dying.empty(), remains.had_network);
  bool out = false;
  const auto show = [&] {
    if (out == !recovery.in_service()) return;
    out = !out;
    out_of_service(out);
  };
  const base::Undo back([&] {
    if (out) out_of_service(false);
  });
  for (Action action = recovery.begin();;) {
    show();
    if (action == Action::Serve) return true;
    if (action == Action::Leave) return false;
    action = recovery.on(carry_out(action, recovery.in_service(), token, remains.dying), base::monotonic_us());
  }
}

Recovery::Event Engine::carry_out(Recovery::Action action, bool in_service, const std::optional<std::string>& token,
                                  Dying& dying) {
  using Action = Recovery::Action;
  switch (action) {
    case Action::AwaitDeath: {
      const bool gone = dying.gone(kDeathTickMs);
      const std::lock_guard lock(mutex_);
      return Recovery::Awaited{gone, stopping_, stopped_us_};
    }
    case Action::Abandon:
      spdlog::warn(
          "processes of an execution have not exited {} s after the server began to stop; the kernel ends them later",
          Recovery::kDeathTimeoutUs / 1'000'000);
      dying.abandon();
      return Recovery::Abandoned{};
    case Action::ReleaseToken:
      // The token is not released earlier, because it could then occupy slot after slot with executions whose processes
      // take long to exit.
      if (token) queue_.release(*token);
      return Recovery::Released{};
    case Action::RenewNetwork:
      return Recovery::Renewed{renew_network(in_service)};
    case Action::Pause:
      return Recovery::Paused{stops_within(Recovery::kPause)};
    case Action::Serve:
    case Action::Leave:
      break;
  }
  return Recovery::Released{};
}

// Called after the answer was sent, so that no client waits for the renewal. A repeated failure is logged once.
bool Engine::renew_network(bool in_service) {
  Status renewed = slot::renew_network();
  if (renewed.ok()) renewed = firewall::prepare();
  if (!renewed.ok() && in_service)
    spdlog::error("{}; the slot is out of service until a retry succeeds", renewed.error().message());
  if (renewed.ok() && !in_service) spdlog::info("the slot is in service again");
  return renewed.ok();
}

bool Engine::stops_within(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return stops_.wait_for(lock, wait, [this] { return stopping_; });
}

bool Engine::read(Waiting& waiting) {
  if (waiting.reply.gone()) {
    forget(waiting, "CANCELLED");
    return false;
  }
  auto request = read_request(waiting.body.get());
  waiting.body.reset();
  base::wipe_stack();  // the text of the request contained secrets; `request` still contains them
  if (!request.ok()) {
    const Code code = request.error().code;
    refuse(std::move(waiting.reply), code == Code::BadRequest ? 400 : 500, request.error());
    forget(waiting, std::string(code_name(code)));
    return false;
  }
  if (warm_budget_.most() > 0) waiting.recipe = recipe_of(waiting.token, *request);
  if (waiting.recipe) queue_.note(*waiting.recipe);
  waiting.request = std::move(request).value();
  return true;
}

Engine::Remains Engine::serve_one(Kept& kept, Waiting waiting, Boost& boost, std::unique_ptr<Prepared> warm) {
  std::optional<ExecRequest>& request = waiting.request;
  if (request->sends_raw())  // the client may pause reading
    waiting.reply.status(200, permitted_limits(request->rules.limit, site_.config.ceiling.limit).maxRuntimeMs);
  else
    waiting.reply.status(200);
  const std::string script = request->script;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(waiting.id); found != known_.end()) found->second.script = script;
  }
  Job job{waiting.id, waiting.token, waiting.queued_us,  waiting.cancellation.get(),
          boost,      kept.mounts,   waiting.input.get()};
  Outcome outcome = execute(kept.slot, site_, job, std::move(*request), waiting.reply, std::move(warm));
  // docs/architecture.md 6.7: secrets exist for one execution. server/wiping_heap.cc wipes the heap.
  base::wipe_stack();
  const std::string name = outcome.answer.error ? std::string(code_name(outcome.answer.error->code)) : "OK";
  executions_log().info("exec id={} token={} script={} outcome={} ms={:.1f}", waiting.id, waiting.token, script, name,
                        outcome.answer.metrics.totalMs);
  count_phases(outcome.answer.metrics);
  waiting.reply.line({{"event", "result"}, {"answer", answer_to_json(std::move(outcome.answer))}});
  forget(waiting, name);
  flusher_.add(std::move(waiting.reply));
  return {std::move(outcome.dying), outcome.had_network, std::move(outcome.plan), std::move(outcome.rest)};
}

}  // namespace band::run
