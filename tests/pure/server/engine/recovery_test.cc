#include "server/engine/recovery.h"

#include <doctest/doctest.h>

using namespace band::run;
using Action = Recovery::Action;

namespace {

constexpr std::int64_t kNow = 1'000'000;

Recovery::Awaited dying() { return {}; }
Recovery::Awaited dying_while_stopping() { return {false, true, kNow}; }

}  // namespace

TEST_CASE("a slot whose execution is dead and had no network serves immediately") {
  Recovery recovery(false, false);
  CHECK(recovery.in_service());
  CHECK(recovery.begin() == Action::ReleaseToken);
  CHECK(recovery.on(Recovery::Released{}, kNow) == Action::Serve);
  CHECK(recovery.in_service());
}

TEST_CASE("a slot is out of service, and its token holds it, until the execution is completely dead, without a limit") {
  Recovery recovery(true, false);
  CHECK(recovery.begin() == Action::AwaitDeath);
  for (int tries = 0; tries < 1000; ++tries) {
    CHECK(recovery.on(dying(), kNow + tries * Recovery::kDeathTimeoutUs) == Action::AwaitDeath);
    CHECK(!recovery.in_service());
  }
  CHECK(recovery.on(Recovery::Awaited{true}, kNow) == Action::ReleaseToken);
  CHECK(recovery.in_service());
  CHECK(recovery.on(Recovery::Released{}, kNow) == Action::Serve);
}

TEST_CASE("a slot that had a network gets a new one before it serves, and after its token is released") {
  Recovery recovery(true, true);
  CHECK(recovery.begin() == Action::AwaitDeath);
  CHECK(recovery.on(Recovery::Awaited{true}, kNow) == Action::ReleaseToken);
  CHECK(recovery.on(Recovery::Released{}, kNow) == Action::RenewNetwork);
  CHECK(recovery.in_service());
  CHECK(recovery.on(Recovery::Renewed{true}, kNow) == Action::Serve);
}

TEST_CASE("a failed repair is retried after a pause, and the slot is out of service until one succeeds") {
  Recovery recovery(false, true);
  REQUIRE(recovery.on(Recovery::Released{}, kNow) == Action::RenewNetwork);
  for (int tries = 0; tries < 1000; ++tries) {
    CHECK(recovery.on(Recovery::Renewed{false}, kNow) == Action::Pause);
    CHECK(!recovery.in_service());
    CHECK(recovery.on(Recovery::Paused{false}, kNow) == Action::RenewNetwork);
    CHECK(!recovery.in_service());
  }
  CHECK(recovery.on(Recovery::Renewed{true}, kNow) == Action::Serve);
  CHECK(recovery.in_service());
}

TEST_CASE("a stopping server does not wait for a repair") {
  Recovery recovery(false, true);
  REQUIRE(recovery.on(Recovery::Released{}, kNow) == Action::RenewNetwork);
  REQUIRE(recovery.on(Recovery::Renewed{false}, kNow) == Action::Pause);
  CHECK(recovery.on(Recovery::Paused{true}, kNow) == Action::Leave);
}

TEST_CASE("a stopping server waits a limited time for dying processes, and their token is released in any case") {
  Recovery patient(true, true);
  CHECK(patient.on(dying_while_stopping(), kNow) == Action::AwaitDeath);
  CHECK(patient.on(dying_while_stopping(), kNow + Recovery::kDeathTimeoutUs - 1) == Action::AwaitDeath);
  CHECK(patient.on(Recovery::Awaited{true, true, kNow}, kNow + Recovery::kDeathTimeoutUs) == Action::ReleaseToken);

  Recovery late(true, true);
  CHECK(late.on(dying_while_stopping(), kNow + Recovery::kDeathTimeoutUs) == Action::Abandon);
  CHECK(late.on(Recovery::Abandoned{}, kNow) == Action::ReleaseToken);
  CHECK(!late.in_service());
  CHECK(late.on(Recovery::Released{}, kNow) == Action::Leave);
}
