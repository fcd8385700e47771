// The YAML that band accepts: the subset that is JSON with fewer quotes. Refused, each with its position: anchors and
// aliases (alias bombs), tags, duplicate keys, keys that are not scalars, more than 32 levels, a second document,
// invalid UTF-8, control characters, more than 64 KiB. Plain scalars are null, booleans, numbers and strings by YAML
// 1.2's core schema: `yes` and `on` are strings. No other file calls yaml-cpp; its exceptions are caught here.
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
  std::map<std::string, std::string> plain;       // the source text of unquoted scalars

  // Returns the position of the value or key at `pointer`, or of the nearest enclosing one that has a position.
  YamlPlace place_of(const std::string& pointer) const;
};

inline constexpr std::size_t kMaxYamlBytes = 64 << 10;
inline constexpr int kMaxYamlDepth = 32;

// `first_line` is the line of `file` on which `text` begins. Returns the readable part also after errors, so that a
// schema can find further errors; nullopt when the text is not YAML.
std::optional<YamlDocument> parse_yaml(std::string_view text, const std::string& file, int first_line,
                                       std::vector<Diagnostic>& errors);

// Checks a document against one of the embedded schemas ("band.schema.json"). Reports unknown keys with the nearest
// known key, and every other violation with the schema's `$comment` as the hint.
void check_yaml(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
