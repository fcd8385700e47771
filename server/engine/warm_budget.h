// How many warm sandboxes there are and may be, and what became of them. Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace band::run {

// What became of a warm sandbox.
enum class Fate {
  Used,
  Expired,    // nobody asked for it in time, or another one needed its place in the budget
  Displaced,  // its slot was needed for other rules
  Stale,      // the machine's files are not those that it was made from, or a process of it ended
  Failed,     // it could not be made
};
inline constexpr std::array<std::string_view, 5> kFates{"used", "expired", "displaced", "stale", "failed"};

class WarmBudget {
 public:
  explicit WarmBudget(int most) : most_(most) {}

  // For one more, until ended(): false when there are as many as may be, or the machine lacks memory.
  bool take();
  void ended(Fate fate);
  void started_cold() { ++cold_; }  // an execution that a warm sandbox could have served

  bool full() const { return count_ >= most_; }
  int most() const { return most_; }
  int count() const { return count_; }
  std::string metrics() const;

 private:
  const int most_;
  std::atomic<int> count_ = 0;
  std::atomic<std::uint64_t> cold_ = 0;
  std::array<std::atomic<std::uint64_t>, kFates.size()> fates_{};
};

// Of /proc/meminfo (proc_meminfo(5)): is a tenth of the memory available, and 256 MiB? False when the text does not
// say.
bool has_memory_for_warm(std::string_view meminfo);

}  // namespace band::run
