#include "server/admin/drain.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "schemas/core/json.h"
#include "server/admin/service.h"
#include "server/base/io.h"

namespace band::admin {
namespace {

constexpr std::int64_t kReactUs = 5'000'000, kSecondUs = 1'000'000;
constexpr useconds_t kLookUs = 5'000;
constexpr std::size_t kMaxBytes = 1 << 20;  // 256 slots and a queue: some hundred bytes each

Result<std::vector<Going>> read_going(const std::string& text) {
  BAND_TRY(const Json all, parse_json(text, "what the server announced"));
  std::vector<Going> going;
  for (const Json& one : all) going.push_back({one.value("id", ""), one.value("token", ""), one.value("script", "")});
  return going;
}

// Refuses for kDrainUs from now, and what there is; nullopt: no server runs.
Result<std::optional<std::vector<Going>>> ask(const Paths& paths) {
  ::unlink(paths.going_file().c_str());
  BAND_CHECK(signal_holder(paths, SIGUSR1));
  const std::int64_t deadline = base::monotonic_us() + kReactUs;
  for (;;) {
    BAND_TRY(const auto pid, holder(paths));
    if (!pid) return std::optional<std::vector<Going>>();
    if (const auto text = base::read_file(paths.going_file(), kMaxBytes); text.ok()) {
      BAND_TRY(auto going, read_going(*text));
      return std::optional(std::move(going));
    }
    if (base::monotonic_us() >= deadline)
      return Error{.code = Code::ServerUnreachable,
                   .doing = "the server did not say within 5 s what it executes",
                   .hint = "its log says why; `band-server stop` ends it, and every execution with it"};
    ::usleep(kLookUs);
  }
}

}  // namespace

Status announce_going(const Paths& paths, const std::vector<Going>& going) {
  Json all = Json::array();
  for (const Going& one : going) all.push_back({{"id", one.id}, {"token", one.token}, {"script", one.script}});
  return base::write_file(paths.going_file(), dump_json(all) + "\n", 0600);
}

Result<std::vector<Going>> drain(const Paths& paths, int seconds, const Progress& progress) {
  const std::int64_t deadline = base::monotonic_us() + seconds * kSecondUs;
  std::optional<std::size_t> before;
  for (;;) {
    BAND_TRY(const auto going, ask(paths));
    const std::size_t count = going ? going->size() : 0;
    if (before != count && (before || count > 0))
      progress(std::to_string(count) + (count == 1 ? " execution" : " executions") + " to wait for");
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
