// The files of client/completion/shells/, compiled in: the scripts with which each shell completes the words of `band`.
#pragma once

#include <string_view>

namespace band::client {

std::string_view completion_script(std::string_view name);  // "bash"; empty for an unknown name

}  // namespace band::client
