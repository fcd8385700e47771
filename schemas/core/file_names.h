// Compares names of files as file systems compare them that ignore letter case, normalise Unicode, or have further
// spellings of a name. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band {

// Returns a key of a name. If two names have the same key, a file system that ignores case or normalises names may
// treat them as one file. The key is that of Unicode's canonical caseless matching (full case folding), without default
// ignorable code points.
std::string collision_key(std::string_view name);

// As collision_key(), but also removes the parts of a name that some file systems ignore: dots and spaces at the end,
// spaces at the beginning, and an NTFS stream (`:$DATA`). The dotless i counts as `i`. The result has UTF-32 code
// points.
std::u32string loose_key(std::string_view name);

// Returns whether some file system could treat `name` as `plain`, by loose_key(). `plain` consists of small ASCII
// letters.
bool may_be(std::string_view name, std::string_view plain);

}  // namespace band
