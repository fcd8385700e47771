// Declares band's JSON type, for headers that only name it and files that only pass values on. Including the whole
// library makes a file compile two to four seconds longer.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace band {

// Object members keep the order in which they were written.
using Json = nlohmann::ordered_json;

// Returns JSON text, compact or indented by two spaces. Never throws: invalid UTF-8 is replaced by U+FFFD.
std::string dump_json(const Json& value);
std::string dump_json_pretty(const Json& value);

// Returns the size of dump_json(value) in bytes, without creating the text.
std::size_t json_size(const Json& value);

}  // namespace band
