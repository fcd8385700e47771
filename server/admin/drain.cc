#include "server/admin/drain.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "server/admin/service.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

constexpr std::int64_t kReactUs = 5'000'000, kSecondUs = 1'000'000;
constexpr useconds_t kLookUs = 5'000;
// Enough for 4,096 slots and a queue of 10,000, with some hundred bytes for each execution.
constexpr std::size_t kMaxBytes = 4u << 20;

// The text has one line for each execution: id, token and script, none of which contains a space.
std::vector<Going> read_going(const std::string& text) {
  std::vector<Going> going;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    Going one;
    words >> one.id >> one.token >> one.script;
    going.push_back(std::move(one));
  }
  return going;
}

// Makes the server refuse new executions for kDrainUs from now, and returns the existing executions. Returns nullopt
// when no server runs.
Result<std::optional<std::vector<Going>>> ask(const Paths& paths) {
  ::unlink(paths.going_file().c_str());
  const std::int64_t deadline = base::monotonic_us() + kReactUs;
  for (std::int64_t signalled = 0;;) {
    // The signal is repeated after one second, because another `drain` may have removed the list that the server wrote.
    if (signalled == 0 || base::monotonic_us() - signalled > kSecondUs) {
      signalled = base::monotonic_us();
      BAND_CHECK(signal_holder(paths, SIGUSR1));
    }
    BAND_TRY(const auto pid, holder(paths));
    if (!pid) return std::optional<std::vector<Going>>();
    if (const auto text = base::read_file(paths.going_file(), kMaxBytes); text.ok())
      return std::optional(read_going(*text));
    if (base::monotonic_us() >= deadline)
      return Error{.code = Code::ServerUnreachable,
                   .doing = "the server did not list its executions within 5 s",
                   .hint = "see the server's log for the cause; `band-server stop` ends the server and all executions"};
    ::usleep(kLookUs);
  }
}

}  // namespace

Status announce_going(const Paths& paths, const std::vector<Going>& going) {
  std::string lines;
  for (const Going& one : going) lines += one.id + " " + one.token + " " + one.script + "\n";
  return base::write_file(paths.going_file(), lines, 0600);
}

Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress) {
  const std::int64_t deadline = base::monotonic_us() + seconds * kSecondUs;
  std::optional<std::size_t> before;
  for (;;) {
    BAND_TRY(const auto going, ask(paths));
    const std::size_t count = going ? going->size() : 0;
    if (before != count && (before || count > 0))
      progress("waiting for " + std::to_string(count) + (count == 1 ? " execution" : " executions"));
    before = count;
    const bool over = count > 0 && base::monotonic_us() >= deadline;
    if (over) BAND_CHECK(signal_holder(paths, SIGUSR2));
    if (count == 0 || over) {
      ::unlink(paths.going_file().c_str());
      return going.value_or(std::vector<Going>());
    }
    ::usleep(static_cast<useconds_t>(std::min(kSecondUs, std::max<std::int64_t>(deadline - base::monotonic_us(), 1))));
  }
}

}  // namespace band::admin
