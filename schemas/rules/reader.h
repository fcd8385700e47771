// Reads rules from a YAML document, for BAND.md and the operator's ceiling. Values of a wrong type are skipped, because
// check_yaml reports them; this class reports the errors that a schema cannot find.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/rules/rules.h"
#include "schemas/yaml/yaml.h"

namespace band {

class RuleReader {
 public:
  RuleReader(const YamlDocument& document, std::string file, std::vector<Diagnostic>& errors)
      : document_(document), file_(std::move(file)), errors_(errors) {}

  const Json* find(const std::string& pointer) const;  // null when absent
  std::string text(const std::string& pointer) const;  // "" when absent
  std::optional<std::int64_t> integer(const std::string& pointer) const;

  // Calls visit(value, its pointer) for each string of a list, or for a single string.
  using Visit = std::function<void(const std::string& value, const std::string& pointer)>;
  void each_string(const std::string& pointer, const Visit& visit) const;
  std::vector<std::string> strings(const std::string& pointer) const;

  // Returns the valid patterns at "<section>/<domain>" ("/allow", "read"); others are reported as errors. `read` and
  // `write` in "/allow" and "/insist" may have placeholders (placeholders.h). An item is a string, or in `read` and
  // `write` also a map `{path: PATTERN, optional: true}`.
  RuleSet patterns(const std::string& section, const char* domain);
  Limits limits(const std::string& pointer);

  std::string origin(const std::string& pointer) const;  // "github/BAND.md:9"
  void complain(const std::string& pointer, std::string message, std::string hint);
  void complain_at_key(const std::string& pointer, std::string message, std::string hint);

 private:
  void add_pattern(const std::string& section, const char* domain, Rule rule, const std::string& at, RuleSet& out);
  void add_item(const std::string& section, const char* domain, const Json& item, const std::string& at, RuleSet& out);

  const YamlDocument& document_;
  std::string file_;
  std::vector<Diagnostic>& errors_;
};

// Assigns the integer at `pointer`, if present; the schema checks its bounds.
template <class Number>
void read_number(const RuleReader& reader, const std::string& pointer, Number& out) {
  if (const auto number = reader.integer(pointer)) out = static_cast<Number>(*number);
}

// Adds the errors that the schema finds, except at positions that already have an error: the messages of RuleReader are
// about patterns and units, those of the schema only about characters.
void check_rest(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
