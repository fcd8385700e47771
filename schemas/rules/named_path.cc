#include "schemas/rules/named_path.h"

#include <algorithm>

namespace band {

bool has_hidden_name(std::string_view path) {
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view name = path.substr(at, end - at);
    if (name.starts_with('.') && name != ".") return true;
    at = end + 1;
  }
  return false;
}

bool is_closed_path(std::string_view path) {
  return path.starts_with('/') || path.starts_with('~') || path == "." || path == "./" || has_hidden_name(path);
}

}  // namespace band
