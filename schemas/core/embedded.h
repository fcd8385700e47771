// The JSON Schema files of schemas/ and programs.yaml, compiled into the program.
#pragma once

#include <string_view>

namespace band {

// Returns the content of the file `name` ("band.schema.json"); "" when there is no such file.
std::string_view schema_text(std::string_view name);

}  // namespace band
