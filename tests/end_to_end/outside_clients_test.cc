// Real clients and servers: each client reaches only the hosts that its band allows by name.
#include <filesystem>

#include "tests/outside/outside.h"

using namespace band::test;

namespace {

constexpr const char* kPythonGet =
    "import sys, urllib.request as u; sys.exit(b\" at \" not in u.urlopen(sys.argv[1]).read())";

std::string python_get(const std::string& url) { return std::string("python3 -c '") + kPythonGet + "' " + url; }

std::string node_get(const std::string& url) {
  return "node -e 'fetch(\"" + url + "\").then(a => a.text()).then(t => process.exit(t.includes(\" at \") ? 0 : 1))'";
}

std::string node_resolve(const std::string& name) {  // c-ares
  return "node -e 'require(\"dns\").resolve4(\"" + name + "\", error => process.exit(error ? 1 : 0))'";
}

// Returns a band with these commands and with net rules for some hosts. Refused hosts exist, too, for the controls.
std::string band_of(const std::string& commands) {
  return "allow:\n  net: [api.example.com, \"*.wild.example.com\", git.example.com, \"git.example.com:22\", "
         "\"db.example.com:5432\", \"db.example.com:6379\", \"odd.example.com:2525\", \"odd.example.com:7\"]\n"
         "  cli: [" +
         commands + "]";
}

}  // namespace

TEST_CASE("curl reaches allowed names by HTTP, TLS and HTTP/2, and is refused others, addresses, ports and IPv6") {
  const Caller caller(networked_server());
  const Ran ran = try_acts(
      caller, band_of("\"curl *\""),
      {.did = {"curl -fsS http://api.example.com/", "curl -fsS https://api.example.com/ | grep -q HTTP/2.0",
               "curl -fsS --http1.1 https://api.example.com/ | grep -q HTTP/1.1",
               "curl -fsS https://one.wild.example.com/", "curl -fsS https://one.deep.wild.example.com/",
               "curl -fsS --connect-to api.example.com:443:one.wild.example.com:443 https://one.wild.example.com/",
               "curl -fsS https://API.example.COM/", "curl -fsS http://api.example.com./ http://api.example.com/",
               "[[ $(curl -fsS https://api.example.com/big | wc -c) == 67108864 ]]",
               "[[ $(curl -fsS http://api.example.com/big | wc -c) == 67108864 ]]",
               "head -c 5000000 /dev/zero | curl -fsS -T - https://api.example.com/put/$RANDOM$RANDOM",
               "head -c 5000000 /dev/zero | curl -fsS -T - http://api.example.com/put/$RANDOM$RANDOM",
               "head -c 5000000 /dev/zero > up; curl -fsS -T up http://api.example.com/put/$RANDOM$RANDOM"},
       .refused = {"curl -fsS http://www.example.com/", "curl -fsS https://evil.example.com/",
                   "curl -fsS http://wild.example.com/", "curl -fsS http://5.5.5.5/", "curl -fsSk https://5.5.5.5/",
                   "curl -fsS --resolve api.example.com:443:5.5.5.5 https://api.example.com/",
                   "curl -fsS --resolve api.example.com:80:5.5.5.5 http://api.example.com/",
                   "curl -fsSk https://api.example.com:8443/", "curl -fsS http://api.example.com:8080/",
                   "curl -fsS http://[2606:4700::5]/", "curl -fsS http://six.example.com/"}});
  CHECK_HAS(ran.err, "net: www.example.com refused (not in allow.net)");
  CHECK_HAS(ran.err, "net: evil.example.com refused (not in allow.net)");
  CHECK_HAS(ran.err, "net: wild.example.com refused (not in allow.net)");
  CHECK_HAS(ran.err, "net: 5.5.5.5:80 refused (no rule)");
  CHECK_HAS(ran.err, "net: 5.5.5.5:443 refused (no rule)");
  CHECK_HAS(ran.err,
            "net: api.example.com:8443 refused (allow.net does not allow this port; write api.example.com:8443)");
  CHECK_HAS(ran.err,
            "net: api.example.com:8080 refused (allow.net does not allow this port; write api.example.com:8080)");
}

