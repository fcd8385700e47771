// The files of client/completion/shells/, compiled in: what each shell reads to complete the words of `band`.
#pragma once

#include <string_view>

namespace band::client {

std::string_view completion_script(std::string_view name);  // "bash"; empty when there is none

}  // namespace band::client
