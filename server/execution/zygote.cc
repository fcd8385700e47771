#include "server/execution/zygote.h"

#include <cstdint>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/init/order.h"

namespace band::run {
namespace {

constexpr int kSendTimeoutS = 5;                      // for an order that the zygote does not read
constexpr std::int64_t kReadyTimeoutUs = 30'000'000;  // usually some milliseconds

// See bwrap(1), version 0.8.
std::vector<std::string> command_line(const std::string& band_init) {
  return {kBubblewrap, "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "band",
          // The zygote must be pid 1: when it exits, the kernel kills all views.
          "--as-pid-1", "--die-with-parent", "--ro-bind", band_init, init::kProgram, "--dir", init::kViewPlace,
          "--remount-ro", "/",
          // To make namespaces, attach the tree of a view, mount /proc, and change to the slot's uid; CAP_KILL for the
          // holder, which kills commands of the slot's uid. band-init drops those that it does not need.
          "--cap-drop", "ALL", "--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID",
          "--cap-add", "CAP_SETPCAP", "--cap-add", "CAP_KILL", "--chdir", "/", "--", init::kProgram};
}

}  // namespace

Result<Zygote> Zygote::start(const std::string& band_init, const syscalls::Filter& filter) {
  Zygote zygote;
  BAND_TRY(zygote.process_, base::ServiceProcess::start(command_line(band_init)));
  BAND_CHECK(zygote.process_.bound_sends(kSendTimeoutS));
  BAND_CHECK(base::send(zygote.control(), init::encode(filter)));
  BAND_CHECK(zygote.await_ready());
  return zygote;
}

// The child of bubblewrap first waits until its parent has set it up (eventfd(2)), and waits forever if the parent is
// killed before this. So nothing may kill bubblewrap until the zygote runs.
Status Zygote::await_ready() const {
  if (!base::wait_readable(control(), base::monotonic_us() + kReadyTimeoutUs))
    return layer_error("serve", "the zygote of band-init did not start within 30 s", 0);
  const auto message = base::receive(control());
  if (!message.ok() || message->text != init::kReady) return exited();
  return done();
}

Error Zygote::exited() {
  return layer_error("serve", "the zygote of band-init exited", 0,
                     "see its last message in the log; if there is none, it was killed");
}

// The zygote closes its end of the channel before the kernel kills the views.
bool zygote_exited(int control) { return base::peer_closed(control); }

}  // namespace band::run
