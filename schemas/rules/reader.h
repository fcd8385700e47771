// Reads rules from a YAML document: a BAND.md or server.yaml. Skips values of a wrong type, because check_yaml (yaml.h)
// reports them by the JSON Schema; RuleReader reports the errors that the schema cannot find, such as bad patterns.
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

  // Each `pointer` is the JSON pointer of a value in the document.
  const Json* find(const std::string& pointer) const;  // null when absent
  std::string text(const std::string& pointer) const;  // "" when absent
  std::optional<std::int64_t> integer(const std::string& pointer) const;

  // The value can be a string or a list: calls visit(string, pointer of the string) for the string, or for each string
  // of the list.
  using Visit = std::function<void(const std::string& value, const std::string& pointer)>;
  void each_string(const std::string& pointer, const Visit& visit) const;
  std::vector<std::string> strings(const std::string& pointer) const;  // the strings of each_string()

  // Reads the list of patterns at the JSON pointer `section` + "/" + `domain`, for example "/allow" + "/" + "read".
  // Returns a rule for each valid pattern, and reports an error for each invalid pattern. An item is a string, or in
  // `read` and `write` also a map `{path: PATTERN, optional: true}` or `{path: PLACEHOLDER, dot: true}`. In `read` and
  // `write` of "/allow" and "/insist", placeholders (placeholders.h) are valid, too.
  RuleSet patterns(const std::string& section, const char* domain);
  // Reads the map of limits at `pointer`. Reports values that are not durations or sizes, or are above LimitKey::most.
  Limits limits(const std::string& pointer);

  std::string origin(const std::string& pointer) const;  // "github/BAND.md:9"
  // complain() adds an error at the position of the value at `pointer`, complain_at_key() at the position of this
  // value's key.
  void complain(const std::string& pointer, std::string message, std::string hint);
  void complain_at_key(const std::string& pointer, std::string message, std::string hint);

 private:
  void add_pattern(const std::string& section, const char* domain, Rule rule, const std::string& at, RuleSet& out);
  void add_item(const std::string& section, const char* domain, const Json& item, const std::string& at, RuleSet& out);

  const YamlDocument& document_;
  std::string file_;
  std::vector<Diagnostic>& errors_;
};

// Assigns the integer at `pointer` to `out`, if present. Does not check bounds, because the JSON Schema checks them.
template <class Number>
void read_number(const RuleReader& reader, const std::string& pointer, Number& out) {
  if (const auto number = reader.integer(pointer)) out = static_cast<Number>(*number);
}

// Adds the errors that the JSON Schema `schema_name` finds. Positions that already have an error of RuleReader get no
// second error: RuleReader describes what is wrong with a pattern or with a quantity such as "10 MiB". If the schema
// rejects the same value, its error says only that the value does not match a regular expression.
void check_rest(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
