#include "server/engine/engine.h"

#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/base/wiped.h"
#include "server/engine/busy.h"
#include "server/engine/executions_log.h"
#include "server/engine/self_check.h"
#include "server/firewall/firewall.h"
#include "server/network/sockets.h"
#include "server/slot/network.h"

namespace band::run {
namespace {

Result<ExecRequest> read_request(int body) {
  struct stat info {};
  if (::fstat(body, &info) != 0 || !S_ISREG(info.st_mode))
    return Error{.code = Code::BadRequest, .doing = "the request has no body"};
  if (info.st_size > static_cast<off_t>(kMaxBodyBytes))
    return Error{.code = Code::BadRequest, .doing = "the request is larger than 90 MiB"};
  // Read, never mapped: whoever could truncate a mapped file could kill the engine with SIGBUS.
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    const ssize_t n = ::pread(body, text.data() + have, text.size() - have, static_cast<off_t>(have));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return Error{.code = Code::BadRequest, .doing = "the request's body is cut off"};
    have += static_cast<std::size_t>(n);
  }
  BAND_TRY(const Json value, parse_json(text, "request", message_bounds(1)));
  return request_from_json(value);
}

constexpr std::size_t kMaxShownCeiling = 512u << 10;  // an answer of health has 1 MiB at most

// The rules that hold for every execution, in their wire form; null where they are too long for an answer.
Json ceiling_to_json(const Rules& ceiling) {
  Json value = rules_to_json(ceiling);
  return dump_json(value).size() <= kMaxShownCeiling ? value : Json();
}

constexpr const char* kStops = "the server stops";

Error no_such_execution() {
  return Error{.code = Code::BadRequest, .doing = "no such execution: it has ended, or never was"};
}

// Starts at a time. Each is mostly work of the kernel, so more of them than processors would end no sooner.
int side_by_side() { return std::max(2, static_cast<int>(std::thread::hardware_concurrency())); }

constexpr int kDeathTickMs = 200;  // a dying execution is looked at this often while the server may stop
constexpr std::chrono::milliseconds kBetweenRepairs(1'000);

}  // namespace

Engine::Engine(Site site, slot::Config slots)
    : site_(std::move(site)),
      slot_config_(std::move(slots)),
      ceiling_(ceiling_to_json(site_.config.ceiling)),
      queue_({site_.config.queue_length, site_.config.queue_per_token, site_.config.slots}),
      warm_budget_(site_.config.warm_sandboxes),
      slots_(site_.config.slots),
      began_us_(base::monotonic_us()),
      starter_(
          {site_.config.slots, site_.config.spare_slots, side_by_side(), kBetweenRepairs},
          [this](int index) { return start_slot(index); }, [this] { refuse_where_none_serves(); }) {}

Status Engine::start() { return starter_.first(); }

void Engine::listens_on(std::uint16_t port) {
  site_.config.port = port;  // before another thread reads it
  starter_.others();
}

void Engine::serves_tokens(int count) {
  const int configured = site_.config.slots_per_token, all = site_.config.slots;
  queue_.set_held(configured > 0 ? configured : count > 1 ? all - 1 : all);
}

Status Engine::start_slot(int index) {
  std::promise<Status> made;
  std::future<Status> ready = made.get_future();
  std::thread thread;
  try {
    thread = std::thread([this, index, made = std::move(made)]() mutable { slot_thread(index, std::move(made)); });
  } catch (const std::system_error& failed) {
    return layer_error("slot", "make a thread for slot " + std::to_string(index), failed.code().value());
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
  auto slot = slot::Slot::enter(index, slot_config_);
  Status ready = slot.ok() ? firewall::prepare() : Status(slot.error());
  // What this machine lacks is heard of now, and not by the first execution that has a net rule.
  if (const auto trial = ready.ok() ? network::open_sockets() : ready.error(); !trial.ok()) ready = trial.error();
  if (ready.ok()) ready = self_check(*slot, site_);
  const bool ok = ready.ok();
  ::pthread_setname_np(::pthread_self(), name.c_str());
  made.set_value(std::move(ready));
  if (ok) serve_slot(*slot);
}

void Engine::serve_slot(slot::Slot& slot) {
  Warm warm;
  Seat seat;
  for (;;) {
    // With cgroup v1 the slot's thread is in its groups: it is to take the next execution at once. When that fails, it
    // takes it later.
    (void)slot.set_shares(Boost::kShares);
    seat.warm = warm.sandbox ? &warm.recipe : nullptr;
    seat.warm_since_us = warm.since_us;
    Queue::Next next = queue_.pop(seat);
    bool serves = next.waiting || next.discard;
    if (next.discard) serves = discard(warm, Fate::Expired);
    if (next.waiting) serves = take_turn(slot, seat, warm, std::move(*next.waiting));
    if (!serves) return;
  }
}

bool Engine::take_turn(slot::Slot& slot, const Seat& seat, Warm& warm, Waiting waiting) {
  const std::string token = waiting.token;
  const std::int64_t from = base::monotonic_us();
  const auto count_busy = [&](int more) {
    const std::lock_guard lock(mutex_);
    slots_busy_ += more;
    if (more > 0) start_what_is_needed();
    if (more < 0) busy_seconds_ += static_cast<double>(base::monotonic_us() - from) / 1e6;
  };
  count_busy(1);
  base::Undo idle([&] { count_busy(-1); });
  std::optional<Recipe> recipe;
  Remains remains;
  {
    Boost boost(boosts_, slot, token);
    const bool passed_on = waiting.request.has_value();  // once at most
    if (passed_on || read(waiting)) {
      if (!passed_on && !is_for(warm, waiting) && queue_.pass_on(waiting, seat)) return true;
      std::unique_ptr<Prepared> sandbox;
      if (!use_or_discard(warm, waiting, sandbox)) {
        refuse(std::move(waiting.reply), stopping(kStops));
        forget(waiting, "CANCELLED");
        queue_.release(token);
        return false;
      }
      recipe = std::move(waiting.recipe);
      if (recipe && !sandbox) warm_budget_.started_cold();
      remains = serve_one(slot, std::move(waiting), boost, std::move(sandbox));
    }
  }
  std::optional<policy::SandboxPlan> plan = std::move(remains.plan);
  idle.now();
  if (!recover(token, std::move(remains))) return false;
  return !recipe || !plan || make_warm(slot, warm, std::move(*recipe), std::move(*plan));
}

bool Engine::is_for(const Warm& warm, const Waiting& waiting) {
  return warm.sandbox && waiting.recipe && *waiting.recipe == warm.recipe;
}

// `sandbox` is what was made for this execution, if it is still as one made now would be.
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
  if (!ended.ok()) spdlog::warn("discard a sandbox that was made ahead: {}", ended.error().message());
  remains.had_network = !ended.ok();  // no connection was ever made in it
  return recover(std::nullopt, std::move(remains));
}

// Nothing waits for it: what fails here fails again when an execution needs it, and is its answer then.
bool Engine::make_warm(slot::Slot& slot, Warm& warm, Recipe recipe, policy::SandboxPlan plan) {
  if (warm_budget_.most() == 0 || queue_.size() > 0) return true;
  if (!warm_budget_.take()) {
    if (warm_budget_.full()) queue_.discard_settled(base::monotonic_us());
    return true;
  }
  warm.sandbox = std::make_unique<Prepared>();
  Status made = slot.limit_memory(plan.limits.maxMemoryBytes);
  const auto go_on = [] { return true; };
  if (made.ok()) made = make(*warm.sandbox, {slot, site_, plan, {}, recipe.takes_input, go_on, {}});
  warm.recipe = std::move(recipe);
  warm.plan = std::move(plan);
  if (!made.ok()) {
    spdlog::warn("no sandbox is made ahead: {}", made.error().message());
    return discard(warm, Fate::Failed);
  }
  warm.since_us = base::monotonic_us();
  const std::lock_guard lock(mutex_);
  start_what_is_needed();
  return true;
}

bool Engine::recover(const std::optional<std::string>& token, Remains remains) {
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
      spdlog::warn("an execution is not dead {} s after the server was told to stop; the kernel ends it later",
                   Recovery::kPatienceUs / 1'000'000);
      dying.abandon();
      return Recovery::Abandoned{};
    case Action::ReleaseToken:
      // Not before: it could take slot after slot with executions that take long to die.
      if (token) queue_.release(*token);
      return Recovery::Released{};
    case Action::RenewNetwork:
      return Recovery::Renewed{renew_network(in_service)};
    case Action::Pause:
      return Recovery::Paused{stops_within(kBetweenRepairs)};
    case Action::Serve:
    case Action::Leave:
      break;
  }
  return Recovery::Released{};
}

