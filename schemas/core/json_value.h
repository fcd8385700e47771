// JsonValue holds a JSON value. Use it for class members in headers, because a member of type Json would need
// nlohmann/json.hpp, which makes each file compile two to four seconds longer. A copy of a JsonValue has its own copy
// of the JSON value.
#pragma once

#include <concepts>
#include <memory>

#include "schemas/core/json_fwd.h"

namespace band {

class JsonValue {
 public:
  JsonValue();  // null
  // Accepts only an argument of type Json, and no braced list: nlohmann/json could convert the list to an array where
  // an object is intended.
  template <std::same_as<Json> T>
  JsonValue(T value) : JsonValue(Taken{}, &value) {}  // NOLINT(google-explicit-constructor)
  static JsonValue object();
  bool is_null() const;
  JsonValue(const JsonValue& other);
  JsonValue(JsonValue&& other) noexcept;  // `other` is null afterwards
  JsonValue& operator=(const JsonValue& other);
  JsonValue& operator=(JsonValue&& other) noexcept;
  ~JsonValue();

  const Json& operator*() const;
  Json& operator*();
  const Json* operator->() const { return &**this; }
  Json* operator->() { return &**this; }
  operator const Json&() const { return **this; }  // NOLINT(google-explicit-constructor)
  operator Json&() { return **this; }              // NOLINT(google-explicit-constructor)

 private:
  struct Taken {};
  JsonValue(Taken, Json* value);  // moves from *value

  std::unique_ptr<Json> value_;  // empty: null
};

}  // namespace band
