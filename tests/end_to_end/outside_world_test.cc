// Tests of the tests' internet: its servers answer real clients on the machine without a sandbox, and it ends with its
// test.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

void answers(const std::string& act, const std::string& with) {
  const Ran ran = outside().shell(act);
  CAPTURE(act);
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, with);
}

}  // namespace

TEST_CASE("each server answers: web, git, PostgreSQL, Redis, ssh, proxy, resolvers, and one that sends first") {
  answers("curl -fsS http://api.example.com/", "api.example.com at 5.5.5.5:80 by HTTP/1.1");
  answers("curl -fsS https://evil.example.com/", "5.5.5.5:443 by HTTP/2.0 sni=evil.example.com");
  answers("curl -fsS https://raw.githubusercontent.com/ann/project/HEAD/docs/read%20me%3F.md", "me, says Ann");
  answers("curl -fsS http://10.20.30.40/ http://169.254.169.254/ http://192.0.2.7/ http://[2606:4700::5]/",
          "[2606:4700::5] at ");
  answers("curl -fsSx 5.5.5.5:3128 https://api.example.com/", "sni=api.example.com");
  answers("git ls-remote https://git.example.com/git/project.git", "refs/heads/main");
  answers("git ls-remote ssh://git@git.example.com" + outside().file("www/git/project.git"), "refs/heads/main");
  answers("psql -XAtd 'host=db.example.com user=ann dbname=postgres' -c 'select 6 * 7'", "42");
  answers("redis-cli -h db.example.com ping", "PONG");
  answers("head -n 1 < /dev/tcp/odd.example.com/2525", "220 odd.example.com");
  answers("getent ahostsv4 rotate.example.com", "6.6.6.6");
  answers("getent ahostsv4 rebind.example.com; getent ahostsv4 rebind.example.com", "10.20.30.40");
}

TEST_CASE("missing names, closed ports and silent addresses fail as in a real network") {
  CHECK_STATUS(outside().shell("getent hosts missing.example.com"), 2);
  CHECK_HAS(outside().shell("curl -sS http://reset.example.com/").err, "Failed to connect");
  CHECK_HAS(outside().shell("curl -sS -m 1 http://silent.example.com/").err, "timed out");
}

TEST_CASE("the internet is not visible on the real machine, and it ends with the test, even if that is killed") {
  CHECK_HAS_NOT(Running({"/usr/bin/nsenter", "--net=/proc/1/ns/net", "ip", "address"}, outside().env(), "/").wait().out,
                "7.7.7.1");
  // Shared memory of PostgreSQL, which runs as the user "nobody".
  const auto shared_memory = [] {
    return Running({"/usr/bin/bash", "-c", "ipcs -m | grep 'nobody'; find /dev/shm -user nobody"}, {}, "/").wait().out;
  };
  const std::string before = shared_memory();
  const TempDir directory;
  const auto alive = [&] { return Running({"/usr/bin/pgrep", "-f", directory.path}, {}, "/").wait().status == 0; };
  Running test({"/usr/bin/unshare", "--net", "--mount", "/usr/bin/bash", "-c", "\"$0\" \"$1\" & wait",
                BAND_SOURCE_DIR "/tests/outside/machine", directory.path},
               outside().env(), "/");
  REQUIRE(within(20'000, [&] { return exists(directory.path + "/ready"); }));
  CHECK(alive());
  test.signal(SIGKILL);
  CHECK(within(5000, [&] { return !alive(); }));
  CHECK(shared_memory() == before);
}
