#include "schemas/programs/interpreters.h"

#include <utility>

namespace band {

std::string_view interpreter_of_name(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kKnown[] = {
      {".sh", "bash"},  {".bash", "bash"}, {".py", "python3"}, {".js", "node"},    {".mjs", "node"},
      {".cjs", "node"}, {".rb", "ruby"},   {".pl", "perl"},    {".awk", "awk -f"}, {".jq", "jq -f"}};
  for (const auto& [ending, interpreter] : kKnown)
    if (path.ends_with(ending)) return interpreter;
  return "";
}

}  // namespace band
