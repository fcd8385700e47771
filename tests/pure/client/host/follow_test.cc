// Running a program whose output is read while it runs.
#include "client/host/follow.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::client;

namespace {

struct Followed {
  Result<int> status{0};
  std::vector<std::string> out, err;
};

Followed follow(const std::string& script, int ms = 0, std::map<std::string, std::string> variables = {}) {
  Followed received;
  Following what;
  what.arguments = {"-c", script};
  what.variables = std::move(variables);
  what.out = [&](const std::string& line) { received.out.push_back(line); };
  what.err = [&](const std::string& line) { received.err.push_back(line); };
  what.ms = ms;
  received.status = follow_program("/bin/sh", what);
  return received;
}

}  // namespace

TEST_CASE("lines are separated by stream, including a last one without a line feed") {
  const Followed received = follow("echo one; echo two >&2; printf three; exit 7");
  CHECK(*received.status == 7);
  CHECK(received.out == std::vector<std::string>{"one", "three"});
  CHECK(received.err == std::vector<std::string>{"two"});
}

TEST_CASE("a variable replaces the caller's value, and stdin is empty") {
  CHECK(follow("echo \"$HOME\"; cat", 0, {{"HOME", "/elsewhere"}}).out == std::vector<std::string>{"/elsewhere"});
}

TEST_CASE("background processes of a program do not block the caller") {
  const Followed received = follow("sleep 60 & echo $!");
  CHECK(*received.status == 0);
  REQUIRE(received.out.size() == 1);
  follow("kill " + received.out[0]);
}

TEST_CASE("a program is killed at its timeout, and death by signal N is status 128+N") {
  const Followed late = follow("echo begun; exec sleep 60", 300);
  CHECK(late.status.error().code == Code::Timeout);
  CHECK(late.out == std::vector<std::string>{"begun"});
  CHECK(*follow("kill -9 $$").status == 137);
  CHECK(follow_program("/nowhere/program", {}).error().code == Code::Internal);
}

TEST_CASE("a line without an end is passed on in pieces, without loss") {
  const Followed received = follow("head -c 200000 /dev/zero | tr '\\0' x");
  std::size_t all = 0;
  for (const std::string& line : received.out) {
    CHECK(line.size() < 70'000);
    all += line.size();
  }
  CHECK(all == 200'000);
}
