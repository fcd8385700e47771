#include "server/engine/warm_budget.h"

#include <algorithm>
#include <charconv>

#include "server/base/io.h"

namespace band::run {
namespace {

constexpr std::int64_t kLeastKiB = 256 << 10;

// "MemAvailable:   23917004 kB". Returns -1 when there is no such line.
std::int64_t kib_of(std::string_view meminfo, std::string_view name) {
  std::size_t at = meminfo.find(name);
  if (at == std::string_view::npos || (at > 0 && meminfo[at - 1] != '\n')) return -1;
  at = meminfo.find_first_not_of(' ', at + name.size());
  std::int64_t value = -1;
  if (at != std::string_view::npos) std::from_chars(meminfo.data() + at, meminfo.data() + meminfo.size(), value);
  return value;
}

}  // namespace

bool has_memory_for_warm(std::string_view meminfo) {
  const std::int64_t total = kib_of(meminfo, "MemTotal:"), available = kib_of(meminfo, "MemAvailable:");
  return total > 0 && available >= std::max(kLeastKiB, total / 10);
}

bool WarmBudget::take() {
  const auto meminfo = base::read_file("/proc/meminfo", 64 << 10);
  if (!meminfo.ok() || !has_memory_for_warm(*meminfo)) return false;
  if (++count_ <= most_) return true;
  --count_;
  return false;
}

void WarmBudget::ended(Fate fate) {
  --count_;
  ++fates_[static_cast<std::size_t>(fate)];
}

std::string WarmBudget::metrics() const {
  std::string text = "# TYPE band_warm_sandboxes gauge\nband_warm_sandboxes " + std::to_string(count_) +
                     "\n# TYPE band_warm_sandboxes_ended_total counter\n";
  for (std::size_t i = 0; i < kFates.size(); ++i)
    text +=
        "band_warm_sandboxes_ended_total{fate=\"" + std::string(kFates[i]) + "\"} " + std::to_string(fates_[i]) + "\n";
  return text + "# TYPE band_cold_starts_total counter\nband_cold_starts_total " + std::to_string(cold_) + "\n";
}

}  // namespace band::run
