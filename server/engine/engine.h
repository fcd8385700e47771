// The engine: slots (a thread each), the queue in front of them, and the conversation with the http process.
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

// A caller is its token: a token that was removed and made again under the same name has another id.
inline std::string caller(const std::string& token_name, const std::string& token_id) {
  return token_name + "/" + token_id;
}

// What becomes of the executions of others, running and waiting.
enum class Others { Finish, End };

class Engine {
 public:
  Engine(Site site, slot::Config slots);
  ~Engine() { stop("the server stops"); }

  // Starts the first slot; its error is the server's. The others follow when they are needed; one that cannot be
  // started is out of service, and tried again every second: there is no degraded mode.
  Status start();
  // Ends what waits and what runs, answers all, and joins the threads. Idempotent.
  void stop(const std::string& why);

  // After start(), once, and before the first message: no execution is to reach this port, which the configuration may
  // leave open (0).
  void listens_on(std::uint16_t port);

  // Only these callers start anything from now on.
  void accept_only(std::set<std::string> callers, Others others);

  // For so many microseconds no execution is accepted (Code::ServerBusy); those that wait and run go on. 0: they are
  // accepted again.
  void drain_for(std::int64_t us);
  struct Going {
    std::string id, token, script;  // `script` is empty until it starts
  };
  std::vector<Going> going() const;  // waiting and running, by id

  // How many tokens there are: with one, it may hold every slot at a time; else each at most all but one, unless
  // `slots.per_token` is configured. Nothing that runs is ended for it.
  void serves_tokens(int count);

  // One message of the http process, which is not trusted: with other descriptors than it should have it is dropped.
  void handle(const http::Question& question, std::vector<base::Fd> fds);
  // One that was dropped: at most ten lines a second in the log.
  void odd_message(std::string_view why = "is malformed or unknown");

 private:
  void exec(const std::string& token, base::Fd body, base::Fd reply);
  void cancel(const std::string& token, const std::string& id, base::Fd reply);
  void input(const std::string& token, const std::string& id, base::Fd connection);
  bool accepts(const std::string& token) const;
  Json health() const;
  std::string metrics() const;

  std::optional<Busy> admit(Waiting& waiting);
  // An execution that waits or runs. Another caller's is none.
  struct Known {
    std::string token, script;  // `script` is empty until it starts
    std::shared_ptr<Cancellation> cancellation;
    std::shared_ptr<InputDoor> input;
  };
  std::optional<Known> known(const std::string& token, const std::string& id) const;

  Status start_slot(int index);
  void slot_thread(int index, std::promise<Status> made);
  void serve_slot(slot::Slot& slot);
  // What a slot has made ahead, for the next execution with this recipe.
  struct Warm {
    std::unique_ptr<Prepared> sandbox;  // null: nothing
    Recipe recipe;
    policy::SandboxPlan plan;
    std::int64_t since_us = 0;
  };
  struct Remains {
    Dying dying;
    bool had_network = false;
    std::optional<policy::SandboxPlan> plan;  // of Outcome
    std::unique_ptr<Prepared> mounts;         // the same
  };
  static bool is_for(const Warm& warm, const Waiting& waiting);
  // These four return false when the slot never serves again.
  bool take_turn(slot::Slot& slot, const Seat& seat, Warm& warm, Waiting waiting);
  bool use_or_discard(Warm& warm, const Waiting& waiting, std::unique_ptr<Prepared>& sandbox);
  bool discard(Warm& warm, Fate fate);
  bool make_warm(slot::Slot& slot, Warm& warm, Recipe recipe, policy::SandboxPlan plan);
  bool read(Waiting& waiting);  // false: it has its answer
  Remains serve_one(slot::Slot& slot, Waiting waiting, Boost& boost,
                    std::unique_ptr<Prepared> warm);  // the answer is out
  // What recovery.h decides, until the slot serves again. `token`: that held the slot; none: nobody did. False: it
  // never will.
  bool recover(const std::optional<std::string>& token, Remains remains);
  Recovery::Event carry_out(Recovery::Action action, bool in_service, const std::optional<std::string>& token,
                            Dying& dying);
  void forget(const Waiting& waiting, const std::string& outcome);
  bool renew_network(bool in_service);
  void out_of_service(bool out);  // a slot that has been started
  void refuse_where_none_serves();
  void start_what_is_needed();  // under the mutex, as is the next one
  bool no_slot_serves() const;  // nor will one that is started now
  void count_phases(const Metrics& of);
  void refuse(ReplyWriter reply, int http_status, const Error& error);
  void refuse(ReplyWriter reply, const Busy& busy);
  bool stops_within(std::chrono::milliseconds wait);  // true: at once, when the server stops meanwhile

  Site site_;
  slot::Config slot_config_;
  const JsonValue ceiling_;  // as /v1/health shows it
  Queue queue_;
  Boosts boosts_;
  Flusher flusher_;
  WarmBudget warm_budget_;
  base::LineQuota odd_lines_{10};       // of the thread that calls handle()
  mutable std::mutex mutex_;            // of what follows
  std::map<std::string, Known> known_;  // by id
  std::vector<std::thread> threads_;
  std::condition_variable stops_;
  std::set<std::string> callers_;
  bool stopping_ = false;
  std::int64_t stopped_us_ = 0, drained_until_us_ = 0;
  // `out`: of the slots that were started, those that wait for the end of a dying execution, or for a network
  // namespace.
  const int slots_;
  int slots_busy_ = 0, slots_out_ = 0;
  std::map<std::string, std::int64_t> finished_;  // by outcome: "OK", "TIMEOUT", ...
  std::map<std::string, double> phases_ms_;       // what the time of executions went to: "queue", "setup", ...
  StepTimes steps_ms_;                            // the same by steps
  double busy_seconds_ = 0;
  const std::int64_t began_us_;
  Starter starter_;  // the last: its threads use the others
};

}  // namespace band::run
