// The modules of Python's standard library, and the Debian packages of other modules. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

bool is_python_module(std::string_view name);            // standard library of 3.11; `name`: the first part of the name
std::string debian_package_of(const std::string& name);  // "python3-yaml" for "yaml"; a guess for an unknown module

}  // namespace band::client
