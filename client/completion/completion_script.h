// The scripts with which a shell completes command lines of `band`: the files of client/completion/shells/, compiled
// into the program.
#pragma once

#include <string_view>

namespace band::client {

std::string_view completion_script(std::string_view name);  // "bash"; empty for an unknown name

}  // namespace band::client
