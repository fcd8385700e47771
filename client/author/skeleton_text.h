// The files of client/author/skeleton/, compiled into the program.
#pragma once

#include <string_view>

namespace band::client {

std::string_view skeleton_text(std::string_view name);  // `name`: "run.sh"; returns "" for an unknown name

}  // namespace band::client
