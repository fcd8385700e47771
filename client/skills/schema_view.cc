#include "client/skills/schema_view.h"

#include <algorithm>

#include "schemas/core/json.h"
#include "schemas/core/json_pointer.h"

namespace band::client {
namespace {

constexpr int kMaxHops = 32;  // InputSchema refuses cycles of references; this bounds what it might have missed

// "#/definitions/a~1b" in `root`, or null.
const Json* at_pointer(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  const auto tokens = pointer_tokens(reference.substr(1));
  return tokens ? value_at(root, *tokens) : nullptr;
}

void add(std::vector<std::string>& types, const std::string& type) {
  if (std::find(types.begin(), types.end(), type) == types.end()) types.push_back(type);
}

void collect_types(const Json& root, const Json& given, std::vector<std::string>& types, int depth) {
  if (depth > kMaxHops) return;
  const Json schema = follow_refs(root, given);
  if (!schema.is_object()) return;
  if (const auto type = schema.find("type"); type != schema.end()) {
    if (type->is_string()) add(types, type->get<std::string>());
    if (type->is_array())
      for (const Json& one : *type)
        if (one.is_string()) add(types, one.get<std::string>());
    return;
  }
  if (const auto constant = schema.find("const"); constant != schema.end())
    add(types, std::string(json_type_name(*constant)));
  if (const auto list = schema.find("enum"); list != schema.end() && list->is_array())
    for (const Json& value : *list) add(types, std::string(json_type_name(value)));
  for (const char* choice : {"anyOf", "oneOf", "allOf"})
    if (const auto list = schema.find(choice); list != schema.end() && list->is_array())
      for (const Json& branch : *list) collect_types(root, branch, types, depth + 1);
}

void collect_parameters(const Json& root, const Json& given, std::vector<Parameter>& found, int depth) {
  if (depth > kMaxHops) return;
  const Json schema = follow_refs(root, given);
  if (!schema.is_object()) return;
  if (const auto properties = schema.find("properties"); properties != schema.end() && properties->is_object()) {
    for (const auto& [name, property] : properties->items()) {
      const auto same = [&n = name](const Parameter& p) { return p.name == n; };
      if (std::any_of(found.begin(), found.end(), same)) continue;
      found.push_back({name, follow_refs(root, property), types_of(root, property), false});
    }
  }
  if (const auto all = schema.find("allOf"); all != schema.end() && all->is_array())
    for (const Json& part : *all) collect_parameters(root, part, found, depth + 1);
  if (const auto required = schema.find("required"); required != schema.end() && required->is_array())
    for (const Json& name : *required)
      for (Parameter& parameter : found)
        if (name.is_string() && name.get_ref<const std::string&>() == parameter.name) parameter.required = true;
}

}  // namespace

Json follow_refs(const Json& root, const Json& schema) {
  const Json* at = &schema;
  Json described = Json::object();
  for (int hop = 0; hop < kMaxHops && at->is_object(); ++hop) {
    for (const char* key : {"description", "default"})
      if (at->contains(key) && !described.contains(key)) described[key] = (*at)[key];
    const auto reference = at->find("$ref");
    if (reference == at->end() || !reference->is_string()) {
      Json result = *at;
      for (const auto& [key, value] : described.items()) result[key] = value;
      return result;
    }
    at = at_pointer(root, reference->get_ref<const std::string&>());
    if (at == nullptr) return described;
  }
  return at->is_object() ? described : *at;
}

std::vector<std::string> types_of(const Json& root, const Json& schema) {
  std::vector<std::string> types;
  collect_types(root, schema, types, 0);
  return types;
}

bool Parameter::takes(std::string_view type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::vector<Parameter> parameters_of(const Json& root) {
  std::vector<Parameter> found;
  collect_parameters(root, root, found, 0);
  return found;
}

std::string kebab_case(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_') {
      out += '-';
      continue;
    }
    // A hump begins a word: after a small letter, or as the last capital of an acronym (`HTTPPort` -> `http-port`).
    const bool hump = upper(name[i]) && i > 0 && name[i - 1] != '-' && name[i - 1] != '_' &&
                      (!upper(name[i - 1]) || (i + 1 < name.size() && name[i + 1] >= 'a' && name[i + 1] <= 'z'));
    if (hump) out += '-';
    out += upper(name[i]) ? static_cast<char>(name[i] - 'A' + 'a') : name[i];
  }
  return out;
}

std::string type_label(const Json& root, const Parameter& parameter) {
  std::string label;
  for (const std::string& type : parameter.types) {
    if (!label.empty()) label += " or ";
    if (type != "array") {
      label += type == "object" ? "JSON object" : type;
      continue;
    }
    std::string items;
    if (parameter.schema->contains("items"))
      for (const std::string& item : types_of(root, (*parameter.schema)["items"]))
        items += (items.empty() ? "" : "/") + item;
    label += (items.empty() ? "value" : items) + ", repeatable";
  }
  return label.empty() ? "any JSON" : label;
}

}  // namespace band::client
