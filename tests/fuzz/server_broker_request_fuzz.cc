// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A script can send any bytes to the broker: reading them
// ends without a crash, and an accepted request can be passed to execve(2) unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "server/broker/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace band;
  shim::RequestHead head;
  if (size < sizeof head) return 0;
  std::memcpy(&head, data, sizeof head);
  // The magic is public: it is written here, so that the fuzzer tests the bytes after it.
  head.magic = shim::kMagic;
  if (!broker::check_head(head).ok()) return 0;
  if (broker::body_bytes(head) > shim::kMaxBodyBytes) std::abort();
  const std::string_view body(reinterpret_cast<const char*>(data) + sizeof head, size - sizeof head);
  const auto request = broker::read_request(head, body);
  if (!request.ok()) return 0;
  if (request->argv.empty() || request->name.empty() || request->name.find('/') != std::string::npos) std::abort();
  if (request->directory.empty() || request->directory[0] != '/') std::abort();
  if (request->descriptors.size() > shim::kMaxDescriptors) std::abort();
  int last = -1;
  for (const int number : request->descriptors) {
    if (number <= last || number >= static_cast<int>(shim::kMostDescriptorNumbers)) std::abort();
    last = number;
  }
  std::size_t bytes = 0;
  for (const auto* strings : {&request->argv, &request->env})
    for (const std::string& text : *strings) {
      if (text.find('\0') != std::string::npos) std::abort();
      bytes += text.size() + 1;
    }
  if (bytes != std::size_t{head.argv_bytes} + head.env_bytes) std::abort();
  return 0;
}
