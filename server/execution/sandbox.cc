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

Result<Pipe> new_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("run", "cannot make a pipe", errno);
  return Pipe{base::Fd(ends[0]), base::Fd(ends[1])};
}

// Writes the length of a message and the message. Returns false when the reader has exited.
Result<bool> send_to(int fd, std::string bytes) {
  const std::uint64_t size = bytes.size();
  bytes.insert(0, reinterpret_cast<const char*>(&size), sizeof size);
  const Status sent = base::write_all(fd, bytes);
  if (!sent.ok() && (sent.error().err == EPIPE || sent.error().err == ECONNRESET)) return false;
  if (!sent.ok()) return sent.error();
  return true;
}

}  // namespace

// The slot's uid owns the sandbox's end: a script opens /dev/stderr again by its path, which the owner and mode of the
// pipe must permit.
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows) {
  BAND_TRY(Pipe pipe, new_pipe());
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

// Sends the order to make a sandbox, and returns the engine's end of its control channel. `script`: the read end of the
// pipe for the Script; -1: the sandbox is a command view.
Result<base::Fd> order(int zygote, const slot::Slot& slot, int root, const std::array<int, 3>& streams, int script) {
  BAND_TRY(auto control, base::stream_pair());
  BAND_TRY(const base::Fd tree, view::clone_tree(root, true));
  const base::Fd network(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC));
  if (!network) return layer_error("run", "cannot open the slot's network namespace", errno);
  const slot::Groups groups = slot.groups();
  std::vector<int> fds = {control.second.get(), streams[0], streams[1], streams[2], tree.get(), network.get()};
  if (script >= 0) fds.push_back(script);
  if (groups.directory >= 0) fds.push_back(groups.directory);
  fds.insert(fds.end(), groups.tasks.begin(), groups.tasks.end());
  const init::Order message{.for_script = script >= 0 ? 1u : 0u,
                            .in_group = groups.directory >= 0 ? 1u : 0u,
                            .tasks = static_cast<std::uint32_t>(groups.tasks.size())};
  BAND_CHECK(base::send(zygote, {reinterpret_cast<const char*>(&message), sizeof message}, fds));
  return std::move(control.first);
}

}  // namespace

Result<Sandbox> Sandbox::start(int zygote, const slot::Slot& slot, int root, Streams streams) {
  BAND_TRY(Pipe script, new_pipe());
  if (streams.terminal) {
    const int end = streams.terminal->script.get();
    BAND_TRY(base::Fd control, order(zygote, slot, root, {end, end, end}, script.read.get()));
    return Sandbox({std::move(control), std::move(script.write), std::move(streams.terminal->ours), base::Fd()});
  }
  BAND_TRY(Pipe out, slot_pipe(slot, Flows::Out));
  BAND_TRY(Pipe err, slot_pipe(slot, Flows::Out));
  if (!streams.input) {
    BAND_TRY(streams.input, dev_null(O_RDONLY));
  }
  const std::array<int, 3> inside = {streams.input.get(), out.write.get(), err.write.get()};
  BAND_TRY(base::Fd control, order(zygote, slot, root, inside, script.read.get()));
  return Sandbox({std::move(control), std::move(script.write), std::move(out.read), std::move(err.read)});
}

Result<Sandbox> Sandbox::start_holder(int zygote, const slot::Slot& slot, int root) {
  BAND_TRY(const base::Fd null, dev_null(O_RDWR));
  BAND_TRY(base::Fd control, order(zygote, slot, root, {null.get(), null.get(), null.get()}, -1));
  return Sandbox({std::move(control), base::Fd(), base::Fd(), base::Fd()});
}

Sandbox::Sandbox(Ends ends)
    : control_(std::move(ends.control)),
      script_to_(std::move(ends.script)),
      stdout_(std::move(ends.out)),
      stderr_(std::move(ends.err)),
      script_owed_(static_cast<bool>(script_to_)) {}

Sandbox& Sandbox::operator=(Sandbox&& other) noexcept {
  if (this == &other) return *this;
  end(-1);
  control_ = std::move(other.control_);
  script_to_ = std::move(other.script_to_);
  stdout_ = std::move(other.stdout_);
  stderr_ = std::move(other.stderr_);
  init_ = std::move(other.init_);
  script_ = std::move(other.script_);
  root_ = std::move(other.root_);
  mounts_ = std::move(other.mounts_);
  script_owed_ = other.script_owed_;
  gone_ = other.gone_;
  ended_ = other.ended_;
  return *this;
}

// If the reader has exited, next_report() returns the reason.
Status Sandbox::send_setup(const init::Setup& setup) const {
  BAND_TRY([[maybe_unused]] const bool sent, send_to(control_.get(), init::encode(setup)));
  return done();
}

Status Sandbox::send_script(const init::Script& script) {
  const base::Fd pipe = std::move(script_to_);
  BAND_TRY(const bool sent, send_to(pipe.get(), init::encode(script)));
  script_owed_ = !sent;
  return done();
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
  if (kind == Kind::Started && script_owed_)
    return layer_error("init", "the process for the script exited before it executed the script", 0);
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
