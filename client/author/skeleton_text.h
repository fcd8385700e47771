// The files of client/author/skeleton/, compiled in.
#pragma once

#include <string_view>

namespace band::client {

std::string_view skeleton_text(std::string_view name);  // "run.sh"; empty when there is none

}  // namespace band::client
