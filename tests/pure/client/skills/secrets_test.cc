#include "client/skills/secrets.h"

#include <doctest/doctest.h>

#include "client/host/environment.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

EnvRule rule(const std::string& name, bool required = true, bool secret = true,
             std::optional<std::string> fallback = std::nullopt) {
  return {name, required, secret, std::move(fallback), "what it is for", "x/BAND.md:7"};
}

}  // namespace

TEST_CASE("an env file is parsed as a shell would, without executing anything") {
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

TEST_CASE("an error in an env file names the line, and not the value") {
  for (const char* text :
       {"A=1\nhunter2\n", "A=1\n1A=hunter2\n", "A=1\nB='hunter2\n", "A=1\nB='hunter2' x\n", "A=1\nA B=hunter2\n"}) {
    const auto values = parse_env_file(text, "/x/env");
    REQUIRE_FALSE(values.ok());
    CHECK(values.error().message().starts_with("/x/env:2: "));
    CHECK(values.error().message().find("hunter2") == std::string::npos);
  }
}

TEST_CASE("values come from the most specific source, for names of the band only") {
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

TEST_CASE("one error names all missing variables, with a remedy") {
  const std::vector<EnvRule> rules{rule("A"), rule("B"), rule("C", false)};
  const ResolvedEnv resolved = resolve_env(rules, {{"environment", {{"A", ""}}}});
  CHECK(resolved.missing == std::vector<std::string>{"A", "B"});
  const Error error = secret_missing(resolved, rules);
  CHECK(error.code == Code::SecretMissing);
  CHECK(error.message().find("A: what it is for (x/BAND.md:7)") != std::string::npos);
  CHECK(error.message().find("\n  B") != std::string::npos);
  CHECK(error.hint.find("--env-file") != std::string::npos);
}

TEST_CASE("the file ~/.config/band/env must not be accessible to other users") {
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

TEST_CASE("names of credentials and of directories") {
  for (const char* name : {"GITHUB_TOKEN", "api_key", "PGPASSWORD", "SLACK_WEBHOOK_DIR", "SENTRY_DSN", "SECRETS_DIR"}) {
    CAPTURE(std::string(name));
    CHECK(is_credential_name(name));
    CHECK_FALSE(is_directory_name(name));
  }
  for (const char* name : {"TOOL_DIR", "DATA_FOLDER", "WORKSPACE", "dir"}) {
    CAPTURE(std::string(name));
    CHECK_FALSE(is_credential_name(name));
    CHECK(is_directory_name(name));
  }
  // The values of these can be the content of a file.
  for (const char* name : {"PATH", "CONFIG_FILE", "KUBECONFIG_FILE", "WEBHOOK_PATH", "AWS_PROFILE", "MYDIR", ""})
    CHECK_FALSE(is_directory_name(name));
}
