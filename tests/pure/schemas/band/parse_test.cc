#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "schemas/band/band.h"
#include "schemas/core/json.h"
#include "schemas/core/units.h"
#include "schemas/yaml/yaml.h"

using band::BandFile;
using band::Diagnostic;

namespace {

std::string sample(const std::string& name) {
  std::ifstream in(std::filesystem::path(BAND_SOURCE_DIR) / "tests/data/bands" / name);
  REQUIRE(in.good());
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string lines_of(const std::vector<Diagnostic>& errors) {
  std::string all;
  for (const Diagnostic& error : errors) all += error.text() + "\n";
  return all;
}

std::vector<Diagnostic> errors_of(const std::string& text) {
  std::vector<Diagnostic> errors;
  const bool parsed = band::parse_band(text, "x/BAND.md", errors).has_value();
  CHECK(parsed == errors.empty());
  return errors;
}

std::vector<Diagnostic> yaml_errors(const std::string& yaml) { return errors_of("---\nband: x\n" + yaml + "\n---\n"); }

BandFile good(const std::string& yaml) {
  std::vector<Diagnostic> errors;
  auto band = band::parse_band("---\nband: x\n" + yaml + "\n---\n", "x/BAND.md", errors);
  REQUIRE_MESSAGE(band.has_value(), lines_of(errors));
  return *band;
}

}  // namespace

TEST_CASE("every key of a band is read") {
  std::vector<Diagnostic> errors;
  const auto band = band::parse_band(sample("full.md"), "github/BAND.md", errors);
  REQUIRE_MESSAGE(band.has_value(), lines_of(errors));
  CHECK(band->name == "github");
  CHECK(band->icon == "🐙");
  CHECK(band->version == "1.2");
  REQUIRE(band->allow_cli.size() == 2);
  CHECK(band->allow_cli[1].pattern == "gh issue list *");
  CHECK(band->allow_cli[1].origin == "github/BAND.md:7");
  CHECK(band->allow_net[1].pattern == "*.githubusercontent.com:443");
  CHECK(band->allow_net[1].origin == "github/BAND.md:10");
  REQUIRE(band->allow_read.size() == 1);
  CHECK(band->allow_read[0].pattern == "./**/*.md");
  CHECK(band->deny_read.size() == 1);
  CHECK(band->insist_write[0].origin == "github/BAND.md:15");
  CHECK(band->limit.maxRuntimeMs == 30'000);
  CHECK(band->limit.maxOutputBytes == 10 << 20);
  CHECK(band->limit.maxMemoryBytes == 1 << 30);
  CHECK(band->limit.maxInputBytes == 4096);
  CHECK(band->limit.maxProcesses == 32);
  CHECK_FALSE(band->limit.maxFiles.has_value());
  CHECK(band->limit.maxCostDollars == 0.5);
  REQUIRE(band->env.size() == 3);
  CHECK(band->env[0].name == "GITHUB_TOKEN");
  CHECK((band->env[0].required && band->env[0].secret));
  CHECK(band->env[1].fallback == "eu");
  CHECK_FALSE(band->env[1].required);
  CHECK_FALSE(band->env[1].secret);
  CHECK_FALSE(band->env[2].required);
  CHECK(band->min_band_version == "0.1");
  CHECK(band->targets == std::vector<std::string>{"local-lima", "local"});
  CHECK(band->extends == std::vector<std::string>{"../base/BAND.md"});
  CHECK(band->includes == std::vector<std::string>{"../net/BAND.md"});
  CHECK(band->input_schema == "schemas/input/x.json");
  CHECK(band->provides.size() == 2);
  CHECK(*band->config == band::Json{{"owner", "octocat"}, {"retries", 3}});
}

TEST_CASE("all errors of a file are reported together, each with its position and a hint") {
  std::vector<Diagnostic> errors;
  CHECK_FALSE(band::parse_band(sample("broken.md"), "BAND.md", errors).has_value());
  const std::string all = lines_of(errors);
  struct Row {
    std::string place;
    const char* what;
    const char* mend;
  };
  const Row rows[] = {
      {"BAND.md:2:7: ", "band", "lower-case letters"},
      {"BAND.md:3:10: ", "version", "put it in quotes: \"1.0\""},
      {"BAND.md:4:1: ", "unknown key `alow`", "did you mean `allow`?"},
      {"BAND.md:8:7: ", "neither `./` nor `/`", "write `./data/**`"},
      {"BAND.md:9:7: ", "`..`", "--workspace .."},
      {"BAND.md:10:7: ", "is empty", "name a path"},
      {"BAND.md:11:7: ", "string", "put it in quotes: \"5\""},
      {"BAND.md:12:9: ", "is a URL", "`api.github.com`"},
      {"BAND.md:13:9: ", "unquoted `|`", "quote it"},
      {"BAND.md:14:3: ", "unknown key `wirte` in allow", "did you mean `write`?"},
      {"BAND.md:16:17: ", "is not above 0", "`30s`"},
      {"BAND.md:17:19: ", "is not a size", "`10m`"},
      {"BAND.md:18:17: ", "limit.maxProcesses", "above 0"},
      {"BAND.md:19:3: ", "unknown key `maxFils` in limit", "did you mean `maxFiles`?"},
      {"BAND.md:20:17: ", "limit.maxOpenFiles", "without a unit"},
      {"BAND.md:22:3: ", "invalid character", "GITHUB_TOKEN"},
      {"BAND.md:23:3: ", "`PATH` is a variable that band sets", "another name"},
      {"BAND.md:24:21: ", "env.TOKEN.required", "YAML 1.2 has no `yes`"},
      {"BAND.md:25:21: ", "required and has a default", "one of the two"},
      {"BAND.md:26:23: ", "execution.targets[0]", "`local-lima`"},
      {"BAND.md:27:10: ", "absolute path", "relative"},
      {"BAND.md:28:1: ", "duplicate key `band`", "line 2"},
  };
  for (const Row& row : rows) {
    const std::size_t at = ("\n" + all).find(std::string("\n") + row.place);
    REQUIRE_MESSAGE(at != std::string::npos, row.place, " in\n", all);
    const std::string line = all.substr(at, all.find('\n', at) - at);
    CHECK_MESSAGE(line.find(row.what) != std::string::npos, line);
    CHECK_MESSAGE(line.find(std::string("; ")) != std::string::npos, line);
    CHECK_MESSAGE(line.find(row.mend) != std::string::npos, line);
  }
  CHECK_MESSAGE(errors.size() == std::size(rows), all);
  for (std::size_t i = 1; i < errors.size(); ++i) CHECK(errors[i - 1].line <= errors[i].line);
  const band::Error error = band::skill_invalid(errors);
  CHECK(error.code == band::Code::SkillInvalid);
  CHECK(error.message().find("BAND.md:28:1: ") != std::string::npos);
}

TEST_CASE("one mistake is one clear error") {
  struct Row {
    std::string yaml;
    int line, column;
    const char* what;
    const char* mend;
  };
  const Row rows[] = {
      {"allow: {read: [*x]}", 3, 16, "not YAML", "needs quotes: \"*x\""},
      {"allow:\n  net: [*.example.com]", 4, 9, "not YAML", "needs quotes: \"*.example.com\""},
      {"allow:\n  net: [a.example, *.b.example:8443, c.example]", 4, 20, "not YAML", "\"*.b.example:8443\""},
      {"allow: {net: *.example.com}", 3, 14, "not YAML", "needs quotes: \"*.example.com\""},
      {"allow:\n  net: [\n    *.example.com,\n  ]", 5, 5, "not YAML", "\"*.example.com\""},
      {"allow:\n  net: [*]", 4, 10, "not YAML", "needs quotes: \"*\""},
      {"allow:\n  net:\n    - *.github.com", 5, 7, "not YAML", "\"*.github.com\""},
      {"description: &a x", 3, 14, "anchor", "remove"},
      {"description: !!str x", 3, 14, "tag", "remove"},
      {"? [a, b]\n: c", 3, 3, "as a key", "text"},
      {"? {a: b}\n: c", 3, 3, "as a key", "text"},
      {"~: c", 3, 1, "null or missing", "write a key"},
      {"description: a\ndescription: b", 4, 1, "duplicate key", "line 3"},
      {"allow: {read: [\"./a\"], read: [\"./b\"]}", 3, 24, "duplicate key `read`", "line 3"},
      {"x: {a: 1, a: 2}", 3, 11, "duplicate key `a`", "line 3"},
      {"description: 'a", 0, 0, "not YAML", ""},
      {"description: [", 0, 0, "not YAML", ""},
      {"description:\n\t- a", 0, 0, "not YAML", ""},
      {"...\n--- x", 0, 0, "second YAML document", "keep one"},
      {"description: a\x01z", 3, 15, "control character", "remove"},
      {"description: a\xffz", 3, 15, "not UTF-8", "UTF-8"},
      {"version: .inf", 3, 10, "JSON does not have", "quotes"},
      {"x: {a: 99999999999999999999}", 3, 8, "64 bits", "quotes"},
      {"x: {a: 1e999}", 3, 8, "double", "quotes"},
      {"x: 5", 3, 4, "must be a map", "x: {"},
      {"allow: []", 3, 8, "object", "`cli`"},
      {"allow:", 3, 1, "object", "`cli`"},
      {"allow: {cli: [\"cd *\"]}", 3, 15, "a builtin or keyword of bash", "remove it"},
      {"deny: {cli: [rm, \"bash -c *\"]}", 3, 18, "runs the script itself", "programs that the script starts"},
      {"insist: {net: {a: b}}", 3, 15, "insist.net", "list"},
      {"limit: {maxRuntimeMs: 5d}", 3, 23, "not a duration", "`5m`"},
      {"limit: {maxRuntimeMs: -5s}", 3, 23, "above 0", "`5m`"},
      {"limit: {maxRuntimeMs: 99999999999h}", 3, 23, "larger than the largest duration", "`5m`"},
      {"limit: {maxRuntimeMs: 1.5}", 3, 23, "limit.maxRuntimeMs", "`5m`"},
      {"limit: {maxOutputBytes: 9999999999g}", 3, 25, "larger than the largest size", "`10m`"},
      {"limit: {maxOutputBytes: 1t}", 3, 25, "not a size", "`10m`"},
      {"limit: {maxCostDollars: 0}", 3, 25, "maxCostDollars", "above 0"},
      {"limit: {maxRuntimeMs: 48h}", 3, 23, "limit.maxRuntimeMs: 48h is more than any server allows", "at most `24h`"},
      {"limit: {maxDiskBytes: 5g}", 3, 23, "limit.maxDiskBytes: 5g", "at most `4096m`"},
      {"limit: {maxFiles: 100001}", 3, 19, "limit.maxFiles: 100001", "at most 100000"},
      {"limit: {maxFiles: 0}", 3, 19, "maxFiles", "whole number"},
      {"env: [A, A]", 3, 10, "twice", "remove one"},
      {"env: [a-b]", 3, 7, "character", "letters"},
      {"env: GITHUB_TOKEN", 3, 6, "env", "list"},
      {"env: [BAND_X]", 3, 7, "band sets", "another"},
      {"env: [LD_PRELOAD]", 3, 7, "controls bash or the dynamic linker", "another"},
      {"path: ../o/BAND.md\nallow: {read: [./a]}", 4, 1, "together with `path`", "remove one"},
      {"path: ../o/BAND.md\nx: {a: 1}", 3, 7, "together with a configuration", "remove one"},
      {"requires: {band: 0.1}", 3, 18, "requires.band", "put it in quotes: \"0.1\""},
      {"requires: {bandd: \"0.1\"}", 3, 12, "unknown key `bandd` in requires", "`band`"},
      {"icon: [a]", 3, 7, "icon: expected string", "An emoji"},
      {"net: [a.example]", 3, 1, "unknown key `net`", "below `allow`, as in `allow: {net: "},
      {"write: [./a]", 3, 1, "unknown key `write`", "below `allow`"},
      {"allow: {net: }", 3, 9, "allow.net", "`net: [\"api.example.com\"]`"},
      {"zzz: 1", 3, 1, "unknown key `zzz`", "known keys: band, icon"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.yaml);
    const auto errors = yaml_errors(row.yaml);
    REQUIRE_FALSE(errors.empty());
    CHECK_MESSAGE(errors.size() == 1, lines_of(errors));
    if (row.line > 0) {
      CHECK_MESSAGE(errors[0].line == row.line, lines_of(errors));
      CHECK_MESSAGE(errors[0].column == row.column, lines_of(errors));
    }
    CHECK_MESSAGE(errors[0].message.find(row.what) != std::string::npos, lines_of(errors));
    CHECK_MESSAGE(errors[0].hint.find(row.mend) != std::string::npos, lines_of(errors));
    CHECK_FALSE(errors[0].hint.empty());
  }
}

TEST_CASE("a file that is not a band is reported as such") {
  struct Row {
    std::string text;
    int line;
    const char* what;
  };
  const Row rows[] = {
      {"", 1, "no frontmatter"},
      {"# A title\n", 1, "no frontmatter"},
      {"----\nband: x\n---\n", 1, "no frontmatter"},
      {"---\nband: x\n", 3, "does not end"},
      {"---", 2, "does not end"},
      {"---\n---\n", 2, "object"},
      {"---\n[]\n---\n", 2, "object"},
      {"---\nicon: x\n---\n", 2, "band"},
      {"---\nband: allow\n---\n", 2, "cannot name a band"},
      {"---\nband: 5\n---\n", 2, "string"},
      {"---\nband: x\n---\n" + std::string(64 << 10, '\n'), 1, "64 KiB"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text.substr(0, 40));
    const auto errors = errors_of(row.text);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].line == row.line);
    CHECK_MESSAGE(errors[0].message.find(row.what) != std::string::npos, lines_of(errors));
    CHECK_FALSE(errors[0].hint.empty());
  }
}

