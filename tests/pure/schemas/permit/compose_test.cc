#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "schemas/core/json.h"
#include "schemas/permit/algebra.h"
#include "schemas/permit/compose.h"
#include "schemas/rules/path_rules.h"

namespace fs = std::filesystem;
using band::ComposedBand;
using band::Diagnostic;
using band::Domain;
using band::Rule;

namespace {

// A temporary directory with skills; the destructor removes it.
struct Skills {
  fs::path root;
  std::vector<Diagnostic> errors;

  Skills() {
    std::string name = (fs::temp_directory_path() / "band-compose-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root = fs::canonical(name);
  }
  ~Skills() { fs::remove_all(root); }
  Skills(const Skills&) = delete;

  void raw(const std::string& path, const std::string& text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  }
  void band(const std::string& path, const std::string& yaml) { raw(path, "---\n" + yaml + "\n---\n"); }
  std::optional<ComposedBand> compose(const std::string& skill, const std::string& script) {
    errors.clear();
    return band::compose_band(root / skill, script, errors);
  }
  ComposedBand good(const std::string& skill, const std::string& script) {
    auto composed = compose(skill, script);
    REQUIRE_MESSAGE(composed.has_value(), text());
    return *composed;
  }
  std::string bad(const std::string& skill, const std::string& script) {
    CHECK_FALSE(compose(skill, script).has_value());
    CHECK_FALSE(errors.empty());
    for (const Diagnostic& error : errors) CHECK_FALSE(error.hint.empty());
    return text();
  }
  std::string text() const {
    std::string all;
    for (const Diagnostic& error : errors) all += error.text() + "\n";
    return all;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool opens(const Domain& domain, std::string_view path) {
  return band::PathRules::compile(domain, band::PathRules::Use::Read).value().opens(path, false);
}

}  // namespace

TEST_CASE("the most specific BAND.md is used") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\ndescription: skill");
  CHECK(skills.good("s", "a").band.description == "skill");
  skills.band("s/scripts/BAND.md", "band: s\ndescription: scripts");
  CHECK(skills.good("s", "a").band.description == "scripts");
  skills.band("s/scripts/a/BAND.md", "band: s\ndescription: a");
  const ComposedBand a = skills.good("s", "a");
  CHECK(a.band.description == "a");
  CHECK(a.band.file == "s/scripts/a/BAND.md");
  CHECK(a.files == std::vector<std::string>{"s/scripts/a/BAND.md"});
  CHECK(skills.good("s", "b").band.description == "scripts");
  CHECK(skills.good("s", "").band.description == "skill");
}

TEST_CASE("an invalid band never falls back to a wider one") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\nallow: {read: [\"./**\"]}");
  skills.raw("s/scripts/a/BAND.md", "not a band");
  CHECK(has(skills.bad("s", "a"), "s/scripts/a/BAND.md:1:1: no frontmatter"));
  fs::remove(skills.root / "s/scripts/a/BAND.md");
  fs::create_symlink("nowhere", skills.root / "s/scripts/a/BAND.md");
  CHECK(has(skills.bad("s", "a"), "s/scripts/a/BAND.md: cannot open the file"));
  fs::remove(skills.root / "s/scripts/a/BAND.md");
  fs::create_directories(skills.root / "s/scripts/a/BAND.md");
  CHECK(has(skills.bad("s", "a"), "cannot read the file"));
}

TEST_CASE("a skill without a band, a bad name and a missing skill are reported") {
  Skills skills;
  fs::create_directories(skills.root / "s");
  CHECK(has(skills.bad("s", "a"), "s/BAND.md: there is no BAND.md"));
  CHECK(has(skills.bad("s", "../a"), "not the name of a script"));
  CHECK(has(skills.bad("s", ".."), "not the name of a script"));
  CHECK(has(skills.bad("t", "a"), "cannot open the skill"));
}

TEST_CASE("a FIFO in place of a band does not block") {
  Skills skills;
  fs::create_directories(skills.root / "s");
  REQUIRE(::mkfifo((skills.root / "s/BAND.md").c_str(), 0600) == 0);
  CHECK(has(skills.bad("s", "a"), "cannot read the file"));
}

TEST_CASE("path replaces this band by another one") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\ndescription: mine\npath: ../t/BAND.md");
  skills.band("t/BAND.md", "band: t\ndescription: other\nversion: a1\nallow: {read: [\"./x\"]}\nt: {k: 1}");
  const ComposedBand composed = skills.good("s", "a");
  CHECK(composed.band.name == "s");
  CHECK(composed.band.description == "mine");
  CHECK(composed.band.version == "a1");
  CHECK(*composed.band.config == band::Json{{"k", 1}});
  CHECK(composed.rules.read.opened[0][0].origin == "t/BAND.md:5");
  CHECK(composed.files == std::vector<std::string>{"s/BAND.md", "t/BAND.md"});
}

TEST_CASE("each file has the file that names it, and each limit has its origin") {
  Skills skills;
  skills.band(
      "s/BAND.md",
      "band: s\nextends: ../base/BAND.md\nincludes:\n  - ../more/BAND.md\nlimit:\n  maxFiles: 5\n  maxRuntimeMs: 9s");
  skills.band("base/BAND.md", "band: base\nlimit: {maxFiles: 3, maxRuntimeMs: 20s, maxCostDollars: 2}");
  skills.band("more/BAND.md", "band: more\npath: ../last/BAND.md");
  skills.band("last/BAND.md", "band: last\nlimit:\n  maxCostDollars: 1");
  const ComposedBand composed = skills.good("s", "a");
  using Map = std::map<std::string, std::string>;
  CHECK(composed.named_by == Map{{"base/BAND.md", "extends, s/BAND.md:3"},
                                 {"more/BAND.md", "includes, s/BAND.md:5"},
                                 {"last/BAND.md", "path, more/BAND.md:3"}});
  CHECK(composed.limit_origins ==
        Map{{"maxFiles", "base/BAND.md:3"}, {"maxRuntimeMs", "s/BAND.md:8"}, {"maxCostDollars", "last/BAND.md:4"}});
}

TEST_CASE("extends intersects the opened sets, includes unites them, deny and limits only become stricter") {
  Skills skills;
  skills.band("s/BAND.md",
              "band: s\nallow: {read: [\"./a/**\", \"./b/**\"]}\nlimit: {maxRuntimeMs: 10s, maxFiles: 5}\n"
              "env: {T: {default: x, secret: false}, U: }\nextends: ../base/BAND.md\nincludes: [../more/BAND.md]");
  skills.band("base/BAND.md",
              "band: base\nallow: {read: [\"./a/**\", \"./c/**\"], net: [a.com]}\ndeny: {read: [\"./a/secret\"]}\n"
              "limit: {maxRuntimeMs: 20s, maxFiles: 3}\nenv: [T]");
  skills.band("more/BAND.md", "band: more\nallow: {read: [\"./c/**\", \"./d/**\"]}\ndeny: {read: [\"./c/no\"]}");
  const ComposedBand composed = skills.good("s", "a");
  const Domain& read = composed.rules.read;
  CHECK(opens(read, "a/x"));
  CHECK_FALSE(opens(read, "a/secret"));
  CHECK_FALSE(opens(read, "b/x"));  // base does not open it
  CHECK(opens(read, "c/x"));        // included, and base opens it
  CHECK_FALSE(opens(read, "c/no"));
  CHECK_FALSE(opens(read, "d/x"));
  CHECK(composed.rules.net.opens_nothing());  // base alone opens a.com
  CHECK(composed.rules.limit.maxRuntimeMs == 10'000);
  CHECK(composed.rules.limit.maxFiles == 3);
  REQUIRE(composed.rules.env.size() == 2);
  CHECK(composed.rules.env[0].required);
  CHECK(composed.rules.env[0].secret);
  CHECK_FALSE(composed.rules.env[0].fallback.has_value());
  CHECK(composed.files.size() == 3);
}

TEST_CASE("insist opens, and is refused where it can never be satisfied") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./out/r.json\"]}");
  CHECK(opens(skills.good("s", "a").rules.write, "out/r.json"));
  skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./out/r.json\"]}\ndeny: {write: [\"./out/**\"]}");
  CHECK(
      has(skills.bad("s", "a"), "s/BAND.md:3: insist.write: \"./out/r.json\" is denied by \"./out/**\" (s/BAND.md:4)"));
  skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./out/.r\"]}\ndeny: {write: [\"./out/*\"]}");
  CHECK(has(skills.bad("s", "a"), "is denied by"));             // a deny's wildcard matches dots
  for (const std::string deny : {"./out", "./out/", "./o*"}) {  // a deny of a directory denies what is below it
    CAPTURE(deny);
    skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./out/sub/r.json\"]}\ndeny: {write: [\"" + deny + "\"]}");
    CHECK(has(skills.bad("s", "a"), "\"./out/sub/r.json\" is denied by \"" + deny + "\""));
  }
  skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./out/**\"]}\ndeny: {write: [\"./out/*\"]}");
  CHECK(has(skills.bad("s", "a"), "\"./out/**\" is denied by \"./out/*\""));
  skills.band("s/BAND.md", "band: s\ninsist: {write: [\"./output/r.json\"]}\ndeny: {write: [\"./out\"]}");
  CHECK(skills.good("s", "a").rules.write.insist.size() == 1);  // the control
  skills.band("s/BAND.md", "band: s\nextends: ../base/BAND.md\ninsist: {net: [a.com], cli: [git push]}");
  skills.band("base/BAND.md", "band: base\nallow: {net: [\"b.com\"], cli: [\"git *\"]}");
  const std::string text = skills.bad("s", "a");
  CHECK(has(text, "s/BAND.md:4: insist.net: \"a.com\" is not allowed completely"));
  CHECK_FALSE(has(text, "git push"));
  skills.band("s/BAND.md", "band: s\ninsist: {net: [\"a.com:443\"]}\ndeny: {net: [a.com]}");
  CHECK(has(skills.bad("s", "a"), "is denied by \"a.com\""));
  skills.band("s/BAND.md", "band: s\ninsist: {net: [\"a.com:22\"]}\ndeny: {net: [a.com]}");
  CHECK(has(skills.bad("s", "a"), "is denied by \"a.com\""));  // a deny without a port means every port
  skills.band("s/BAND.md", "band: s\ninsist: {cli: [git push --tags]}\ndeny: {cli: [git push]}");
  CHECK(has(skills.bad("s", "a"), "insist.cli: \"git push --tags\" is denied by \"git push\""));
  skills.band("s/BAND.md", "band: s\ninsist: {cli: [git push *]}\ndeny: {cli: [git push --tags]}");
  CHECK(skills.good("s", "a").rules.cli.insist.size() == 1);  // the control: a plain push is not denied
}

TEST_CASE("composition stays inside the skills' directory, links resolved") {
  Skills skills;
  skills.band("in/base/BAND.md", "band: base");
  skills.band("outside/BAND.md", "band: outside");
  skills.band("in/s/BAND.md", "band: s\nextends: ../../outside/BAND.md");
  CHECK(has(skills.bad("in/s", "a"), "s/BAND.md:3:10: \"../../outside/BAND.md\" is outside in/"));
  fs::create_directory_symlink(skills.root / "outside", skills.root / "in/link");
  skills.band("in/s/BAND.md", "band: s\nincludes: [../base/BAND.md, ../link/BAND.md]");
  CHECK(has(skills.bad("in/s", "a"), "s/BAND.md:3:29: \"../link/BAND.md\" is outside in/"));
  fs::create_symlink(skills.root / "outside/BAND.md", skills.root / "in/link2.md");
  skills.band("in/s/BAND.md", "band: s\npath: ../link2.md");
  CHECK(has(skills.bad("in/s", "a"), "is outside in/"));
  fs::remove(skills.root / "in/s/BAND.md");
  fs::create_symlink(skills.root / "outside/BAND.md", skills.root / "in/s/BAND.md");
  CHECK(has(skills.bad("in/s", "a"), "a link to a file outside in/"));
  skills.band("inside-not/BAND.md", "band: x");  // shares a prefix of the name, not the directory
  fs::remove(skills.root / "in/s/BAND.md");
  skills.band("in/s/BAND.md", "band: s\nextends: ../../inside-not/BAND.md");
  CHECK(has(skills.bad("in/s", "a"), "is outside in/"));
}

TEST_CASE("a missing file, a directory, a cycle and too many files are reported with their positions") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\nextends: ../nowhere/BAND.md\nincludes: [../s2, ../s3/BAND.md]");
  fs::create_directories(skills.root / "s2");
  skills.raw("s3/BAND.md", "---\nbandd: x\n---\n");
  std::string text = skills.bad("s", "a");
  CHECK(has(text, "s/BAND.md:3:10: \"../nowhere/BAND.md\": No such file"));
  CHECK(has(text, "s/BAND.md:4:12: \"../s2\" is a directory; write `../s2/BAND.md`"));
  CHECK(has(text, "s3/BAND.md:2:1: unknown key `bandd`"));
  skills.band("s/BAND.md", "band: s\nextends: ../t/BAND.md");
  skills.band("t/BAND.md", "band: t\nincludes: ../s/BAND.md");
  CHECK(has(skills.bad("s", "a"), "t/BAND.md:3:11: a cycle: s/BAND.md -> t/BAND.md -> s/BAND.md"));
  skills.band("s/BAND.md", "band: s\npath: BAND.md");
  CHECK(has(skills.bad("s", "a"), "a cycle: s/BAND.md -> s/BAND.md"));
  for (int i = 0; i < 20; ++i)
    skills.band("c" + std::to_string(i) + "/BAND.md", "band: c\nincludes: ../c" + std::to_string(i + 1) + "/BAND.md");
  CHECK(has(skills.bad("c0", "a"), "more than 16 files"));
}

TEST_CASE("a band that needs a newer version is refused") {
  Skills skills;
  skills.band("s/BAND.md", "band: s\nrequires: {band: \"99.1\"}");
  CHECK(has(skills.bad("s", "a"), "s/BAND.md:3:18: needs band 99.1; this is " BAND_VERSION "; upgrade band"));
  skills.band("s/BAND.md", "band: s\nrequires: {band: \"" BAND_VERSION "\"}");
  skills.good("s", "a");
  skills.band("s/BAND.md", "band: s\nrequires: {band: \"0.0.9\"}");
  skills.good("s", "a");
}

TEST_CASE("a band that several others name is composed once; layers are bounded") {
  Skills skills;
  // It would be composed 2^14 times if results were not reused.
  for (int i = 0; i < 14; ++i) {
    const std::string next = "../d" + std::to_string(i + 1) + "/BAND.md";
    skills.band("d" + std::to_string(i) + "/BAND.md", "band: d\nincludes: [" + next + ", " + next + "]");
  }
  skills.band("d14/BAND.md", "band: d\nallow: {read: [./x]}");
  const ComposedBand composed = skills.good("d0", "a");
  CHECK(composed.rules.read.opened.size() == 1);
  CHECK(composed.files.size() == 15);
  // (a1 and .. a5) or (b1 and .. b5) or ...: a product of 5 x 5 x 5 layers
  std::string top = "band: t\nallow: {read: [./t]}\nincludes:";
  for (const std::string group : {"a", "b", "c"}) {
    std::string yaml = "band: g\nallow: {read: [./" + group + "]}\nextends:";
    for (int i = 0; i < 4; ++i) {
      const std::string name = group + std::to_string(i);
      skills.band(name + "/BAND.md", "band: x\nallow: {read: [./" + name + "]}");
      yaml += "\n  - ../" + name + "/BAND.md";
    }
    skills.band(group + "/BAND.md", yaml);
    top += "\n  - ../" + group + "/BAND.md";
  }
  skills.band("top/BAND.md", top);
  CHECK(has(skills.bad("top", "a"), "more than 32 layers"));
}

TEST_CASE("property: composition follows docs/architecture.md 6.1, in any order") {
  std::mt19937 engine(3);
  const auto pick = [&](std::initializer_list<const char*> from) { return std::data(from)[engine() % from.size()]; };
  const auto rule = [&] {
    return Rule{pick({"./a", "./b", "./a/**", "./b/**", "./**", "./*", "./a/b", "./**/b", "./c*"}), ""};
  };
  const auto random_domain = [&] {
    Domain domain;
    for (std::size_t n = engine() % 3; n > 0; --n) {
      band::RuleSet layer;
      for (std::size_t k = engine() % 4; k > 0; --k) layer.push_back(rule());
      domain.opened.push_back(layer);
    }
    if (engine() % 3 == 0) domain.deny.push_back(rule());
    return domain;
  };
  const std::vector<std::string> paths{"a", "b", "c", "a/a", "a/b", "b/b", "b/c", "a/b/c", "cc", "d/b"};
  const auto raw_open = [](Domain domain, const std::string& path) {
    domain.deny.clear();
    return opens(domain, path);
  };
  int opened = 0;
  for (int round = 0; round < 1500; ++round) {
    const Domain a = random_domain(), b = random_domain(), c = random_domain();
    const Domain both = restrict_to(a, b), either = unite(a, b);
    for (const std::string& path : paths) {
      const bool in_a = raw_open(a, path), in_b = raw_open(b, path);
      opened += in_a;
      CHECK(raw_open(both, path) == (in_a && in_b));
      CHECK(raw_open(either, path) == (in_a || in_b));
      // deny always has precedence
      const bool denied = band::PathRules::compile(both, band::PathRules::Use::Read).value().denies(path, false);
      CHECK(denied == (band::PathRules::compile(a, band::PathRules::Use::Read).value().denies(path, false) ||
                       band::PathRules::compile(b, band::PathRules::Use::Read).value().denies(path, false)));
      if (denied) CHECK_FALSE(opens(either, path));
      // order does not matter
      CHECK(opens(both, path) == opens(restrict_to(b, a), path));
      CHECK(opens(either, path) == opens(unite(b, a), path));
      CHECK(opens(unite(either, c), path) == opens(unite(a, unite(b, c)), path));
      CHECK(opens(restrict_to(both, c), path) == opens(restrict_to(a, restrict_to(b, c)), path));
    }
  }
  CHECK(opened > 1000);
}
