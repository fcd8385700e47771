#include "server/firewall/tracking.h"

#include <string>

#include "server/base/io.h"

namespace band::firewall {
namespace {

struct Setting {
  const char* name;
  const char* value;
};

// Timeouts are in seconds; see nf_conntrack-sysctl in the kernel's documentation.
constexpr Setting kSettings[] = {
    {"tcp_loose", "0"},       // do not track connections that already exist
    {"tcp_be_liberal", "1"},  // lo loses no packets: a segment outside the window is not a reason to cut a connection
    {"tcp_timeout_established", "432000"},
    {"tcp_timeout_fin_wait", "432000"},  // one side has sent FIN, the other may still send for long
    {"tcp_timeout_close_wait", "432000"},
    {"tcp_timeout_syn_sent", "5"},  // a retransmission restarts this timeout
    {"tcp_timeout_syn_recv", "5"},
    {"tcp_timeout_last_ack", "5"},
    {"tcp_timeout_time_wait", "1"},
    {"tcp_timeout_close", "1"},
    {"udp_timeout", "5"},  // DNS: a query and its answer
    {"udp_timeout_stream", "5"},
};

}  // namespace

Status tune_tracking() {
  for (const auto& [name, value] : kSettings) {
    const std::string file = std::string("/proc/sys/net/netfilter/nf_conntrack_") + name;
    BAND_CHECK(base::write_kernel_file(file, value));
    BAND_TRY(const std::string now, base::read_file(file, 64));
    if (now != std::string(value) + "\n") return layer_error("firewall", file + " is not " + value, 0);
  }
  return done();
}

}  // namespace band::firewall
