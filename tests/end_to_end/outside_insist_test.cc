// insist.net, and the operator's limits of connections, names and bytes.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

std::string insisting(const std::string& what) {
  return "allow: {net: [\"*.example.com\", \"odd.example.com:7\"], cli: [\"curl *\"]}\ninsist: {net: [" + what + "]}";
}

}  // namespace

TEST_CASE("insist.net is met by a connection that carried data both ways") {
  const Caller caller(networked_server());
  CHECK_STATUS(explain(caller, "curl -fsS https://api.example.com/", insisting("api.example.com")), 0);
  CHECK_STATUS(explain(caller, "curl -fsS https://api.example.com/", insisting("\"*.example.com\"")), 0);
  CHECK_STATUS(explain(caller, "exec 3<>/dev/tcp/odd.example.com/7; echo x >&3; read -r line <&3",
                       insisting("\"odd.example.com:7\"")),
               0);
  // Also a connection that a background process still has open at the end.
  CHECK_STATUS(explain(caller, "exec 3<>/dev/tcp/odd.example.com/7; echo x >&3; read -r line <&3; sleep 5 <&3 &",
                       insisting("\"odd.example.com:7\"")),
               0);
}

TEST_CASE("an unmet insist.net is reported with the nearest event, and the output is withheld") {
  const Caller caller(networked_server());
  const struct {
    const char *what, *script;
  } unmet[] = {
      {"no connection", ":"},
      {"another name", "curl -fsS https://www.example.com/"},
      {"a lookup only", "curl -sS --connect-timeout 1 telnet://api.example.com:9/"},
      {"a connection that is closed immediately", ": 3<>/dev/tcp/api.example.com/443"},
      {"a refused Host", "curl -sS -H 'Host: evil.example.com' http://api.example.com/"},
      {"a print", "echo net: api.example.com:443 relayed >&2"},
  };
  for (const auto& [what, script] : unmet) {
    CAPTURE(what);
    const Ran ran = explain(caller, script, insisting("api.example.com"));
    CHECK_STATUS(ran, 4);
    CHECK_HAS(ran.err, "api.example.com");
    CHECK(ran.out == "");
  }
  const Ran nearest = explain(caller, "curl -fsS https://www.example.com/", insisting("api.example.com"));
  CHECK_HAS(nearest.err, "www.example.com");
}

TEST_CASE("a connection above gateway.limit.connections is refused, and the ledger has the refusal") {
  const Server server(gateway("limit: {connections: 3}\n"));
  const Caller caller(server);
  const Ran ran = explain(caller,
                          "for fd in 10 11 12 13 14; do (exec 3<>/dev/tcp/odd.example.com/7 && echo x >&3 && read -rt "
                          "5 l <&3 && echo \"open $fd\"; touch tried$fd; until [ -e go ]; do sleep 0.02; done) &\n"
                          "until [ -e tried$fd ]; do sleep 0.02; done; done; touch go; wait\n"
                          "(exec 3<>/dev/tcp/odd.example.com/7 && echo x >&3 && read -rt 5 l <&3 && echo again)",
                          insisting("\"odd.example.com:7\""));
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.err, "open 10");
  CHECK_HAS(ran.err, "open 12");
  CHECK_HAS_NOT(ran.err, "open 13");
  CHECK_HAS(ran.err, "again");
  CHECK_HAS(ran.err, "a connection refused (more than 3 at a time: gateway.limit.connections)");
}

TEST_CASE("a name above gateway.limit.names does not resolve") {
  const Server server(gateway("limit: {names: 3}\n"));
  const Caller caller(server);
  const Ran ran =
      explain(caller, "for name in api www evil once git api; do curl -fsS http://$name.example.com/ || true; done",
              insisting("api.example.com"));
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.err, "evil.example.com at");
  CHECK_HAS_NOT(ran.err, "once.example.com at");
  CHECK_HAS_NOT(ran.err, "git.example.com at");
}