TEST_CASE("an alias bomb is refused, quickly") {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j ? ", " : "") + before;
    bomb += "]\n";
  }
  const auto errors = yaml_errors(bomb);
  CHECK(errors.size() > 12);
  CHECK(lines_of(errors).find("alias") != std::string::npos);
}

TEST_CASE("depth and key length are bounded") {
  CHECK(lines_of(yaml_errors("x: {a: " + std::string(31, '[') + std::string(31, ']') + "}")).find("32 levels") !=
        std::string::npos);
  good("x: {a: " + std::string(29, '[') + std::string(29, ']') + "}");
  CHECK_FALSE(yaml_errors("x: {a: " + std::string(30000, '[') + "}").empty());
  CHECK_FALSE(yaml_errors("x: " + std::string(30000, '{') + "}").empty());
  std::string dashes;
  for (int i = 0; i < 20000; ++i) dashes += "- ";
  CHECK_FALSE(yaml_errors("x:\n  " + dashes).empty());
  CHECK(lines_of(yaml_errors("x: {" + std::string(600, 'k') + ": {" + std::string(600, 'k') + ": 1}}")).find("1,024") !=
        std::string::npos);
}

TEST_CASE("plain scalars are those of YAML 1.2, quoted ones are text") {
  const band::Json config = good(
                                "x: {a: yes, b: on, c: True, d: 010, e: 0x1F, f: 0o17, g: 1_000, h: 1e3, i: .5,\n"
                                "  j: \"1\", k: 'true', l: ~, m: , n: -7, o: 9007199254740993, p: 12:30:45,\n"
                                "  q: 2001-01-01, r: 1., s: \"~\", t: +5, u: '', v: 0x, w: 1.2.3}")
                                .config;
  const band::Json expected = {
      {"a", "yes"},      {"b", "on"},         {"c", true},    {"d", 10},  {"e", 31},
      {"f", 15},         {"g", "1_000"},      {"h", 1000.0},  {"i", 0.5}, {"j", "1"},
      {"k", "true"},     {"l", nullptr},      {"m", nullptr}, {"n", -7},  {"o", 9007199254740993},
      {"p", "12:30:45"}, {"q", "2001-01-01"}, {"r", 1.0},     {"s", "~"}, {"t", 5},
      {"u", ""},         {"v", "0x"},         {"w", "1.2.3"}};
  CHECK(config == expected);
}

