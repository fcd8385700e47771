// Starts the slots: the first one before the server serves, the others when they are needed, in parallel.
//
// Starting a slot costs some 60 ms of processor time (namespaces, firewall, self-check): 17 s for 256 slots. A slot
// serves only after it has passed its self-check.
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
    int count = 1;         // maximum number of slots, at least 1
    int spare = 2;         // idle slots that are started in advance
    int side_by_side = 2;  // concurrent starts, at least 1
    std::chrono::milliseconds between_attempts{1'000};
  };
  // Starts slot `index`, from 0, and returns when it serves or has failed. Called concurrently by several threads with
  // different indexes, and again with an index that failed.
  using Start = std::function<Status(int index)>;
  // Called when the first attempt to start a slot has failed and state() counts it.
  using Failed = std::function<void()>;

  Starter(Bounds bounds, Start start, Failed failed);
  ~Starter() { stop(); }
  Starter(const Starter&) = delete;
  Starter& operator=(const Starter&) = delete;

  // Starts slot 0. Its error ends the server: a missing feature of the machine is found before the first request.
  Status first();
  // From now on the others are started. Call it once, after first().
  void others();
  // `busy` slots run an execution or are not yet ready after one; `waiting` requests have no slot. Starts slots up to
  // `count` until busy + waiting + spare are started, not counting those that fail. Started slots stay.
  void needs(int busy, int waiting);
  // Starts no further slots, and waits for the starts in progress. Idempotent.
  void stop();
  struct State {
    int started = 0;              // slots that serve, or have served
    int failing = 0;              // slots that could not be started yet; 0 after stop()
    bool can_start_more = false;  // one is being started, or another can be
  };
  State state() const;

 private:
  void work();
  bool lacks_one() const;  // requires mutex_
  void start_until_it_serves(int index);
  void count(const State& more);
  bool stops_within(std::chrono::milliseconds wait);  // returns true immediately when it is stopped

  const Bounds bounds_;
  const Start start_;
  const Failed failed_;
  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<std::thread> threads_;
  int next_ = 0;  // index of the next slot to start
  int started_ = 0, failing_ = 0;
  int needed_ = 0;  // slots, not counting those that fail
  bool stopping_ = false;
};

}  // namespace band::run
