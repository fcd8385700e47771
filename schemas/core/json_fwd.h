// The name of band's JSON type, for headers that only mention it and files that only pass a value on: the whole library
// costs a file two to four seconds to compile.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace band {

// Object members keep the order in which they were written.
using Json = nlohmann::ordered_json;

// Compact, or indented by two spaces. Never throws: a string with invalid UTF-8 gets U+FFFD in its place.
std::string dump_json(const Json& value);
std::string dump_json_pretty(const Json& value);

// The size of dump_json(value) in bytes, without the text.
std::size_t json_size(const Json& value);

}  // namespace band
