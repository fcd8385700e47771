// Composes each row of the two tables in docs/architecture.md 6.1, and compares the result with the table.
#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "schemas/commands/decision.h"
#include "schemas/permit/compose.h"
#include "schemas/permit/permit.h"
#include "schemas/rules/net_rules.h"
#include "schemas/rules/path_rules.h"

using namespace band;
namespace fs = std::filesystem;
using Row = std::map<std::string, std::string>;  // heading -> cell

namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

std::vector<std::string> split(const std::string& text, char by) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, by);) parts.push_back(trimmed(part));
  return parts;
}

std::vector<std::string> cells(const std::string& line) { return split(line.substr(1), '|'); }

// The rows of the table of docs/architecture.md that has exactly these headings.
std::vector<Row> table(const std::vector<std::string>& headings) {
  std::ifstream file(BAND_SOURCE_DIR "/docs/architecture.md");
  REQUIRE(file);
  std::vector<Row> rows;
  bool inside = false;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("|")) {
      inside = false;
      continue;
    }
    const std::vector<std::string> row = cells(line);
    if (row == headings) inside = true;
    if (!inside || row == headings || row.front().starts_with("---")) continue;
    REQUIRE_MESSAGE(row.size() == headings.size(), line);
    Row& added = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) added[headings[i]] = row[i];
  }
  return rows;
}

// A skill `s` whose BAND.md includes i/BAND.md and extends e/BAND.md, if their texts are given.
class Skills {
 public:
  Skills() {
    std::string name = (fs::temp_directory_path() / "band-tables-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    root_ = fs::canonical(name);
  }
  ~Skills() { fs::remove_all(root_); }
  Skills(const Skills&) = delete;

  Rules composed(const std::string& band, const std::optional<std::string>& included,
                 const std::optional<std::string>& extended) {
    std::string text = "band: s\n";
    if (included) put("i", "band: i\n" + *included), text += "includes: ../i/BAND.md\n";
    if (extended) put("e", "band: e\n" + *extended), text += "extends: ../e/BAND.md\n";
    put("s", text + band);
    std::vector<Diagnostic> errors;
    const auto composed = compose_band(root_ / "s", "", errors);
    REQUIRE_MESSAGE(composed.has_value(), errors.front().text());
    return composed->rules;
  }

 private:
  void put(const std::string& skill, const std::string& yaml) {
    fs::create_directories(root_ / skill);
    std::ofstream(root_ / skill / "BAND.md") << "---\n" << yaml << "---\n";
  }
  fs::path root_;
};

// ---- rules ----------------------------------------------------------------------------------------------------------

struct Kind {
  const char* name;
  Domain Rules::*domain;
  std::map<std::string, std::string> items;  // A, B, all -> pattern
};

const Kind kKinds[] = {{"cli", &Rules::cli, {{"A", "tool a"}, {"B", "tool b"}, {"all", "tool *"}}},
                       {"net", &Rules::net, {{"A", "a.example"}, {"B", "b.example"}, {"all", "*"}}},
                       {"read", &Rules::read, {{"A", "./a"}, {"B", "./b"}, {"all", "./**"}}},
                       {"write", &Rules::write, {{"A", "./a"}, {"B", "./b"}, {"all", "./**"}}}};

// "allow A, B; deny B" -> the YAML of a BAND.md. nullopt for an empty cell.
std::optional<std::string> band_text(const std::string& cell, const Kind& kind) {
  if (cell.empty()) return std::nullopt;
  std::string yaml;
  if (cell == "nothing") return yaml;
  for (const std::string& part : split(cell, ';')) {
    const std::size_t space = part.find(' ');
    std::string list;
    for (const std::string& item : split(part.substr(space), ','))
      list += (list.empty() ? "\"" : ", \"") + kind.items.at(item) + "\"";
    yaml += part.substr(0, space) + ": {" + kind.name + ": [" + list + "]}\n";
  }
  return yaml;
}

bool allowed(const Permitted& permitted, const Kind& kind, const std::string& item) {
  const Domain& domain = permitted.rules.*kind.domain;
  const std::string& pattern = kind.items.at(item);
  if (kind.domain == &Rules::cli) {
    const auto rules = CommandRules::compile(domain, permitted.commands);
    REQUIRE(rules.ok());
    return rules->decide(split(pattern, ' ')).outcome == Decision::Outcome::Allowed;
  }
  if (kind.domain == &Rules::net) {
    const auto rules = NetRules::compile(domain);
    REQUIRE(rules.ok());
    return rules->connect(NetHost::named(pattern), 443).allowed;
  }
  const auto use = kind.domain == &Rules::read ? PathRules::Use::Read : PathRules::Use::Write;
  const auto rules = PathRules::compile(domain, use);
  REQUIRE(rules.ok());
  return rules->opens(pattern.substr(2), false);
}

// ---- limits ---------------------------------------------------------------------------------------------------------

// "2 D", "D/2", "D" -> the number; nullopt for "-".
std::optional<std::int64_t> amount(const std::string& cell, std::int64_t standard) {
  if (cell == "-") return std::nullopt;
  if (cell == "D/2") return standard / 2;
  return cell == "D" ? standard : std::stoi(cell) * standard;
}

std::optional<std::string> limit_text(const std::string& cell, const LimitKey& key, std::int64_t standard) {
  if (cell.empty()) return std::nullopt;
  const auto value = amount(cell, standard);
  return value ? "limit: {" + std::string(key.name) + ": " + std::to_string(*value) + "}\n" : "";
}

}  // namespace

