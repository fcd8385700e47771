// Requests that are refused (server/policy/plan.h)
#include "server/policy/plan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace band;

TEST_CASE("files above limit.maxDiskBytes are refused, with the limit or the ceiling in the hint") {
  ExecRequest request;
  request.script = "a/b";
  request.rules.limit.maxDiskBytes = 1 << 20;
  request.files = {{"data", 0644, std::string(1'000'000, 'x')}};
  policy::SiteConfig site = policy::default_site_config();
  CHECK(policy::plan(request, site).ok());
  request.files.push_back({"more", 0644, std::string(100'000, 'x')});
  const auto own = policy::plan(request, site);
  REQUIRE_FALSE(own.ok());
  CHECK(own.error().code == Code::LimitExceeded);
  CHECK(own.error().message() == "the workspace's files have 1100000 bytes; limit.maxDiskBytes is 1048576");
  CHECK(own.error().hint.find("raise limit.maxDiskBytes in the band") == 0);
  site.ceiling.limit.maxDiskBytes = 1 << 20;
  request.rules.limit.maxDiskBytes = 1 << 30;
  const auto ceiling = policy::plan(request, site);
  REQUIRE_FALSE(ceiling.ok());
  CHECK(ceiling.error().hint.find("ask the operator to raise ceiling.limit.maxDiskBytes in server.yaml, or ") == 0);
}

TEST_CASE("a plan contains the commands; a rule that band cannot enforce is refused") {
  ExecRequest request;
  request.script = "a/b";
  const auto plan = [&](const std::string& pattern) {
    request.rules.cli = Domain{{{{pattern, "x/BAND.md:1"}}}, {}, {}};
    return policy::plan(request, policy::default_site_config());
  };
  const auto allowed = plan("jq *");
  REQUIRE(allowed.ok());
  CHECK(allowed->commands.shimmed == std::vector<std::string>{"jq"});
  CHECK(plan("cd *").error().code == Code::SkillInvalid);
}
