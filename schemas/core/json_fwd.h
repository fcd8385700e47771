// Declares band's JSON type. Include this header, instead of json.h, in headers that only name the type and in files
// that only pass values on: a file that includes the whole library compiles two to four seconds longer.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace band {

// Object members keep the order in which they were written.
using Json = nlohmann::ordered_json;

// Returns JSON text. Never throws: replaces invalid UTF-8 by U+FFFD.
std::string dump_json(const Json& value);         // on one line, without blanks
std::string dump_json_pretty(const Json& value);  // indented by two spaces

// Returns the size of dump_json(value) in bytes, without creating the text.
std::size_t json_size(const Json& value);

}  // namespace band
