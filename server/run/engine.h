// The engine: slots (a thread each), the queue in front of them, and the conversation with the http process.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "schemas/json.h"
#include "server/base/channel.h"
#include "server/run/execution.h"
#include "server/run/flusher.h"
#include "server/run/queue.h"
#include "server/slot/slot.h"

namespace band::run {

class Engine {
 public:
  Engine(Site site, slot::Config slots);
  ~Engine() { stop("the server stops"); }

  // Makes every slot; an error of one is an error of all: there is no degraded mode.
  Status start();
  // Ends what waits and what runs, answers all, and joins the threads. Idempotent.
  void stop(const std::string& why);

  // Before the first message: no execution is to reach this port, which the configuration may leave open (0).
  void listens_on(std::uint16_t port) { site_.config.port = port; }

  // Now and then: replaces a slot that was retired.
  void tend();

  // One message of the http process, which is not trusted: what is malformed is dropped, and its descriptors with it.
  void handle(base::Message message);

 private:
  void exec(const std::string& token, base::Fd body, base::Fd reply);
  void cancel(const std::string& token, const std::string& id, base::Fd reply);
  Json health() const;
  std::string metrics() const;

  Status start_slot(int index);
  void slot_thread(int index, std::promise<Status> made);
  void serve_slot(slot::Slot& slot);
  bool serve_one(slot::Slot& slot, Waiting waiting);  // false: the slot is not to be used again

  Site site_;
  slot::Config slot_config_;
  Queue queue_;
  Flusher flusher_;
  mutable std::mutex mutex_;                                                            // of what follows
  std::map<std::string, std::pair<std::string, std::shared_ptr<Cancellation>>> known_;  // id -> token, cancellation
  std::vector<std::thread> threads_;
  int next_index_ = 0;
  bool stopping_ = false;
  int slots_alive_ = 0, slots_busy_ = 0, slots_lost_ = 0;
  std::map<std::string, std::int64_t> finished_;  // by outcome: "OK", "TIMEOUT", ...
  double busy_seconds_ = 0;
  std::int64_t began_us_ = 0;
};

// A slot whose execution could not be killed in time is replaced by a new one with a uid of its own. There are this
// many uids for each configured slot; when they are used up the server goes on with fewer slots.
inline constexpr int kUidsPerSlot = 4;

}  // namespace band::run
