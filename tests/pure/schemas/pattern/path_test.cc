#include <doctest/doctest.h>

#include <random>

#include "schemas/rules/path_rules.h"
#include "tests/pure/schemas/pattern/pattern_test.h"

using band::PathPattern;
using Reading = PathPattern::Reading;

namespace {

PathPattern pattern(std::string_view text) { return band::test::parsed<PathPattern>(text); }

// A simple, exponentially slow implementation of patterns: the reference of the property tests. Supports `*`, `?` and
// `**`, but no classes and no escapes.
bool plain_segment(std::string_view p, std::string_view name) {
  if (p.empty()) return name.empty();
  if (p[0] == '*') return plain_segment(p.substr(1), name) || (!name.empty() && plain_segment(p, name.substr(1)));
  return !name.empty() && (p[0] == '?' || p[0] == name[0]) && plain_segment(p.substr(1), name.substr(1));
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    parts.emplace_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view{} : path.substr(slash + 1);
  }
  return parts;
}

bool plain_path(const std::vector<std::string>& p, std::size_t i, const std::vector<std::string>& s, std::size_t j,
                Reading reading) {
  if (i == p.size()) return j == s.size();
  const bool hidden = j < s.size() && s[j][0] == '.' && reading == Reading::Opens;
  if (p[i] == "**") {
    const bool last = i + 1 == p.size();
    if (!last && plain_path(p, i + 1, s, j, reading)) return true;
    if (j == s.size() || hidden) return false;
    return (last && j + 1 == s.size()) || plain_path(p, i, s, j + 1, reading);
  }
  if (j == s.size() || (hidden && p[i][0] != '.')) return false;
  return plain_segment(p[i], s[j]) && plain_path(p, i + 1, s, j + 1, reading);
}

bool plain(const PathPattern& p, const std::string& path, Reading reading = Reading::Opens) {
  std::vector<std::string> parts = split(std::string_view(p.text()).substr(2));
  std::vector<std::string> collapsed;
  for (std::string& part : parts)
    if (part != "**" || collapsed.empty() || collapsed.back() != "**") collapsed.push_back(std::move(part));
  return plain_path(collapsed, 0, split(path), 0, reading);
}

struct Dice {
  std::mt19937 engine{20240607};
  std::size_t operator()(std::size_t n) { return engine() % n; }
  std::string word(std::string_view letters, std::size_t most) {
    std::string text;
    for (std::size_t n = 1 + (*this)(most); n > 0; --n) {
      const char c = letters[(*this)(letters.size())];
      if (c == '*' && !text.empty() && text.back() == '*') continue;
      text += c;
    }
    return text == "." || text == ".." ? "a" : text;
  }
  std::string path(std::string_view letters) {
    std::string text = word(letters, 3);
    for (std::size_t n = (*this)(4); n > 0; --n) text += "/" + word(letters, 3);
    return text;
  }
  std::string pattern_text() {
    std::string text = ".";
    for (std::size_t n = 1 + (*this)(4); n > 0; --n) text += (*this)(4) == 0 ? "/**" : "/" + word("ab.**?", 3);
    return text;
  }
};

}  // namespace