TEST_CASE("byte order marks, CRLF and trailing blanks are accepted") {
  std::vector<Diagnostic> errors;
  const auto band = band::parse_band(
      "\xef\xbb\xbf---  \r\nband: x\r\nallow:\r\n  read:\r\n    - ./a\r\n--- \r\ntext\r\n", "x/BAND.md", errors);
  REQUIRE_MESSAGE(band.has_value(), lines_of(errors));
  CHECK(band->allow_read[0].origin == "x/BAND.md:5");
  CHECK(band->allow_read[0].pattern == "./a");
  CHECK(good("description: |\n  one\n  two\n").description == "one\ntwo\n");
}

TEST_CASE("durations and sizes") {
  CHECK(band::parse_duration_ms("250").value() == 250);
  CHECK(band::parse_duration_ms("250ms").value() == 250);
  CHECK(band::parse_duration_ms("30s").value() == 30'000);
  CHECK(band::parse_duration_ms("5m").value() == 300'000);
  CHECK(band::parse_duration_ms("1h").value() == 3'600'000);
  CHECK(band::parse_bytes("1k").value() == 1024);
  CHECK(band::parse_bytes("10m").value() == 10 << 20);
  CHECK(band::parse_bytes("1g").value() == 1 << 30);
  for (const char* bad : {"", "0", "0s", "-1", "s", "1 s", " 1", "1S", "+1", "1.5s", "1e3", "99999999999999999999",
                          "9223372036854775807h", "1ss"})
    CHECK_MESSAGE(!band::parse_duration_ms(bad).ok(), bad);
  for (const char* bad : {"", "0", "0k", "-1k", "k", "1kb", "1K", "9223372036854775807g"})
    CHECK_MESSAGE(!band::parse_bytes(bad).ok(), bad);
}
