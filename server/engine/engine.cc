#include "server/engine/engine.h"

#include <spdlog/spdlog.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>

#include "schemas/core/json.h"
#include "schemas/wire/wire.h"
#include "server/base/heap.h"
#include "server/base/io.h"
#include "server/engine/busy.h"

namespace band::run {
namespace {

constexpr std::int64_t kTrimUs = 5'000'000;
constexpr std::size_t kMaxShownCeiling = 512u << 10;  // an answer to a health request has at most 1 MiB

// Returns the ceiling in wire form; null when it is too long for an answer.
Json ceiling_to_json(const Rules& ceiling) {
  Json value = rules_to_json(ceiling);
  return json_size(value) <= kMaxShownCeiling ? value : Json();
}

Error no_such_execution() {
  return Error{.code = Code::BadRequest, .doing = "there is no execution with this id: it has ended or never existed"};
}

// Number of slots that are started concurrently. The kernel does most of the work of a start, so more concurrent starts
// than processors would not finish earlier.
int side_by_side() { return std::max(2, static_cast<int>(std::thread::hardware_concurrency())); }

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
          {site_.config.slots, site_.config.spare_slots, side_by_side(), Recovery::kPause},
          [this](int index) { return start_slot(index); }, [this] { refuse_where_none_serves(); }) {}

Status Engine::start() { return starter_.first(); }

void Engine::listens_on(std::uint16_t port) {
  site_.config.port = port;  // set before another thread reads the port
  starter_.others();
}

void Engine::serves_tokens(int count) {
  const int configured = site_.config.slots_per_token, all = site_.config.slots;
  queue_.set_held(configured > 0 ? configured : count > 1 ? all - 1 : all);
}

// Slots that are out of service and slots with a warm sandbox count as busy: the former execute nothing, the latter are
// reserved for the rules of their sandbox.
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

// When no slot serves any more, all waiting requests are refused, because it is unknown how long they would wait.
void Engine::refuse_where_none_serves() {
  std::deque<Waiting> refused;
  {
    const std::lock_guard lock(mutex_);
    if (no_slot_serves()) refused = queue_.drain();
    for (const Waiting& waiting : refused) known_.erase(waiting.id);
  }
  for (Waiting& waiting : refused) refuse(std::move(waiting.reply), none_in_service());
}

// Never blocks: the flusher sends the part of the answer that the peer does not read immediately.
void Engine::refuse(ReplyWriter reply, int http_status, const Error& error) {
  reply.refuse(http_status, error);
  flusher_.add(std::move(reply));
}

void Engine::refuse(ReplyWriter reply, const Busy& busy) {
  reply.refuse(503, busy.error, busy.retry_after_s);
  flusher_.add(std::move(reply));
}

// Answers as for an execution that was cancelled while it ran.
void Engine::end_before_start(Waiting waiting) {
  Answer answer;
  answer.id = waiting.id;
  answer.error = Error{.code = Code::Cancelled, .doing = "the execution did not start: " + waiting.cancellation->why()};
  answer.metrics.queueMs = answer.metrics.totalMs =
      static_cast<double>(base::monotonic_us() - waiting.queued_us) / 1000;
  waiting.reply.status(200);
  waiting.reply.line({{"event", "result"}, {"answer", answer_to_json(std::move(answer))}});
  forget(waiting, std::string(code_name(Code::Cancelled)));
  flusher_.add(std::move(waiting.reply));
}

void Engine::forget(const Waiting& waiting, const std::string& outcome) {
  const std::lock_guard lock(mutex_);
  known_.erase(waiting.id);
  ++finished_[outcome];
}

void Engine::trim() {
  const std::int64_t now = base::monotonic_us();
  {
    const std::lock_guard lock(mutex_);
    if (!ended_since_trim_ || now - trimmed_us_ < kTrimUs) return;
    ended_since_trim_ = false;
    trimmed_us_ = now;
  }
  base::trim_heap();
}

void Engine::stop(const std::string& why) {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (stopped_us_ == 0) stopped_us_ = base::monotonic_us();
    stops_.notify_all();
    for (auto& [id, entry] : known_) {
      entry.cancellation->cancel(why);
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
    queue_.forget_recipes();
    if (others == Others::Finish) return;
    for (auto& [id, entry] : known_)
      if (callers_.count(entry.token) == 0) entry.cancellation->cancel(kWhy);
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
      return exec(from, question.events, std::move(fds[0]), std::move(fds[1]));
    case Kind::Cancel:
      return cancel(from, question.id, std::move(fds[0]));
    case Kind::Input:
      return input(from, question.id, std::move(fds[0]));
    case Kind::Health:
    case Kind::Metrics: {
      ReplyWriter reply(std::move(fds[0]));
      reply.status(200);
      if (question.kind == Kind::Health)
        reply.line({{"event", "result"}, {"body", health(from)}});
      else
        reply.line({{"event", "result"}, {"text", metrics()}});
      return flusher_.add(std::move(reply));
    }
    case Kind::Listening:
    case Kind::Configured:
      return odd_message();  // handled in serve.cc
  }
}

// The number of lines is limited, so that a compromised http process cannot fill the log.
void Engine::odd_message(std::string_view why) {
  const std::int64_t now = base::monotonic_us();
  if (const std::uint64_t more = odd_lines_.left_out(now); more > 0)
    spdlog::error("band-http sent {} more invalid messages", more);
  if (odd_lines_.spend(now)) spdlog::error("band-http sent a message that {}", why);
}

void Engine::exec(const std::string& token, bool events, base::Fd body, base::Fd reply) {
  Waiting waiting;
  waiting.reply = ReplyWriter(std::move(reply));
  if (!events) waiting.reply.omit_events();
  const auto id = random_hex(8);
  auto cancellation = std::make_shared<Cancellation>();
  cancellation->event.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!id.ok() || !cancellation->event)
    return refuse(std::move(waiting.reply), 500,
                  id.ok() ? layer_error("run", "cannot make an eventfd", errno) : id.error());
  waiting.id = *id;
  waiting.token = token;
  waiting.queued_us = base::monotonic_us();
  waiting.body = std::move(body);
  waiting.cancellation = cancellation;
  waiting.input = std::make_shared<InputDoor>();
  if (!accepts(token))  // the token was revoked after band-http had checked it
    return refuse(std::move(waiting.reply), 401, Error{.code = Code::Unauthorized, .doing = "the token was revoked"});
  if (const auto busy = admit(waiting)) refuse(std::move(waiting.reply), *busy);
}

