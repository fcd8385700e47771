// The floor: the root directory of every script view, made of copies of the machine's files. A script view is the file
// tree, with namespaces of its own, in which one script runs.
//
// Promises: the floor contains the essential commands (those that every script can start without a rule, such as bash),
// the libraries that they load, the C.UTF-8 locale, the time zone database, terminal descriptions, the module of
// stdbuf, a minimal /etc with the CA certificates that programs trust, and indexes of its own files (indexes.h). It
// also contains band-shim, the program that runs in place of a declared command and sends the command line to the
// broker. The floor contains no other file of the machine; for example, the machine's local time zone is missing. No
// file has a setuid or setgid bit. Root owns all files.
// The name of the floor's directory is a hash of the names and contents of the floor's files. So a package upgrade does
// not change an existing floor: the server makes a new floor with another name.
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
  std::string directory;      // contains all floors: the subdirectory floor of the server's state directory
  std::string band_shim;      // path of the machine's band-shim, which is copied into the floor
  uid_t uid_base = 0;         // slot N has the uid uid_base + N, which the floor's /etc/passwd names `band-runner`
  int slots = 0;              // the number of slots; a slot is the place for one execution at a time
  gid_t gid = 0;              // the group `band-runner`
  std::string extra_ca = "";  // path of the operator's PEM file; "" when there is no such file
};

struct Floor {
  std::string path;             // the floor's root directory
  std::string key;              // the directory's name: 16 hex digits of SHA-256 over names and contents
  std::vector<Source> sources;  // the machine's files from which the floor was made (sources.h)
};

// Returns the floor for the present content of the machine's files. If no source of the floor that was built last has
// changed, `config.band_shim` is one of its sources, and its /etc has the slots, ids and certificates of `config`,
// returns that floor within 1 ms. Otherwise copies all files, in some 300 ms. A missing essential command, or missing
// data of an essential command, is an error whose hint names the package to install.
Result<std::shared_ptr<const Floor>> build(const Config& config);

// Returns an error when a file that build() needs is missing or cannot be used. Creates no files.
Status check(const Config& config);

// Returns true when no source of the floor has changed. Calls stat(2) for each source, some 100 microseconds in total.
bool is_current(const Floor& floor);

// Returns the path, relative to the floor's root, for a file whose absolute path on the machine is `path`:
// "usr/lib64/x" for "/lib64/x" and for "/usr/lib64/x".
std::string in_floor(std::string path);

// Removes all floors except `keep`. Call it only at the start of the server: later, sandboxes may still use older
// floors.
void remove_others(const Config& config, const Floor& keep);

}  // namespace band::floor
