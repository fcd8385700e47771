// The name of band's JSON type, for headers that only mention it: the whole library costs a file two to four seconds to
// compile.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace band {

// Object members keep the order in which they were written.
using Json = nlohmann::ordered_json;

}  // namespace band