// When the answer is out: nobody waits for it. What fails again and again is logged once.
bool Engine::renew_network(bool in_service) {
  Status renewed = slot::renew_network();
  if (renewed.ok()) renewed = firewall::prepare();
  if (!renewed.ok() && in_service)
    spdlog::error("{}; the slot is out of service until that works", renewed.error().message());
  if (renewed.ok() && !in_service) spdlog::info("the slot is in service again");
  return renewed.ok();
}

bool Engine::stops_within(std::chrono::milliseconds wait) {
  std::unique_lock lock(mutex_);
  return stops_.wait_for(lock, wait, [this] { return stopping_; });
}

// A slot that is out of service does nobody's work; one with a warm sandbox is kept for the rules of that.
void Engine::start_what_is_needed() { starter_.needs(slots_busy_ + slots_out_ + warm_budget_.count(), queue_.size()); }

bool Engine::no_slot_serves() const {
  const Starter::State slots = starter_.state();
  return slots_out_ >= slots.started && !slots.can_start_more;
}

void Engine::out_of_service(bool out) {
  {
    const std::lock_guard lock(mutex_);
    slots_out_ += out ? 1 : -1;
    if (out) start_what_is_needed();
  }
  if (out) refuse_where_none_serves();
}

// With the last slot all requests that wait are refused: for how long they would wait is not known.
void Engine::refuse_where_none_serves() {
  std::deque<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    if (no_slot_serves()) refused = queue_.drain();
    for (const Waiting& waiting : refused) known_.erase(waiting.id);
  }
  for (Waiting& waiting : refused) refuse(std::move(waiting.reply), none_in_service());
}

