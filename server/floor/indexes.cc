#include "server/floor/indexes.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <vector>

#include "server/base/child.h"

namespace band::floor {
namespace {

constexpr const char* kLayer = "floor";
constexpr const char* kLocaledef = "/usr/bin/localedef";
constexpr const char* kLdconfig = "/sbin/ldconfig";
constexpr int kMostMs = 10'000;  // the programs usually need milliseconds, on a busy machine seconds

Status run(std::vector<std::string> argv) {
  const std::string doing = "cannot make an index of the floor with " + argv.front();
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  if (!null) return layer_error(kLayer, "cannot open /dev/null", errno);
  BAND_TRY(base::Child child, base::spawn({std::move(argv), {"LC_ALL=C"}, {null.get(), null.get(), STDERR_FILENO}}));
  const auto exit = child.wait(kMostMs);
  if (!exit) return layer_error(kLayer, doing, ETIMEDOUT);
  if (exit->signalled) return layer_error(kLayer, doing + ": ended by signal " + std::to_string(exit->code), 0);
  if (exit->code != 0) return layer_error(kLayer, doing + ": exited with " + std::to_string(exit->code), 0);
  return done();
}

}  // namespace

Status check_indexers() {
  for (const char* program : {kLocaledef, kLdconfig})
    if (::access(program, X_OK) != 0)
      return layer_error(kLayer, "cannot run " + std::string(program) + ", which prepares the floor", errno,
                         "apt-get install libc-bin");
  return done();
}

// -X: ldconfig(8) makes no links. It would also write an auxiliary cache, but `root` has no /var/cache. Both programs
// print errors to stderr, which is the server's log.
Status make_indexes(const std::string& root, const std::string& locale) {
  BAND_CHECK(run({kLocaledef, "--prefix=" + root, "--add-to-archive", root + "/" + locale}));
  return run({kLdconfig, "-r", root, "-X"});
}

}  // namespace band::floor
