// The files of client/convert/templates/, compiled into the program.
#pragma once

#include <string_view>

namespace band::client {

std::string_view convert_template(std::string_view name);  // `name`: "run.sh.in"; returns "" for an unknown name

}  // namespace band::client
