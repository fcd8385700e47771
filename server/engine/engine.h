// The engine: the slots (the places for one execution at a time, one thread each), their queue, and the messages
// exchanged with band-http, the process that receives the requests of the clients.
#pragma once

#include <condition_variable>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "server/base/fd.h"
#include "server/base/line_quota.h"
#include "server/engine/busy.h"
#include "server/engine/flusher.h"
#include "server/engine/queue.h"
#include "server/engine/recovery.h"
#include "server/engine/starter.h"
#include "server/engine/warm_budget.h"
#include "server/execution/boosts.h"
#include "server/execution/execution.h"
#include "server/http_link/question.h"
#include "server/slot/slot.h"

namespace band::run {

// Returns the text by which the engine identifies a caller: name and id of its token, not the secret. A token that was
// removed and created again under the same name has another id, so it is another caller. In this file, a parameter or
// member `token` is such a text.
inline std::string caller(const std::string& token_name, const std::string& token_id) {
  return token_name + "/" + token_id;
}

// What accept_only() does with running and queued executions of callers that it no longer accepts.
enum class Others { Finish, End };

class Engine {
 public:
  Engine(Site site, slot::Config slots);
  ~Engine() { stop(kServerStops); }

  // Starts the first slot. An error means that this slot could not be started; the caller then ends the server. The
  // other slots are started when they are needed. A slot that cannot be started is out of service, and its start is
  // retried every second. No slot serves if one of the sandbox's mechanisms (layers) is missing.
  Status start();
  // Ends queued and running executions, sends their answers, and joins the threads. `why` is part of these answers.
  // Idempotent.
  void stop(const std::string& why);

  // Call it once, after start() and before the first call of handle(). `port`: the port on which band-http listens; no
  // execution may connect to this port. The port of the configuration is not sufficient, because it is 0 when the
  // kernel chooses the port. From now on, slots other than the first can be started.
  void listens_on(std::uint16_t port);

  // From now on only these callers (see caller()) can start executions.
  void accept_only(std::set<std::string> callers, Others others);

  // Removes the waiting requests whose clients have disconnected: otherwise their bodies would stay in memory, and
  // their places in the queue would be taken, until their turn. Call it once a second; each new request does the same.
  void drop_gone();
  // Refuses new executions for `us` microseconds (Code::ServerBusy); waiting and running executions continue. 0:
  // accepts new executions again.
  void drain_for(std::int64_t us);
  struct Going {
    std::string id, token, script;  // `script` is empty until the execution starts
  };
  std::vector<Going> going() const;  // the waiting and the running executions, sorted by id

  // Call it when the number of tokens changes. Sets how many slots the executions of one token may occupy at a time.
  // This is `slots.per_token` if it is configured. Otherwise it is all slots when there is one token, and all slots but
  // one when there are more tokens. Running executions are not ended.
  void serves_tokens(int count);

  // Call it each second. Returns memory of ended executions to the kernel, at most every five seconds.
  void trim();

  // Handles one message of band-http. Does not block, and must always be called on the same thread. band-http is not
  // trusted: a message with a wrong number of descriptors is dropped and logged.
  void handle(const http::Question& question, std::vector<base::Fd> fds);
  // Logs that a message was dropped, at most ten lines a second.
  void odd_message(std::string_view why = "is malformed or unknown");

 private:
  void exec(const std::string& token, bool events, base::Fd body, base::Fd reply);
  void cancel(const std::string& token, const std::string& id, base::Fd reply);
  void input(const std::string& token, const std::string& id, base::Fd connection);
  bool accepts(const std::string& token) const;
  Json health(const std::string& token) const;
  std::string metrics() const;

  std::optional<Busy> admit(Waiting& waiting);
  void withdraw_gone();  // requires mutex_
  // A waiting or running execution.
  struct Known {
    std::string token, script;  // `script` is empty until the execution starts
    std::int64_t since_us = 0;  // when the request arrived (monotonic_us)
    std::shared_ptr<Cancellation> cancellation;
    std::shared_ptr<InputDoor> input;
  };
  // Returns nullopt when there is no such execution, or when it belongs to another caller.
  std::optional<Known> known(const std::string& token, const std::string& id) const;

