// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A client's input to an execution's terminal, for any split:
// reading it ends without a crash, and no terminal size is out of bounds.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "schemas/wire/terminal_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace band;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  TerminalInput whole, cut;
  std::string keys, pieces;
  std::optional<TerminalSize> last, last_of_pieces;
  const bool good = whole.feed(bytes, keys, last).ok();
  if (keys.size() > size) std::abort();
  for (const auto& came : {last})
    if (came &&
        (came->columns == 0 || came->rows == 0 || came->columns > kMostTerminalSide || came->rows > kMostTerminalSide))
      std::abort();
  bool good_pieces = true;
  for (std::size_t at = 0; at < size && good_pieces; ++at)
    good_pieces = cut.feed(bytes.substr(at, 1), pieces, last_of_pieces).ok();
  if (good != good_pieces || keys != pieces || last != last_of_pieces) std::abort();
  if (!good) return 0;
  // The input that was read is the same after encoding and decoding.
  std::string again;
  TerminalInput reader;
  if (!reader.feed(keys_frames(keys) + (last ? size_frame(*last) : ""), again, last_of_pieces).ok()) std::abort();
  if (again != keys || !reader.between_frames()) std::abort();
  return 0;
}
