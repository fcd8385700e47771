// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. Scripts are untrusted input: reading any bytes
// ends, gives the same result twice, and each finding has a place in the text.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "client/shell/reading.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_name(std::string_view text) {
  for (const char c : text)
    if (c != '_' && !(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) return false;
  return text.empty() || !(text[0] >= '0' && text[0] <= '9');
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const band::client::ShellReading reading = band::client::read_shell(text), again = band::client::read_shell(text);
  require(reading.commands.size() == again.commands.size() && reading.uses.size() == again.uses.size());
  int lines = 1;
  for (const char c : text) lines += c == '\n' ? 1 : 0;
  const auto require_place = [&](int line, int column) {
    require(line >= 1 && line <= lines && column >= 1 && column <= static_cast<int>(size) + 1);
  };
  for (const auto& command : reading.commands) {
    require(!command.words.empty());
    for (const auto& word : command.words) require_place(word.line, word.column);
    for (const auto& word : command.assignments) require_place(word.line, word.column);
  }
  for (const auto& redirection : reading.redirections) {
    require_place(redirection.target.line, redirection.target.column);
    require(!redirection.operation.empty());
  }
  for (const auto& variable : reading.uses) {
    require_place(variable.line, variable.column);
    require(is_name(variable.name));
  }
  for (const auto& name : reading.assigned) require(!name.empty() && is_name(name));
  return 0;
}
