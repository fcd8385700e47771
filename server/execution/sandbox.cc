#include "server/execution/sandbox.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
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

Result<Pipe> new_pipe(Flows flows) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("run", "cannot make a pipe", errno);
  Pipe pipe{base::Fd(ends[0]), base::Fd(ends[1])};
  const base::Fd& ours = flows == Flows::Out ? pipe.read : pipe.write;
  if (::fcntl(ours.get(), F_SETFL, O_NONBLOCK) != 0) return layer_error("run", "cannot prepare a pipe", errno);
  return pipe;
}

std::string with_length(const std::string& message) {
  const std::uint64_t size = message.size();
  std::string bytes;
  bytes.reserve(sizeof size + message.size());
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  return bytes.append(message);
}

}  // namespace

// The slot's uid owns the sandbox's end: a script opens /dev/stderr again by its path, which the owner and mode of the
// pipe must permit.
Result<Pipe> slot_pipe(const slot::Slot& slot, Flows flows) {
  BAND_TRY(Pipe pipe, new_pipe(flows));
  const base::Fd& inside = flows == Flows::Out ? pipe.write : pipe.read;
  if (::fchown(inside.get(), slot.uid(), slot.gid()) != 0) return layer_error("run", "cannot prepare a pipe", errno);
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
  BAND_TRY(Pipe script, new_pipe(Flows::In));  // owned by root: its reader has it open, and needs no permission
  if (streams.terminal) {
    const int end = streams.terminal->script.get();
    BAND_TRY(base::Fd control, order(zygote, slot, root, {end, end, end}, script.read.get()));
    return Sandbox({.control = std::move(control),
                    .script = std::move(script.write),
                    .out = std::move(streams.terminal->ours),
                    .err = {}});
  }
  BAND_TRY(Pipe out, slot_pipe(slot, Flows::Out));
  BAND_TRY(Pipe err, slot_pipe(slot, Flows::Out));
  if (!streams.input) {
    BAND_TRY(streams.input, dev_null(O_RDONLY));
  }
  const std::array<int, 3> inside = {streams.input.get(), out.write.get(), err.write.get()};
  BAND_TRY(base::Fd control, order(zygote, slot, root, inside, script.read.get()));
  return Sandbox({.control = std::move(control),
                  .script = std::move(script.write),
                  .out = std::move(out.read),
                  .err = std::move(err.read)});
}

Result<Sandbox> Sandbox::start_holder(int zygote, const slot::Slot& slot, int root) {
  BAND_TRY(const base::Fd null, dev_null(O_RDWR));
  BAND_TRY(base::Fd control, order(zygote, slot, root, {null.get(), null.get(), null.get()}, -1));
  return Sandbox({.control = std::move(control), .script = {}, .out = {}, .err = {}});
}

Sandbox::Sandbox(Ends ends)
    : control_(std::move(ends.control)),
      stdout_(std::move(ends.out)),
      stderr_(std::move(ends.err)),
      script_pipe_(std::move(ends.script)),
      awaits_start_(static_cast<bool>(script_pipe_)) {}

Sandbox& Sandbox::operator=(Sandbox&& other) noexcept {
  if (this == &other) return *this;
  end(-1);
  control_ = std::move(other.control_);
  stdout_ = std::move(other.stdout_);
  stderr_ = std::move(other.stderr_);
  script_pipe_ = std::move(other.script_pipe_);
  script_bytes_ = std::move(other.script_bytes_);
  script_written_ = other.script_written_;
  script_sent_ = other.script_sent_;
  awaits_start_ = other.awaits_start_;
  init_pidfd_ = std::move(other.init_pidfd_);
  script_pidfd_ = std::move(other.script_pidfd_);
  root_ = std::move(other.root_);
  mounts_ = std::move(other.mounts_);
  gone_ = other.gone_;
  ended_ = other.ended_;
  return *this;
}

// EPIPE and ECONNRESET are ignored: next_report() then returns the reason why band-init exited.
Status Sandbox::send_setup(const init::Setup& setup) const {
  const Status sent = base::write_all(control_.get(), with_length(init::encode(setup)));
  const bool exited = !sent.ok() && (sent.error().err == EPIPE || sent.error().err == ECONNRESET);
  return exited ? done() : sent;
}

Status Sandbox::send_script(const init::Script& script) {
  script_bytes_ = with_length(init::encode(script));
  return continue_script();
}

// EPIPE is not an error here: next_report() then returns the reason why the reader exited.
Status Sandbox::continue_script() {
  while (script_written_ < script_bytes_.size()) {
    const ssize_t n =
        ::write(script_pipe_.get(), script_bytes_.data() + script_written_, script_bytes_.size() - script_written_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return done();
    if (n < 0 && errno == EPIPE) return wipe_script(), script_pipe_.reset(), done();
    if (n < 0) return layer_error("run", "cannot send the script", errno);
    script_written_ += static_cast<std::size_t>(n);
  }
  script_sent_ = true;
  wipe_script();
  return done();
}

// Frees the memory, which operator delete wipes (server/wiping_heap.cc). clear() would keep it, and the Sandbox exists
// longer than the execution if a process does not die.
void Sandbox::wipe_script() {
  std::string().swap(script_bytes_);
  script_written_ = 0;
}

bool Sandbox::script_was_read() const {
  int unread = 0;  // bytes in the pipe
  return script_sent_ && script_pipe_ && ::ioctl(script_pipe_.get(), FIONREAD, &unread) == 0 && unread == 0;
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
  if (message->fds.size() == 3 && kind == Kind::Ready && !init_pidfd_) {
    init_pidfd_ = std::move(message->fds[0]);
    root_ = std::move(message->fds[1]);
    mounts_ = std::move(message->fds[2]);
  }
  if (message->fds.size() == 1 && kind == Kind::Started && !script_pidfd_) script_pidfd_ = std::move(message->fds[0]);
  if (kind == Kind::Started && awaits_start_) {
    if (!script_was_read())
      return layer_error("init", "the process for the script exited before it executed the script", 0);
    awaits_start_ = false;
    script_pipe_.reset();
  }
  return report;
}

bool Sandbox::lives() const { return !base::peer_closed(control_.get()); }

void Sandbox::terminate() const {
  if (!script_pidfd_) return;
  // band-init made the script a session and group leader. Kernels before 6.9 signal only its first process.
  if (::syscall(SYS_pidfd_send_signal, script_pidfd_.get(), SIGTERM, nullptr, kSignalProcessGroup) != 0)
    signal_by(script_pidfd_, SIGTERM, 0);
}

// The Ready report has the pidfd of band-init. Returns false when neither this report nor EOF came in time.
bool Sandbox::learn_init(std::int64_t until_us) {
  while (!init_pidfd_ && !gone_) {
    if (!base::wait_readable(control_.get(), until_us)) return false;
    (void)next_report();
  }
  return true;
}

bool Sandbox::end(int ms) {
  if (ended_ || !control_) return true;
  wipe_script();
  script_pipe_.reset();
  const std::int64_t until_us = ms < 0 ? -1 : base::monotonic_us() + std::int64_t{ms} * 1000;
  ::shutdown(control_.get(), SHUT_WR);  // band-init reads EOF; reports that it has sent can still be read
  if (!learn_init(until_us)) return false;
  signal_by(init_pidfd_, SIGKILL, 0);
  ended_ = !init_pidfd_ || base::wait_readable(init_pidfd_.get(), until_us);
  return ended_;
}

void Sandbox::abandon() { ended_ = true; }

}  // namespace band::run
