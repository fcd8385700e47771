#include "server/execution/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/init/order.h"
#include "server/view/mounts.h"

namespace band::run {
namespace {

constexpr unsigned kSignalProcessGroup = 1u << 2;  // PIDFD_SIGNAL_PROCESS_GROUP, Linux 6.9

void signal_by(const base::Fd& pidfd, int signal, unsigned flags) {
  if (pidfd) ::syscall(SYS_pidfd_send_signal, pidfd.get(), signal, nullptr, flags);
}

}  // namespace

// The slot's uid owns the sandbox's end: a script opens /dev/stderr again by its path, which the owner and mode of the
// pipe must permit.
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("run", "cannot make a pipe", errno);
  Pipe pipe{base::Fd(ends[0]), base::Fd(ends[1])};
  const bool out = flows == Flows::Out;
  const base::Fd &inside = out ? pipe.write : pipe.read, &ours = out ? pipe.read : pipe.write;
  if (::fchown(inside.get(), slot.uid(), slot.gid()) != 0 || ::fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0)
    return layer_error("run", "cannot prepare a pipe", errno);
  return pipe;
}

namespace {

Result<base::Fd> dev_null(int flags) {
  base::Fd null(::open("/dev/null", flags | O_CLOEXEC));
  if (!null) return layer_error("run", "cannot open /dev/null", errno);
  return null;
}

// Sends the order to make a sandbox, and returns the engine's end of its control channel.
Result<base::Fd> order(int zygote, const slot::Slot& slot, int root, const std::array<int, 3>& streams) {
  BAND_TRY(auto control, base::stream_pair());
  BAND_TRY(const base::Fd tree, view::clone_tree(root, true));
  const base::Fd network(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!network) return layer_error("run", "cannot open the slot's network namespace", errno);
  const slot::Groups groups = slot.groups();
  std::vector<int> fds = {control.second.get(), streams[0], streams[1], streams[2], tree.get(), network.get()};
  if (groups.directory >= 0) fds.push_back(groups.directory);
  fds.insert(fds.end(), groups.tasks.begin(), groups.tasks.end());
  const init::Order message{groups.directory >= 0 ? 1u : 0u, static_cast<std::uint32_t>(groups.tasks.size())};
  BAND_CHECK(base::send(zygote, {reinterpret_cast<const char*>(&message), sizeof message}, fds));
  return std::move(control.first);
}

}  // namespace

Result<Sandbox> Sandbox::start(int zygote, const slot::Slot& slot, int root, Streams streams) {
  if (streams.terminal) {
    const int end = streams.terminal->script.get();
    BAND_TRY(base::Fd control, order(zygote, slot, root, {end, end, end}));
    return Sandbox(std::move(control), std::move(streams.terminal->ours));
  }
  BAND_TRY(Pipe out, slot_pipe(slot, Flows::Out));
  BAND_TRY(Pipe err, slot_pipe(slot, Flows::Out));
  if (!streams.input) {
    BAND_TRY(streams.input, dev_null(O_RDONLY));
  }
  BAND_TRY(base::Fd control, order(zygote, slot, root, {streams.input.get(), out.write.get(), err.write.get()}));
  return Sandbox(std::move(control), std::move(out.read), std::move(err.read));
}

Result<Sandbox> Sandbox::start_holder(int zygote, const slot::Slot& slot, int root) {
  BAND_TRY(const base::Fd null, dev_null(O_RDWR));
  BAND_TRY(base::Fd control, order(zygote, slot, root, {null.get(), null.get(), null.get()}));
  return Sandbox(std::move(control));
}

Sandbox::Sandbox(base::Fd control, base::Fd out, base::Fd err)
    : control_(std::move(control)), stdout_(std::move(out)), stderr_(std::move(err)) {}

Sandbox& Sandbox::operator=(Sandbox&& other) noexcept {
  if (this == &other) return *this;
  end(-1);
  control_ = std::move(other.control_);
  stdout_ = std::move(other.stdout_);
  stderr_ = std::move(other.stderr_);
  init_ = std::move(other.init_);
  script_ = std::move(other.script_);
  root_ = std::move(other.root_);
  mounts_ = std::move(other.mounts_);
  gone_ = other.gone_;
  ended_ = other.ended_;
  return *this;
}

Status Sandbox::send_setup(const init::Setup& setup) const { return send(init::encode(setup)); }
Status Sandbox::send_script(const init::Script& script) const { return send(init::encode(script)); }

// EPIPE and ECONNRESET are ignored: next_report() then returns the reason why band-init exited.
Status Sandbox::send(std::string bytes) const {
  const std::uint64_t size = bytes.size();
  bytes.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  const Status sent = base::write_all(control_.get(), bytes);
  const bool ended = !sent.ok() && (sent.error().err == EPIPE || sent.error().err == ECONNRESET);
  return ended ? done() : sent;
}

Result<init::Report> Sandbox::next_report() {
  auto message = base::receive(control_.get(), sizeof(init::Report));
  gone_ = message.ok() ? message->text.empty() : message.error().err == ECONNRESET;
  if (!message.ok()) return message.error();
  BAND_TRY(const init::Report report, init::decode_report(message->text));
  using Kind = init::Report::Kind;
  const auto kind = static_cast<Kind>(report.kind);
  // Only the first pidfds: band-init sends them before the script can control band-init. With the pidfd of another
  // process in a later report, the script's processes could outlive end().
  if (message->fds.size() == 3 && kind == Kind::Ready && !init_) {
    init_ = std::move(message->fds[0]);
    root_ = std::move(message->fds[1]);
    mounts_ = std::move(message->fds[2]);
  }
  if (message->fds.size() == 1 && kind == Kind::Started && !script_) script_ = std::move(message->fds[0]);
  return report;
}

bool Sandbox::lives() const { return !base::peer_closed(control_.get()); }

void Sandbox::terminate() const {
  if (!script_) return;
  // band-init made the script a session and group leader. Kernels before 6.9 signal only its first process.
  if (::syscall(SYS_pidfd_send_signal, script_.get(), SIGTERM, nullptr, kSignalProcessGroup) != 0)
    signal_by(script_, SIGTERM, 0);
}

// The Ready report has the pidfd of band-init. Returns false when neither this report nor EOF came in time.
bool Sandbox::learn_init(std::int64_t until_us) {
  while (!init_ && !gone_) {
    if (!base::wait_readable(control_.get(), until_us)) return false;
    (void)next_report();
  }
  return true;
}

bool Sandbox::end(int ms) {
  if (ended_ || !control_) return true;
  const std::int64_t until_us = ms < 0 ? -1 : base::monotonic_us() + std::int64_t{ms} * 1000;
  ::shutdown(control_.get(), SHUT_WR);  // band-init reads EOF; reports that it has sent can still be read
  if (!learn_init(until_us)) return false;
  signal_by(init_, SIGKILL, 0);
  ended_ = !init_ || base::wait_readable(init_.get(), until_us);
  return ended_;
}

void Sandbox::abandon() { ended_ = true; }

}  // namespace band::run
