// The JSON Schema files of schemas/ and programs.yaml, compiled in.
#pragma once

#include <string_view>

namespace band {

std::string_view schema_text(std::string_view name);  // "band.schema.json"; empty when there is none

}  // namespace band
