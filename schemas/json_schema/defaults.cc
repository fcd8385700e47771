#include "schemas/json_schema/defaults.h"

#include <set>
#include <string_view>

#include "schemas/core/json.h"
#include "schemas/json_schema/bundle.h"
#include "schemas/json_schema/regular_expression.h"

namespace band {
namespace {

class Filler {
 public:
  Filler(const Json& bundle, const SchemaNodes& nodes, std::size_t most)
      : bundle_(bundle), nodes_(nodes), left_(most) {}

  bool fill(const Json& schema, Json& value, int level) {
    if (!schema.is_object() || !value.is_structured()) return true;
    if (level > 2 * kMaxJsonDepth) return false;
    if (const auto reference = schema.find("$ref"); reference != schema.end())
      return fill(target(*reference), value, level);
    if (const auto all = schema.find("allOf"); all != schema.end())
      for (const Json& part : *all)
        if (!fill(part, value, level)) return false;
    return value.is_object() ? fill_object(schema, value, level) : fill_array(schema, value, level);
  }

 private:
  const Json& target(const Json& reference) const {
    return bundled_target(bundle_, reference.get_ref<const std::string&>());
  }

  // Returns the default that a schema has without alternatives; nullptr if none. Terminates, because bundle_schema()
  // refuses cycles of references.
  const Json* default_of(const Json& schema) const {
    if (!schema.is_object()) return nullptr;
    if (const auto own = schema.find("default"); own != schema.end()) return &*own;
    if (const auto reference = schema.find("$ref"); reference != schema.end()) return default_of(target(*reference));
    if (const auto all = schema.find("allOf"); all != schema.end())
      for (const Json& part : *all)
        if (const Json* found = default_of(part)) return found;
    return nullptr;
  }

  bool add_absent(const Json& properties, Json& value) {
    std::set<std::string_view> present;
    for (auto it = value.begin(); it != value.end(); ++it) present.insert(it.key());
    Json::object_t absent;
    for (auto it = properties.begin(); it != properties.end(); ++it)
      if (!present.contains(it.key()))
        if (const Json* given = default_of(it.value())) {
          const std::size_t size = count(*given);
          if (size > left_) return false;
          left_ -= size;
          absent.emplace_back(it.key(), *given);
        }
    auto& members = value.get_ref<Json::object_t&>();
    members.reserve(members.size() + absent.size());
    for (auto& [name, given] : absent) members.emplace_back(name, std::move(given));
    return true;
  }

  static std::size_t count(const Json& value) {
    std::size_t all = 1;
    if (value.is_structured())
      for (const Json& part : value) all += count(part);
    return all;
  }

  bool fill_object(const Json& schema, Json& value, int level) {
    const auto properties = schema.find("properties"), patterns = schema.find("patternProperties"),
               others = schema.find("additionalProperties");
    if (properties != schema.end() && !add_absent(*properties, value)) return false;
    if (properties == schema.end() && patterns == schema.end() && others == schema.end()) return true;
    // Indexed by name: searching `properties` linearly for each member would be slow for a large object.
    std::map<std::string_view, const Json*> named;
    if (properties != schema.end())
      for (auto it = properties->begin(); it != properties->end(); ++it) named.emplace(it.key(), &it.value());
    for (auto it = value.begin(); it != value.end(); ++it) {
      if (!it.value().is_structured()) continue;
      bool known = false;
      if (const auto own = named.find(it.key()); own != named.end()) {
        known = true;
        if (!fill(*own->second, it.value(), level + 1)) return false;
      }
      if (patterns != schema.end())
        for (auto pattern = patterns->begin(); pattern != patterns->end(); ++pattern) {
          if (!pattern_found(*nodes_.patterns.find(pattern.key())->second, it.key())) continue;
          known = true;
          if (!fill(pattern.value(), it.value(), level + 1)) return false;
        }
      if (!known && others != schema.end() && !fill(*others, it.value(), level + 1)) return false;
    }
    return true;
  }

  bool fill_array(const Json& schema, Json& value, int level) {
    const auto items = schema.find("items"), others = schema.find("additionalItems");
    if (items == schema.end()) return true;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Json* part = nullptr;
      if (!items->is_array()) {
        part = &*items;
      } else if (i < items->size()) {
        part = &(*items)[i];
      } else if (others != schema.end()) {
        part = &*others;
      }
      if (part != nullptr && !fill(*part, value[i], level + 1)) return false;
    }
    return true;
  }

  const Json& bundle_;
  const SchemaNodes& nodes_;
  std::size_t left_;
};

}  // namespace

bool fill_defaults(const Json& bundle, const SchemaNodes& nodes, const Json& schema, Json& value, std::size_t most) {
  return Filler(bundle, nodes, most).fill(schema, value, 0);
}

}  // namespace band
