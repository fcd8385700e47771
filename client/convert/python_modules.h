// Lists the modules of Python's standard library, and the Debian packages that contain other modules. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

// Returns true for a module of Python 3.11's standard library. `name`: the first part of a dotted name.
bool is_python_module(std::string_view name);
std::string debian_package_of(const std::string& name);  // "python3-yaml" for "yaml"; a guess for an unknown module

}  // namespace band::client
