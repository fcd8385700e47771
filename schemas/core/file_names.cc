#include "schemas/core/file_names.h"

#include <unicase.h>
#include <unictype.h>
#include <uninorm.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "schemas/core/utf8.h"

namespace band {
namespace {

// Code points that HFS+ ignores when it compares names, and other invisible ones.
bool is_ignorable(char32_t c) { return ::uc_is_property_default_ignorable_code_point(c); }

using Letters = std::unique_ptr<std::uint32_t, decltype(&::free)>;

bool is_ascii(std::string_view name) {
  return std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

// Canonical caseless matching (Unicode 3.13, D145): NFD(fold(NFD(name))), by full case folding.
std::u32string key_of(std::string_view name) {
  if (is_ascii(name)) {  // nearly every name; the same result without the library
    std::u32string folded;
    for (const char c : name) folded += static_cast<char32_t>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return folded;
  }
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
  segment.erase(0, segment.find_first_not_of(U' '));
  return segment;
}

bool spells(const std::u32string& key, std::string_view ascii) {
  return std::equal(key.begin(), key.end(), ascii.begin(), ascii.end());
}

}  // namespace

std::u32string loose_key(std::string_view name) { return bare(key_of(name)); }

bool may_be(std::string_view name, std::string_view plain) { return spells(loose_key(name), plain); }

std::string collision_key(std::string_view name) {
  std::string bytes;
  for (const char32_t c : key_of(name))
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>((c >> shift) & 0xFF);
  return bytes;
}

}  // namespace band
