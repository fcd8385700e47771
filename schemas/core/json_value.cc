#include "schemas/core/json_value.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "schemas/core/json.h"

namespace band {

JsonValue::JsonValue() = default;
JsonValue::JsonValue(Taken, Json* value) : value_(std::make_unique<Json>(std::move(*value))) {}
JsonValue JsonValue::object() { return JsonValue(Json::object()); }
bool JsonValue::is_null() const { return (**this).is_null(); }
JsonValue::JsonValue(const JsonValue& other) : JsonValue(*other) {}
JsonValue::JsonValue(JsonValue&& other) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue& other) { return *this = JsonValue(other); }
JsonValue& JsonValue::operator=(JsonValue&& other) noexcept = default;
JsonValue::~JsonValue() = default;

const Json& JsonValue::operator*() const {
  static const Json null;
  return value_ ? *value_ : null;
}

Json& JsonValue::operator*() {
  if (!value_) value_ = std::make_unique<Json>();
  return *value_;
}

}  // namespace band
