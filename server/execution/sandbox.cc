#include "server/execution/sandbox.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "server/base/channel.h"
#include "server/base/io.h"

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

Result<Sandbox> Sandbox::start(const slot::Slot& slot, const std::string& stage_root, view::Holds holds,
                               Streams streams) {
  BAND_TRY(auto control, base::stream_pair());
  Pipe out, err;
  base::Spawn what;
  what.argv = view::bubblewrap_arguments(stage_root, holds);
  if (streams.terminal) {
    const int end = streams.terminal->script.get();
    what.fds = {end, end, end, control.second.get()};
    out.read = std::move(streams.terminal->ours);
  } else {
    BAND_TRY(out, slot_pipe(slot, Flows::Out));
    BAND_TRY(err, slot_pipe(slot, Flows::Out));
    if (!streams.input) streams.input = base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!streams.input) return layer_error("run", "cannot open /dev/null", errno);
    what.fds = {streams.input.get(), out.write.get(), err.write.get(), control.second.get()};
  }
  slot.place(what);
  BAND_TRY(base::Child bubblewrap, base::spawn(what));
  return Sandbox(std::move(bubblewrap), std::move(control.first), std::move(out.read), std::move(err.read));
}

Sandbox::Sandbox(base::Child bubblewrap, base::Fd control, base::Fd out, base::Fd err)
    : bubblewrap_(std::move(bubblewrap)),
      control_(std::move(control)),
      stdout_(std::move(out)),
      stderr_(std::move(err)) {}

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
  if (message->fds.size() == 2 && kind == Kind::Ready) {
    init_ = std::move(message->fds[0]);
    root_ = std::move(message->fds[1]);
  }
  if (message->fds.size() == 1 && kind == Kind::Started) script_ = std::move(message->fds[0]);
  return report;
}

bool Sandbox::lives() const {
  pollfd ended{bubblewrap_.pidfd(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

void Sandbox::terminate() const {
  if (!script_) return;
  // band-init made the script a session and group leader. Kernels before 6.9 signal only its first process.
  if (::syscall(SYS_pidfd_send_signal, script_.get(), SIGTERM, nullptr, kSignalProcessGroup) != 0)
    signal_by(script_, SIGTERM, 0);
}

bool Sandbox::end(int ms) {
  ::shutdown(control_.get(), SHUT_WR);  // band-init reads EOF; reports that it has sent can still be read
  signal_by(init_, SIGKILL, 0);
  if (!init_) bubblewrap_.kill(SIGKILL);  // band-init has not reported a pid 1
  return bubblewrap_.wait(ms).has_value();
}

}  // namespace band::run
