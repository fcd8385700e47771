// The floor: the read-only root of every sandbox, made of the machine's own files.
//
// Promises: it holds the essential commands, the libraries that they load, the C.UTF-8 locale, the zone database, the
// module of stdbuf, a minimal /etc with the certificates that programs trust, band-init and band-shim, and nothing else
// of the machine, not even its own zone; no file in it has a
// setuid or setgid bit; it is owned by root and found by the content of its files, so that a package upgrade makes a
// new one. Does not cover: keeping it read-only, which is how the view mounts it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/floor/sources.h"

namespace band::floor {

// Data of the machine that every program may read, at the same place in each view.
inline constexpr const char* kLocale = "/usr/lib/locale/C.utf8";
inline constexpr const char* kZones = "/usr/share/zoneinfo";
inline constexpr const char* kSharedTerminfo = "/usr/share/terminfo";  // where Debian has it since 13

struct Config {
  std::string directory;  // where floors are kept: <state>/floor
  std::string band_init;  // programs to copy in
  std::string band_shim;
  uid_t uid_base = 0;  // /etc/passwd names every slot's uid `band-runner`
  int slots = 0;
  gid_t gid = 0;
  std::string extra_ca = "";  // PEM file of the operator's
};

struct Floor {
  std::string path;  // of its root directory
  std::string key;   // 16 hex digits of SHA-256 over names and contents
  std::vector<Source> sources;
};

// Returns the present floor when no source has changed since, else builds one. A missing essential, or data that some
// of them need, is an error that names its package. Takes some 300 ms when it has to build, less than one otherwise.
Result<std::shared_ptr<const Floor>> build(const Config& config);

// Whether build() would find all that a floor is made of; nothing is written.
Status check(const Config& config);

// True while every source is what it was: one stat(2) each, some 100 microseconds together.
bool is_current(const Floor& floor);

// Where the floor has the file of that absolute path: "/lib64/x" and "/usr/lib64/x" are one place, "usr/lib64/x".
std::string in_floor(std::string path);

// Removes all floors but this one. At the start of the server only: sandboxes may still use older ones later.
void remove_others(const Config& config, const Floor& keep);

}  // namespace band::floor
