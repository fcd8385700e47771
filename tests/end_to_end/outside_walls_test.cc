// Targets that no rule opens: the machine, its server, other executions, other protocols. Only TCP connections leave
// the sandbox.
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

// Succeeds with an HTTP answer of a server of the machine; the gateway itself answers with 403.
std::string answered(const std::string& host, const std::string& port) {
  return "exec 3<>/dev/tcp/" + host + "/" + port + " && printf 'GET / HTTP/1.1\\r\\nHost: " + host + ":" + port +
         "\\r\\n\\r\\n' >&3 && read -rt 5 line <&3 && [[ $line == HTTP/* && $line != *403* ]]";
}

// Runs `act` in Python; the exit status is 0 if it succeeded.
std::string python(const std::string& act) { return "python3 -c '\nimport socket, sys\n" + act + "\n'"; }

// Sends one A query by UDP or TCP; succeeds with an answer that has an address.
std::string asks(const std::string& resolver, const std::string& name, bool tcp = false) {
  return python("s = socket.socket(socket.AF_INET, socket.SOCK_" + std::string(tcp ? "STREAM" : "DGRAM") +
                ")\ns.settimeout(2)\n" + "s.connect((\"" + resolver + "\", 53))\n" +
                "q = bytes.fromhex(\"123401000001000000000000\")\n"
                "q += b\"\".join(bytes([len(l)]) + l.encode() for l in \"" +
                name + "\".split(\".\")) + bytes([0, 0, 1, 0, 1])\n" +
                (tcp ? "s.send(len(q).to_bytes(2, \"big\") + q)\na = s.recv(999)\na = a[2:] or s.recv(999)\n"
                     : "s.send(q)\na = s.recv(999)\n") +
                "sys.exit(a[7] == 0)");
}

// Starts an HTTP server of the machine at one of its addresses.
Running served_at(const std::string& address, const std::string& port) {
  Running server({"/usr/bin/python3", "-m", "http.server", "--bind", address, port}, outside().env(),
                 outside().file("www"));
  const bool up = within(10'000, [&] { return outside().shell(": 3<>/dev/tcp/" + address + "/" + port).status == 0; });
  REQUIRE_MESSAGE(up, server.err());
  return server;
}

constexpr const char* kAllowAll = "allow: {net: [\"*:*\"], cli: [\"curl *\", \"python3 *\"]}";

}  // namespace

TEST_CASE("the machine's loopback, its own address, and the server's port are out of reach, also for a star") {
  const Running loopback = served_at("127.0.0.1", "8123"), own = served_at("7.7.7.1", "8124");
  const Caller caller(networked_server());
  const std::string port = std::to_string(networked_server().port());
  try_acts(caller, kAllowAll,
           {.did = {},
            .refused = {answered("127.0.0.1", "8123"), answered("localhost", "8123"),
                        answered("127.0.0.2", "8123") + " || " + answered("127.0.0.1", "8123"),
                        answered("7.7.7.1", "8124"), answered("me.example.com", "8124"), answered("127.0.0.1", port),
                        answered("localhost", port), "curl -fsS http://loopback.example.com:8123/"}});
  // Also with a rule that names them.
  try_acts(caller, "allow: {net: [\"7.7.7.1:*\", \"me.example.com:*\"]}",
           {.did = {}, .refused = {answered("7.7.7.1", "8124"), answered("me.example.com", "8124")}});
  for (const char* rule : {"127.0.0.1:*", "localhost:*", "127.0.0.0/8:8123"}) {
    const Ran ran = explain(caller, answered("127.0.0.1", "8123"), std::string("allow: {net: [\"") + rule + "\"]}");
    CHECK_STATUS(ran, 3);
    CHECK_HAS(ran.err, "gateway.allow_private");
  }
}

