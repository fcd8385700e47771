// `band why` and an execution decide equally: random bands, ceilings and questions, evaluated by the client's answers
// and by the server's plan with its data for broker, gateway, view and workspace.
#include <doctest/doctest.h>
#include <fcntl.h>

#include <map>
#include <random>

#include "client/answers/judgement.h"
#include "client/workspace/opening.h"
#include "client/workspace/workspace.h"
#include "schemas/commands/decision.h"
#include "schemas/core/json.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"
#include "schemas/rules/net_rules.h"
#include "schemas/rules/placeholders.h"
#include "server/policy/plan.h"
#include "server/policy/site_config.h"
#include "server/view/declared.h"
#include "server/view/opening.h"
#include "server/view/stage.h"
#include "server/view/workspace.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using client::Judgement;
using client::Question;
using test::TempDir;
using Words = std::vector<std::string>;

namespace {

constexpr int kBands = 1'500;
const Words kFiles = {"a.md",     "b.txt",       "x/a.md", "x/b.txt",        "x/.key",
                      "x/y/a.md", ".git/config", "z z",    "x/opencode.json"};

class Chance {
 public:
  bool one_in(int n) { return below(n) == 0; }
  int below(int n) { return static_cast<int>(numbers_() % static_cast<unsigned>(n)); }
  const std::string& of(const Words& words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }

 private:
  std::mt19937 numbers_{15};
};

std::string cli_pattern(Chance& chance) {
  std::string text = chance.of({"gh", "gh", "gh", "git", "jq", "echo", "/opt/x/tool", "curl"});
  for (int words = chance.below(3); words > 0; --words) text += " " + chance.of({"a", "b", "*", "**", "x*", "'b c'"});
  return chance.one_in(2) ? text + " *" : text;
}

std::string net_pattern(Chance& chance) {
  const std::string host =
      chance.of({"a.example", "a.example", "b.example", "*.example", "*", "8.8.8.8", "8.8.0.0/16", "localhost"});
  return host + chance.of({"", "", ":*", ":80", ":5432"});
}

std::string path_pattern(Chance& chance) {
  return chance.of({"./a.md",      "./**",    "./**",        "./x/**",        "./x/*",   "./*.md",  "./**/*.md",
                    "./x/.key",    "./x/y",   "./.git/**",   "./z z",         "/opt/**", "/opt/**", "/opt/x/*",
                    "/opt/x/a.md", "/srv/**", "/opt/x/y/**", "/var/lib/x/**", "/tmp/**", "/**",     "/opt/*/a.md"});
}

using Pattern = std::string (*)(Chance&);

RuleSet rules_of(Chance& chance, Pattern pattern, int most, const std::string& file) {
  RuleSet rules;
  for (int count = 1 + chance.below(most); count > 0; --count)
    rules.push_back({pattern(chance), file + ":" + std::to_string(rules.size() + 1)});
  return rules;
}

Domain band_domain(Chance& chance, Pattern pattern) {
  Domain domain;
  if (chance.one_in(8)) return domain;
  domain.opened.push_back(rules_of(chance, pattern, 4, "s/BAND.md"));
  if (chance.one_in(5)) domain.opened.push_back(rules_of(chance, pattern, 4, "base/BAND.md"));
  if (chance.one_in(3)) domain.deny = rules_of(chance, pattern, 2, "s/BAND.md");
  if (chance.one_in(6)) domain.insist = {domain.opened.front().front()};
  return domain;
}

Domain ceiling_domain(Chance& chance, Pattern pattern) {
  Domain domain;
  if (chance.one_in(5)) domain.opened.push_back(rules_of(chance, pattern, 8, "/etc/band/server.yaml"));
  if (chance.one_in(4)) domain.deny = rules_of(chance, pattern, 2, "/etc/band/server.yaml");
  return domain;
}

// Only rules of one kind: a rule of another kind that the ceiling closes would end every run.
struct Kind {
  const char* name;
  std::vector<Domain Rules::*> domains;
  Pattern pattern;
};
const Kind kKinds[] = {{"cli", {&Rules::cli}, cli_pattern},
                       {"net", {&Rules::net}, net_pattern},
                       {"path", {&Rules::read, &Rules::write}, path_pattern}};

std::vector<Question> questions_of(Chance& chance, const Kind& kind) {
  std::vector<Question> questions;
  const auto add = [&](Result<Question> question) {
    REQUIRE(question.ok());
    questions.push_back(std::move(question).value());
  };
  for (int i = 0; i < 6; ++i) {
    if (kind.pattern == cli_pattern) {
      Words argv = {chance.of({"gh", "gh", "gh", "git", "jq", "echo", "tool", "curl", "ls", "cd", "/usr/bin/jq"})};
      for (int words = chance.below(3); words > 0; --words) argv.push_back(chance.of({"a", "b", "xy", "b c", ""}));
      add(client::ask_command(argv));
    } else if (kind.pattern == net_pattern) {
      add(client::ask_net(
          chance.of({"a.example", "a.example", "b.example", "c.b.example", "8.8.8.8", "8.8.4.4", "localhost"}) +
          chance.of({"", "", ":80", ":5432", ":22"})));
    }
  }
  if (kind.pattern != path_pattern) return questions;
  for (const auto use : {Question::Kind::Read, Question::Kind::Write}) {
    for (const std::string& file : kFiles) add(client::ask_path(use, "./" + file));
    for (const char* path :
         {"/opt/x/a.md",   "/opt/x/y/a.md", "/opt/.key",  "/srv/a",       "/var/lib/x/a", "/usr/x",
          "/etc/passwd",   "/bin/x",        "/dev/null",  "/dev/zero",    "/dev/full",    "/dev/random",
          "/dev/urandom",  "/dev/sda",      "/tmp/x",     "/proc/self/x", "/band/in/x",   "/band/out/x",
          "/band/skill/x", "/band/x",       "/work/a.md", "/sys/x"})
      add(client::ask_path(use, path));
  }
  return questions;
}

// ---- the server's side --------------------------------------------------------------------------------------------

class Execution {
 public:
  Execution(const Rules& rules, const policy::SiteConfig& site, const TempDir& files) : files_(files), site_(site) {
    ExecRequest request;
    request.script = "s/go";
    request.source = "true\n";
    request.rules = rules;
    auto received = request_from_json(request_to_json(request));
    REQUIRE_MESSAGE(received.ok(), received.error().message());
    rules_ = received->rules;
    auto plan = policy::plan(*received, site);
    if (plan.ok() && machine_is_shown(plan->rules)) plan_ = std::move(plan).value();
  }