// Never blocks, whatever the other side does not read.
void Engine::refuse(ReplyWriter reply, int http_status, const Error& error) {
  reply.refuse(http_status, error);
  flusher_.add(std::move(reply));
}

void Engine::refuse(ReplyWriter reply, const Busy& busy) {
  reply.refuse(503, busy.error, busy.retry_after_s);
  flusher_.add(std::move(reply));
}

void Engine::forget(const Waiting& waiting, const std::string& outcome) {
  const std::lock_guard lock(mutex_);
  known_.erase(waiting.id);
  ++finished_[outcome];
}

bool Engine::read(Waiting& waiting) {
  if (waiting.reply.gone()) {
    forget(waiting, "CANCELLED");
    return false;
  }
  auto request = read_request(waiting.body.get());
  waiting.body.reset();
  base::wipe_stack();  // it had secrets, and they go on with the request
  if (!request.ok()) {
    refuse(std::move(waiting.reply), 400, request.error());
    forget(waiting, "BAD_REQUEST");
    return false;
  }
  waiting.recipe = recipe_of(waiting.token, *request);
  waiting.request = std::move(request).value();
  return true;
}

Engine::Remains Engine::serve_one(slot::Slot& slot, Waiting waiting, Boost& boost, std::unique_ptr<Prepared> warm) {
  std::optional<ExecRequest>& request = waiting.request;
  if (request->sends_raw())  // whoever reads may stop to think
    waiting.reply.status(200, effective(smaller(request->rules.limit, site_.config.ceiling.limit)).maxRuntimeMs);
  else
    waiting.reply.status(200);
  const std::string script = request->script;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(waiting.id); found != known_.end()) found->second.script = script;
  }
  Job job{waiting.id, waiting.token, waiting.queued_us, waiting.cancellation.get(), boost, waiting.input.get()};
  Outcome outcome = execute(slot, site_, job, std::move(*request), waiting.reply, std::move(warm));
  base::wipe_stack();  // design section 9: a secret lives for one execution; the heap is server/wiping_heap.cc's
  const std::string name = outcome.answer.error ? std::string(code_name(outcome.answer.error->code)) : "OK";
  executions_log().info("exec id={} token={} script={} outcome={} ms={:.1f}", waiting.id, waiting.token, script, name,
                        outcome.answer.metrics.totalMs);
  waiting.reply.line({{"event", "result"}, {"answer", answer_to_json(outcome.answer)}});
  count_phases(outcome.answer.metrics);
  forget(waiting, name);
  flusher_.add(std::move(waiting.reply));
  return {std::move(outcome.dying), outcome.had_network, std::move(outcome.plan)};
}

