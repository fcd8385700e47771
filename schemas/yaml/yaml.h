// The YAML that band accepts: the subset that corresponds to JSON. The following is refused, each with its position:
// anchors and aliases (a small file with aliases can denote a huge value), tags, duplicate keys, keys that are not
// scalars, more than 32 levels, a second document, invalid UTF-8, control characters, more than 64 KiB. Unquoted
// scalars are null, booleans, numbers and strings as in YAML 1.2's core schema: `yes` and `on` are strings. Only this
// directory calls yaml-cpp and catches the exceptions of yaml-cpp.
#pragma once

#include <map>
#include <optional>
#include <set>
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
  std::map<std::string, YamlPlace> values, keys;  // JSON pointer -> position; "" is the whole document
  std::map<std::string, std::string> plain;       // JSON pointer of an unquoted scalar -> its source text
  std::set<std::string> flow;                     // JSON pointers of the maps and lists that are written in {} or []

  // Returns the position of the value at `pointer`, else of its key, else of the nearest enclosing value with a
  // position.
  YamlPlace place_of(const std::string& pointer) const;
};

inline constexpr std::size_t kMaxYamlBytes = 64 << 10;
inline constexpr int kMaxYamlDepth = 32;

// `first_line` is the line of `file` on which `text` begins. Adds errors to `errors`. Returns nullopt when the text is
// not YAML; after other errors, returns the part that was read, so that check_yaml() can find further errors.
std::optional<YamlDocument> parse_yaml(std::string_view text, const std::string& file, int first_line,
                                       std::vector<Diagnostic>& errors);

// Checks a document against one of the embedded JSON Schemas ("band.schema.json"). The hint for an unknown key names
// the nearest known key, or all known keys. The hint for most other errors is the `$comment` of the schema that the
// wrong value violates.
void check_yaml(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors);

}  // namespace band
