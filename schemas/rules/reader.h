// Rules out of a YAML document: what BAND.md and the operator's ceiling have in common. Takes what has the right type
// and is silent about the rest, which is check_yaml's business; tells what a schema cannot know.
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

  const Json* find(const std::string& pointer) const;  // null when there is none
  std::string text(const std::string& pointer) const;  // "" when there is none
  std::optional<std::int64_t> integer(const std::string& pointer) const;

  // A list of strings, or one string in its place: calls visit(value, its pointer).
  using Visit = std::function<void(const std::string& value, const std::string& pointer)>;
  void each_string(const std::string& pointer, const Visit& visit) const;
  std::vector<std::string> strings(const std::string& pointer) const;

  // The patterns at "<section>/<domain>" ("/allow", "read") that parse; the others are told. In "/allow" and "/insist",
  // `read` and `write`, a pattern may be a placeholder (placeholders.h). An item is a string, or in `read` and `write`
  // a map `{path: PATTERN, optional: true}`.
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

// An integer, if there is one; its bounds are the schema's.
template <class Number>
void read_number(const RuleReader& reader, const std::string& pointer, Number& out) {
  if (const auto number = reader.integer(pointer)) out = static_cast<Number>(*number);
}

// Adds what the schema finds, but where there is an error already: the words of RuleReader are about patterns and
// units, the schema's about characters.
void check_rest(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