TEST_CASE("wget and a static busybox reach only the allowed hosts") {
  const Caller caller(networked_server());
  const std::string ca = "${SSL_CERT_FILE:+--ca-certificate=$SSL_CERT_FILE}";
  try_acts(caller, band_of("\"wget *\", \"busybox *\""),
           {.did = {"wget -qO- http://api.example.com/", "wget -qO- " + ca + " https://api.example.com/",
                    "busybox wget -qO- http://api.example.com/"},
            .refused = {"wget -t1 -qO- http://www.example.com/", "wget -t1 -qO- " + ca + " https://www.example.com/",
                        "wget -t1 -qO- http://5.5.5.5/", "busybox wget -qO- http://www.example.com/",
                        "busybox wget -qO- http://5.5.5.5/"}});
}

TEST_CASE("Python reaches only the allowed hosts: urllib, and sockets with a protocol other than TLS and HTTP") {
  const Caller caller(networked_server());
  const std::string half_close =
      "python3 -c '\n"
      "import socket, sys, threading\n"
      "s = socket.create_connection((sys.argv[1], 7))\n"
      "def up():\n"
      "  for i in range(64): s.sendall(bytes(65536))\n"
      "  s.shutdown(socket.SHUT_WR)\n"
      "threading.Thread(target=up).start()\n"
      "got = b\"\"\n"
      "while d := s.recv(65536): got += d\n"
      "sys.exit(got != bytes(64 * 65536) + b\"end after 4194304\\n\")\n"
      "' ";
  try_acts(caller, band_of("\"python3 *\""),
           {.did = {python_get("http://api.example.com/"), python_get("https://api.example.com/"),
                    half_close + "odd.example.com"},
            .refused = {python_get("http://www.example.com/"), python_get("https://www.example.com/"),
                        python_get("http://5.5.5.5/"), half_close + "db.example.com", half_close + "6.6.6.6"}});
}

TEST_CASE("Node reaches only the allowed hosts: fetch, and names resolved by c-ares") {
  const Caller caller(networked_server());
  try_acts(caller, band_of("\"node *\""),
           {.did = {node_get("http://api.example.com/"), node_get("https://api.example.com/"),
                    node_resolve("api.example.com")},
            .refused = {node_get("http://www.example.com/"), node_get("https://www.example.com/"),
                        node_get("http://5.5.5.5/"), node_resolve("www.example.com")}});
}

TEST_CASE("bash's /dev/tcp reaches only the allowed hosts, also with a protocol in which the server sends first") {
  const Caller caller(networked_server());
  const auto greeted = [](const std::string& host, const std::string& port) {
    return "exec 3<>/dev/tcp/" + host + "/" + port + " && read -rt 5 line <&3 && [[ $line == 220* ]]";
  };
  const auto page = [](const std::string& host) {
    return "exec 3<>/dev/tcp/" + host +
           "/80 && printf 'GET / HTTP/1.1\\r\\nHost: api.example.com\\r\\n\\r\\n' >&3 && " +
           "read -rt 5 line <&3 && [[ $line == *200* ]]";
  };
  const Ran ran = try_acts(caller, band_of(""),
                           {.did = {greeted("odd.example.com", "2525"), page("api.example.com")},
                            .refused = {greeted("db.example.com", "2525"), greeted("6.6.6.6", "2525"),
                                        page("www.example.com"), page("5.5.5.5")}});
  CHECK_HAS(ran.err,
            "net: db.example.com:2525 refused (allow.net does not allow this port; write db.example.com:2525)");
  CHECK_HAS(ran.err, "net: 6.6.6.6:2525 refused (no rule)");
}

TEST_CASE("Redis is reached only at its declared host and port") {
  const Caller caller(networked_server());
  try_acts(caller, band_of("\"redis-cli *\""),
           {.did = {"redis-cli -h db.example.com ping | grep -q PONG",
                    "head -c 20000000 /dev/zero | redis-cli -h db.example.com -x set big | grep -q OK",
                    "[[ $(redis-cli -h db.example.com get big | wc -c) -ge 20000000 ]]"},
            .refused = {"redis-cli -h 6.6.6.6 ping | grep -q PONG", "redis-cli -h git.example.com ping | grep -q PONG",
                        "redis-cli -h odd.example.com ping | grep -q PONG"}});
}

