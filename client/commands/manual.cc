// `band manual DIR`: writes the man pages. The build calls it, and `cmake --install` installs them.
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "client/commands/commands.h"
#include "client/host/tree.h"
#include "client/manual/roff.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

Status write_page(const std::string& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);
  errno = error.value();
  std::ofstream file;
  if (!error) file.open(path, std::ios::binary | std::ios::trunc);
  if (file.is_open() && file << text << std::flush) return done();
  return Error{.code = Code::Usage,
               .doing = "cannot write " + path,
               .err = errno,
               .hint = "name a directory that you can write to"};
}

}  // namespace

int manual_command(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() != 1)
    return fail(
        line, terminal,
        Error{.code = Code::Usage, .doing = "`band manual` needs one directory", .hint = "write band manual DIR"});
  for (const Page& page : all_pages())
    if (const Status written = write_page(join_path(line.arguments.front(), man_file(page)), man_page(page));
        !written.ok())
      return fail(line, terminal, written.error());
  return 0;
}

}  // namespace band::client