void Engine::stop(const std::string& why) {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (stopped_us_ == 0) stopped_us_ = base::monotonic_us();
    stops_.notify_all();
    for (auto& [id, entry] : known_) {
      entry.cancellation->tell(why);
    }
  }
  starter_.stop();
  {
    const std::lock_guard lock(mutex_);
    threads.swap(threads_);
  }
  for (Waiting& waiting : queue_.close()) refuse(std::move(waiting.reply), stopping(why));
  for (std::thread& thread : threads) thread.join();
}

bool Engine::accepts(const std::string& token) const {
  const std::lock_guard lock(mutex_);
  return callers_.count(token) != 0;
}

void Engine::accept_only(std::set<std::string> callers, Others others) {
  constexpr const char* kWhy = "its token was revoked";
  std::deque<Waiting> revoked;
  {
    const std::lock_guard lock(mutex_);
    callers_ = std::move(callers);
    if (others == Others::Finish) return;
    for (auto& [id, entry] : known_)
      if (callers_.count(entry.token) == 0) entry.cancellation->tell(kWhy);
    revoked = queue_.withdraw([&](const Waiting& waiting) { return callers_.count(waiting.token) == 0; });
    for (const Waiting& waiting : revoked) known_.erase(waiting.id);
  }
  const Error error{.code = Code::Unauthorized, .doing = std::string("the execution did not start: ") + kWhy};
  for (Waiting& waiting : revoked) refuse(std::move(waiting.reply), 401, error);
}

void Engine::handle(const http::Question& question, std::vector<base::Fd> fds) {
  using Kind = http::Question::Kind;
  if (fds.size() != http::descriptors_of(question.kind)) return odd_message();
  const std::string from = caller(question.token, question.token_id);
  switch (question.kind) {
    case Kind::Exec:
      return exec(from, std::move(fds[0]), std::move(fds[1]));
    case Kind::Cancel:
      return cancel(from, question.id, std::move(fds[0]));
    case Kind::Input:
      return input(from, question.id, std::move(fds[0]));
    case Kind::Health:
    case Kind::Metrics: {
      ReplyWriter reply(std::move(fds[0]));
      reply.status(200);
      if (question.kind == Kind::Health)
        reply.line({{"event", "result"}, {"body", health()}});
      else
        reply.line({{"event", "result"}, {"text", metrics()}});
      return flusher_.add(std::move(reply));
    }
    case Kind::Listening:
    case Kind::Configured:
      return odd_message();  // the server's own affair (serve.cc)
  }
}

// Who has taken the http process over does not fill the log.
void Engine::odd_message(std::string_view why) {
  const std::int64_t now = base::monotonic_us();
  if (const std::uint64_t more = odd_lines_.left_out(now); more > 0)
    spdlog::error("http sent {} more such messages", more);
  if (odd_lines_.spend(now)) spdlog::error("http sent a message that {}", why);
}