// Returns nullopt when the request waits in the queue.
std::optional<Busy> Engine::admit(Waiting& waiting) {
  const std::lock_guard lock(mutex_);
  withdraw_gone();
  if (drained_until_us_ > base::monotonic_us()) return draining();
  if (no_slot_serves()) return none_in_service();
  const Known known{waiting.token, "", waiting.queued_us, waiting.cancellation, waiting.input};
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
  return stopping(kServerStops);
}

void Engine::withdraw_gone() {
  for (const Waiting& gone : queue_.withdraw([](const Waiting& one) { return one.reply.gone(); }))
    known_.erase(gone.id), ++finished_["CANCELLED"];
}

void Engine::drop_gone() {
  const std::lock_guard lock(mutex_);
  withdraw_gone();
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
  std::deque<Waiting> waited;
  {
    const std::lock_guard lock(mutex_);
    execution->cancellation->cancel("the caller ended it");
    waited = queue_.withdraw([&](const Waiting& waiting) { return waiting.id == id; });
  }
  for (Waiting& waiting : waited) end_before_start(std::move(waiting));
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
               .doing = occupied ? "this execution already has its standard input"
                                 : "this execution reads no standard input, or has ended",
               .hint =
                   occupied ? "send the whole standard input in one request" : "set \"stdin\": true in POST /v1/exec"});
}

}  // namespace band::run
