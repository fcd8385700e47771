// Checks of names in wire messages: paths of files, and names of scripts.
#include <algorithm>

#include "schemas/core/utf8.h"
#include "schemas/wire/wire.h"

namespace band {
namespace {

constexpr std::size_t kMaxPathBytes = 4096, kMaxSegmentBytes = 255;

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c <= 0x9F); }

bool is_name(std::string_view text) {
  if (text.empty() || text.size() > 64) return false;
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  if (!plain(text[0])) return false;
  for (const char c : text)
    if (!plain(c) && c != '-' && c != '_' && c != '.') return false;
  return true;
}

}  // namespace

bool is_safe_relative_path(std::string_view path) {
  if (path.empty() || path.size() > kMaxPathBytes) return false;
  for (std::size_t at = 0; at < path.size();) {
    const Utf8Char c = utf8_at(path, at);
    if (!c.valid || is_control(c.code)) return false;
    at += c.bytes;
  }
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view segment = path.substr(start, end - start);
    if (segment.empty() || segment == "." || segment == ".." || segment.size() > kMaxSegmentBytes) return false;
    start = end + 1;
  }
  return true;
}

bool is_script_name(std::string_view name) {
  const std::size_t slash = name.find('/');
  return slash != std::string_view::npos && is_name(name.substr(0, slash)) && is_name(name.substr(slash + 1));
}

bool may_be_skill_file(std::string_view path, std::string_view script) {
  if (path.starts_with("assets/") || path.starts_with("references/")) return true;
  const std::string own = "scripts/" + std::string(script.substr(script.find('/') + 1)) + "/";
  return path.starts_with(own) && path != own + "run.sh" && !path.starts_with(own + "run.sh/");
}

}  // namespace band
