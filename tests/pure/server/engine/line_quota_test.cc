#include "server/base/line_quota.h"

#include <doctest/doctest.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/engine/executions_log.h"

using namespace band;

TEST_CASE("a second has a limited number of lines; the others are counted, and the count is reported once") {
  base::LineQuota quota(3);
  std::int64_t now = 5'000'000;
  int written = 0;
  for (int i = 0; i < 10; ++i) written += quota.spend(now + i) ? 1 : 0;
  CHECK(written == 3);
  CHECK(quota.left_out(now + 500'000) == 0);  // their second has not ended
  CHECK(quota.left_out(now + 1'100'000) == 7);
  CHECK(quota.left_out(now + 1'100'000) == 0);
  now += 1'200'000;
  for (int i = 0; i < 3; ++i) CHECK(quota.spend(now));
  CHECK(!quota.spend(now));
  CHECK(quota.pending());
  CHECK(!quota.idle(now + 2'000'000));
  CHECK(quota.left_out(now + 2'000'000) == 1);
  CHECK(quota.idle(now + 2'000'000));
}

TEST_CASE("lines about executions have a separate file that rotates itself; without one they are in the log") {
  char name[] = "/tmp/band-executions-XXXXXX";
  REQUIRE(::mkdtemp(name) != nullptr);
  const std::string directory = name, file = directory + "/executions.log", older = directory + "/executions.1.log";
  CHECK(&run::executions_log() == spdlog::default_logger_raw());
  REQUIRE(::symlink("/dev/null", (directory + "/link.log").c_str()) == 0);
  CHECK(!run::open_executions_log(directory + "/link.log").ok());
  REQUIRE(run::open_executions_log(file, 4096).ok());
  CHECK(&run::executions_log() != spdlog::default_logger_raw());
  for (int i = 0; i < 200; ++i) run::executions_log().info("exec id={} outcome=OK", i);
  std::stringstream text;
  text << std::ifstream(file).rdbuf();
  CHECK(text.str().find("exec id=199 outcome=OK\n") != std::string::npos);
  struct stat info {};
  for (const std::string& each : {file, older}) {
    REQUIRE(::stat(each.c_str(), &info) == 0);
    CHECK(info.st_size <= 4096);
    CHECK((info.st_mode & 07777) == 0640);
  }
  CHECK(std::distance(std::filesystem::directory_iterator(directory), std::filesystem::directory_iterator()) == 3);
  spdlog::drop("executions");
  std::filesystem::remove_all(directory);
}