TEST_CASE("with allow_private a rule opens the machine's loopback, but not the server or a metadata address") {
  const Running loopback = served_at("127.0.0.1", "8123");
  const Server server(gateway("allow_private: [127.0.0.0/8, 169.254.0.0/16]\n"));
  const Caller caller(server);
  const std::string port = std::to_string(server.port());
  const Ran ran =
      try_acts(caller, "allow: {net: [\"127.0.0.1:*\", \"localhost:*\", 169.254.0.0/16, metadata.example.com]}",
               {.did = {answered("127.0.0.1", "8123"), answered("localhost", "8123")},
                .refused = {answered("127.0.0.1", port), answered("localhost", port), answered("169.254.169.254", "80"),
                            answered("metadata.example.com", "80")}});
  CHECK_HAS(ran.err, "169.254.169.254:80 refused");
  CHECK_HAS(ran.err, ":" + port + " refused");
  CHECK_STATUS(explain(caller, ":", "allow: {net: [169.254.169.254]}"), 3);
}

TEST_CASE("UDP, ICMP, IPv6 and other resolvers are not reached, even if everything is allowed") {
  const Caller caller(networked_server());
  const std::string udp =
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\ns.settimeout(2)\n"
      "s.sendto(b\"hello\", (\"6.6.6.6\", 443))\ns.recv(99)";
  const std::string ping =
      "s = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)\ns.settimeout(2)\n"
      "s.sendto(bytes.fromhex(\"0800f7ff00000000\"), (\"6.6.6.6\", 0))\ns.recv(99)";
  const std::string six = "socket.create_connection((\"2606:4700::5\", 80), 2)";
  const Ran ran = try_acts(caller, kAllowAll,
                           {.did = {asks("9.9.9.9", "www.example.com"), asks("8.8.8.8", "www.example.com"),
                                    asks("8.8.8.8", "www.example.com", true)},
                            .refused = {python(udp), python(ping), python(six)}});
  CHECK_HAS(ran.err, "net: 6.6.6.6:443/udp refused (only TCP is forwarded)");
  // To the client, the other resolver seems to answer, but the gateway does: only for allowed names, with made-up
  // addresses.
  const int before = outside().lookups_of("www.example.com");
  try_acts(caller, "allow: {net: [api.example.com], cli: [\"python3 *\"]}",
           {.did = {asks("8.8.8.8", "api.example.com")},
            .refused = {asks("8.8.8.8", "www.example.com"), asks("8.8.8.8", "www.example.com", true)}});
  CHECK(outside().lookups_of("www.example.com") == before + 2);  // the controls
}

TEST_CASE("an abstract socket of the machine is not reached, even if all of the network is allowed") {
  Running listener({"/usr/bin/python3", "-c",
                    "import socket, time\ns = socket.socket(socket.AF_UNIX)\ns.bind(chr(0) + "
                    "'band-test-outside')\ns.listen()\ntime.sleep(60)"},
                   outside().env(), "/");
  const std::string act = python("socket.socket(socket.AF_UNIX).connect(chr(0) + \"band-test-outside\")");
  REQUIRE(within(5000, [&] { return outside().shell(act).status == 0; }));
  const Caller caller(networked_server());
  try_acts(caller, kAllowAll, {.did = {}, .refused = {act}});
}

TEST_CASE("direct connections to the relay, and to made-up addresses that were not looked up, reach no server") {
  const Caller caller(networked_server());
  const Ran ran = explain(
      caller,
      "for to in 127.0.0.1/1 127.0.0.1/53 198.18.0.1/80 198.18.0.200/80 198.19.255.254/80 0.0.0.0/1 127.9.9.9/1; do\n"
      "  (exec 3<>/dev/tcp/$to && printf 'GET / HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n' >&3 && "
      "read -rt 5 line <&3 && echo \"$to answered: $line\")\ndone",
      "allow: {net: [api.example.com]}");
  REQUIRE_STATUS(ran, 0);
  CHECK_HAS_NOT(ran.err, "HTTP/1.1 200");
}

TEST_CASE("each execution has its own gateway: hosts that one may reach are refused to the other at the same time") {
  const Caller first(networked_server()), second(networked_server());
  const std::string ask = "curl -fsS http://api.example.com/ || exit 9\n";
  first.script("tool/go", ask + kHold + ask + kEmptyOutput, "allow: {net: [api.example.com], cli: [\"curl *\"]}");
  Running other = first.start({"run", "tool/go"});
  REQUIRE(networked_server().held());
  try_acts(second, "allow: {net: [www.example.com], cli: [\"curl *\"]}",
           {.did = {"curl -fsS http://www.example.com/"}, .refused = {"curl -fsS http://api.example.com/"}});
  networked_server().let_go();
  CHECK_STATUS(other.wait(), 0);
}