TEST_CASE("a connection above gateway.limit.bytes is closed, and later ones are refused") {
  const Server server(gateway("limit: {bytes: 5m}\n"));
  const Caller caller(server);
  const Ran ran = explain(caller,
                          "curl -fsS http://api.example.com/ > /dev/null && echo small\n"
                          "curl -fsS https://api.example.com/big | wc -c | sed 's/^/got /'\n"
                          "curl -fsS http://api.example.com/after-the-limit > /dev/null && echo got-there\n",
                          "allow: {net: [api.example.com], cli: [\"curl *\"]}");
  CHECK_HAS(ran.err, "small");
  CHECK_HAS_NOT(ran.err, "got 67108864");
  CHECK_HAS_NOT(ran.err, "got-there");
  CHECK_HAS(ran.err, "bytes: gateway.limit.bytes)");
  CHECK_HAS_NOT(outside().log("web.log"), "after-the-limit");
}

TEST_CASE("repeated refusals are one line with a count, and displace no other entry of the ledger") {
  const Caller caller(networked_server());
  const Ran ran = explain(caller,
                          "for ((i = 0; i < 300; i++)); do : 3<>/dev/tcp/5.5.5.5/80; done 2> /dev/null\n"
                          "python3 -c '\n"
                          "import socket\n"
                          "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
                          "s.settimeout(10)\n"
                          "for i in range(1500):\n"
                          "  q = bytes.fromhex(\"123401000001000000000000\") + bytes([6]) + b\"%06d\" % i\n"
                          "  s.sendto(q + b\"\\3org\" + bytes([0, 0, 1, 0, 1]), (\"127.0.0.1\", 53))\n"
                          "  s.recv(512)\n"  // waits, so that no query is lost
                          "'\ncurl -fsS http://api.example.com/",
                          "allow: {net: [api.example.com], cli: [\"curl *\", \"python3 *\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "net: 5.5.5.5:80 refused (no rule), ");
  CHECK_HAS(ran.err, " times");
  CHECK_HAS(ran.err, "net: 000001.org refused (not in allow.net)");
  CHECK_HAS(ran.err, "further names refused, ");
  CHECK_HAS(ran.err, "command: curl -fsS http://api.example.com/: exited 0");
  CHECK_HAS_NOT(ran.err, "left out of this list");
}

TEST_CASE("a flood of refused packets is counted completely, and a connection meets its insist during the flood") {
  const Caller caller(networked_server());
  // More destinations than are reported individually, faster than the kernel delivers them, with connections during it.
  const Ran ran =
      explain(caller,
              "python3 -c '\n"
              "import socket\n"
              "s, refused = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0\n"
              "for i in range(60000):\n"
              "  try: s.sendto(b\"x\", (\"5.6.%d.%d\" % (i >> 8, i & 255), 443))\n"
              "  except PermissionError: refused += 1\n"
              "for i in range(2000):\n"
              "  try: socket.create_connection((\"5.7.%d.%d\" % (i >> 8, i & 255), 443))\n"
              "  except ConnectionRefusedError: refused += 1\n"
              "print(\"flood:\", refused)\n"
              "' &\n"
              "for ((i = 0; i < 50; i++)); do : 3<>/dev/tcp/5.5.5.5/80 || ((++refused)); done 2> /dev/null\n"
              "exec 3<>/dev/tcp/odd.example.com/7; echo hello >&3; read -r line <&3\n"
              "wait; echo \"during it: $refused $line\"",
              "allow: {cli: [\"python3 *\"]}\ninsist: {net: [\"odd.example.com:7\"]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS(ran.err, "flood: 62000\n");
  CHECK_HAS(ran.err, "during it: 50 hello\n");
  CHECK_HAS(ran.err, "net: refused 62050 packets in total");
  CHECK_HAS(ran.err, "net: further connections refused, ");
  CHECK_HAS(ran.err, "net: odd.example.com:7: 6 bytes up");
  CHECK_HAS_NOT(ran.err, "left out of this list");
}
