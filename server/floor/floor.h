// The floor: the root of every script view, made of copies of the machine's files.
//
// Promises: the floor contains the essential commands, the libraries that they load, the C.UTF-8 locale, the time zone
// database, terminal descriptions, the module of stdbuf, a minimal /etc with the CA certificates that programs trust,
// band-shim, and indexes of its own files (indexes.h). It contains no other file of the machine; for example, the
// machine's local time zone is missing. No file has a setuid or setgid bit. Root owns all files. The floor's name is a
// hash of the names and contents of its files. So a package upgrade does not change an existing floor: the server makes
// a new floor with another name.
// Does not cover: making the floor read-only; each view mounts the floor read-only.
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
inline constexpr const char* kSharedTerminfo = "/usr/share/terminfo";  // the path on Debian 13 and later

struct Config {
  std::string directory;  // the directory of all floors: <state>/floor
  std::string band_shim;  // path of the program, which is copied into the floor
  uid_t uid_base = 0;     // the slots have the uids from uid_base on; /etc/passwd names each of them `band-runner`
  int slots = 0;
  gid_t gid = 0;
  std::string extra_ca = "";  // path of the operator's PEM file; "" when there is no such file
};

struct Floor {
  std::string path;  // the floor's root directory
  std::string key;   // 16 hex digits of SHA-256 over names and contents
  std::vector<Source> sources;
};

// Returns the floor for the present state of its sources. This is an existing floor (returned within 1 ms), or a new
// floor (made in some 300 ms). A missing essential command, or missing data of an essential command, is an error that
// names the package to install.
Result<std::shared_ptr<const Floor>> build(const Config& config);

// Returns an error when build() would not find all sources. Creates no files.
Status check(const Config& config);

// Returns true when no source of the floor has changed. Calls stat(2) for each source, some 100 microseconds in total.
bool is_current(const Floor& floor);

// Returns the path in the floor for a file whose absolute path on the machine is `path`: "usr/lib64/x" for "/lib64/x"
// and for "/usr/lib64/x".
std::string in_floor(std::string path);

// Removes all floors except `keep`. Call it only at the start of the server: later, sandboxes may still use older
// floors.
void remove_others(const Config& config, const Floor& keep);

}  // namespace band::floor
