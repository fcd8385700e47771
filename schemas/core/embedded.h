// The JSON Schema files of schemas/ and programs.yaml, compiled into the program.
#pragma once

#include <string_view>

namespace band {

std::string_view schema_text(std::string_view name);  // name: "band.schema.json"; empty when there is no such file

}  // namespace band
