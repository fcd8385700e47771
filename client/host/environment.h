// The caller's side of band: where its configuration lies, and where this program does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schemas/core/result.h"

namespace band::client {

std::optional<std::string> environment(const char* name);  // nothing when unset
std::vector<std::string> environment_names();              // those that a shell can name, sorted
std::string home_directory();                              // $HOME, or the user database's word; "" when neither
std::string config_directory();                            // $BAND_CONFIG_DIR, or ~/.config/band
std::string state_directory();                             // ~/.band: sockets, virtual machines
std::string executable_directory();                        // of this program, links resolved; "" when unknown

// A small regular file as a whole. Errors carry errno and `code`.
Result<std::string> read_file(const std::string& path, std::size_t max_bytes, Code code);
// The same, refused when others than its owner (the caller or root) could have read or written it. What lies there is a
// secret.
Result<std::string> read_private_file(const std::string& path, std::size_t max_bytes, Code code);

// Makes a directory of mode 0700 and those above it. Every directory on the way must belong to the caller or to root.
// Errors: Code::Usage.
Status make_private_directory(const std::string& directory);

// Creates or replaces a file of mode 0600 in directories of mode 0700, whole or not at all. Every directory on the way
// must belong to the caller or to root.
Status write_private_file(const std::string& directory, const std::string& name, const std::string& content);

}  // namespace band::client
