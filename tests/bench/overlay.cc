// The price of an overlay (server/view/overlay.h): the time to make one, and to use files through it, each as a
// multiple of the same with a bind mount. Used by tools/bench; needs root. Its mounts end with its process.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/view/overlay.h"
#include "tests/bench/bars.h"
#include "tests/kernel/own_mounts.h"

namespace {

using namespace band;
using namespace band::bench;

constexpr int kRounds = 2'000;
constexpr const char* kShown = "/usr";  // the directory behind both mounts

using Act = std::function<Status()>;

double median(std::vector<double>& us) {
  std::sort(us.begin(), us.end());
  return us[us.size() / 2];
}

// Returns the medians of both acts in microseconds, measured alternately.
Result<std::pair<double, double>> compare(const Act& one, const Act& other) {
  std::vector<double> first, second;
  for (int round = -20; round < kRounds; ++round)
    for (const auto& [act, us] : {std::pair(&one, &first), {&other, &second}}) {
      const std::int64_t from = base::monotonic_us();
      BAND_CHECK((*act)());
      if (round >= 0) us->push_back(static_cast<double>(base::monotonic_us() - from));
    }
  return std::pair(median(first), median(second));
}

// Looks the file up 20 times, because one time is near the resolution of the clock.
Status look_up(const std::string& path) {
  struct stat info {};
  for (int i = 0; i < 20; ++i)
    if (::stat(path.c_str(), &info) != 0) return layer_error("bench", "stat " + path, errno);
  return done();
}

Status read_it(const std::string& path) {
  BAND_TRY(const std::string text, base::read_file(path, 16 << 20));
  return done();
}

Status run() {
  if (!test::own_mounts() || !test::mount_tmpfs("/tmp")) return layer_error("bench", "cannot mount", errno);
  BAND_TRY(const view::Overlays overlays, view::Overlays::make("/tmp/empty", "/tmp/dev"));
  const base::Fd shown(::open(kShown, O_PATH | O_DIRECTORY | O_CLOEXEC));
  const view::MountRights rights{.executable = true};
  const auto overlay = [&] { return overlays.over(shown.get(), rights); };
  const auto bind = [&]() -> Result<base::Fd> {
    BAND_TRY(base::Fd tree, view::clone_tree(shown.get(), false));
    BAND_CHECK(view::restrict_tree(tree.get(), rights, false));
    return tree;
  };
  for (const auto& [place, make] :
       {std::pair<std::string, std::function<Result<base::Fd>()>>("/tmp/overlay", overlay), {"/tmp/bind", bind}}) {
    if (::mkdir(place.c_str(), 0755) != 0) return layer_error("bench", "mkdir " + place, errno);
    BAND_TRY(const base::Fd tree, make());
    BAND_CHECK(view::attach(tree.get(), AT_FDCWD, place));
  }
  const auto made = [](const auto& make) {
    return [&make]() -> Status {
      BAND_TRY(const base::Fd tree, make());
      return done();
    };
  };
  const auto at = [](const std::string& place, auto act) { return [=] { return act(place + "/bin/env"); }; };
  struct Measure {
    const char* what;
    Act one, other;
    double most;
  };
  fmt::print("\nOverlays, in us, and as a multiple of bind mounts:\n");
  for (const Measure& measure :
       {Measure{"made and closed", made(overlay), made(bind), 5},
        {"20 lookups of a file", at("/tmp/overlay", look_up), at("/tmp/bind", look_up), 1.5},
        {"a file opened, read, closed", at("/tmp/overlay", read_it), at("/tmp/bind", read_it), 1.5}}) {
    BAND_TRY(const auto us, compare(measure.one, measure.other));
    fmt::print("  {:<40}{:>8.1f}{:>8.1f}\n", measure.what, us.first, us.second);
    bar(fmt::format("overlay, {}, x a bind mount", measure.what), us.first / us.second, Bound::AtMost, measure.most);
  }
  return done();
}

}  // namespace

int main() {
  const Status status = run();
  if (!status.ok()) fmt::print(stderr, "bench: {}\n", status.error().message());
  return status.ok() ? 0 : 1;
}
