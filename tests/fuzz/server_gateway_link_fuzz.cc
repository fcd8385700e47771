// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. Messages between the engine and a gateway process. Reading
// them ends without a crash; an accepted message is the same after encoding and decoding. The first byte selects the
// message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/gateway_link/event.h"
#include "server/gateway_link/policy.h"

namespace {

using namespace band::gateway;

void read_event(std::string_view line) {
  const auto event = decode_event(line);
  if (!event.ok()) return;
  const std::string again = encode(*event);
  if (again.size() >= kMaxEventBytes) std::abort();
  const auto same = decode_event(again);
  if (same.ok() && (same->kind == Event::Kind::Ready || same->kind == Event::Kind::Last))
    return;  // these have only a kind
  if (!same.ok() || same->kind != event->kind || same->port != event->port || same->count != event->count) std::abort();
}

void read_policy(std::string_view json) {
  const auto policy = decode_policy(json);
  if (!policy.ok()) return;
  const std::string again = encode(*policy);
  const auto same = decode_policy(again);
  if (!same.ok() || encode(*same) != again) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 0)
    read_event(bytes);
  else
    read_policy(bytes);
  return 0;
}