  bool starts() const { return plan_.has_value(); }

  bool allows(const Question& question) {
    if (!starts()) return false;
    if (question.kind == Question::Kind::Command) return runs(question.argv);
    if (question.kind == Question::Kind::Net) return connects(question);
    if (!question.absolute) return travels(question);
    return shows(question) || has(question).value_or(false);
  }

  // Paths of every view, without a rule. nullopt: a path of the floor, which may have it or not.
  static std::optional<bool> has(const Question& question) {
    const std::string path = "/" + question.path;
    if (path.starts_with("/bin/")) return question.kind == Question::Kind::Read ? std::nullopt : std::optional(false);
    for (const layout::PathRule& own : view::own_paths()) {
      if (path != own.path && !path.starts_with(own.path + "/")) continue;
      const bool writes = own.access == layout::Access::Own || own.access == layout::Access::Device;
      if (question.kind == Question::Kind::Write) return writes;
      if (own.path == "/usr" || own.path == "/etc") return std::nullopt;
      return true;
    }
    return false;
  }

 private:
  struct Openings {
    view::Opening read, write;
  };
  Openings openings(const Rules& rules) const {
    static const view::FollowedLinks links;
    auto read = view::Opening::of({rules.read, rules.read, site_.ceiling.read, site_.ceiling.read, links});
    auto write = view::Opening::of({rules.write, rules.read, site_.ceiling.write, site_.ceiling.read, links});
    REQUIRE(read.ok());
    REQUIRE(write.ok());
    return {std::move(read).value(), std::move(write).value()};
  }