void Engine::exec(const std::string& token, base::Fd body, base::Fd reply) {
  Waiting waiting;
  waiting.reply = ReplyWriter(std::move(reply));
  const auto id = random_hex(8);
  auto cancellation = std::make_shared<Cancellation>();
  cancellation->event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!id.ok() || !cancellation->event)
    return refuse(std::move(waiting.reply), 500, id.ok() ? layer_error("run", "eventfd", errno) : id.error());
  waiting.id = *id;
  waiting.token = token;
  waiting.queued_us = base::monotonic_us();
  waiting.body = std::move(body);
  waiting.cancellation = cancellation;
  waiting.input = std::make_shared<InputDoor>();
  if (!accepts(token))  // revoked since http looked
    return refuse(std::move(waiting.reply), 401, Error{.code = Code::Unauthorized, .doing = "the token was revoked"});
  if (const auto busy = admit(waiting)) refuse(std::move(waiting.reply), *busy);
}

// nullopt: it waits in the queue.
std::optional<Busy> Engine::admit(Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  // The bodies of callers that are gone would stay in memory until it is their turn.
  for (const Waiting& gone : queue_.withdraw([](const Waiting& one) { return one.reply.gone(); }))
    known_.erase(gone.id), ++finished_["CANCELLED"];
  if (drained_until_us_ > base::monotonic_us()) return draining();
  if (no_slot_serves()) return none_in_service();
  const Known known{waiting.token, "", waiting.cancellation, waiting.input};
  const std::string id = waiting.id;
  switch (queue_.put(waiting)) {
    case Queue::Put::Waits:
      known_[id] = known;
      start_what_is_needed();
      return std::nullopt;
    case Queue::Put::QueueFull:
      return queue_full();
    case Queue::Put::TokenFull:
      return token_full(site_.config.queue_per_token);
    case Queue::Put::Closed:
      break;
  }
  return stopping(kStops);
}

void Engine::drain_for(std::int64_t us) {
  const std::lock_guard lock(mutex_);
  drained_until_us_ = us > 0 ? base::monotonic_us() + us : 0;
}

std::vector<Engine::Going> Engine::going() const {
  const std::lock_guard lock(mutex_);
  std::vector<Going> all;
  for (const auto& [id, one] : known_) all.push_back({id, one.token, one.script});
  return all;
}

std::optional<Engine::Known> Engine::known(const std::string& token, const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto found = known_.find(id);
  if (found == known_.end() || found->second.token != token) return std::nullopt;
  return found->second;
}

void Engine::cancel(const std::string& token, const std::string& id, base::Fd reply_socket) {
  ReplyWriter reply(std::move(reply_socket));
  const auto execution = known(token, id);
  if (!execution) return refuse(std::move(reply), 404, no_such_execution());
  {
    const std::lock_guard lock(mutex_);
    execution->cancellation->tell("the caller ended it");
  }
  reply.status(200);
  reply.line({{"event", "result"}, {"body", {{"id", id}}}});
  flusher_.add(std::move(reply));
}

void Engine::input(const std::string& token, const std::string& id, base::Fd connection) {
  const auto execution = known(token, id);
  const auto put = execution ? execution->input->put(connection) : InputDoor::Put::NotOpen;
  if (put == InputDoor::Put::Taken) return;
  if (!execution) return refuse(ReplyWriter(std::move(connection)), 404, no_such_execution());
  const bool occupied = put == InputDoor::Put::Occupied;
  refuse(ReplyWriter(std::move(connection)), 409,
         Error{.code = Code::BadRequest,
               .doing = occupied ? "this execution has its standard input already"
                                 : "this execution reads no standard input, or has ended",
               .hint = occupied ? "send it in one request" : "ask for it with \"stdin\": true in POST /v1/exec"});
}

}  // namespace band::run
