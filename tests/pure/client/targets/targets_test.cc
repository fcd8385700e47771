// Files of targets, and the choice of a target.
#include "client/targets/targets.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

const std::string kToken = "band_01234567_" + std::string(64, 'a');

Target local_target() {
  Target target;
  target.name = "local";
  target.url = "http://127.0.0.1:7433";
  target.token = kToken;
  return target;
}

}  // namespace

TEST_CASE("a target's file is readable only for its owner, and refused otherwise") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path("cfg"));
  EnvVar none("BAND_TARGET", "");
  CHECK(load_target("local").error().code == Code::ServerUnreachable);
  CHECK(load_target("local").error().hint.find("`sudo band setup --target local`") != std::string::npos);
  CHECK(load_target("local").error().hint.find("`band login`") != std::string::npos);
  REQUIRE(save_target(local_target()).ok());
  CHECK(dir.mode("cfg/targets") == 0700);
  CHECK(dir.mode("cfg/targets/local.json") == 0600);
  const auto target = load_target("local");
  REQUIRE(target.ok());
  CHECK(target->token == kToken);
  CHECK(target->port == 7433);
  ::chmod(dir.path("cfg/targets/local.json").c_str(), 0644);
  CHECK(load_target("local").error().code == Code::Unauthorized);
  CHECK(load_target("local").error().hint.starts_with("chmod 600"));
  dir.write("cfg/targets/local.json", "{\"url\": \"http://127.0.0.1:7433\"}", 0600);
  CHECK(load_target("local").error().code == Code::Unauthorized);
  dir.write("cfg/env", "", 0600);
  REQUIRE(remove_target("local").ok());
  CHECK(dir.mode("cfg/env") == 0600);  // a file of another purpose, so its directory is kept
  CHECK(::access(dir.path("cfg/targets").c_str(), F_OK) != 0);
  CHECK(remove_target("local").ok());
}

TEST_CASE("which target: the flag, the variable, `use`, what is set up with local-lima before local") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  EnvVar none("BAND_TARGET", "");
  const auto chosen = [](const std::optional<std::string>& given = std::nullopt) {
    const auto choice = choose_target(given);
    return choice.ok() ? choice->name + ", " + std::string(chosen_by_text(choice->by)) : choice.error().message();
  };
  CHECK(chosen() == "local-lima, nothing is set up");
  dir.write("targets/notes.txt", "");
  dir.write("targets/.json", "{}");
  dir.write("targets/build.json", "{}");
  CHECK(chosen() == "build, it is set up");
  dir.write("targets/alpha.json", "{}");
  CHECK(chosen() == "there are several targets (alpha, build), and none of them is chosen");
  CHECK(targets_set_up() == std::vector<std::string>{"alpha", "build"});
  dir.write("targets/local.json", "{}");
  CHECK(chosen() == "local, it is set up");
  dir.write("targets/local-lima.json", "{}");
  CHECK(chosen() == "local-lima, it is set up");
  REQUIRE(use_target("build").ok());
  CHECK(dir.mode("target") == 0600);
  CHECK(chosen() == "build, `band target use`");
  EnvVar named("BAND_TARGET", "other");
  CHECK(chosen() == "other, $BAND_TARGET");
  CHECK(chosen("given") == "given, --target");
  CHECK_FALSE(target_name("../../etc/passwd").ok());
  CHECK_FALSE(target_name("").ok());
}

TEST_CASE("the setting of `target use` is removed with its target, and an invalid file is an error with a remedy") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  EnvVar none("BAND_TARGET", "");
  dir.write("targets/build.json", "{}");
  dir.write("targets/local.json", "{}");
  REQUIRE(use_target("build").ok());
  REQUIRE(remove_target("local").ok());
  CHECK(choose_target(std::nullopt)->name == "build");
  REQUIRE(remove_target("build").ok());
  CHECK(choose_target(std::nullopt)->by == ChosenBy::Nothing);
  dir.write("target", "../x\n", 0600);
  const auto broken = choose_target(std::nullopt);
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().hint.find("band target use NAME") != std::string::npos);
  CHECK(choose_target("local").ok());
}

TEST_CASE("a BAND.md names kinds of targets") {
  CHECK(kind_of("local-lima") == "local-lima");
  CHECK(kind_of("local") == "local");
  CHECK(kind_of("build") == "remote");
}

TEST_CASE("a target on another machine is stored with its destination, its socket and the server's port") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  Target far;
  far.name = "far";
  far.url = "unix:/home/ann/.band/ssh/far.server";
  far.token = kToken;
  far.server_port = 7433;
  far.ssh = "ann@build.example.com:2222";
  REQUIRE(save_target(far).ok());
  const auto loaded = load_target("far");
  REQUIRE(loaded.ok());
  CHECK(loaded->host == "/home/ann/.band/ssh/far.server");
  CHECK(loaded->port == 0);
  CHECK(loaded->server_port == 7433);
  CHECK(loaded->ssh == far.ssh);
  // Only a target with an ssh destination may have a socket.
  far.ssh = "";
  REQUIRE(save_target(far).ok());
  CHECK_FALSE(load_target("far").ok());
  far.ssh = "build";
  far.server_port = 0;
  REQUIRE(save_target(far).ok());
  CHECK(load_target("far").error().hint == "band target add far ssh://build");
  CHECK_FALSE(handed_over("far", "{\"url\": \"unix:/tmp/x\", \"token\": \"" + kToken + "\"}").ok());
}

TEST_CASE("the default target of setup is the virtual machine; teardown requires the name of a target") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  dir.write("targets/local.json", "{}");
  EnvVar none("BAND_TARGET", "");
  CHECK(*target_to_set_up(std::nullopt) == "local-lima");
  CHECK_FALSE(target_to_set_up("").ok());
  for (const auto& given : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const auto unnamed = target_to_tear_down(given);
    REQUIRE_FALSE(unnamed.ok());
    CHECK(unnamed.error().code == Code::Usage);
    CHECK(unnamed.error().hint.find("band teardown --target local") != std::string::npos);
  }
  CHECK(*target_to_tear_down("local") == "local");
  EnvVar named("BAND_TARGET", "other");
  CHECK(*target_to_tear_down(std::nullopt) == "other");
  CHECK(*target_to_set_up(std::nullopt) == "other");
  CHECK_FALSE(target_to_tear_down("").ok());
}

TEST_CASE("a token is sent only to this machine") {
  Target target;
  for (const char* url :
       {"http://127.0.0.1:7433", "http://localhost:1", "http://[::1]:65535", "http://127.0.0.1:7433/"})
    CHECK(parse_url(url, target).ok());
  for (const char* url :
       {"", "127.0.0.1:7433", "https://127.0.0.1:7433", "http://example.com:7433", "http://127.0.0.1",
        "http://127.0.0.1:0", "http://127.0.0.1:65536", "http://127.0.0.1:x", "http://127.0.0.1@evil.com:80",
        "http://evil.com/127.0.0.1:80", "http://127.0.0.1.evil.com:80"}) {
    CAPTURE(url);
    CHECK_FALSE(parse_url(url, target).ok());
  }
}
