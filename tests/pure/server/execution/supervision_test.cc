#include "server/execution/supervision.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::run;

namespace {

constexpr std::int64_t kStart = 1'000'000, kSecond = 1'000'000;

Error broken() { return layer_error("gateway", "its process ended", 0); }

// An execution whose script runs, for at most `max_runtime_ms`.
Supervision running(std::int64_t max_runtime_ms = 60'000) {
  Supervision supervision(max_runtime_ms, kStart);
  for (const Part part : {Part::Commands, Part::Network, Part::View}) (void)supervision.on(PartReady{part}, kStart);
  (void)supervision.on(ScriptStarted{}, kStart);
  return supervision;
}

template <class T>
bool ended_as(const Supervision& supervision) {
  return supervision.ended() && std::holds_alternative<T>(supervision.course().ending);
}

}  // namespace

TEST_CASE("the script is sent once, when view, commands and network are ready, in any order") {
  const Part orders[][3] = {{Part::View, Part::Commands, Part::Network},
                            {Part::Network, Part::Commands, Part::View},
                            {Part::Commands, Part::View, Part::Network}};
  for (const auto& order : orders) {
    Supervision supervision(1'000, kStart);
    CHECK(supervision.on(PartReady{order[0]}, kStart) == Action::None);
    CHECK(supervision.on(PartReady{order[1]}, kStart) == Action::None);
    CHECK(supervision.on(PartReady{order[1]}, kStart) == Action::None);
    CHECK(supervision.on(PartReady{order[2]}, kStart) == Action::StartScript);
    for (const Part part : order) CHECK(supervision.on(PartReady{part}, kStart) == Action::None);
  }
}

TEST_CASE("the script is not sent after the end") {
  Supervision supervision(1'000, kStart);
  (void)supervision.on(PartReady{Part::Commands}, kStart);
  (void)supervision.on(PartReady{Part::Network}, kStart);
  (void)supervision.on(PartFailed{broken()}, kStart);
  REQUIRE(ended_as<SetupFailed>(supervision));
  CHECK(supervision.on(PartReady{Part::View}, kStart) == Action::None);
}

TEST_CASE("a boost ends once, when the script has run for its time, and not after the end") {
  Supervision supervision = running();
  CHECK(supervision.next_tick_us() == kStart + Supervision::kBoostUs);
  CHECK(supervision.on(Tick{}, kStart + Supervision::kBoostUs - 1) == Action::None);
  CHECK(supervision.on(Tick{}, kStart + Supervision::kBoostUs) == Action::EndBoost);
  CHECK(supervision.on(Tick{}, kStart + kSecond) == Action::None);
  CHECK(supervision.next_tick_us() == kStart + 60 * kSecond);

  Supervision short_one = running();
  (void)short_one.on(ScriptEnded{Exited{0}, 7}, kStart + 1);
  CHECK(short_one.on(Tick{}, kStart + kSecond) == Action::None);
}

TEST_CASE("a boost does not end before the script starts, and a time limit shorter than a boost is enforced") {
  Supervision preparing(60'000, kStart);
  CHECK(preparing.on(Tick{}, kStart + kSecond) == Action::None);
  Supervision hasty = running(50);
  CHECK(hasty.on(Tick{}, kStart + 50'000) == Action::Terminate);
}

TEST_CASE("the first of two endings is kept, for each pair of endings") {
  const Event endings[] = {ScriptEnded{Exited{0}, 7}, PartFailed{broken()}, PartFailed{broken(), true}};
  for (const Event& first : endings)
    for (const Event& second : endings) {
      Supervision supervision = running();
      (void)supervision.on(first, kStart);
      REQUIRE(supervision.ended());
      const std::size_t ending = supervision.course().ending.index();
      const std::int64_t cpu = supervision.course().cpu_us;
      CHECK(supervision.on(second, kStart) == Action::None);
      CHECK(supervision.course().ending.index() == ending);
      CHECK(supervision.course().cpu_us == cpu);
    }
}

TEST_CASE("a failure of the gateway fails the run, even if the script exits with 0 at the same time") {
  Supervision supervision = running();
  (void)supervision.on(PartFailed{broken()}, kStart);
  (void)supervision.on(ScriptEnded{Exited{0}, 0}, kStart);
  CHECK(ended_as<SetupFailed>(supervision));
}

TEST_CASE(
    "a script over its time limit gets SIGTERM once and one second of grace, and is TimedOut with any exit code") {
  Supervision supervision = running(2'000);
  CHECK(supervision.on(Tick{}, kStart + 2 * kSecond - 1) == Action::EndBoost);
  CHECK(supervision.on(Tick{}, kStart + 2 * kSecond) == Action::Terminate);
  CHECK(supervision.stopping());
  CHECK(supervision.on(CancelAsked{"the caller ended it"}, kStart + 2 * kSecond) == Action::None);
  SUBCASE("it exits by itself") { (void)supervision.on(ScriptEnded{Exited{0}, 0}, kStart + 2 * kSecond + 5); }
  SUBCASE("it does not exit") {
    CHECK(supervision.on(Tick{}, kStart + 3 * kSecond - 1) == Action::None);
    CHECK(!supervision.ended());
    CHECK(supervision.on(Tick{}, kStart + 3 * kSecond) == Action::None);
  }
  CHECK(ended_as<TimedOut>(supervision));
}

TEST_CASE(
    "a cancellation or disconnect ends an execution immediately before the script has started, later by SIGTERM") {
  const Event by_itself = ScriptEnded{Killed{15}, 0}, too_late = Tick{};
  for (const Event& cancels : {Event(CancelAsked{"why"}), Event(ClientGone{})}) {
    Supervision waiting(1'000, kStart);
    CHECK(waiting.on(cancels, kStart) == Action::None);
    CHECK(ended_as<Cancelled>(waiting));
    for (const Event& end : {by_itself, too_late}) {
      Supervision supervision = running();
      CHECK(supervision.on(cancels, kStart) == Action::Terminate);
      CHECK(supervision.on(cancels, kStart) == Action::None);
      CHECK(supervision.on(Tick{}, kStart + kSecond - 1) != Action::Terminate);
      CHECK(!supervision.ended());
      (void)supervision.on(end, kStart + kSecond);
      CHECK(ended_as<Cancelled>(supervision));
    }
  }
}

TEST_CASE("a second report of the start does not restart the time limit") {
  Supervision supervision = running(2'000);
  (void)supervision.on(ScriptStarted{}, kStart + kSecond);
  CHECK(supervision.on(Tick{}, kStart + 2 * kSecond) == Action::Terminate);
}

TEST_CASE("a process that only the kernel can have killed is Killed while the script runs, and SetupFailed before it") {
  Supervision early(1'000, kStart);
  (void)early.on(PartFailed{broken(), true}, kStart);
  CHECK(ended_as<SetupFailed>(early));
  Supervision supervision = running();
  (void)supervision.on(PartFailed{broken(), true}, kStart);
  CHECK(ended_as<Killed>(supervision));
}

TEST_CASE("a sandbox that does not start within the timeout is SetupFailed") {
  Supervision supervision(1'000, kStart);
  CHECK(supervision.on(Tick{}, supervision.next_tick_us() - 1) == Action::None);
  CHECK(!supervision.ended());
  (void)supervision.on(Tick{}, supervision.next_tick_us());
  CHECK(ended_as<SetupFailed>(supervision));
}
