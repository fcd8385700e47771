#include "client/platform/files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <memory>

using namespace band::client;

using File = std::unique_ptr<FILE, int (*)(FILE*)>;

TEST_CASE("a file's modification time has its nanoseconds") {
  const File file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  const std::timespec times[] = {{0, UTIME_OMIT}, {1'600'000'000, 123'456'000}};
  REQUIRE(::futimens(::fileno(file.get()), times) == 0);
  struct ::stat found = {};
  REQUIRE(::fstat(::fileno(file.get()), &found) == 0);
  CHECK(modification_time(found).tv_sec == 1'600'000'000);
  CHECK(modification_time(found).tv_nsec == 123'456'000);
}

TEST_CASE("a file can be synced, and a closed descriptor is an error") {
  const File file(std::tmpfile(), std::fclose);
  REQUIRE(file);
  CHECK(sync_file(::fileno(file.get())) == 0);
  CHECK(sync_file(-1) == -1);
}
