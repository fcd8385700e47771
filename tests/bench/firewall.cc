// The time to set up, read back and remove an execution's firewall while chains of other executions exist, each in its
// own network namespace as with slots. Used by tools/bench; needs root, and removes its namespaces.
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/firewall/firewall.h"
#include "server/network/sockets.h"
#include "server/slot/network.h"
#include "tests/bench/bars.h"

namespace {

using band::Result;
using band::Status;
using band::firewall::Egress;

constexpr uid_t kUid = 0x72000000;
constexpr int kRounds = 1'000;
constexpr double kLimitUs = 200;  // limit of the median

// `api.github.com`, and a CIDR with a port.
const Egress kDoors = band::firewall::Doors{band::network::kRelayPort,
                                            band::network::kResolverPort,
                                            band::network::kRefusalGroup,
                                            {{0x0a010200, 24, 8080}, {0xc6120000, 15, 80}, {0xc6120000, 15, 443}}};

struct Place {
  band::base::Fd space;
  band::firewall::Chain chain;
};

// Moves this thread into a new slot's network. Returns a descriptor of the namespace, for setns(2).
Result<band::base::Fd> new_place() {
  if (::unshare(CLONE_NEWNET) != 0) return band::layer_error("bench", "unshare", errno);
  BAND_CHECK(band::slot::prepare_network());
  BAND_CHECK(band::firewall::prepare());
  band::base::Fd space(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!space) return band::layer_error("bench", "open the namespace", errno);
  return space;
}

Status occupy(std::vector<Place>& others, std::size_t count) {
  while (others.size() < count) {
    Place place;
    BAND_TRY(place.space, new_place());
    BAND_TRY(place.chain, band::firewall::install(fmt::format("{:x}", others.size()), kUid, kDoors));
    others.push_back(std::move(place));
  }
  return band::done();
}

Result<std::vector<double>> measure(const Egress& plan) {
  std::vector<double> us;
  for (int round = -20; round < kRounds; ++round) {
    const std::int64_t from = band::base::monotonic_us();
    BAND_TRY(auto chain, band::firewall::install("0123456789abcdef", kUid, plan));
    BAND_CHECK(chain.remove());
    if (round >= 0) us.push_back(static_cast<double>(band::base::monotonic_us() - from));
  }
  std::sort(us.begin(), us.end());
  return us;
}

Status run() {
  BAND_TRY(const band::base::Fd own, new_place());
  std::vector<Place> others;
  fmt::print("\n{:<34}{:>10}{:>10}\n", "firewall, set up and removed", "median us", "p95 us");
  for (const std::size_t count : {0, 100, 1'000}) {
    BAND_CHECK(occupy(others, count));
    if (::setns(own.get(), CLONE_NEWNET) != 0) return band::layer_error("bench", "setns", errno);
    for (const auto& [name, plan] : {std::pair("closed", Egress()), std::pair("with net rules", kDoors)}) {
      BAND_TRY(const auto us, measure(plan));
      fmt::print("{:<34}{:>10.0f}{:>10.0f}\n", fmt::format("{}, {} other executions", name, count), us[us.size() / 2],
                 us[us.size() * 95 / 100]);
      band::bench::bar(fmt::format("firewall, {}, beside {}, us", name, count), us[us.size() / 2],
                       band::bench::Bound::AtMost, kLimitUs);
    }
  }
  return band::done();
}

}  // namespace

int main() {
  const Status status = run();
  if (!status.ok()) fmt::print(stderr, "bench: {}\n", status.error().message());
  std::fflush(nullptr);
  ::_exit(status.ok() ? 0 : 1);  // skips destructors: the namespaces and their chains end with the process
}
