// Checks a YAML document against one of band's own schemas, with messages for the author of the document.
#include <algorithm>

#include "schemas/core/embedded.h"
#include "schemas/core/json.h"
#include "schemas/json_schema/input_schema.h"
#include "schemas/yaml/yaml.h"

namespace band {
namespace {

const Json* member(const Json& node, const char* name) {
  if (!node.is_object()) return nullptr;
  const auto found = node.find(name);
  return found == node.end() ? nullptr : &*found;
}

// Returns the schema node that describes `key` of a value described by `node`; null if there is none. band's own
// schemas nest only through `properties`, `additionalProperties`, `items` and references to their own `definitions`.
const Json* node_below(const Json& root, const Json& node, const std::string& key, bool in_array) {
  const Json* below = nullptr;
  if (in_array) {
    below = member(node, "items");
  } else {
    if (const Json* properties = member(node, "properties")) below = member(*properties, key.c_str());
    if (below == nullptr) below = member(node, "additionalProperties");
  }
  if (below == nullptr) return nullptr;
  if (const Json* reference = member(*below, "$ref"); reference != nullptr && reference->is_string()) {
    const std::string target = reference->get<std::string>();  // "#/definitions/NAME"
    const Json* definitions = member(root, "definitions");
    return definitions == nullptr ? nullptr : member(*definitions, target.substr(target.rfind('/') + 1).c_str());
  }
  return below->is_object() ? below : nullptr;
}

class Checker {
 public:
  Checker(const YamlDocument& document, const std::string& file, const Json& schema, std::vector<Diagnostic>& errors)
      : document_(document), file_(file), schema_(schema), errors_(errors) {}

  // Visits every value with its schema node; calls `unknown` for keys that no node describes.
  void find_unknown_keys(const Json& value, const Json& node, const std::string& pointer) {
    if (value.is_array()) {
      for (std::size_t i = 0; i < value.size(); ++i)
        if (const Json* below = node_below(schema_, node, "", true))
          find_unknown_keys(value[i], *below, join_pointer(pointer, i));
      return;
    }
    if (!value.is_object()) return;
    const Json* closed = member(node, "additionalProperties");
    const bool open = closed == nullptr || !closed->is_boolean() || closed->get<bool>();
    for (const auto& [key, inner] : value.items()) {
      if (const Json* below = node_below(schema_, node, key, false))
        find_unknown_keys(inner, *below, join_pointer(pointer, key));
      else if (!open)
        unknown(node, key, pointer);
    }
  }

  void report(const Violation& violation) {
    if (violation.rule == "additionalProperties") return;  // find_unknown_keys has a better message
    const std::string where = readable_pointer(violation.pointer);
    complain(document_.place_of(violation.pointer), (where.empty() ? "" : where + ": ") + violation.message,
             hint_for(violation));
  }

 private:
  void complain(const YamlPlace& at, std::string message, std::string hint) {
    errors_.push_back({file_, at.line, at.column, std::move(message), std::move(hint)});
  }

  void unknown(const Json& node, const std::string& key, const std::string& pointer) {
    std::vector<std::string> known;
    if (const Json* properties = member(node, "properties"))
      for (const auto& [name, ignored] : properties->items()) known.push_back(name);
    const std::string near = nearest_word(key, known);
    std::string list;
    for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
    const auto place = document_.keys.find(join_pointer(pointer, key));
    const std::string where = readable_pointer(pointer);
    complain(place == document_.keys.end() ? document_.place_of(pointer) : place->second,
             "unknown key `" + key.substr(0, 80) + "`" + (where.empty() ? "" : " in " + where),
             belongs_to_allow(node, key) ? "write it below `allow`, as in `allow: {" + key + ": [...]}`"
             : near.empty()              ? "known keys: " + list
                                         : "did you mean `" + near + "`?");
  }

  // Returns whether `key` is a domain (read, write, net, cli) that was written next to `allow` instead of in it.
  bool belongs_to_allow(const Json& node, const std::string& key) const {
    const Json* allow = node_below(schema_, node, "allow", false);
    const Json* domains = allow == nullptr ? nullptr : member(*allow, "properties");
    return domains != nullptr && domains->contains(key);
  }

  std::string hint_for(const Violation& violation) {
    const Json* node = &schema_;
    const Json* value = &*document_.value;
    // A longer pointer cannot be followed: shown_pointer has replaced its middle.
    const bool whole = violation.pointer.size() <= kMostShownPointer;
    for (const std::string& part :
         whole ? pointer_tokens(violation.pointer).value_or(std::vector<std::string>()) : std::vector<std::string>()) {
      if (node == nullptr) break;
      const bool in_array = value->is_array();
      node = node_below(schema_, *node, part, in_array);
      if (in_array)
        value = &value->at(std::stoul(part));
      else if (const Json* inner = member(*value, part.c_str()))
        value = inner;
    }
    std::string written = advice(node);
    if (violation.rule != "type") return written;
    const auto plain = document_.plain.find(violation.pointer);
    if (plain == document_.plain.end() || node == nullptr) return written;
    if (takes(*node, "boolean") && is_old_boolean(plain->second))
      return "write `true` or `false`: YAML 1.2 has no `" + plain->second + "`";
    if (takes(*node, "string") && !takes(*node, "integer") && !value->is_string())
      return "put it in quotes: \"" + plain->second.substr(0, 60) + "\"";
    return written;
  }

  static std::string advice(const Json* node) {
    if (node == nullptr) return "write a value of the expected form";
    if (const Json* comment = member(*node, "$comment"); comment != nullptr && comment->is_string())
      return comment->get<std::string>();
    if (const Json* description = member(*node, "description"); description != nullptr && description->is_string())
      return "description: " + description->get<std::string>();
    return "write a value of the expected form";
  }

  static bool takes(const Json& node, std::string_view type) {
    const Json* types = member(node, "type");
    if (types == nullptr) return false;
    if (types->is_string()) return types->get<std::string>() == type;
    return std::any_of(types->begin(), types->end(), [&](const Json& one) { return one == Json(type); });
  }

  static bool is_old_boolean(std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return text == "yes" || text == "no" || text == "on" || text == "off" || text == "y" || text == "n";
  }

  const YamlDocument& document_;
  const std::string& file_;
  const Json& schema_;
  std::vector<Diagnostic>& errors_;
};

}  // namespace

void check_yaml(const YamlDocument& document, const std::string& file, std::string_view schema_name,
                std::vector<Diagnostic>& errors) {
  const auto broken = [&](const Error& error) {  // a bug in band, not in the file; must not pass silently
    errors.push_back({std::string(schema_name), 0, 0, error.message(), "this is a bug in band: please report it"});
  };
  auto json = parse_json(schema_text(schema_name), schema_name);
  if (!json.ok()) return broken(json.error());
  auto schema = InputSchema::from_json(json.value(), std::string(schema_name));
  if (!schema.ok()) return broken(schema.error());
  Checker checker(document, file, json.value(), errors);
  checker.find_unknown_keys(document.value, json.value(), "");
  for (const Violation& violation : schema.value().validate(document.value)) checker.report(violation);
}

}  // namespace band
