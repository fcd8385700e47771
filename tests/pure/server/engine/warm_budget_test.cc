#include "server/engine/warm_budget.h"

#include <doctest/doctest.h>

using namespace band::run;

TEST_CASE("the configured number of warm sandboxes, and another when one has ended") {
  WarmBudget budget(2);
  CHECK(budget.take());
  CHECK_FALSE(budget.full());
  CHECK(budget.take());
  CHECK(budget.full());
  CHECK_FALSE(budget.take());
  CHECK(budget.count() == 2);
  budget.ended(Fate::Used);
  CHECK(budget.take());
  budget.ended(Fate::Stale);
  budget.started_cold();
  CHECK(budget.metrics() ==
        "# TYPE band_warm_sandboxes gauge\nband_warm_sandboxes 1\n"
        "# TYPE band_warm_sandboxes_ended_total counter\n"
        "band_warm_sandboxes_ended_total{fate=\"used\"} 1\n"
        "band_warm_sandboxes_ended_total{fate=\"expired\"} 0\n"
        "band_warm_sandboxes_ended_total{fate=\"displaced\"} 0\n"
        "band_warm_sandboxes_ended_total{fate=\"stale\"} 1\n"
        "band_warm_sandboxes_ended_total{fate=\"failed\"} 0\n"
        "# TYPE band_cold_starts_total counter\nband_cold_starts_total 1\n");
}

TEST_CASE("no warm sandbox when the machine lacks memory, or does not report it") {
  CHECK(has_memory_for_warm("MemTotal:       4000000 kB\nMemFree:  10 kB\nMemAvailable:    400000 kB\n"));
  CHECK_FALSE(has_memory_for_warm("MemTotal:       4000000 kB\nMemFree:  10 kB\nMemAvailable:    399999 kB\n"));
  CHECK(has_memory_for_warm("MemTotal:       1000000 kB\nMemAvailable:    262144 kB\n"));
  CHECK_FALSE(has_memory_for_warm("MemTotal:       1000000 kB\nMemAvailable:    262143 kB\n"));
  CHECK_FALSE(has_memory_for_warm("MemTotal:       4000000 kB\n"));
  CHECK_FALSE(has_memory_for_warm("MemAvailable:    400000 kB\n"));
  CHECK_FALSE(has_memory_for_warm("NotMemTotal: 4000000 kB\nMemAvailable:    400000 kB\n"));
  CHECK_FALSE(has_memory_for_warm(""));
}
