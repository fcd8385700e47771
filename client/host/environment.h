// The caller's environment: variables, band's directories, and private files in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

std::optional<std::string> environment(const char* name);  // nothing when unset
std::vector<std::string> environment_names();              // names that are valid in a shell, sorted
std::string home_directory();        // $HOME, or the entry of the user database; "" without either
std::string config_directory();      // $BAND_CONFIG_DIR, or ~/.config/band
std::string state_directory();       // ~/.band: sockets, virtual machines
std::string executable_directory();  // the directory of this executable, links resolved; "" when unknown

// Returns the content of a regular file. Errors have the code `code` and errno: larger than `max_bytes`, not a regular
// file.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Code code);
// As `read_file`, for files that contain a secret. Fails if a user other than the owner could have read or written the
// file, or if the owner is neither the caller nor root.
Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes, Code code);

// Creates a directory of mode 0700, and its missing parents. Each directory of the path must belong to the caller or to
// root. Errors: Code::Usage.
Status make_private_directory(const std::string& directory);

// Creates or replaces a file of mode 0600 atomically, in directories of mode 0700. Each directory of the path must
// belong to the caller or to root.
Status write_private_file(const std::string& directory, const std::string& name, const std::string& content);

}  // namespace band::client
