#include "client/shell/reading.h"

#include "client/shell/reader.h"

namespace band::client {

ShellReading read_shell(std::string_view text) { return shell::Reader(text).read(); }

}  // namespace band::client
