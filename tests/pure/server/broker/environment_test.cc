// The environment of a command (server/broker/environment.h)
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "server/broker/environment.h"
#include "server/policy/plan.h"

using namespace band;
using Variables = std::vector<std::string>;

namespace {

EnvRule variable(const std::string& name, bool secret = false) {
  EnvRule rule;
  rule.name = name;
  rule.secret = secret;
  return rule;
}

// Returns the environment that the policy makes for a script whose caller sent these values.
Variables of_script(const std::vector<EnvRule>& declared, const std::map<std::string, std::string>& sent) {
  ExecRequest request;
  request.script = "a/b";
  for (EnvRule rule : declared) {
    rule.required = false;
    request.rules.env.push_back(rule);
    const auto value = sent.find(rule.name);
    if (value != sent.end()) (rule.secret ? request.secrets : request.env).insert(*value);
  }
  const auto plan = policy::plan(request, policy::default_site_config());
  REQUIRE(plan.ok());
  return plan->env;
}

struct Case {
  std::vector<EnvRule> declared;
  std::map<std::string, std::string> sent;
  Variables given, taming;

  // Returns the value of one variable, or "-".
  std::string operator()(const std::string& name) const {
    const Variables script = of_script(declared, sent);
    for (const std::string& entry : broker::command_environment({script, declared}, "gh", "/work/a b", given, taming))
      if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
    return "-";
  }
};

// Returns "NAME why; ..." for the variables that the script set and the command does not get.
std::string missing(const std::vector<EnvRule>& declared, const std::map<std::string, std::string>& sent,
                    const Variables& given, const Variables& taming = {}) {
  const Variables script = of_script(declared, sent);
  const broker::EnvironmentPlan plan{script, declared};
  const auto environment = broker::command_environment(plan, "gh", "/work", given, taming);
  const char* whys[] = {"undeclared", "steers", "from caller", "from band", "value"};
  std::string text;
  for (const broker::NotPassed& variable : broker::not_passed(plan, given, environment))
    text += variable.name + " " + whys[static_cast<int>(variable.why)] + "; ";
  return text;
}

}  // namespace

TEST_CASE("variables that the script set and a command does not get are listed with the reason") {
  const std::vector<EnvRule> declared{variable("REPO"), variable("TOKEN", true), variable("PYTHONPATH")};
  const std::map<std::string, std::string> sent{{"REPO", "a"}, {"TOKEN", "s3cret"}, {"PYTHONPATH", "/x"}};
  CHECK(missing(declared, sent, {"TITLE=x", "OTHER="}) == "OTHER undeclared; TITLE undeclared; ");
  CHECK(missing(declared, sent, {"REPO=b", "TOKEN=b", "PYTHONPATH=/work"}) ==
        "PYTHONPATH from caller; TOKEN from caller; ");
  CHECK(missing({}, {}, {"PYTHONPATH=/work", "GIT_DIR=/work"}) == "GIT_DIR steers; PYTHONPATH steers; ");
  CHECK(
      missing({}, {}, {"PATH=/work", "HOME=/work", "LD_PRELOAD=x", "BAND_LIB=/x", "PAGER=less", "XDG_DATA_HOME=/x"}) ==
      "BAND_LIB from band; HOME from band; LD_PRELOAD from band; PAGER from band; PATH from band; XDG_DATA_HOME from "
      "band; ");
  CHECK(missing({}, {}, {"TZ=/work/zone", "LANG=../x", "LC_ALL=C"}) == "LANG value; TZ value; ");
  CHECK(missing({}, {}, {"GIT_PAGER=less", "GIT_DIR=x"}, {"GIT_PAGER=cat"}) == "GIT_DIR steers; GIT_PAGER from band; ");
}

TEST_CASE("variables that differ in every shell, and those that band itself set, are not listed as missing") {
  const std::vector<EnvRule> declared{variable("REPO"), variable("TOKEN", true), variable("GIT_DIR")};
  const std::map<std::string, std::string> sent{{"REPO", "a"}, {"TOKEN", "s3cret"}, {"GIT_DIR", "/x"}};
  Variables given = of_script(declared, sent);  // includes HOME=/tmp
  for (const char* more : {"SHLVL=1", "OLDPWD=/tmp", "_=/band/bin/gh", "BASH_ENV=/band/in/prelude.sh", "broken", "=x",
                           "1A=x", "BASH_FUNC_f%%=() { :; }", "A-B=x"})
    given.push_back(more);
  given.push_back(std::string(129, 'A') + "=x");
  CHECK(missing(declared, sent, given) == "");
  for (std::string& entry : given)
    if (entry.starts_with("PWD=")) entry = "PWD=/work/deep";
  CHECK(missing(declared, sent, given) == "");
  // Set by band, for a command that calls another one.
  CHECK(missing({}, {}, {"HOME=/band/home/git", "XDG_CACHE_HOME=/band/home/git/.cache", "PAGER=cat"}) == "");
}

