// Lists the modules of Python's standard library, and the Debian packages that contain other modules. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

// Returns true for a module of Python 3.11's standard library. `name`: the first part of a dotted name.
bool is_python_module(std::string_view name);
// Returns the package of Debian 12 that contains the module: "python3-yaml" for "yaml". Returns "" for a module that is
// not in this room's list.
std::string debian_package_of(const std::string& name);

}  // namespace band::client
