// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. The first bytes of a TLS connection can be anything: reading
// them ends, how they are cut changes nothing, and what is a ClientHello was recognised as TLS.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/client_hello.h"
#include "server/gateway/recognise.h"

using namespace band::gateway;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string sized(const std::string& text, int bytes) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(text.size() >> (8 * i));
  return out + text;
}

// `extensions` in an otherwise good ClientHello, in records of `step` bytes: lets the fuzzer spend its time inside.
std::string wrapped(const std::string& extensions, std::size_t step) {
  std::string body =
      "\3\3" + std::string(32, 'r') + std::string("\0\0\4\xc0\x2f\x13\x01\1\0", 9) + sized(extensions, 2);
  std::string message = "\1" + sized(body, 3), out;
  for (; !message.empty(); message.erase(0, step)) out += "\x16\3\1" + sized(message.substr(0, step), 2);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 65'000) return 0;
  const std::size_t step = 1 + data[1] * std::size_t{16};
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string bytes = data[0] % 2 == 0 ? text : wrapped(text, step);

  ClientHello whole, pieces;
  const auto verdict = whole.feed(bytes);
  auto last = ClientHello::Verdict::More;
  for (std::size_t at = 0; at < bytes.size(); at += step) last = pieces.feed(std::string_view(bytes).substr(at, step));
  require(bytes.empty() || last == verdict);
  require(whole.sni() == pieces.sni() && whole.has_ech() == pieces.has_ech());
  require((verdict == ClientHello::Verdict::Garbage) == !whole.why().empty());
  if (verdict != ClientHello::Verdict::Whole) return 0;
  require(recognise(bytes) == Kind::Tls);
  if (whole.sni()) require(!whole.sni()->empty() && bytes.size() > whole.sni()->size());
  return 0;
}
