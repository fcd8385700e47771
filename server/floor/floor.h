// The floor: the read-only root of every sandbox, made of the machine's own files.
//
// Promises: it contains the essential commands, the libraries that they load, the C.UTF-8 locale, the time zone
// database, the module of stdbuf, a minimal /etc with the CA certificates that programs trust, band-init and band-shim.
// It contains no other file of the machine, not even its local time zone. No file has a setuid or setgid bit. Root owns
// it, and it is named after the content of its files, so that a package upgrade makes a new one.
// Does not cover: keeping it read-only; the view mounts it so.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "server/floor/sources.h"

namespace band::floor {

// Data of the machine that every program may read, at the same path in each view.
inline constexpr const char* kLocale = "/usr/lib/locale/C.utf8";
inline constexpr const char* kZones = "/usr/share/zoneinfo";
inline constexpr const char* kSharedTerminfo = "/usr/share/terminfo";  // where Debian has it since 13

struct Config {
  std::string directory;  // contains the floors: <state>/floor
  std::string band_init;  // programs to copy into the floor
  std::string band_shim;
  uid_t uid_base = 0;  // /etc/passwd names every slot's uid `band-runner`
  int slots = 0;
  gid_t gid = 0;
  std::string extra_ca = "";  // the operator's PEM file
};

struct Floor {
  std::string path;  // its root directory
  std::string key;   // 16 hex digits of SHA-256 over names and contents
  std::vector<Source> sources;
};

// Returns the present floor when no source has changed since, otherwise builds one. A missing essential command, or
// missing data of one, is an error that names the package. Takes some 300 ms to build, otherwise less than 1 ms.
Result<std::shared_ptr<const Floor>> build(const Config& config);

// Returns an error when build() would not find all sources; writes nothing.
Status check(const Config& config);

// Returns true when no source has changed: one stat(2) each, some 100 microseconds in total.
bool is_current(const Floor& floor);

// Returns the path in the floor of a file with that absolute path: "/lib64/x" and "/usr/lib64/x" are "usr/lib64/x".
std::string in_floor(std::string path);

// Removes all floors except this one. Call it only at the start of the server: later, sandboxes may use older ones.
void remove_others(const Config& config, const Floor& keep);

}  // namespace band::floor
