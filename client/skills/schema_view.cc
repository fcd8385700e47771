#include "client/skills/schema_view.h"

#include <algorithm>
#include <map>

#include "schemas/core/json.h"
#include "schemas/core/json_pointer.h"

namespace band::client {
namespace {

constexpr int kMaxHops = 32;  // InputSchema rejects cyclic references; this is a second limit
// Limit of visited schemas for one script. References to schemas that contain several references themselves can form
// exponentially many paths.
constexpr int kMaxVisits = 100'000;

// "#/definitions/a~1b" in `root`, or null.
const Json* at_pointer(const Json& root, std::string_view reference) {
  if (!reference.starts_with('#')) return nullptr;
  const auto tokens = pointer_tokens(reference.substr(1));
  return tokens ? value_at(root, *tokens) : nullptr;
}

void add(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// Returns `given`, or the object to which it refers; null if that is not an object.
const Json* target_of(const Json& root, const Json& given) {
  const Json* at = &given;
  for (int hop = 0; hop < kMaxHops && at != nullptr && at->is_object(); ++hop) {
    const auto reference = at->find("$ref");
    if (reference == at->end() || !reference->is_string()) return at;
    at = at_pointer(root, reference->get_ref<const std::string&>());
  }
  return nullptr;
}

// Visits the schemas that apply to one value.
class Walk {
 public:
  explicit Walk(const Json& root) : root_(root) {}

  void types(const Json& given, std::vector<std::string>& found, int depth = 0) {
    const Json* schema = visit(given, depth);
    if (schema == nullptr) return;
    if (const auto type = schema->find("type"); type != schema->end()) {
      if (type->is_string()) add(found, type->get<std::string>());
      if (type->is_array())
        for (const Json& one : *type)
          if (one.is_string()) add(found, one.get<std::string>());
      return;
    }
    if (const auto constant = schema->find("const"); constant != schema->end())
      add(found, std::string(json_type_name(*constant)));
    if (const auto list = schema->find("enum"); list != schema->end() && list->is_array())
      for (const Json& value : *list) add(found, std::string(json_type_name(value)));
    for (const char* choice : {"anyOf", "oneOf", "allOf"})
      if (const auto list = schema->find(choice); list != schema->end() && list->is_array())
        for (const Json& branch : *list) types(branch, found, depth + 1);
  }

  void parameters(const Json& given, std::vector<Parameter>& found, int depth = 0) {
    const Json* schema = visit(given, depth);
    if (schema == nullptr) return;
    if (const auto properties = schema->find("properties"); properties != schema->end() && properties->is_object())
      for (const auto& [name, property] : properties->items()) {
        if (!places_.emplace(name, found.size()).second) continue;
        found.push_back({name, follow_refs(root_, property), {}, false});
        types(property, found.back().types);
      }
    if (const auto all = schema->find("allOf"); all != schema->end() && all->is_array())
      for (const Json& part : *all) parameters(part, found, depth + 1);
    if (const auto required = schema->find("required"); required != schema->end() && required->is_array())
      for (const Json& name : *required)
        if (const auto place = name.is_string() ? places_.find(name.get<std::string>()) : places_.end();
            place != places_.end())
          found[place->second].required = true;
  }

  void choices(const Json& given, std::vector<std::string>& found, int depth = 0) {
    const Json* schema = visit(given, depth);
    if (schema == nullptr || found.size() >= kMaxChoices) return;
    const auto add_value = [&](const Json& value) {
      if (found.size() < kMaxChoices) add(found, value.is_string() ? value.get<std::string>() : dump_json(value));
    };
    if (const auto constant = schema->find("const"); constant != schema->end()) return add_value(*constant);
    if (const auto list = schema->find("enum"); list != schema->end() && list->is_array()) {
      for (const Json& value : *list) add_value(value);
      return;
    }
    if (const auto type = schema->find("type"); type != schema->end() && *type == "boolean") {
      add(found, "true");
      add(found, "false");
    }
    for (const char* choice : {"anyOf", "oneOf", "allOf"})
      if (const auto list = schema->find(choice); list != schema->end() && list->is_array())
        for (const Json& branch : *list) choices(branch, found, depth + 1);
    if (const auto items = schema->find("items"); items != schema->end()) choices(*items, found, depth + 1);
  }

 private:
  // Returns the target of `given`; null if it is not an object, or at a limit.
  const Json* visit(const Json& given, int depth) {
    return depth > kMaxHops || ++visits_ > kMaxVisits ? nullptr : target_of(root_, given);
  }

  const Json& root_;
  int visits_ = 0;
  std::map<std::string, std::size_t> places_;  // indices of parameters, by name
};

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
  Walk(root).types(schema, types);
  return types;
}

bool Parameter::takes(std::string_view type) const {
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::vector<Parameter> parameters_of(const Json& root) {
  std::vector<Parameter> found;
  Walk(root).parameters(root, found);
  return found;
}

std::vector<std::string> choices_of(const Json& root, const Parameter& parameter) {
  std::vector<std::string> choices;
  Walk(root).choices(parameter.schema, choices);
  return choices;
}

std::string description_of(const Parameter& parameter) {
  const auto about = parameter.schema->find("description");
  return about != parameter.schema->end() && about->is_string() ? about->get<std::string>() : "";
}

std::string kebab_case(std::string_view name) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '_') {
      out += '-';
      continue;
    }
    // A capital begins a word: after a small letter, or as the last capital of an acronym (`HTTPPort` -> `http-port`).
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
