// Counts the warm sandboxes, limits the number that exist at a time, and counts how they ended. A warm sandbox is made
// ahead of the request that it serves (docs/architecture.md 2). Thread-safe.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace band::run {

// How a warm sandbox ended.
enum class Fate {
  Used,
  Expired,    // no matching request arrived in time, or it made room for another one, because the limit was reached
  Displaced,  // its slot was needed for a request with another recipe (server/execution/recipe.h)
  Stale,      // files of the machine have changed since it was made, or one of its processes exited
  Failed,     // it could not be made
};
inline constexpr std::array<std::string_view, 5> kFates{"used", "expired", "displaced", "stale", "failed"};

class WarmBudget {
 public:
  explicit WarmBudget(int most) : most_(most) {}

  // Call it before a warm sandbox is made: counts the sandbox, until ended() is called for it. Returns false, and
  // counts nothing, when the limit is reached or the machine lacks memory; the sandbox must then not be made.
  bool take();
  void ended(Fate fate);
  void started_cold() { ++cold_; }  // counts an execution that found no warm sandbox and could have used one

  bool full() const { return count_ >= most_; }
  int most() const { return most_; }
  int count() const { return count_; }
  std::string metrics() const;  // lines for GET /v1/metrics

 private:
  const int most_;
  std::atomic<int> count_ = 0;
  std::atomic<std::uint64_t> cold_ = 0;
  std::array<std::atomic<std::uint64_t>, kFates.size()> fates_{};
};

// `meminfo`: the text of /proc/meminfo (proc_meminfo(5)). Returns true when at least 256 MiB and at least a tenth of
// the machine's memory are available. Returns false also when the text lacks these values.
bool has_memory_for_warm(std::string_view meminfo);

}  // namespace band::run
