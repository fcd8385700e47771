// Starts the slots (the places for one execution at a time): the first one before the server serves, the others when
// they are needed, in parallel. A slot serves only after it has passed its self-check.
//
// Not all slots are started with the server, because starting a slot (namespaces, firewall, self-check) takes about
// 60 ms of processor time. A server that first started all of its 256 slots gave its first answer after 17 s.
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
    int count = 1;                                      // maximum number of slots, at least 1
    int spare = 2;                                      // number of idle slots that are started in advance
    int side_by_side = 2;                               // concurrent starts, at least 1
    std::chrono::milliseconds between_attempts{1'000};  // pause after a failed start of a slot
  };
  // Starts slot `index` (from 0), and returns when the slot serves or has failed. Several threads call this function
  // concurrently, with different indexes. If a start fails, the function is called again with the same index.
  using Start = std::function<Status(int index)>;
  // Called when the first attempt to start a slot has failed, except for slot 0. State::failing then already includes
  // this slot.
  using Failed = std::function<void()>;

  Starter(Bounds bounds, Start start, Failed failed);
  ~Starter() { stop(); }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  // Starts slot 0 on the calling thread, without a retry. The caller ends the server on an error, so that a missing
  // feature of the machine is found before the first request.
  Status first();
  // Starts the threads that start the other slots. Call it once, after first().
  void others();
  // `busy`: number of started slots that are not free. `waiting`: number of requests without a slot. Makes the threads
  // start slots until busy + waiting + Bounds::spare slots are started, at most Bounds::count. A slot whose start fails
  // does not count as started, so another slot is started in its place. Never ends a started slot.
  void needs(int busy, int waiting);
  // Starts no further slots, and waits for the starts in progress. Idempotent.
  void stop();
  struct State {
    int started = 0;              // slots that serve, or have served
    int failing = 0;              // slots whose start has failed and is retried; 0 after stop()
    bool can_start_more = false;  // a slot is being started for the first time, or can be started
  };
  State state() const;

 private:
  void work();
  bool lacks_one() const;  // requires mutex_
  void start_until_it_serves(int index);
  void count(const State& more);
  bool stops_within(std::chrono::milliseconds wait);  // returns true immediately after stop() was called

  const Bounds bounds_;
  const Start start_;
  const Failed failed_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  int next_ = 0;  // index of the next slot to start
  int started_ = 0, failing_ = 0;
  int needed_ = 0;  // how many slots should be started; failing slots are not part of this number
  bool stopping_ = false;
};

}  // namespace band::run
