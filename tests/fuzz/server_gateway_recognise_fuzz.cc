// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. The protocol of first bytes does not change with further
// bytes, and is decided after kMaxFirstLine at the latest.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/recognise.h"

using namespace band::gateway;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  Kind seen = Kind::More;
  for (std::size_t n = 0; n <= std::min<std::size_t>(size, 300); ++n) {
    const Kind now = recognise(std::string_view(bytes).substr(0, n));
    if (seen != Kind::More && now != seen) std::abort();
    seen = now;
  }
  const Kind all = recognise(bytes);
  if (seen != Kind::More && all != seen) std::abort();
  if (recognise(bytes + std::string(kMaxFirstLine, 'a')) == Kind::More) std::abort();
  if (all == Kind::More) return 0;
  if (recognise(bytes + "\r\n") != all || recognise(bytes + " HTTP/1.1\r\n") != all) std::abort();
  return 0;
}
