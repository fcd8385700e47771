// The walk that evaluates declared patterns (server/view/declared.h): it is bounded, and can be cancelled.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "server/base/io.h"
#include "server/view/declared.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using namespace band::test;

namespace {

// Calls open_declared() on a directory that `fill` fills, on a tmpfs in a temporary mount namespace, and returns its
// result. `go_on` returns false from call number `questions` on. `said`: adds to the result.
std::string walked_in(const std::string& place, const std::function<bool()>& fill, const Rules& rules, int questions,
                      const std::function<std::string(const view::Declared&)>& said) {
  return in_child([&] {
    rlimit open_files{};
    ::getrlimit(RLIMIT_NOFILE, &open_files);
    open_files.rlim_cur = open_files.rlim_max;  // as the server does
    ::setrlimit(RLIMIT_NOFILE, &open_files);
    if (!own_mounts() || !mount_tmpfs(place) || !fill()) return did_if(false);
    int asked = 0;
    const auto found = view::open_declared(rules, {}, {65534, 65534}, [&] { return ++asked < questions; });
    return (found.ok() ? said(*found) : found.error().message()) + ", asked " + std::to_string(asked);
  });
}

std::string walked(const std::string& place, std::size_t files, const std::string& pattern, int questions) {
  const auto fill = [&] {
    for (std::size_t i = 0; i < files; ++i)
      if (::mknod((place + "/f" + std::to_string(i)).c_str(), S_IFREG | 0644, 0) != 0) return false;
    return true;
  };
  Rules rules;
  rules.read.opened = {{{place + pattern, "test/BAND.md:1"}}};
  return walked_in(place, fill, rules, questions,
                   [](const view::Declared& found) { return std::to_string(found.mounts.size()) + " mounts"; });
}

// Makes `levels` directories, each in the one before, each with a file `f`.
bool make_deep(const std::string& place, int levels) {
  int at = ::open(place.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  for (int i = 0; i < levels && at >= 0; ++i) {
    if (::mkdirat(at, "d", 0755) != 0 || ::mknodat(at, "f", S_IFREG | 0644, 0) != 0) return false;
    const int below = ::openat(at, "d", O_PATH | O_DIRECTORY | O_CLOEXEC);
    ::close(at);
    at = below;
  }
  return at >= 0 && ::close(at) == 0;
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

TEST_CASE("a deep tree with denies costs a slot seconds and not minutes, and is shown as far as 128 directories deep") {
  char place[] = "/srv/band-walk-XXXXXX";
  REQUIRE(::mkdtemp(place) != nullptr);
  REQUIRE(::chmod(place, 0755) == 0);
  const std::string root = place;
  const auto deepest_and_time = [](const view::Declared& found) {
    std::ptrdiff_t deepest = 0;
    for (const view::DeclaredMount& mount : found.mounts)
      deepest = std::max(deepest, std::count(mount.path.begin(), mount.path.end(), '/'));
    return std::to_string(deepest) + (base::thread_cpu_us() < 10'000'000 ? ", quick" : ", slow");
  };
  for (const std::string deny : {"/**/no", "/**/no/**"}) {
    CAPTURE(deny);
    Rules rules;
    rules.read.opened = {{{root + "/**", "test/BAND.md:1"}}};
    rules.read.deny = {{root + deny, "test/BAND.md:2"}};
    const auto walked_deep = [&](int levels) {
      return walked_in(
          root, [&] { return make_deep(root, levels); }, rules, 1 << 30, deepest_and_time);
    };
    CHECK(walked_deep(60) == "61, quick, asked 0");  // the control: /srv/band-walk-XXXXXX/d/.../f
    CHECK(walked_deep(20'000) == "128, quick, asked 0");
  }
  ::rmdir(place);
}
