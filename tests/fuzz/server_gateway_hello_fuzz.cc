// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A TLS connection can begin with any bytes: reading them
// ends, the result is the same for any split, and a ClientHello is always recognised as TLS.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/client_hello.h"
#include "server/gateway/recognise.h"
#include "tests/tls_bytes.h"

using namespace band::gateway;
using namespace band::test;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 65'000) return 0;
  const std::size_t step = 1 + data[1] * std::size_t{16};
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  // `data` as the extensions of a valid ClientHello, so that the fuzzer tests them.
  const std::string bytes = data[0] % 2 == 0 ? text : records(message(text), step);

  ClientHello whole, pieces;
  const auto verdict = whole.feed(bytes);
  auto last = ClientHello::Verdict::More;
  for (std::size_t at = 0; at < bytes.size(); at += step) last = pieces.feed(std::string_view(bytes).substr(at, step));
  require(bytes.empty() || last == verdict);
  require(whole.sni() == pieces.sni() && whole.has_ech() == pieces.has_ech());
  require((verdict == ClientHello::Verdict::Garbage) == !whole.why().empty());
  if (verdict != ClientHello::Verdict::Whole) return 0;
  require(recognise(bytes) == Kind::Tls);
  require(whole.size() == pieces.size() && whole.size() <= bytes.size());
  if (whole.sni()) require(!whole.sni()->empty() && bytes.size() > whole.sni()->size());
  return 0;
}
