// Starts the slots: the first one before the server serves, the others when they are needed, side by side.
//
// The start of a slot costs some 60 ms of a processor (namespaces, firewall, self-check): 17 s for 256 slots. A slot
// serves when it has passed its self-check, and not before.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "schemas/core/result.h"

namespace band::run {

class Starter {
 public:
  struct Bounds {
    int count = 1;         // slots at most, at least 1
    int spare = 2;         // slots that are started before a request needs them
    int side_by_side = 2;  // starts at a time, at least 1
    std::chrono::milliseconds between_attempts{1'000};
  };
  // Starts slot `index`, from 0, and returns when it serves or has failed. Called on several threads at a time, with
  // different indexes, and again with an index that failed.
  using Start = std::function<Status(int index)>;
  // Called when the first attempt at a slot has failed, and state() counts it.
  using Failed = std::function<void()>;

  Starter(Bounds bounds, Start start, Failed failed);
  ~Starter() { stop(); }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  // Starts slot 0. Its error is the server's: what this machine lacks is found before the first request.
  Status first();
  // From now on the others are started. After first(), once.
  void others();
  // `busy` slots have, or have not yet given up, an execution, and `waiting` requests have none: as many and the spare
  // ones are started beside those that fail, up to the count. Slots that have been started stay.
  void needs(int busy, int waiting);
  // Starts no more, and waits for the starts that have begun. Idempotent.
  void stop();
  struct State {
    int started = 0;              // slots that serve, or have served
    int failing = 0;              // that could not be started yet; none once it is stopped
    bool can_start_more = false;  // one is being started, or can be begun
  };
  State state() const;

 private:
  void work();
  bool lacks_one() const;  // under the mutex
  void start_until_it_serves(int index);
  void count(const State& more);
  bool stops_within(std::chrono::milliseconds wait);  // true: at once, when it is stopped meanwhile

  const Bounds bounds_;
  const Start start_;
  const Failed failed_;
  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  int next_ = 0;  // the index that is started next
  int started_ = 0, failing_ = 0;
  int needed_ = 0;  // beside those that fail
  bool stopping_ = false;
};

}  // namespace band::run
