#include <doctest/doctest.h>

#include "schemas/core/embedded.h"
#include "schemas/core/json.h"
#include "schemas/rules/path_rules.h"
#include "server/http/config.h"
#include "server/policy/site_config.h"

using band::policy::SiteConfig;

namespace {

SiteConfig good(std::string_view text) {
  auto config = band::policy::parse_site_config(text, "server.yaml");
  REQUIRE_MESSAGE(config.ok(), config.error().message());
  return config.value();
}

bool denied(const band::Domain& domain, std::string_view path) {
  return band::PathRules::compile(domain, band::PathRules::Use::Read).value().denies(path, true);
}

}  // namespace

TEST_CASE("an empty site configuration is the default one") {
  for (const char* text : {"", "# nothing\n", "{}", "ceiling: {}"}) {
    const SiteConfig config = good(text);
    CHECK(config.address == "127.0.0.1");
    CHECK(config.port == 7433);
    CHECK(config.slots >= 4);
    CHECK(config.uid_base == 0x70000000);
    CHECK(config.queue_length == 64);
    CHECK(config.state_dir == "/var/lib/band");
    CHECK(config.run_dir == "/run/band");
    CHECK(config.ceiling.read.opened.empty());
    CHECK(config.gateway.allow_private.empty());
    CHECK(config.gateway.connect_timeout_ms == 10'000);
    for (const char* top : {"etc", "root", "home", "boot", "dev", "proc", "sys", "run", "var/lib"})
      for (const std::string& path : {std::string(top), top + std::string("/x/y"), top + std::string("/.hidden/z")}) {
        CHECK(denied(config.ceiling.read, path));
        CHECK(denied(config.ceiling.write, path));
      }
    CHECK_FALSE(denied(config.ceiling.read, "opt/data/x"));
    CHECK_FALSE(denied(config.ceiling.read, "var/libx"));
  }
}

TEST_CASE("every key of the site configuration is read") {
  const SiteConfig config = good(
      "listen: \"127.0.0.2:8000\"\n"
      "slots: {count: 7, spare: 3, uid_base: 2000000000}\n"
      "queue: {length: 0, per_token: 5}\n"
      "max_connections: 9\n"
      "ceiling:\n"
      "  allow: {net: [], read: [\"/opt/**\", \"./**\"]}\n"
      "  deny: {read: [\"/opt/secret/**\"]}\n"
      "  limit: {maxRuntimeMs: 10m, maxMemoryBytes: 2g}\n"
      "commands:\n"
      "  directories: /usr/local/bin\n"
      "  programs:\n"
      "    git: {read: [/opt/git], starts: essentials, env: {GIT_PAGER: less}}\n"
      "    tool: {package: tool-cli, run: [/opt/tool/bin], certificates: true}\n"
      "gateway:\n"
      "  resolve: {A.Example.: \"192.0.2.1:8443\", b.example: \"[2001:db8::1]\"}\n"
      "  allow_private: [10.1.0.0/16, 127.0.0.1]\n"
      "  upstream_proxy: http://proxy.example:3128/\n"
      "  extra_ca: /etc/band/company.pem\n"
      "  connect_timeout: 3s\n"
      "  limit: {connections: 7, connections_per_second: 9, names: 8, bytes: 2g}\n"
      "state: /srv/band/\n"
      "run: /tmp/run\n"
      "log: {level: debug}\n");
  CHECK(config.address == "127.0.0.2");
  CHECK(config.port == 8000);
  CHECK(config.slots == 7);
  CHECK(config.spare_slots == 3);
  CHECK(config.uid_base == 2000000000);
  CHECK(config.queue_length == 0);
  CHECK(config.queue_per_token == 5);
  CHECK(config.max_connections == 9);
  REQUIRE(config.ceiling.net.opened.size() == 1);
  CHECK(config.ceiling.net.opens_nothing());
  CHECK(config.ceiling.read.opened[0][0].origin == "server.yaml:6");
  CHECK(config.ceiling.cli.opened.empty());
  CHECK_FALSE(denied(config.ceiling.read, "etc/passwd"));  // the operator's list replaces the default
  CHECK(denied(config.ceiling.read, "opt/secret/.x"));
  CHECK(denied(config.ceiling.write, "etc/passwd"));
  CHECK(config.ceiling.limit.maxRuntimeMs == 600'000);
  CHECK(config.ceiling.limit.maxMemoryBytes == 2LL << 30);
  const auto& commands = config.commands;
  CHECK(commands.directories == std::vector<std::string>{"/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin"});
  const auto& git = commands.programs.at("git");  // added to the built-in entry
  CHECK(git.package == "git");
  CHECK(git.starts == band::Starts::Essentials);
  CHECK(git.read == std::vector<std::string>{"/usr/share/git-core", "/opt/git"});
  CHECK(git.env.at("GIT_PAGER") == "less");
  CHECK(git.env.at("GIT_TERMINAL_PROMPT") == "0");
  CHECK(commands.programs.at("tool").package == "tool-cli");
  CHECK(commands.programs.at("tool").certificates);
  const auto& gateway = config.gateway;
  REQUIRE(gateway.resolve.size() == 2);
  CHECK(gateway.resolve[0].name == "a.example");
  CHECK(gateway.resolve[0].address.text() == "192.0.2.1");
  CHECK(gateway.resolve[0].port == 8443);
  CHECK(gateway.resolve[1].address.text() == "2001:db8::1");
  CHECK_FALSE(gateway.resolve[1].port.has_value());
  REQUIRE(gateway.allow_private.size() == 2);
  CHECK(gateway.allow_private[1].text() == "127.0.0.1/32");
  CHECK(gateway.upstream_proxy == std::pair<std::string, std::uint16_t>("proxy.example", 3128));
  CHECK(gateway.extra_ca == "/etc/band/company.pem");
  CHECK(gateway.connect_timeout_ms == 3000);
  CHECK(gateway.max_connections == 7);
  CHECK(gateway.connections_per_second == 9);
  CHECK(gateway.max_names == 8);
  CHECK(gateway.max_bytes == 2LL << 30);
  CHECK(config.state_dir == "/srv/band");
  CHECK(config.run_dir == "/tmp/run");
  CHECK(config.log_level == "debug");
  CHECK(good("listen: '[::1]:0'").address == "::1");
  CHECK(good("listen: '[::1]:0'").port == 0);
}

TEST_CASE("an invalid site configuration is refused, with all errors and their places") {
  struct Row {
    std::string text, place, what;
  };
  const Row rows[] = {
      {"listen: 0.0.0.0:7433", "server.yaml:1:9: ", "not a loopback"},
      {"listen: localhost:7433", "server.yaml:1:9: ", "not a loopback"},
      {"listen: 127.1:7433", "server.yaml:1:9: ", "not a loopback"},
      {"listen: 127.0.0.1", "server.yaml:1:9: ", "not an address and port"},
      {"listen: 127.0.0.1:70000", "server.yaml:1:9: ", "not an address and port"},
      {"listen: 127.0.0.1:-1", "server.yaml:1:9: ", "not an address and port"},
      {"listen: ''", "server.yaml:1:9: ", "listen"},
      {"lisen: x", "server.yaml:1:1: ", "did you mean `listen`?"},
      {"slots: {count: 0}", "server.yaml:1:16: ", "slots.count"},
      {"slots: {count: 99999999999}", "server.yaml:1:16: ", "slots.count"},
      {"slots: {count: 2, per_token: 3}", "server.yaml:1:30: ", "there are 2 slots"},
      {"slots: {uid_base: 0}", "server.yaml:1:19: ", "slots.uid_base"},
      {"slots: {uid_base: 1000}", "server.yaml:1:19: ", "slots.uid_base"},
      {"queue: {length: many}", "server.yaml:1:17: ", "queue.length"},
      {"ceiling: {allow: {read: [etc]}}", "server.yaml:1:26: ", "neither `./` nor `/`"},
      {"ceiling: {net: [a.example]}", "server.yaml:1:11: ", "below `allow`"},
      {"ceiling: {insist: {}}", "server.yaml:1:11: ", "unknown key `insist` in ceiling"},
      {"ceiling: {limit: {maxRuntimeMs: 0}}", "server.yaml:1:33: ", "not above 0"},
      {"commands: {directories: [bin]}", "server.yaml:1:26: ", "commands.directories"},
      {"commands: {directories: [/usr/../bin]}", "server.yaml:1:26: ", "not a plain absolute path"},
      {"commands: {directories: /usr/local/bin/}", "server.yaml:1:25: ", "not a plain absolute path"},
      {"commands: {programs: {git: {starts: all}}}", "server.yaml:1:37: ", "starts"},
      {"commands: {programs: {git: {reads: /x}}}", "server.yaml:1:29: ", "did you mean `read`?"},
      {"commands: {programs: {git: {env: {'A B': x}}}}", "server.yaml:1:42: ", "env"},
      {"commands: {programs: {git: {env: {A: 1}}}}", "server.yaml:1:38: ", "env"},
      {"gateway: {resolve: {a.example: here}}", "server.yaml:1:32: ", "not an address"},
      {"gateway: {resolve: {a.example: '10.0.0.1:*'}}", "server.yaml:1:32: ", "not an address"},
      {"gateway: {resolve: {a.example: 10.0.0.0/8}}", "server.yaml:1:32: ", "not an address"},
      {"gateway: {resolve: {a.example: 7}}", "server.yaml:1:32: ", "resolve"},
      {"gateway: {resolve: {127.1: 10.0.0.1}}", "server.yaml:1:21: ", "not an IPv4 address"},
      {"gateway: {resolve: {'*.a.example': 10.0.0.1}}",
       "server.yaml:1:21: ", "\"*.a.example\" is not a plain host name"},
      {"gateway: {resolve: {'a.example:443': 10.0.0.1}}", "server.yaml:1:21: ", "without port or wildcard"},
      {"gateway: {resolve: {10.0.0.1: 10.0.0.2}}", "server.yaml:1:21: ", "is not a plain host name"},
      {"gateway: {resolve: {a.example: 10.0.0.1, A.example.: 10.0.0.2}}", "server.yaml:1:42: ", "twice"},
      {"gateway: {resolve: {localhost: 10.0.0.1}}", "server.yaml:1:21: ", "this machine"},
      {"gateway: {allow_private: [10.0.0.1/8]}", "server.yaml:1:27: ", "after its prefix"},
      {"gateway: {allow_private: [10.0.0.0/8, a.example]}", "server.yaml:1:39: ", "not a CIDR"},
      {"gateway: {allow_private: ['10.0.0.0/8:80']}", "server.yaml:1:27: ", "CIDR"},
      {"gateway: {allow_private: [10.0.0.0/8, 169.254.169.254]}", "server.yaml:1:39: ", "never connects"},
      {"gateway: {resolve: {a.example: 169.254.169.254}}", "server.yaml:1:32: ", "never connects"},
      {"gateway: {allow_private: 'fd00:ec2::254'}", "server.yaml:1:26: ", "never connects"},
      {"gateway: {allow_private: '*'}", "server.yaml:1:26: ", "not a CIDR"},
      {"gateway: {upstream_proxy: 'https://p.example:3128'}", "server.yaml:1:27: ", "not the address of an HTTP proxy"},
      {"gateway: {upstream_proxy: 'http://p.example'}", "server.yaml:1:27: ", "no port"},
      {"gateway: {upstream_proxy: 'http://u:p@p.example:1'}", "server.yaml:1:27: ", "name and password"},
      {"gateway: {upstream_proxy: 'http://p.example:1/x'}", "server.yaml:1:27: ", "no host"},
      {"gateway: {upstream_proxy: 'http://*.p.example:1'}", "server.yaml:1:27: ", "no host"},
      {"gateway: {extra_ca: ca.pem}", "server.yaml:1:21: ", "not a plain path"},
      {"gateway: {extra_ca: /etc/../ca.pem}", "server.yaml:1:21: ", "not a plain path"},
      {"gateway: {connect_timeout: 0}", "server.yaml:1:28: ", "not above 0"},
      {"gateway: {connect_timeout: 2h}", "server.yaml:1:28: ", "write at most `1h`"},
      {"gateway: {connect_timeout: soon}", "server.yaml:1:28: ", "not a duration"},
      {"gateway: {limit: {connections: 0}}", "server.yaml:1:32: ", "connections"},
      {"gateway: {limit: {names: 1000000}}", "server.yaml:1:26: ", "names"},
      {"gateway: {limit: {bytes: 1t}}", "server.yaml:1:26: ", "not a size"},
      {"gateway: {timeout: 1}", "server.yaml:1:11: ", "unknown key"},
      {"state: var/lib", "server.yaml:1:8: ", "state"},
      {"state: /var/../etc", "server.yaml:1:8: ", "not a plain path"},
      {"state: /", "server.yaml:1:8: ", "not a plain path"},
      {"run: /" + std::string(80, 'x'), "server.yaml:1:6: ", "run"},
      {"log: {level: loud}", "server.yaml:1:14: ", "log.level"},
      {"[]", "server.yaml:1:1: ", "object"},
      {"a: &x 1\nb: *x", "server.yaml:1:4: ", "anchor"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    auto config = band::policy::parse_site_config(row.text, "server.yaml");
    REQUIRE_FALSE(config.ok());
    CHECK(config.error().code == band::Code::Usage);
    CHECK(config.error().hint.find("`band-server check`") != std::string::npos);
    CHECK_MESSAGE(config.error().message().find(row.place) != std::string::npos, config.error().message());
    CHECK_MESSAGE(config.error().message().find(row.what) != std::string::npos, config.error().message());
  }
  const auto both = band::policy::parse_site_config("lisen: x\nqueue: 5\n", "server.yaml");
  CHECK(both.error().message().find("server.yaml:1:1") != std::string::npos);
  CHECK(both.error().message().find("server.yaml:2:8") != std::string::npos);
}

TEST_CASE("patterns and limits of a ceiling have the same schema as those of a band") {
  const auto band_schema = band::parse_json(band::schema_text("band.schema.json"), "band").value()["definitions"];
  const auto server_schema = band::parse_json(band::schema_text("server.schema.json"), "server").value()["definitions"];
  for (const char* name : {"patterns", "duration", "bytes", "count"}) CHECK(band_schema[name] == server_schema[name]);
  CHECK(band_schema["limit"]["properties"] == server_schema["limit"]["properties"]);
  CHECK(band_schema["domains"]["properties"] == server_schema["allow"]["properties"]);
  CHECK(band_schema["domains"]["properties"] == server_schema["deny"]["properties"]);
}

TEST_CASE("the maximum of max_connections in server.yaml is the maximum of the http process") {
  const std::string most = std::to_string(band::http::kMaxConnections);
  const auto schema = band::parse_json(band::schema_text("server.schema.json"), "server").value();
  const auto& node = schema["properties"]["max_connections"];
  CHECK(node["maximum"] == band::http::kMaxConnections);
  CHECK(node["$comment"] == "write a number from 1 to " + most);
  CHECK(good("max_connections: " + most).max_connections == band::http::kMaxConnections);
  const std::string beyond = "max_connections: " + std::to_string(band::http::kMaxConnections + 1);
  const auto refused = band::policy::parse_site_config(beyond, "server.yaml");
  REQUIRE_FALSE(refused.ok());
  CHECK_MESSAGE(refused.error().message().find("server.yaml:1:18: ") != std::string::npos, refused.error().message());
}

TEST_CASE("every key of the site configuration is described") {
  const auto schema = band::parse_json(band::schema_text("server.schema.json"), "server").value();
  for (const auto& [name, node] : schema["properties"].items()) {
    CHECK_MESSAGE(node.contains("description"), name);
    if (!node.contains("properties")) continue;
    for (const auto& [inner, below] : node["properties"].items())
      CHECK_MESSAGE((below.contains("description") || below.contains("$ref")), name, ".", inner);
  }
}

TEST_CASE("all built-in programs are read, and an interpreter is found under its versioned names, too") {
  const band::KnownPrograms& commands = band::built_in_programs();
  CHECK(commands.directories == std::vector<std::string>{"/usr/bin", "/bin", "/usr/sbin"});
  REQUIRE(commands.find("python3.11") != nullptr);
  CHECK(commands.find("python3.11")->package == "python3");
  CHECK(commands.find("ruby3.1") == commands.find("ruby"));
  CHECK(commands.find("git2") == nullptr);  // not an interpreter, so another program
  CHECK(commands.find("2") == nullptr);
  // git reads GIT_CONFIG_COUNT settings, and fails when one of them is missing.
  const auto& env = commands.find("git")->env;
  const int count = std::stoi(env.at("GIT_CONFIG_COUNT"));
  for (int i = 0; i < count; ++i) {
    CHECK(env.count("GIT_CONFIG_KEY_" + std::to_string(i)) == 1);
    CHECK(env.count("GIT_CONFIG_VALUE_" + std::to_string(i)) == 1);
  }
  CHECK(env.count("GIT_CONFIG_KEY_" + std::to_string(count)) == 0);
}

TEST_CASE("allow_private also accepts a range around a metadata service, and a public address") {
  for (const char* range : {"169.254.0.0/16", "8.8.8.8"}) {  // its other addresses; perhaps an address of this machine
    CAPTURE(range);
    const auto ranges = good(std::string("gateway: {allow_private: ") + range + "}").gateway.allow_private;
    CHECK(ranges.size() == 1);
  }
}
