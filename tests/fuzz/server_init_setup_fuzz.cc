// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. Messages between the engine and band-init. Reading them
// ends without a crash; an accepted message is the same after encoding and decoding. The first byte selects the
// message.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/init/setup.h"

namespace {

using namespace band::init;

template <class Message>
void travel_again(const Message& message, band::Result<Message> (*read)(std::string_view)) {
  const std::string bytes = encode(message);
  const auto same = read(bytes);
  if (!same.ok() || encode(*same) != bytes) std::abort();
}

void read_setup(std::string_view bytes) {
  const auto setup = decode(bytes);
  if (!setup.ok()) return;
  if (setup->directory.empty() != setup->holds_commands()) std::abort();
  travel_again(*setup, decode);
}

void read_script(std::string_view bytes) {
  const auto script = decode_script(bytes);
  if (!script.ok()) return;
  if (script->argv.empty()) std::abort();
  travel_again(*script, decode_script);
}

void read_command(std::string_view bytes) {
  const auto command = decode_command(bytes);
  if (!command.ok()) return;
  if (command->argv.size() < 2) std::abort();
  travel_again(*command, decode_command);
}

void read_report(std::string_view bytes) {
  const auto report = decode_report(bytes);
  if (!report.ok()) return;
  if (std::string_view(report->layer).size() >= sizeof report->layer) std::abort();
  if (std::string_view(report->text).size() >= sizeof report->text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_setup(bytes);
      break;
    case 1:
      read_command(bytes);
      break;
    case 2:
      read_script(bytes);
      break;
    default:
      read_report(bytes);
  }
  return 0;
}
