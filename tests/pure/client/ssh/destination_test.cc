// Words that become arguments of ssh.
#include "client/ssh/destination.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace band;
using namespace band::client;

TEST_CASE("valid destinations, with and without scheme, user and port") {
  struct Row {
    const char *given, *host;
    int port;
    const char* text;
  };
  for (const Row& row :
       std::initializer_list<Row>{{"ssh://ann@build.example.com", "ann@build.example.com", 0, "ann@build.example.com"},
                                  {"ssh://build/", "build", 0, "build"},
                                  {"build:2222", "build", 2222, "build:2222"},
                                  {"ssh://ann@[2001:db8::7]:22", "ann@2001:db8::7", 22, "ann@[2001:db8::7]:22"},
                                  {"ann@[::1]", "ann@::1", 0, "ann@[::1]"}}) {
    CAPTURE(row.given);
    const auto destination = parse_destination(row.given);
    REQUIRE(destination.ok());
    CHECK(destination->host == row.host);
    CHECK(destination->port == row.port);
    CHECK(text_of(*destination) == row.text);
    CHECK(text_of(*parse_destination(row.text)) == row.text);
  }
}

TEST_CASE("a word that ssh or a shell would parse as something else is refused") {
  for (const char* word : {"",
                           "ssh://",
                           "-oProxyCommand=touch /tmp/x",
                           "ssh://-oProxyCommand=x",
                           "ssh://-l@host",
                           "ann@-x",
                           "a b",
                           "host;id",
                           "$(id)",
                           "host:0",
                           "host:65536",
                           "host:x",
                           "host:",
                           "http://host",
                           "ann@",
                           "@host",
                           "ann@[::1",
                           "ann@[x]",
                           "host/path",
                           "ann@h@-x",
                           "%h",
                           "host\nProxyCommand=x"}) {
    CAPTURE(word);
    const auto destination = parse_destination(word);
    REQUIRE_FALSE(destination.ok());
    CHECK(destination.error().code == Code::Usage);
    CHECK(destination.error().hint.find("ssh://USER@HOST") != std::string::npos);
  }
}

TEST_CASE("agent, X11, tickets and ports are not forwarded, and ssh prompts only if it may") {
  const auto words = ssh_arguments({"ann@host", 2222}, false, {"-N"});
  const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
  for (const char* word : {"-a", "-x", "-T", "PermitLocalCommand=no", "BatchMode=yes", "2222"}) CHECK(has(word));
  CHECK(words[words.size() - 2] == "--");
  CHECK(words.back() == "ann@host");
  const auto asking = ssh_arguments({"host", 0}, true, {});
  CHECK(std::find(asking.begin(), asking.end(), "BatchMode=yes") == asking.end());
}
