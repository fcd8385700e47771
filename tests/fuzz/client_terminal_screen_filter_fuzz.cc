// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A sandboxed program's output can be any bytes: the
// filtered output affects only the screen, is the same for any split of the input, passes the filter again unchanged,
// and restore() undoes it.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "client/terminal/screen_filter.h"
#include "tests/pure/client/terminal/screen_output.h"

namespace {

using band::client::ScreenFilter;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t step = data[0] % 70 + std::size_t{1};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ScreenFilter whole, cut, again;
  const std::string out = whole.feed(bytes), undo = whole.restore();
  std::string pieces;
  for (std::size_t at = 0; at < bytes.size(); at += step) pieces += cut.feed(bytes.substr(at, step));
  require(pieces == out && cut.restore() == undo);
  require(out.size() <= 3 * bytes.size());  // U+FFFD replaces a byte
  require(band::screen_output::fault(out).empty() && band::screen_output::fault(undo).empty());
  require(again.feed(out) == out && again.restore() == undo);
  require(again.feed(undo) == undo);
  band::screen_output::Terminal terminal;
  terminal.write(out);
  terminal.write(undo);
  require(terminal.unusual().empty());
  return 0;
}