TEST_CASE("an execution finds no connection, name or packet of the previous execution in its slot") {
  const Server server(gateway(), "1");
  const Caller caller(server);
  // Leaves connections open, in the background and with unread bytes, and names with addresses.
  const Ran first =
      explain(caller,
              "exec 3<>/dev/tcp/odd.example.com/7; echo hello >&3\n"
              "(exec 4<>/dev/tcp/odd.example.com/7; while echo more >&4; do sleep 0.01; done) &\n"
              "for name in api www; do curl -fsS http://$name.example.com/ 3>&-; done; cat /proc/self/net/tcp",
              "allow: {net: [\"odd.example.com:7\", api.example.com, www.example.com], cli: [\"curl *\"]}");
  REQUIRE_STATUS(first, 0);
  CHECK_HAS(first.err, "api.example.com at 5.5.5.5");
  // The control: 198.18.0.1:7 and ESTABLISHED, in the kernel's format.
  CHECK_HAS(first.err, ":0007 01");
  CHECK_HAS(first.err, " 06 ");  // a connection in TIME-WAIT, at the end that closed first
  CHECK(within(10'000, [] { return outside().shell("ss -Htn state established dport = :7 | grep -q .").status != 0; }));

  const Ran second = explain(caller,
                             "grep -vc ' 0A ' /proc/self/net/tcp | sed 's/^/lines beside listeners: /'\n"
                             "for i in 1 2 3 4; do for port in 7 80; do (exec 3<>/dev/tcp/198.18.0.$i/$port && echo x "
                             ">&3 && read -rt 2 l <&3 && "
                             "echo \"answered: $l\"); done; done",
                             "allow: {net: [one.wild.example.com, \"one.wild.example.com:7\"]}");
  REQUIRE_STATUS(second, 0);
  CHECK_HAS(second.err, "lines beside listeners: 1\n");  // the header line
  CHECK_HAS_NOT(second.err, "answered");
}

TEST_CASE("a killed gateway fails the run immediately, and the server serves the next one") {
  Server server(gateway());
  const Caller caller(server);
  caller.script("tool/go", "curl -fsS http://api.example.com/; sleep 30; echo '{}' > $OUTPUT_PATH",
                "allow: {net: [api.example.com], cli: [\"curl *\"]}");
  Running running = caller.start({"run", "tool/go", "--verbose"});
  // The serving process has connected; the spare process and the one that forks have not.
  REQUIRE(within(10'000, [&] { return contains(running.err(), "api.example.com at"); }));
  const Ran killed = outside().shell("pgrep -x band-gateway -P $(pgrep -x band-gateway -P " +
                                     std::to_string(server.pid()) + ") | tee /dev/stderr | xargs kill -9");
  REQUIRE_STATUS(killed, 0);
  const Ran ran = running.wait(10'000);
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "gateway");
  CHECK_STATUS(
      explain(caller, "curl -fsS http://api.example.com/", "allow: {net: [api.example.com], cli: [\"curl *\"]}"), 0);
  server.stop();
}

TEST_CASE("a server whose main gateway process is killed exits with the reason in its log") {
  Server server(gateway());
  const Caller caller(server);
  caller.script("tool/go", "sleep 30", "allow: {net: [api.example.com]}");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(within(10'000, [&] { return !server.script_processes().empty(); }));
  REQUIRE_STATUS(outside().shell("pgrep -x band-gateway -P " + std::to_string(server.pid()) + " | xargs kill -9"), 0);
  CHECK_STATUS(running.wait(10'000), 8);
  const Ran ended = server.running().wait(10'000);
  CHECK(ended.status > 0);
  CHECK_HAS(ended.err, "band-gateway exited");
  const bool clean = within(4'000, [&] { return server.leftovers().empty(); });
  CHECK_MESSAGE(clean, server.leftovers());
}
