// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. After a first hello client and server can send any bytes:
// reading them ends, the result is the same for any split, and each hello that passes is for the name.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/handshake.h"
#include "tests/later_hellos.h"
#include "tests/tls_bytes.h"

using namespace band::gateway;
using namespace band::test;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

std::string only_a(const ClientHello& hello) {
  if (!hello.why().empty()) return hello.why();
  return hello.sni() == "a" ? "" : "another name";
}

// Makes records of all kinds, chosen by `data`, so that the fuzzer tests the bytes after record headers.
std::string woven(const std::string& data) {
  static const std::string a = message(server_name(host_name("a"))), b = message(server_name(host_name("b")));
  std::string out;
  for (std::size_t at = 0; at < data.size() && out.size() < 65'000; ++at) {
    const std::size_t choice = static_cast<unsigned char>(data[at]), step = 1 + choice / 8;
    switch (choice % 8) {
      case 0:
        out += record(a);
        break;
      case 1:
        out += records(a, step);
        break;
      case 2:
        out += records(b, step);
        break;
      case 3:
        out += record(a + b);
        break;
      case 4:
        out += record(std::string(step, '\1'), "\x14\3\3");
        break;
      case 5:
        out += record(std::string(step, '\1'), "\x17\3\3");
        break;
      case 6:
        out += step % 2 == 0 ? record("\1\x5a", "\x15\3\3") : record("\2" + sized("\3\3" + std::string(40, 'R'), 3));
        break;
      case 7:
        out += data.substr(at + 1, step);
        at += step;
        break;
    }
  }
  return out;
}

// Reads like a server, which skips all other records.
void require_only_a(std::string_view passed) {
  while (!passed.empty()) {
    std::size_t size = passed.size();
    if (passed[0] >= 0x14 && passed[0] <= 0x17 && passed[0] != 0x16) {
      if (size >= 5) size = 5 + (static_cast<unsigned char>(passed[3]) * 256u + static_cast<unsigned char>(passed[4]));
    } else {
      ClientHello hello;
      require(hello.feed(passed) == ClientHello::Verdict::Whole && only_a(hello).empty());
      size = hello.size();
    }
    passed.remove_prefix(std::min(size, passed.size()));
  }
}

bool made(std::string_view bytes, std::size_t step) {
  ServerChoice choice;
  choice.begin();
  for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size()))) choice.feed(bytes.substr(0, step));
  require(choice.made() != choice.awaited());
  return choice.made();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || size > 65'000) return 0;
  const std::size_t step = 1 + data[1] * std::size_t{4};
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  const std::string bytes = data[0] % 2 == 0 ? text : woven(text);

  const Passed whole = pass(bytes, bytes.size() + 1, only_a), pieces = pass(bytes, step, only_a);
  require(whole.objection.empty() == pieces.objection.empty());
  require(whole.bytes == pieces.bytes);
  require(bytes.starts_with(pieces.bytes + pieces.left));
  if (whole.objection.empty()) require(whole.bytes + whole.left == bytes);
  require_only_a(whole.bytes);

  const bool chosen = made(bytes, bytes.size() + 1);
  require(chosen == made(bytes, step));
  if (chosen) require(bytes.size() > 5 + 38 - 1 && bytes.find('\x16') != std::string::npos);
  return 0;
}
