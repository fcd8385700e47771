// A JSON value that is a member of something: for headers that do without nlohmann/json.hpp, which costs every file
// that reads it two to four seconds to compile. Copied with its owner, like the value itself.
#pragma once

#include <concepts>
#include <memory>

#include "schemas/core/json_fwd.h"

namespace band {

class JsonValue {
 public:
  JsonValue();  // null
  // Only of a Json: braces without that name would make an array of what is meant as an object.
  template <std::same_as<Json> T>
  JsonValue(T value) : JsonValue(Taken{}, &value) {}  // NOLINT(google-explicit-constructor): it is the value
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
  JsonValue(Taken, Json* value);  // takes what is there

  std::unique_ptr<Json> value_;  // empty: null
};

}  // namespace band
