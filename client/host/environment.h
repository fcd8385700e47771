// Reads variables of the caller's environment, and reads and writes files in band's directories.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

std::optional<std::string> environment(const char* name);  // nothing when the variable is unset
std::vector<std::string> environment_names();  // names of variables, sorted; without names that a shell does not accept
std::string home_directory();                  // $HOME; if unset, the directory in the user database; "" if unknown
std::string config_directory();                // $BAND_CONFIG_DIR, or ~/.config/band
std::string state_directory();                 // ~/.band: sockets, virtual machines
std::string executable_directory();            // directory of this executable, without links; "" when unknown

// Returns the content of a regular file. Returns an error with the code `code` if the file cannot be opened or read, is
// not regular, or is larger than `max_bytes`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Code code);
// As read_file(), for a file that contains a secret. Also returns an error if the mode of the file allows other users
// than the owner to read or write the file, or if its owner is neither the caller nor root.
Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes, Code code);

// Creates a directory of mode 0700, and its missing parents. Each directory of the path must belong to the caller or to
// root. Errors: Code::Usage.
Status make_private_directory(const std::string& directory);

// Creates or replaces a file of mode 0600 atomically, in directories of mode 0700. Each directory of the path must
// belong to the caller or to root.
Status write_private_file(const std::string& directory, const std::string& name, const std::string& content);

}  // namespace band::client