  bool machine_is_shown(const Rules& rules) const {
    const Openings both = openings(rules);
    return view::check_declared(rules.write, both.read, both.write).ok();
  }

  bool runs(Words argv) const {
    if (argv.front() == "/usr/bin/jq") argv.front() = "jq";  // its shim is also in this directory
    const std::string& name = argv.front();
    const auto& shims = plan_->commands.shimmed;
    const bool shimmed = std::find(shims.begin(), shims.end(), name) != shims.end();
    if (is_shell_own(name) || (is_essential(name) && !shimmed)) return true;  // without a request to the broker
    const auto rules = CommandRules::compile(plan_->rules.cli, plan_->commands);
    REQUIRE(rules.ok());
    return rules->decide(argv).outcome == Decision::Outcome::Allowed;
  }

  bool connects(const Question& question) const {
    if (!plan_->gateway) return false;
    const auto rules = NetRules::compile(plan_->gateway->net);
    REQUIRE(rules.ok());
    return rules->connect(question.host, question.port).allowed;
  }

  bool shows(const Question& question) const {
    const Openings both = openings(plan_->rules);
    return (question.kind == Question::Kind::Read ? both.read : both.write).opens(question.path);
  }

  // A directory with all the files serves as the caller's workspace, and as the workspace's copy at the end of a run
  // that created all of them.
  bool travels(const Question& question) {
    if (!moved_) move();
    const auto& paths = question.kind == Question::Kind::Read ? shipped_ : back_;
    return paths.contains(question.path);
  }

  void move() {
    const auto tree = client::Tree::open(files_.path());
    REQUIRE(tree.ok());
    const auto shipment = client::plan_shipment(*tree, rules_.read, plan_->limits);
    REQUIRE(shipment.ok());
    for (const auto& file : shipment->files) shipped_.insert(file.path);
    const auto denied = files_denied_by(site_.ceiling.read, Words(shipped_.begin(), shipped_.end()));
    REQUIRE(denied.ok());
    for (const DeniedFile& file : *denied) shipped_.erase(file.path);
    std::vector<ShippedFile> none;
    const auto changes = view::collect_changes(tree->fd(), {none, {}}, plan_->rules.write, 1 << 20, 100);
    REQUIRE(changes.ok());
    const auto writes = client::Opening::of(rules_.write, false, PathRules::Use::Write);
    REQUIRE(writes.ok());
    for (const ShippedFile& file : changes->files)
      if (client::may_come_back(*writes, file.path).ok()) back_.insert(file.path);
    moved_ = true;
  }

  const TempDir& files_;
  const policy::SiteConfig& site_;
  Rules rules_;
  std::optional<policy::ExecutionPlan> plan_;
  bool moved_ = false;
  std::set<std::string> shipped_, back_;
};

struct Count {
  int allowed = 0, refused = 0, unstarted = 0;
};

std::string shown(const Rules& rules, const Rules& ceiling) {
  return dump_json(rules_to_json(rules)) + "\nunder " + dump_json(rules_to_json(ceiling));
}

// The client's answer to a question with a known decision of the execution.
Judgement agreed(const Question& question, const client::Grounds& grounds, bool allowed) {
  const auto judgement = client::judge(question, grounds);
  REQUIRE(judgement.ok());
  CAPTURE(judgement->reason);
  CHECK((judgement->outcome == Judgement::Outcome::Allowed) == allowed);
  return *judgement;
}

}  // namespace

