// YAML as band accepts it: the part that is JSON with fewer quotes. Refused, each with its place: anchors and aliases
// (alias bombs), tags, duplicate keys, keys that are no scalars, more than 32 levels, a second document, invalid UTF-8,
// control characters, more than 64 KiB. Plain scalars are null, booleans, numbers and strings by YAML 1.2's core
// schema: `yes` and `on` are strings. The only place that calls yaml-cpp; its exceptions stop here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/diagnostic.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_value.h"

namespace band {

struct YamlPlace {
  int line = 0, column = 0;  // from 1; columns in bytes
};

struct YamlDocument {
  JsonValue value;
  std::map<std::string, YamlPlace> values, keys;  // by JSON pointer; "" is the whole
  std::map<std::string, std::string> plain;       // unquoted scalars as they were written

  // Of the value, or of the nearest thing around it that has a place.
  YamlPlace place_of(const std::string& pointer) const;
};

inline constexpr std::size_t kMaxYamlBytes = 64 << 10;
inline constexpr int kMaxYamlDepth = 32;

// `first_line` is the line of `file` on which `text` begins. What could be read is returned although there are errors,
// so that a schema can find more of them; nothing when the text is no YAML at all.
std::optional<YamlDocument> parse_yaml(std::string_view text, const std::string& file, int first_line,
                                       std::vector<Diagnostic>& errors);

// Checks a document against one of the embedded schemas ("band.schema.json"): unknown keys with the nearest known one,
// and every other violation, with the schema's `$comment` as the hint.
void check_yaml(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