TEST_CASE("a path pattern matches exactly the described paths") {
  struct Row {
    std::string pattern;
    std::string path;
    bool matches;
  };
  const Row rows[] = {
      {"./data/**", "data/a.csv", true},
      {"./data/**", "data/x/y/z.csv", true},
      {"./data/**", "data", false},
      {"./data/**", "database/a", false},
      {"./data/**", "x/data/a", false},
      {"./data/**", "data/.git/config", false},
      {"./data/**", "data/a/.env", false},
      {"./data/.git/**", "data/.git/config", true},
      {"./data/*.csv", "data/a.csv", true},
      {"./data/*.csv", "data/x/a.csv", false},
      {"./data/*.csv", "data/.csv", false},
      {"./data/.*", "data/.env", true},
      {"./**/*.txt", "book.txt", true},
      {"./**/*.txt", "a/b/c.txt", true},
      {"./**/*.txt", "a/.b/c.txt", false},
      {"./**", "a", true},
      {"./**", ".env", false},
      {"./**/x", "x", true},
      {"./a/**/b", "a/b", true},
      {"./a/**/b", "a/x/b/b", true},
      {"./a/**/b", "a/x/b/c", false},
      {"./dir/", "dir", true},
      {"./dir/", "dir/x", false},
      {"./dir//sub", "dir/sub", true},
      {"./?.txt", "a.txt", true},
      {"./?.txt", "ab.txt", false},
      {"./?env", ".env", false},
      {"./[a-c]x", "bx", true},
      {"./[a-c]x", "dx", false},
      {"./[!a-c]x", "dx", true},
      {"./[!a-c]x", "ax", false},
      {"./[!a]env", ".env", false},
      {"./[.]env", ".env", false},
      {"./[]]x", "]x", true},
      {"./[a\\]]x", "]x", true},
      {"./[a-]x", "-x", true},
      {"./\\*", "*", true},
      {"./\\*", "a", false},
      {"./\\[x", "[x", true},
      {"./A", "a", false},
      {"./a*b*c", "aXbYc", true},
      {"./a*b*c", "abbbc", true},
      {"./a*b*c", "abcb", false},
      {"/opt/data/*.csv", "opt/data/a.csv", true},
      {"/opt/data/*.csv", "opt/data/a.txt", false},
      {"./\xc3\xa4/*", "\xc3\xa4/b", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.pattern);
    CAPTURE(row.path);
    CHECK(pattern(row.pattern).matches(row.path) == row.matches);
    if (row.matches) {
      // A walk that checks may_match_below() before it descends must reach the path.
      const std::string path = row.path;
      for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
        CHECK(pattern(row.pattern).may_match_below(path.substr(0, slash)));
      CHECK(pattern(row.pattern).may_match_below(""));
    }
  }
}

TEST_CASE("a deny's wildcards match names that begin with a dot") {
  CHECK_FALSE(pattern("./secrets/**").matches("secrets/.key"));
  CHECK(pattern("./secrets/**").matches("secrets/.key", Reading::Denies));
  CHECK(pattern("./**/id_rsa").matches(".ssh/id_rsa", Reading::Denies));
  CHECK(pattern("./*").matches(".env", Reading::Denies));
  CHECK_FALSE(pattern("./a").matches(".a", Reading::Denies));
}

TEST_CASE("a walk skips directories in which nothing can match") {
  CHECK_FALSE(pattern("./data/**").may_match_below("other"));
  CHECK(pattern("./data/**").may_match_below("data/x"));
  CHECK_FALSE(pattern("./a/*.txt").may_match_below("a/b/c"));
  CHECK_FALSE(pattern("./**").may_match_below(".git"));
  CHECK(pattern("./**").may_match_below(".git", Reading::Denies));
}

