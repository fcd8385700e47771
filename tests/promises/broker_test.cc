// A script may connect to the broker itself, and send other requests than a shim.
#include <doctest/doctest.h>
#include <sys/stat.h>

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

TEST_CASE(
    "if a script floods the broker, requests are refused and recorded, and commands of this script and of other "
    "scripts still run") {
  const Directory dir;  // for files with which the two scripts synchronize
  REQUIRE(::chmod(dir.path().c_str(), 0777) == 0);
  With with;
  with.cli = {"python3 *", "git --version"};
  with.read = with.write = {dir.path() + "/**"};
  with.limits = {{"maxOpenFiles", 1024}};
  const auto said = [&](const std::string& word) { return dir.path() + "/" + word; };
  const auto until = [&](const std::string& word) { return "until [ -e " + said(word) + " ]; do sleep 0.01; done; "; };
  const std::string flood =
      "cat > flood.py <<'P'\nimport os, socket, time\ndef connect():\n  s = socket.socket(socket.AF_UNIX)\n"
      "  s.connect('/band/broker')\n  return s\nrefused = 0\nopen('" +
      said("floods") +
      "', 'w')\nfor i in range(2000):\n  s = connect()\n"
      "  s.sendall(b'x' * 300)\n"
      "  refused += b'not from a shim' in s.recv(4096)\n  s.close()\nprint(refused, flush=True)\n"
      "silent = [connect() for i in range(900)]\nopen('" +
      said("holds") + "', 'w')\nwhile not os.path.exists('" + said("over") +
      "'): time.sleep(0.01)\nP\npython3 flood.py; git --version";
  // Runs during the flood, and while silent connections are open.
  const std::string own = until("floods") + "{ for i in {1..20}; do git --version; done; " + until("holds") +
                          "for i in {1..10}; do git --version; done; } | sort | uniq -c | tr -s ' '";
  CHECK(inside("git --version", with) ==
        outside("git --version"));  // the first run creates what is kept for later ones
  CHECK(start("git --version", with, 1).get().out == outside("git --version"));
  const auto before = open_descriptors();
  auto flooding = start(flood, with, 0), other = start(own, with, 1);
  CHECK(other.get().out == " 30 " + outside("git --version"));
  dir.put("over", "");
  const Ran ran = flooding.get();
  CHECK(ran.code == "OK");
  CHECK(ran.out == "2000\n" + outside("git --version"));
  CHECK(ran.ledger.find("command: broker: a malformed request: not from a shim\n") != std::string::npos);
  CHECK(open_descriptors() == before);
}
