// A script may speak to the broker itself, and not as a shim would.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(std::filesystem::begin(all), std::filesystem::end(all));
}

}  // namespace

TEST_CASE("a script that floods the broker is refused and noted; its commands and those of others still run") {
  With with;
  with.cli = {"python3 *", "git --version"};
  with.limits = {{"maxOpenFiles", 1024}};
  const std::string flood =
      "cat > flood.py <<'P'\nimport socket, time\ndef connect():\n  s = socket.socket(socket.AF_UNIX)\n"
      "  s.connect('/band/broker')\n  return s\nrefused = 0\nfor i in range(2000):\n  s = connect()\n"
      "  s.sendall(b'x' * 300)\n"
      "  refused += b'not from a shim' in s.recv(4096)\n  s.close()\nprint(refused, flush=True)\n"
      "silent = [connect() for i in range(900)]\ntime.sleep(2)\nP\npython3 flood.py; git --version";
  const std::string own = "for i in {1..30}; do git --version; sleep 0.1; done | sort | uniq -c | tr -s ' '";
  CHECK(inside("git --version", with) == outside("git --version"));  // what is kept for the next execution is there now
  CHECK(start("git --version", with, 1).get().out == outside("git --version"));
  const auto before = open_descriptors();
  auto flooding = start(flood, with, 0), other = start(own, with, 1);
  CHECK(other.get().out == " 30 " + outside("git --version"));
  const Ran ran = flooding.get();
  CHECK(ran.code == "OK");
  CHECK(ran.out == "2000\n" + outside("git --version"));
  CHECK(ran.ledger.find("command: broker: a malformed request: not from a shim\n") != std::string::npos);
  CHECK(open_descriptors() == before);
}
