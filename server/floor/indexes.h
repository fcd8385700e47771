// The files in which the C library looks first for a locale and for shared libraries: the locale archive (localedef(1))
// and the cache of the dynamic linker (ld.so(8)). Without these two files, every program opens a dozen files of the
// locale, and searches some twenty directories for its libraries.
#pragma once

#include <string>

#include "schemas/core/result.h"

namespace band::floor {

inline constexpr const char* kLocaleArchive = "/usr/lib/locale/locale-archive";  // setlocale(3) opens it first
inline constexpr const char* kLinkerCache = "/etc/ld.so.cache";                  // read at the start of a program

// Returns an error with a hint when the machine lacks a program that make_indexes() runs.
Status check_indexers();

// Adds both files to the directory `root`, which is or becomes the root directory of sandboxes. `locale`: the path,
// relative to `root`, of the locale's directory, such as "usr/lib/locale/C.utf8". For equal directories the two files
// are equal. Takes 5 ms.
Status make_indexes(const std::string& root, const std::string& locale);

}  // namespace band::floor
