// Any bytes: parse_json neither crashes nor hangs; a value that it accepts is the same after dump_json, is valid
// UTF-8, at most kMaxJsonDepth deep and free of duplicate keys; and base64 is a bijection.
#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>

#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_text.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// Returns the levels of arrays and objects in `value`; requires that every object's keys are distinct.
int depth_of(const band::Json& value) {
  if (!value.is_structured()) return 0;
  int deepest = 0;
  std::set<std::string_view> keys;
  for (auto it = value.begin(); it != value.end(); ++it) {
    deepest = std::max(deepest, depth_of(it.value()));
    if (value.is_object()) require(keys.insert(it.key()).second);
  }
  return deepest + 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = band::parse_json(text, "input");
  if (!value.ok()) {
    require(value.error().code == band::Code::BadRequest);
    for (const char c : value.error().message()) require(static_cast<unsigned char>(c) >= 0x20);
  } else {
    require(depth_of(*value) <= band::kMaxJsonDepth);
    require(band::shown_with_type(*value).size() < 1000);
    const auto again = band::parse_json(band::dump_json(*value), "dump");
    require(again.ok());
    require(band::equal_json(*value, *again));
    require(band::dump_json(*again) == band::dump_json(*value));
    require(band::parse_json(band::dump_json_pretty(*value), "dump").ok());
    if (value->is_array()) (void)band::equal_items(*value);
  }
  const auto bytes = band::base64_decode(text);
  if (bytes.ok()) require(band::base64_encode(*bytes) == text);
  require(*band::base64_decode(band::base64_encode(text)) == text);
  return 0;
}
