// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. Reading any bytes from the socket ends without a crash, and
// an accepted message is within its documented bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "schemas/core/json.h"
#include "schemas/wire/features.h"
#include "schemas/wire/wire.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace band;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Both ways to read a request accept the same texts, and return the same request.
  const auto value = parse_json(text, "request", message_bounds(1));
  const auto whole = value.ok() ? request_from_json(*value) : Result<ExecRequest>(value.error());
  const auto parts = request_from_text(text);
  if (parts.ok() != whole.ok()) std::abort();
  if (parts.ok()) {
    const auto again = parse_json(dump_json(request_to_json(*parts)), "request", message_bounds(1));
    if (!again.ok() || dump_json(*again) != dump_json(request_to_json(*whole))) std::abort();
  }
  const auto json = parse_json(text, "fuzz");
  if (!json.ok()) return 0;
  if (const auto request = request_from_json(*json); request.ok()) {
    if (!is_script_name(request->script)) std::abort();
    for (const ShippedFile& file : request->files)
      if (!is_safe_relative_path(file.path) || file.mode > 0777) std::abort();
    // An accepted message is accepted again.
    if (!request_from_json(request_to_json(*request)).ok()) std::abort();
  }
  if (const auto answer = answer_from_json(*json); answer.ok()) {
    for (const ShippedFile& file : answer->files)
      if (!is_safe_relative_path(file.path) || file.mode > 0777) std::abort();
    if (!answer_from_json(answer_to_json(*answer)).ok()) std::abort();
  }
  const ServerBuild build = build_from_json(*json);
  if (!build.source.empty() && build.source.size() != 64) std::abort();
  if (build.features.size() > kMostFeatures) std::abort();
  for (const std::string& name : build.features)
    if (!is_feature_name(name)) std::abort();
  (void)needed_features(*json);
  Error error;
  (void)error_from_json(*json, error).ok();
  return 0;
}