TEST_CASE("rules compose as the table in docs/architecture.md says, in each domain") {
  const auto rows = table({"band", "includes", "extends", "ceiling", "A", "B"});
  CHECK(rows.size() >= 24);
  for (const Row& row : rows)
    for (const Kind& kind : kKinds) {
      CAPTURE(kind.name);
      CAPTURE(row.at("band") + " | " + row.at("includes") + " | " + row.at("extends") + " | " + row.at("ceiling"));
      Skills skills;
      const Rules rules = skills.composed(band_text(row.at("band"), kind).value(), band_text(row.at("includes"), kind),
                                          band_text(row.at("extends"), kind));
      Rules ceiling;
      if (const auto text = band_text(row.at("ceiling"), kind)) ceiling = skills.composed(*text, {}, {});
      const auto permitted = permit(rules, {}, ceiling, {});
      // A rule that the ceiling closes completely ends the run; in the domain cli, the command is refused.
      if (!permitted.ok()) {
        CHECK(permitted.error().code == Code::PermissionDenied);
        CHECK(kind.domain != &Rules::cli);
        CHECK(row.at("A") + row.at("B") == "nono");
        continue;
      }
      CHECK(allowed(*permitted, kind, "A") == (row.at("A") == "yes"));
      CHECK(allowed(*permitted, kind, "B") == (row.at("B") == "yes"));
    }
}

TEST_CASE("limits compose as the table in docs/architecture.md says, each of them") {
  const auto rows = table({"band", "includes", "extends", "ceiling", "value"});
  CHECK(rows.size() >= 20);
  for (const Row& row : rows)
    for (const LimitKey& key : kLimitKeys) {
      CAPTURE(key.name);
      CAPTURE(row.at("band") + " | " + row.at("includes") + " | " + row.at("extends") + " | " + row.at("ceiling"));
      const std::int64_t standard = EffectiveLimits().*key.effective;
      const auto text = [&](const char* heading) { return limit_text(row.at(heading), key, standard); };
      Skills skills;
      const Rules rules = skills.composed(text("band").value(), text("includes"), text("extends"));
      Rules ceiling;
      if (const auto of_ceiling = text("ceiling")) ceiling = skills.composed(*of_ceiling, {}, {});
      const auto permitted = permit(rules, {}, ceiling, {});
      REQUIRE(permitted.ok());
      CHECK(permitted->limits.*key.effective == amount(row.at("value"), standard));
    }
}

TEST_CASE("maxCostDollars has no default: a maximum is its value if the band sets none") {
  Skills skills;
  const auto dollars = [&](const char* own, const char* included, std::optional<double> ceiling) {
    Rules of_ceiling;
    of_ceiling.limit.maxCostDollars = ceiling;
    return permit(skills.composed(own, included, {}), {}, of_ceiling, {}).value().limits.maxCostDollars;
  };
  CHECK(dollars("", "", {}) == std::nullopt);
  CHECK(dollars("", "", 3.0) == 3.0);
  CHECK(dollars("", "limit: {maxCostDollars: 2}\n", {}) == 2.0);
  CHECK(dollars("limit: {maxCostDollars: 1}\n", "limit: {maxCostDollars: 2}\n", 3.0) == 1.0);
  CHECK(dollars("limit: {maxCostDollars: 4}\n", "limit: {maxCostDollars: 2}\n", 1.0) == 1.0);
}
