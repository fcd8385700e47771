// Names as other file systems compare them (workspace.h).
#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "client/workspace/workspace.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

// Code points that HFS+ ignores when it compares names, and other invisible ones.
bool is_ignorable(char32_t c) { return ::uc_is_property_default_ignorable_code_point(c); }

using Letters = std::unique_ptr<std::uint32_t, decltype(&::free)>;

// Canonical caseless matching (Unicode 3.13, D145): NFD(fold(NFD(name))), by full case folding.
std::u32string key_of(std::string_view name) {
  std::vector<std::uint32_t> seen;
  for (std::size_t at = 0; at < name.size();) {
    const Utf8Char c = utf8_at(name, at);
    if (!is_ignorable(c.code)) seen.push_back(c.code);
    at += c.bytes;
  }
  if (seen.empty()) return {};
  std::size_t count = 0;
  const Letters apart(::u32_normalize(UNINORM_NFD, seen.data(), seen.size(), nullptr, &count), &::free);
  if (!apart) throw std::bad_alloc();
  const Letters folded(::u32_casefold(apart.get(), count, nullptr, UNINORM_NFD, nullptr, &count), &::free);
  if (!folded) throw std::bad_alloc();
  return {folded.get(), folded.get() + count};
}

// A folded segment without the parts that some file systems ignore. In doubt it removes more.
std::u32string bare(std::u32string segment) {
  if (const auto colon = segment.find(U':'); colon != std::u32string::npos) segment.resize(colon);  // NTFS streams
  while (!segment.empty() && (segment.back() == U'.' || segment.back() == U' ')) segment.pop_back();
  for (char32_t& c : segment)
    if (c == 0x0131) c = U'i';            // dotless i, whose capital is I
  std::erase(segment, char32_t{0x0307});  // the dot of a Turkish capital I
  while (!segment.empty() && segment.front() == U' ') segment.erase(segment.begin());
  return segment;
}

bool is_git(const std::u32string& segment) {
  return segment == U".git" || (segment.starts_with(U"git~") && segment.size() > 4);  // NTFS short names
}

bool spells(const std::u32string& key, std::string_view ascii) {
  return std::equal(key.begin(), key.end(), ascii.begin(), ascii.end());
}

// Names of checkouts of other version control systems that do not begin with a dot. Each system runs commands from the
// settings in it. docs/security.md has the sources of the list, and why other names are not in it.
constexpr std::string_view kCheckouts[] = {"_darcs", "_fossil_", "_mtn"};

std::string_view checkout_in(std::string_view segment) {
  const std::u32string key = bare(key_of(segment));
  if (is_git(key)) return ".git";
  for (const std::string_view name : kCheckouts)
    if (spells(key, name)) return name;
  return "";
}

}  // namespace

std::string_view touched_checkout(std::string_view path) {
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find_first_of("/\\", start), path.size());
    if (const std::string_view name = checkout_in(path.substr(start, end - start)); !name.empty()) return name;
    start = end + 1;
  }
  return "";
}

bool may_be(std::string_view name, std::string_view plain) { return spells(bare(key_of(name)), plain); }

std::string collision_key(std::string_view name) {
  std::string bytes;
  for (const char32_t c : key_of(name))
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((c >> shift) & 0xFF);
  return bytes;
}

}  // namespace band::client
