#include "client/commands/run_hints.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::client;

TEST_CASE("a limit to raise is named as the reader can write it, with a larger value") {
  EffectiveLimits limits;
  limits.maxRuntimeMs = 60'000;
  limits.maxProcesses = 5;
  limits.maxDiskBytes = 64 << 20;
  limits.maxFiles = 1000;
  const auto words = [&](const char* hint, Reader reader) {
    return with_limit_line(hint, reader, "s/BAND.md", limits);
  };
  const char* time = "raise limit.maxRuntimeMs in the band, or do less";
  CHECK(words(time, Reader::CommandLine) == "add `--limit maxRuntimeMs=10m`, or do less");
  CHECK(words(time, Reader::Author) ==
        "raise limit.maxRuntimeMs in s/BAND.md, as in `limit: {maxRuntimeMs: 10m}`, or do less");
  CHECK(words(time, Reader::Agent).starts_with("ask your user to raise limit.maxRuntimeMs in s/BAND.md"));
  CHECK(words("raise limit.maxProcesses in the band", Reader::CommandLine) == "add `--limit maxProcesses=20`");
  CHECK(words("raise limit.maxFiles and limit.maxDiskBytes in BAND.md", Reader::CommandLine) ==
        "add `--limit maxDiskBytes=512m` and add `--limit maxFiles=4000`");
  limits.maxRuntimeMs = 24LL * 3600 * 1000;
  CHECK(words(time, Reader::CommandLine) == "limit.maxRuntimeMs has its maximum, or do less");
  for (const char* other : {"", "ask the operator to raise ceiling.limit.maxRuntimeMs in server.yaml", "raise limit.x"})
    CHECK(words(other, Reader::CommandLine) == other);
}
