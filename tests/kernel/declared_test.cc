// The walk that evaluates declared patterns (server/view/declared.h): it is bounded, and can be cancelled.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "server/view/declared.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using namespace band::test;

namespace {

// Calls open_declared() on a directory with `files` files, on a tmpfs in a temporary mount namespace, and returns its
// result. `go_on` returns false from call number `questions` on.
std::string walked(const std::string& place, std::size_t files, const std::string& pattern, int questions) {
  return in_child([&] {
    rlimit open_files{};
    ::getrlimit(RLIMIT_NOFILE, &open_files);
    open_files.rlim_cur = open_files.rlim_max;  // as the server does
    ::setrlimit(RLIMIT_NOFILE, &open_files);
    if (!own_mounts() || !mount_tmpfs(place)) return did_if(false);
    for (std::size_t i = 0; i < files; ++i)
      if (::mknod((place + "/f" + std::to_string(i)).c_str(), S_IFREG | 0644, 0) != 0) return did_if(false);
    Rules rules;
    rules.read.opened = {{{place + pattern, "test/BAND.md:1"}}};
    int asked = 0;
    const auto found = view::open_declared(rules, {}, {65534, 65534}, [&] { return ++asked < questions; });
    const std::string said = found.ok() ? std::to_string(found->mounts.size()) + " mounts" : found.error().message();
    return said + ", asked " + std::to_string(asked);
  });
}

}  // namespace

TEST_CASE(
    "a search in a declared directory that has more entries than allowed fails with an error that names the limit") {
  char place[] = "/srv/band-walk-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  REQUIRE(::chmod(place, 0755) == 0);
  const std::size_t most = view::kMaxDeclaredEntries;
  CHECK(walked(place, most, "/**", 1 << 30) == "1 mounts, asked " + std::to_string(most / 256));  // the control
  CHECK(walked(place, most + 1, "/**", 1 << 30).find("more than 200000 entries") != std::string::npos);
  ::rmdir(place);
}

TEST_CASE("a search in a declared directory ends when the execution is cancelled") {
  char place[] = "/srv/band-walk-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  REQUIRE(::chmod(place, 0755) == 0);
  CHECK(walked(place, 5'000, "/**", 1 << 30) == "1 mounts, asked 19");  // the control
  CHECK(walked(place, 5'000, "/**", 3) == "view: the execution was cancelled, asked 3");
  ::rmdir(place);
}

TEST_CASE("if a rule matches more single files than can be mounted, the run fails with a hint what to write instead") {
  char place[] = "/srv/band-walk-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  REQUIRE(::chmod(place, 0755) == 0);
  CHECK(walked(place, view::kMaxDeclaredMounts, "/f*", 1 << 30).find("2000 mounts") == 0);  // the control
  CHECK(walked(place, view::kMaxDeclaredMounts + 1, "/f*", 1 << 30).find("more than 2000 mounts") != std::string::npos);
  ::rmdir(place);
}
