// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. The protocol of first bytes does not change with further
// bytes, and is decided after kMaxFirstLine at the latest. For any split, the end of a head does not pass as another
// protocol.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/head_watch.h"
#include "server/gateway/recognise.h"

using namespace band::gateway;

namespace {

// Returns the number of bytes that pass.
std::size_t watch(HeadWatch& head, std::string_view bytes, std::size_t step) {
  std::size_t passed = 0;
  for (std::size_t at = 0; at < bytes.size() && head.state() == HeadWatch::State::Watching; at += step)
    passed += head.feed(bytes.substr(at, step));
  return passed;
}

void check_watch(std::string_view bytes) {
  HeadWatch whole, pieces;
  const std::size_t passed = watch(whole, bytes, bytes.size() + 1);
  const std::size_t in_pieces = watch(pieces, bytes, 3);
  if (whole.state() != pieces.state()) std::abort();
  if (whole.state() == HeadWatch::State::Different) return;
  if (passed != in_pieces) std::abort();
  if (whole.state() == HeadWatch::State::Found ? bytes[passed] != '\n' : passed != bytes.size()) std::abort();
  const std::string_view sent = bytes.substr(0, passed);
  const std::size_t begin = std::min(sent.find_first_not_of("\r\n"), sent.size());
  if (sent.find("\r\n\r\n", begin) != std::string_view::npos) std::abort();
}

}  // namespace

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
  check_watch(bytes);
  if (all == Kind::More) return 0;
  if (recognise(bytes + "\r\n") != all || recognise(bytes + " HTTP/1.1\r\n") != all) std::abort();
  // Whatever begins like an alert or a handshake is TLS.
  if ((data[0] == 0x15 || data[0] == 0x16) && all != Kind::Tls) std::abort();
  return 0;
}
