#include "server/admin/program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "server/base/child.h"
#include "server/base/fd.h"

namespace band::admin {
namespace {

std::string find_program(const std::string& name) {
  for (const char* directory : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"})
    if (::access((directory + name).c_str(), X_OK) == 0) return directory + name;
  return "";
}

}  // namespace

std::vector<std::string> clean_environment() {
  return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
}

Status run_program(const std::vector<std::string>& argv, const std::vector<int>& fine) {
  base::Spawn what;
  what.argv = argv;
  what.argv[0] = find_program(argv[0]);
  if (what.argv[0].empty())
    return layer_error("setup", "cannot find the program " + argv[0], ENOENT, "install the package that contains it");
  const base::Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!null) return layer_error("setup", "cannot open /dev/null", errno);
  what.env = clean_environment();
  what.fds = {null.get(), STDERR_FILENO, STDERR_FILENO};
  BAND_TRY(base::Child child, base::spawn(what));
  const auto exit = child.wait(-1);
  if (exit && !exit->signalled && std::find(fine.begin(), fine.end(), exit->code) != fine.end()) return done();
  std::string line;
  for (const std::string& word : argv) line += (line.empty() ? "" : " ") + word;
  return layer_error("setup",
                     line + (exit && exit->signalled ? ": killed by signal " : ": exit status ") +
                         std::to_string(exit ? exit->code : -1),
                     0, "the program's own message is above");
}

}  // namespace band::admin
