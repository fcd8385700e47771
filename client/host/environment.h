// Reads the caller's environment, returns the paths of band's directories, and reads and writes files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

std::optional<std::string> environment(const char* name);  // nothing when the variable is unset
std::vector<std::string> environment_names();  // names of variables, sorted; without names that a shell does not accept
std::string home_directory();                  // $HOME if absolute; else that of the user database; "" if unknown
std::string config_directory();                // $BAND_CONFIG_DIR, or ~/.config/band
std::string state_directory();                 // ~/.band: sockets, virtual machines
std::string executable_directory();            // directory of this executable, links resolved; "" if unknown

// Returns the directory of the skills that are installed with this program: ../share/band/skills, relative to the
// directory of the executable; "" if the path of the executable is unknown. The returned directory may be missing.
std::string shipped_root();

// Returns the content of a regular file. Returns an error with the code `code` if the file cannot be opened or read, is
// not regular, or is larger than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Code code);
// As read_file(), for a file that contains a secret. Also returns an error if the mode of the file gives the group or
// other users any permission, or if the owner of the file is neither the caller nor root.
Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes, Code code);

// As read_file(), for a file that only the caller may change. Also returns an error if the file is a link, if its mode
// lets the group or other users write, or if its owner is neither the caller nor root.
Result<std::string> read_own_file(const std::string& path, std::size_t max_bytes, Code code);

// Creates a directory and its missing parents, each with mode 0700. A directory that exists is not changed. Each
// directory of the path must belong to the caller or to root. Errors: Code::Usage.
Status make_private_directory(const std::string& directory);

// Creates or replaces the file `name` in `directory` atomically, with mode 0600. First calls make_private_directory()
// for `directory`. After an error, an existing file is unchanged.
Status write_private_file(const std::string& directory, const std::string& name, const std::string& content);

}  // namespace band::client
