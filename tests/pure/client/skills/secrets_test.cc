#include "client/skills/secrets.h"

#include <doctest/doctest.h>

#include "client/host/environment.h"
#include "client/transport/targets.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

const std::string kToken = "band_01234567_" + std::string(64, 'a');

EnvRule rule(const std::string& name, bool required = true, bool secret = true,
             std::optional<std::string> fallback = std::nullopt) {
  return {name, required, secret, std::move(fallback), "what it is for", "x/BAND.md:7"};
}

}  // namespace

TEST_CASE("an env file is read like the shell would, without running anything") {
  const auto values = parse_env_file(
      "# comment\n\nA=1\nexport B = two words \nC='$HOME \"x\"'\nD=\"a\\nb \\$x \\q\"\nE=\nF=a=b\nG=x # note\nH='q' # "
      "note\r\nI=a#b\n",
      "f");
  REQUIRE_MESSAGE(values.ok(), (values.ok() ? "" : values.error().message()));
  CHECK(values->at("A") == "1");
  CHECK(values->at("B") == "two words");
  CHECK(values->at("C") == "$HOME \"x\"");
  CHECK(values->at("D") == "a\nb $x \\q");
  CHECK(values->at("E") == "");
  CHECK(values->at("F") == "a=b");
  CHECK(values->at("G") == "x");
  CHECK(values->at("H") == "q");
  CHECK(values->at("I") == "a#b");
}

TEST_CASE("a wrong line of an env file is named, its value is not") {
  for (const char* text :
       {"A=1\nhunter2\n", "A=1\n1A=hunter2\n", "A=1\nB='hunter2\n", "A=1\nB='hunter2' x\n", "A=1\nA B=hunter2\n"}) {
    const auto values = parse_env_file(text, "/x/env");
    REQUIRE_FALSE(values.ok());
    CHECK(values.error().message().starts_with("/x/env:2: "));
    CHECK(values.error().message().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("values come from the nearest source, for names of the band only") {
  const std::vector<EnvRule> rules{rule("A"), rule("B"), rule("C", true, false), rule("D", true, true, "fallback"),
                                   rule("E", false)};
  const std::vector<EnvSource> sources{{"--env-file", {{"A", "file"}, {"OTHER", "x"}}},
                                       {"environment", {{"A", "env"}, {"B", "env"}}},
                                       {"standing", {{"A", "s"}, {"B", "s"}, {"C", "s"}}}};
  const ResolvedEnv resolved = resolve_env(rules, sources);
  CHECK(resolved.secrets == std::map<std::string, std::string>{{"A", "file"}, {"B", "env"}, {"D", "fallback"}});
  CHECK(resolved.env == std::map<std::string, std::string>{{"C", "s"}});
  CHECK(resolved.missing.empty());
  CHECK(resolved.found_in.at("B") == "environment");
  CHECK(resolved.found_in.at("D") == "default");
}

TEST_CASE("all missing variables are named at once, with the mend") {
  const std::vector<EnvRule> rules{rule("A"), rule("B"), rule("C", false)};
  const ResolvedEnv resolved = resolve_env(rules, {{"environment", {{"A", ""}}}});
  CHECK(resolved.missing == std::vector<std::string>{"A", "B"});
  const Error error = secret_missing(resolved, rules);
  CHECK(error.code == Code::SecretMissing);
  CHECK(error.message().find("A: what it is for (x/BAND.md:7)") != std::string::npos);
  CHECK(error.message().find("\n  B") != std::string::npos);
  CHECK(error.hint.find("--env-file") != std::string::npos);
}

TEST_CASE("the standing file of secrets must be closed to others") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  dir.write("env", "BAND_TEST_A=standing\n", 0640);
  const auto open = env_sources({rule("BAND_TEST_A")}, std::nullopt);
  REQUIRE_FALSE(open.ok());
  CHECK(open.error().hint == "chmod 600 " + dir.path("env"));
  dir.write("env", "BAND_TEST_A=standing\n", 0600);
  const auto closed = env_sources({rule("BAND_TEST_A")}, std::nullopt);
  REQUIRE(closed.ok());
  CHECK(resolve_env({rule("BAND_TEST_A")}, *closed).secrets.at("BAND_TEST_A") == "standing");
  EnvVar environment("BAND_TEST_A", "environment");
  CHECK(
      resolve_env({rule("BAND_TEST_A")}, *env_sources({rule("BAND_TEST_A")}, std::nullopt)).secrets.at("BAND_TEST_A") ==
      "environment");
  dir.write("mine.env", "BAND_TEST_A=file\n");
  CHECK(resolve_env({rule("BAND_TEST_A")}, *env_sources({rule("BAND_TEST_A")}, dir.path("mine.env")))
            .secrets.at("BAND_TEST_A") == "file");
  CHECK_FALSE(env_sources({}, dir.path("nothing")).ok());
}

TEST_CASE("a target's file is written for its owner only, and refused when others can read it") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path("cfg"));
  EnvVar none("BAND_TARGET", "");
  CHECK(load_target("local").error().code == Code::ServerUnreachable);
  CHECK(load_target("local").error().hint.find("`sudo band setup --target local`") == 0);
  CHECK(load_target("local").error().hint.find("`band login`") != std::string::npos);
  REQUIRE(save_target({"local", "http://127.0.0.1:7433", kToken, "", 0}).ok());
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
  CHECK(dir.mode("cfg/env") == 0600);  // somebody else's, so its directory stays
  CHECK(::access(dir.path("cfg/targets").c_str(), F_OK) != 0);
  CHECK(remove_target("local").ok());
}

TEST_CASE("which target") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  EnvVar none("BAND_TARGET", "");
  CHECK(*target_name(std::nullopt) == "local");
  dir.write("targets/local-lima.json", "{}");
  CHECK(*target_name(std::nullopt) == "local-lima");
  dir.write("targets/local.json", "{}");
  CHECK(*target_name(std::nullopt) == "local");
  EnvVar named("BAND_TARGET", "other");
  CHECK(*target_name(std::nullopt) == "other");
  CHECK(*target_name("given") == "given");
  CHECK_FALSE(target_name("../../etc/passwd").ok());
  CHECK_FALSE(target_name("").ok());
}

TEST_CASE("setup and teardown change no machine that nobody named") {
  TempDir dir;
  EnvVar config("BAND_CONFIG_DIR", dir.path());
  dir.write("targets/local.json", "{}");
  EnvVar none("BAND_TARGET", "");
  for (const auto& given : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const auto unnamed = target_to_change(given, "teardown");
    REQUIRE_FALSE(unnamed.ok());
    CHECK(unnamed.error().code == Code::Usage);
    CHECK(unnamed.error().hint.find("band teardown --target local") != std::string::npos);
  }
  CHECK(*target_to_change("local", "teardown") == "local");
  EnvVar named("BAND_TARGET", "other");
  CHECK(*target_to_change(std::nullopt, "teardown") == "other");
  CHECK_FALSE(target_to_change("", "teardown").ok());
}

TEST_CASE("a token goes to this machine only") {
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
