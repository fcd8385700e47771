// The files of client/convert/templates/, compiled in.
#pragma once

#include <string_view>

namespace band::client {

std::string_view convert_template(std::string_view name);  // "run.sh.in"; empty when there is none

}  // namespace band::client