TEST_CASE("a bad path pattern is refused with a hint") {
  struct Row {
    std::string text;
    const char* what;
    const char* hint;
  };
  const Row rows[] = {
      {"", "is empty", "./data/**"},
      {"data/**", "neither `./` nor `/`", "`./data/**`"},
      {".", "neither", "`./**`"},
      {"~/x", "neither", "write `./x` and run with `--workspace ~`"},
      {"~", "neither", "write `./**` and run with `--workspace ~`"},
      {"~other/x", "neither", "write `./~other/x`"},
      {"../x", "`..`", "write `./x` and run with `--workspace ..`"},
      {"./../../x/*", "`..`", "write `./x/*` and run with `--workspace ../..`"},
      {"..", "`..`", "write `./**` and run with `--workspace ..`"},
      {"/../x", "`..`", "without `.` and `..`"},
      {"../x/../y", "`..`", "without `.` and `..`"},
      {"./a/../b", "`..`", "without `.` and `..`"},
      {"./a/\\.\\./b", "`..`", "without `.` and `..`"},
      {"/a/./b", "`.`", "without `.` and `..`"},
      {"./", "names no file or directory", "`./**`"},
      {"/", "names no file or directory", "`/**`"},
      {"./a**", "next to other characters", "**/*.txt"},
      {"./a/***", "next to other characters", "**/*.txt"},
      {"./[a", "without its `]`", "[a-z]"},
      {"./[]", "without its `]`", "[a-z]"},
      {"./[a/b]", "without its `]`", "[a-z]"},
      {"./[z-a]", "reversed range", "smaller"},
      {"./a\\", "backslash", "\\\\"},
      {std::string("./a\0b", 5), "NUL", "remove"},
      {"./" + std::string(4095, 'a'), "4096", "shorten"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    auto parsed = PathPattern::parse(row.text);
    REQUIRE_FALSE(parsed.ok());
    CHECK(parsed.error().code == band::Code::SkillInvalid);
    CHECK(parsed.error().message().find(row.what) != std::string::npos);
    CHECK(parsed.error().hint.find(row.hint) != std::string::npos);
  }
  std::string deep = ".";
  for (int i = 0; i < 64; ++i) deep += "/a";
  CHECK(PathPattern::parse(deep).ok());
  CHECK(PathPattern::parse(deep + "/**").ok() == false);
}

TEST_CASE("literal prefix, literal patterns and whole trees") {
  CHECK(pattern("./a/b/*.txt").literal_prefix() == "a/b");
  CHECK(pattern("./a/\\*/c").literal_prefix() == "a/*/c");
  CHECK(pattern("./**").literal_prefix() == "");
  CHECK(pattern("/opt/x").is_literal());
  CHECK_FALSE(pattern("/opt/x*").is_literal());
  CHECK(pattern("/opt/x/**").is_whole_tree());
  CHECK(pattern("/**").is_whole_tree());
  CHECK_FALSE(pattern("/opt/*/**").is_whole_tree());
  CHECK_FALSE(pattern("/opt/**/x").is_whole_tree());
  CHECK_FALSE(pattern("/opt/x").is_whole_tree());
}

TEST_CASE("covers and may_overlap for listed pairs") {
  struct Row {
    std::string outer;
    std::string inner;
    bool covers, overlap;
  };
  const Row rows[] = {
      {"./**", "./a/b", true, true},         {"./**", "./.git/config", false, false},
      {"./**", "./a/**", true, true},        {"./a/**", "./**", false, true},
      {"./*.txt", "./a*.txt", true, true},   {"./a*", "./*a", false, true},
      {"./[a-z]*", "./b", true, true},       {"./[a-c]", "./[b-d]", false, true},
      {"./[a-c]", "./[d-f]", false, false},  {"./a/**/b", "./a/x/b", true, true},
      {"./a/**/b", "./a/x/c", false, false}, {"/**", "./a", false, false},
      {"./a/**", "./a", false, false},       {"./**/x/**", "./a/x/y", true, true},
      {"./?*", "./a*", true, true},          {"./a?", "./a*", false, true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.outer);
    CAPTURE(row.inner);
    CHECK(pattern(row.outer).covers(pattern(row.inner)) == row.covers);
    CHECK(pattern(row.outer).may_overlap(pattern(row.inner), Reading::Opens) == row.overlap);
    CHECK(pattern(row.inner).may_overlap(pattern(row.outer), Reading::Opens) == row.overlap);
  }
  CHECK(pattern("./**").covers(pattern("./.git/config"), Reading::Denies));
  CHECK(pattern("./.git/config").may_overlap(pattern("./**")));
}

TEST_CASE("property: matching agrees with the reference implementation; covers and may_overlap are sound") {
  Dice dice;
  std::vector<std::string> paths;
  for (int i = 0; i < 400; ++i) paths.push_back(dice.path("ab."));
  std::vector<PathPattern> patterns;
  for (int i = 0; i < 250; ++i) patterns.push_back(pattern(dice.pattern_text()));
  int matched = 0, covered = 0, apart = 0;
  for (const PathPattern& p : patterns)
    for (const std::string& path : paths)
      for (const Reading reading : {Reading::Opens, Reading::Denies}) {
        const bool expected = plain(p, path, reading);
        matched += expected;
        if (p.matches(path, reading) != expected) FAIL_CHECK(p.text(), " on ", path, " should be ", expected);
        if (expected && !p.may_match_below(path.substr(0, path.rfind('/')), reading)) FAIL_CHECK(p.text(), path);
      }
  for (const PathPattern& outer : patterns)
    for (const PathPattern& inner : patterns)
      for (const Reading reading : {Reading::Opens, Reading::Denies}) {
        const bool covers = outer.covers(inner, reading);
        const bool overlap = inner.may_overlap(outer, reading);
        covered += covers;
        apart += !overlap;
        if (!covers && overlap) continue;
        for (const std::string& path : paths) {
          const bool in_inner = inner.matches(path), in_outer = outer.matches(path, reading);
          if (covers && in_inner && !in_outer) FAIL_CHECK(outer.text(), " covers ", inner.text(), " but not ", path);
          if (!overlap && in_inner && in_outer) FAIL_CHECK(outer.text(), " meets ", inner.text(), " at ", path);
        }
      }
  CHECK(matched > 1000);  // the random input must not make the test vacuous
  CHECK(covered > 1000);
  CHECK(apart > 1000);
}

TEST_CASE("hostile patterns are matched in bounded time") {
  std::string text = "./";
  for (int i = 0; i < 1000; ++i) text += "*a";
  CHECK_FALSE(pattern(text).matches(std::string(4000, 'a') + "b"));
  std::string deep = ".";
  for (int i = 0; i < 31; ++i) deep += "/**/a";
  std::string path = "a";
  for (int i = 0; i < 2000; ++i) path += "/a";
  CHECK(pattern(deep).matches(path));
  CHECK_FALSE(pattern(deep).matches(path + "/b"));
  CHECK(pattern(deep).covers(pattern(deep)));
}

TEST_CASE("property: deny always has precedence, and a further allow never removes a permission") {
  Dice dice;
  std::vector<std::string> paths;
  for (int i = 0; i < 200; ++i) paths.push_back(dice.path("ab."));
  const auto rule = [&] { return band::Rule{dice.pattern_text(), ""}; };
  int opened = 0;
  for (int round = 0; round < 200; ++round) {
    band::Domain domain;
    domain.opened = {{rule(), rule()}, {rule(), rule(), band::Rule{"./**", ""}}};
    domain.deny = {rule()};
    const auto before = band::PathRules::compile(domain, band::PathRules::Use::Read).value();
    const PathPattern deny = pattern(domain.deny[0].pattern);
    domain.opened[dice(2)].push_back(rule());
    const auto after = band::PathRules::compile(domain, band::PathRules::Use::Read).value();
    for (const std::string& path : paths) {
      opened += before.opens(path, false);
      if (before.opens(path, false) && !after.opens(path, false)) FAIL_CHECK("lost ", path);
      if (deny.matches(path, Reading::Denies) && after.opens(path, false)) FAIL_CHECK("denied but open: ", path);
      CHECK_FALSE(after.opens(path, true));
      for (std::size_t slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1))
        if (after.opens(path, false) && !after.may_open_below(path.substr(0, slash), false)) FAIL_CHECK(path);
    }
  }
  CHECK(opened > 100);
  CHECK_FALSE(band::PathRules::compile(band::Domain{}, band::PathRules::Use::Read).value().opens("a", false));
}
