// Names as other file systems see them (workspace.h).
#include <algorithm>
#include <iterator>

#include "client/workspace/letter_tables.h"
#include "client/workspace/workspace.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

// Code points that HFS+ drops when it compares names, and the other invisible ones that a reader could not tell either.
bool is_ignorable(char32_t c) {
  return c == 0x00AD || c == 0x034F || c == 0x061C || (c >= 0x115F && c <= 0x1160) || (c >= 0x17B4 && c <= 0x17B5) ||
         (c >= 0x180B && c <= 0x180F) || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2060 && c <= 0x206F) || c == 0x3164 || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF || c == 0xFFA0 ||
         (c >= 0xE0000 && c <= 0xE0FFF);
}

template <class Row, std::size_t N>
const Row* find_row(const Row (&table)[N], char32_t c) {
  const auto* row =
      std::lower_bound(std::begin(table), std::end(table), c, [](const Row& r, char32_t v) { return r.from < v; });
  return row != std::end(table) && row->from == c ? row : nullptr;
}

char32_t fold(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c - 'A' + 'a';
  const Fold* row = find_row(kFolds, c);
  return row != nullptr ? row->to : c;
}

void append_key(std::u32string& key, char32_t c) {
  if (is_ignorable(c)) return;
  if (c == 0x00DF || c == 0x1E9E) {  // sharp s, which folds to two letters
    key += U"ss";
    return;
  }
  if (const Composed* row = find_row(kComposed, c)) {
    append_key(key, row->base);
    append_key(key, row->mark);
    return;
  }
  const char32_t folded = fold(c);
  if (folded == c)
    key += c;
  else
    append_key(key, folded);
}

std::u32string key_of(std::string_view name) {
  std::u32string key;
  for (std::size_t at = 0; at < name.size();) {
    const Utf8Char c = utf8_at(name, at);
    append_key(key, c.code);
    at += c.bytes;
  }
  return key;
}

// A folded segment without what some file system drops; generous on purpose.
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

// What other version control systems keep a checkout in, without a dot in front; each runs commands that its settings
// name. docs/security.md has the list that they come from, and why other names are not in it.
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
