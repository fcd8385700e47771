// Which modules Python has itself, and which of Debian's packages has one that it lacks. Pure.
#pragma once

#include <string>
#include <string_view>

namespace band::client {

bool is_python_module(std::string_view name);            // of the standard library of 3.11, the first part of the name
std::string debian_package_of(const std::string& name);  // "python3-yaml" for "yaml"; of an unknown one by its name

}  // namespace band::client