  // The warm sandbox of a slot: it is made ahead, for the next request with the recipe `recipe`. A recipe consists of
  // the token, the rules, and whether the request has standard input (server/execution/recipe.h).
  struct Warm {
    std::unique_ptr<Prepared> sandbox;  // null: none
    Recipe recipe;
    policy::SandboxPlan plan;
    std::int64_t since_us = 0;
  };
  // What the thread of a slot keeps between executions.
  struct Kept {
    slot::Slot slot;
    SlotMounts mounts;
    Warm warm;
  };
  Status start_slot(int index);
  void slot_thread(int index, std::promise<Status> made);
  Result<Kept> enter_slot(int index);  // returns only when the slot may serve; call it on the slot's thread
  void serve_slot(Kept kept);
  // What an execution leaves to its slot.
  struct Remains {
    Dying dying;
    bool had_network = false;
    std::optional<policy::SandboxPlan> plan;  // from Outcome
    std::unique_ptr<Prepared> rest;           // from Outcome
  };
  static bool is_for(const Warm& warm, const Waiting& waiting);
  // The next four functions return false when the slot must never serve again; its thread then ends.
  bool take_turn(Kept& kept, const Seat& seat, Waiting waiting);
  bool use_or_discard(Warm& warm, const Waiting& waiting, std::unique_ptr<Prepared>& sandbox);
  bool discard(Warm& warm, Fate fate);
  bool make_warm(Kept& kept, Recipe recipe, policy::SandboxPlan plan);
  bool read(Waiting& waiting);  // false: the request was refused, or its client has disconnected
  // Runs the execution and sends its answer.
  Remains serve_one(Kept& kept, Waiting waiting, Boost& boost, std::unique_ptr<Prepared> warm);
  // Carries out the decisions of recovery.h until the slot serves again. `token`: the token whose execution occupied
  // the slot; nullopt: no execution did. Returns false when the slot must never serve again.
  bool recover(const std::optional<std::string>& token, Remains remains);
  Recovery::Event carry_out(Recovery::Action action, bool in_service, const std::optional<std::string>& token,
                            Dying& dying);
  void end_before_start(Waiting waiting);  // answers a request that was cancelled, and for which no sandbox was made
  void forget(const Waiting& waiting, const std::string& outcome);
  bool renew_network(bool in_service);
  void out_of_service(bool out);  // true: a started slot left service; false: it is in service again
  void refuse_where_none_serves();
  void start_what_is_needed();  // requires mutex_; no_slot_serves() requires it, too
  bool no_slot_serves() const;  // true if no slot serves and no slot is being started
  void count_phases(const Metrics& of);
  void refuse(ReplyWriter reply, int http_status, const Error& error);
  void refuse(ReplyWriter reply, const Busy& busy);
  bool stops_within(std::chrono::milliseconds wait);  // returns true immediately when the server stops

  Site site_;
  slot::Config slot_config_;
  const JsonValue ceiling_;  // in the form of /v1/health
  Queue queue_;
  Boosts boosts_;
  Flusher flusher_;
  WarmBudget warm_budget_;
  base::LineQuota odd_lines_{10};       // used only by the thread that calls handle()
  mutable std::mutex mutex_;            // guards the members below
  std::map<std::string, Known> known_;  // by id
  std::vector<std::thread> threads_;
  std::condition_variable stops_;
  std::set<std::string> callers_;
  bool stopping_ = false;
  std::int64_t stopped_us_ = 0, drained_until_us_ = 0;
  bool ended_since_trim_ = false;  // a slot has freed the memory of a request since the last trim()
  std::int64_t trimmed_us_ = 0;
  // slots_out_: started slots that are out of service, because they wait until all processes of their previous
  // execution are reaped, or for a new network namespace.
  const int slots_;
  int slots_busy_ = 0, slots_out_ = 0;
  std::map<std::string, std::int64_t> finished_;  // by outcome: "OK", "TIMEOUT", ...
  std::map<std::string, double> phases_ms_;       // time of executions by phase: "queue", "setup", ...
  StepTimes steps_ms_;                            // time of executions by step
  double busy_seconds_ = 0;
  const std::int64_t began_us_;
  Starter starter_;  // the last member, because its threads use the other members
};

}  // namespace band::run