TEST_CASE("band why answers as an execution decides, for random bands, ceilings and questions") {
  const TempDir files;
  for (const std::string& file : kFiles) files.write(file, "x");
  Chance chance;
  std::map<std::string, Count> counts;
  for (int i = 0; i < kBands; ++i) {
    const Kind& kind = kKinds[i % 3];
    policy::SiteConfig site = policy::default_site_config();
    site.gateway.allow_private = {{IpAddress::v4(0), 0}};
    Rules rules;
    for (Domain Rules::*domain : kind.domains) {
      rules.*domain = band_domain(chance, kind.pattern);
      if (chance.one_in(2)) site.ceiling.*domain = ceiling_domain(chance, kind.pattern);
    }
    CAPTURE(shown(rules, site.ceiling));
    Execution execution(rules, site, files);
    ComposedBand band;
    band.band.file = "s/BAND.md";
    band.rules = rules;
    const auto ceiling = rules_from_json(rules_to_json(site.ceiling));  // in the form of health
    REQUIRE(ceiling.ok());
    const auto grounds = client::grounds_of(band, {}, *ceiling);
    if (!execution.starts()) ++counts[kind.name].unstarted;
    if (!grounds.ok()) {
      CHECK_FALSE(execution.starts());
      continue;
    }
    CHECK(execution.starts() == !grounds->refused.has_value());
    for (const Question& question : questions_of(chance, kind)) {
      CAPTURE(question.text());
      const bool allowed = execution.allows(question);
      const Judgement judgement = agreed(question, *grounds, allowed);
      if (question.absolute && execution.starts() && !allowed && !Execution::has(question)) {
        CHECK(judgement.outcome == Judgement::Outcome::Depends);
        CHECK(judgement.remedies.empty());
      }
      if (execution.starts()) ++(allowed ? counts[kind.name].allowed : counts[kind.name].refused);
    }
  }
  for (const auto& entry : counts) {
    CAPTURE(entry.first);
    const Count& count = entry.second;
    CHECK(count.allowed > 300);
    CHECK(count.refused > 300);
    CHECK(count.unstarted > 12);
  }
}

TEST_CASE(
    "band why answers as an execution decides, for bands of several domains and with files that the input names") {
  const TempDir files;
  for (const std::string& file : kFiles) files.write(file, "x");
  Chance chance;
  Count count;
  int by_input = 0;
  for (int i = 0; i < kBands / 3; ++i) {
    policy::SiteConfig site = policy::default_site_config();
    site.gateway.allow_private = {{IpAddress::v4(0), 0}};
    const auto ceiling = rules_from_json(rules_to_json(site.ceiling));  // in the form of health
    REQUIRE(ceiling.ok());
    Rules rules;
    for (const Kind& kind : kKinds)
      for (Domain Rules::*domain : kind.domains) rules.*domain = band_domain(chance, kind.pattern);
    for (Domain* domain : {&rules.read, &rules.write})
      if (!domain->opened.empty() && chance.one_in(2))
        domain->opened.front().push_back({"{path}", "s/BAND.md:9", false, domain == &rules.write && chance.one_in(2)});
    const std::string named = chance.of(kFiles);
    JsonValue input = parse_json(R"({"path": ")" + named + R"("})", "test").value();
    auto given = with_input(rules, *input);
    if (!given.ok()) {  // a value that opens no file for writing
      CHECK((named == "x/.key" || named == ".git/config" || named == "x/opencode.json"));
      ComposedBand band;
      band.rules = rules;
      CHECK_FALSE(client::grounds_of(band, input, *ceiling).ok());
      continue;
    }
    CAPTURE(shown(*given, site.ceiling));
    Execution execution(*given, site, files);
    ComposedBand band;
    band.band.file = "s/BAND.md";
    band.rules = rules;
    const auto grounds = client::grounds_of(band, input, *ceiling);
    if (!grounds.ok()) {
      CHECK_FALSE(execution.starts());
      continue;
    }
    CHECK(execution.starts() == !grounds->refused.has_value());
    for (const Kind& kind : kKinds)
      for (const Question& question : questions_of(chance, kind)) {
        CAPTURE(question.text());
        const bool allowed = execution.allows(question);
        const Judgement judgement = agreed(question, *grounds, allowed);
        if (!execution.starts()) continue;
        ++(allowed ? count.allowed : count.refused);
        if (allowed && judgement.rule && judgement.rule->origin == "s/BAND.md:9") ++by_input;
      }
  }
  CHECK(count.allowed > 1000);
  CHECK(count.refused > 1000);
  CHECK(by_input > 20);
}