TEST_CASE("a command's environment is this, regardless of the script's own") {
  const Variables given{"PATH=/work",
                        "HOME=/work",
                        "LD_PRELOAD=/work/x.so",
                        "BASH_ENV=/work/x",
                        "ENV=/work/x",
                        "PAGER=sh",
                        "EDITOR=/work/x",
                        "GIT_PAGER=x",
                        "PYTHONPATH=/work",
                        "NODE_OPTIONS=-r x",
                        "PERL5OPT=-Mx",
                        "INPUT_PATH=/work",
                        "SSL_CERT_FILE=/work/ca.pem",
                        "NODE_EXTRA_CA_CERTS=/work/ca.pem",
                        "XDG_CONFIG_HOME=/work",
                        "OTHER=x",
                        "broken",
                        "=x"};
  const Variables script = of_script({}, {});
  const Variables expected{"BAND_LIB=/band/skill/lib",
                           "BAND_SCRIPT=a/b",
                           "BROWSER=/usr/bin/false",
                           "CONFIG_PATH=/band/in/config.json",
                           "EDITOR=/usr/bin/false",
                           "ERROR_PATH=/band/out/error.json",
                           "HOME=/band/home/gh",
                           "INPUT_PATH=/band/in/input.json",
                           "LANG=C.UTF-8",
                           "LOGNAME=band-runner",
                           "OUTPUT_PATH=/band/out/output.json",
                           "PAGER=cat",
                           "PATH=/band/bin:/usr/bin",
                           "PWD=/work/a b",
                           "SHELL=/usr/bin/bash",
                           "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt",
                           "TMPDIR=/band/home/gh/tmp",
                           "USER=band-runner",
                           "VISUAL=/usr/bin/false",
                           "XDG_CACHE_HOME=/band/home/gh/.cache",
                           "XDG_CONFIG_HOME=/band/home/gh/.config",
                           "XDG_DATA_HOME=/band/home/gh/.local/share",
                           "XDG_STATE_HOME=/band/home/gh/.local/state"};
  CHECK(broker::command_environment({script, {}}, "gh", "/work/a b", given, {}) == expected);
  CHECK(broker::command_environment({script, {}}, "gh", "/work/a b", {}, {}) == expected);
}

TEST_CASE("a declared variable has the script's value; a secret, and one that selects code, the request's value") {
  Case with{{variable("REPO"), variable("TOKEN", true), variable("GIT_SSH_COMMAND"), variable("PYTHONPATH")},
            {{"REPO", "a"}, {"TOKEN", "s3cret"}, {"GIT_SSH_COMMAND", "ssh -v"}},
            {"REPO=b c\n\xff", "TOKEN=x", "GIT_SSH_COMMAND=/work/x", "PYTHONPATH=/work", "GIT_DIR=/work"},
            {}};
  CHECK(with("REPO") == "b c\n\xff");
  CHECK(with("TOKEN") == "s3cret");
  CHECK(with("GIT_SSH_COMMAND") == "ssh -v");
  CHECK(with("PYTHONPATH") == "-");  // not sent
  CHECK(with("GIT_DIR") == "-");     // not declared
  with.given = {"REPO=first", "REPO=second"};
  CHECK(with("REPO") == "first");
  with.given = {};
  CHECK(with("REPO") == "-");  // the script has unset it
  CHECK(with("TOKEN") == "s3cret");
}

TEST_CASE("language, zone and terminal are copied from the caller, unless their values could be paths") {
  struct Row {
    std::string name, value;
    bool passed;
  };
  const Row rows[] = {
      {"LANG", "de_DE.UTF-8", true},
      {"LC_ALL", "sr_RS@latin", true},
      {"LANGUAGE", "de:en", true},
      {"LANGUAGE", "../../work", false},
      {"TERM", "xterm-256color", true},
      {"TERM", "/work/x", false},
      {"TZ", "Europe/Berlin", true},
      {"TZ", "CET-1CEST,M3.5.0,M10.5.0/3", true},
      {"TZ", "/work/zone", false},
      {"TZ", ":/work/zone", false},
      {"TZ", "Europe/../../work", false},
      {"COLUMNS", "80", true},
      {"NO_COLOR", "", true},
      {"COLUMNS", "80\n", false},
      {"LC_ALL", std::string(128, 'a'), true},
      {"LC_ALL", std::string(129, 'a'), false},
      {"LC_FOO", "de", false},
      {"LOCPATH", "a", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.value);
    const Case with{{}, {}, {row.name + "=" + row.value}, {}};
    CHECK(with(row.name) == (row.passed ? row.value : row.name == "LANG" ? "C.UTF-8" : "-"));
  }
  // Declared, the variable still has the request's value, and not a path that the script set.
  const Case with{{variable("LANGUAGE")}, {{"LANGUAGE", "fr"}}, {"LANGUAGE=../work"}, {}};
  CHECK(with("LANGUAGE") == "fr");
}

TEST_CASE("a program's taming has precedence over all other values") {
  const Case with{{variable("GIT_PAGER"), variable("TOKEN", true)},
                  {{"GIT_PAGER", "less"}, {"TOKEN", "a"}},
                  {"GIT_PAGER=sh"},
                  {"GIT_PAGER=cat", "HOME=/home/other", "TOKEN=tamed", "GIT_CONFIG_COUNT=0"}};
  CHECK(with("GIT_PAGER") == "cat");
  CHECK(with("HOME") == "/home/other");
  CHECK(with("TOKEN") == "tamed");
  CHECK(with("GIT_CONFIG_COUNT") == "0");
}

TEST_CASE("the variable that loads bash's prelude is not passed on to commands") {
  Variables script = of_script({}, {});
  script.push_back("BASH_ENV=/band/in/prelude.sh");
  for (const std::string& entry : broker::command_environment({script, {}}, "gh", "/work", {}, {}))
    CHECK(entry.find("BASH_ENV") == std::string::npos);
}