TEST_CASE("PostgreSQL is reached only at its declared host and port, in clear text and with its own switch to TLS") {
  const Caller caller(networked_server());
  const auto psql = [](const std::string& host, const std::string& mode) {
    return "psql -XAtd 'host=" + host + " user=ann dbname=postgres " + mode + "' ";
  };
  const std::string clear = "sslmode=disable", tls = "sslmode=verify-full sslrootcert='$SSL_CERT_FILE'";
  const std::string encrypted = "-c 'select ssl from pg_stat_ssl where pid = pg_backend_pid()'",
                    up = "-qc 'create temp table t (n int)' -c 'copy t from stdin' -c 'select sum(n), count(*) from t'",
                    down = "-c 'select repeat(md5(n::text), 32) from generate_series(1, 10000) n'",
                    any = "-c 'select 1'";
  const auto both = [&](const std::string& mode) {
    const std::string db = psql("db.example.com", mode);
    return Words{db + encrypted + " | grep -qx " + (mode == clear ? "f" : "t"),
                 "seq 200000 | " + db + up + " | grep -qx '20000100000|200000'",
                 "[[ $(" + db + down + " | wc -c) == 10250000 ]]"};
  };
  Words did = both(clear);
  for (std::string& act : both(tls)) did.push_back(std::move(act));
  const Ran ran = try_acts(caller, band_of("\"psql *\""),
                           {.did = did,
                            .refused = {psql("6.6.6.6", clear) + any, psql("git.example.com", clear) + any,
                                        psql("rotate.example.com", clear) + any}});
  CHECK_HAS(ran.err, "net: 6.6.6.6:5432 refused (no rule)");
  CHECK_HAS(ran.err,
            "net: git.example.com:5432 refused (allow.net does not allow this port; write git.example.com:5432)");
  CHECK_HAS(ran.err, "net: rotate.example.com refused (not in allow.net)");
}

TEST_CASE("git reaches only the allowed host, by https, by plain http and by ssh") {
  const Caller caller(networked_server());
  const std::string path = outside().file("www/git/project.git");
  try_acts(caller, band_of("\"git *\", \"ssh *\""),
           {.did = {"git ls-remote https://git.example.com/git/project.git | grep -q HEAD",
                    "rm -rf c; git clone -q http://git.example.com/git/project.git c && git -C c log | grep -q Ann",
                    "git ls-remote ssh://git@git.example.com" + path + " | grep -q HEAD",
                    "rm -rf d; git clone -q ssh://git@git.example.com" + path + " d && git -C d log | grep -q Ann"},
            .refused = {"git ls-remote https://www.example.com/git/project.git | grep -q HEAD",
                        "git ls-remote http://www.example.com/git/project.git | grep -q HEAD",
                        "git ls-remote ssh://git@db.example.com" + path + " | grep -q HEAD"}});
}

TEST_CASE(
    "gh, with Go's resolver and certificate check, trusts the authority of gateway.extra_ca only when it is set") {
  const Caller caller(networked_server());
  const std::string gh = "GH_ENTERPRISE_TOKEN=x gh api --hostname ",
                    band = band_of("\"gh *\"") + "\nenv: {GH_ENTERPRISE_TOKEN: {secret: false, default: x}}";
  try_acts(caller, band,
           {.did = {gh + "api.example.com user | grep -q sni=api.example.com"},
            .refused = {gh + "www.example.com user | grep -q sni=www.example.com"}});
  const Server server;
  const Ran ran = explain(Caller(server), gh + "api.example.com user", band);
  CHECK_HAS(ran.err, "net: api.example.com:443");
  CHECK_HAS(ran.err, "x509: certificate signed by unknown authority");
  CHECK_HAS_NOT(ran.err, "sni=api.example.com");
}

TEST_CASE("a static program with musl's resolver reaches only the allowed host") {
  const TempDir directory("/opt");
  std::filesystem::copy_file(BAND_BIN_DIR "/musl-client", directory.path + "/musl-client");
  const Server server(gateway() + "commands: {directories: [" + directory.path + "]}\n");
  const Caller caller(server);
  const std::string client = "PATH=$PATH:" + directory.path + " musl-client ";
  try_acts(caller, band_of("\"" + directory.path + "/musl-client *\""),
           {.did = {client + "api.example.com 80"}, .refused = {client + "www.example.com 80", client + "5.5.5.5 80"}});
}
