// How the engine checks the process that claims to be an execution's gateway. The test's process answers the order in
// place of band-gateway, with other messages.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <vector>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/evidence/record.h"
#include "server/execution/network.h"
#include "server/firewall/firewall.h"
#include "server/gateway/order.h"
#include "server/gateway_link/event.h"
#include "server/privileges/user.h"
#include "server/slot/network.h"
#include "tests/kernel/in_child.h"

using namespace band;
using namespace band::test;

namespace {

constexpr uid_t kSlotUid = 0x72000000;

privileges::Ids gateway_ids() {
  const auto ids = privileges::ids_of("band-gateway");
  REQUIRE(ids.ok());
  return *ids;
}

// A process that waits to be killed.
class Bystander {
 public:
  explicit Bystander(uid_t user) : pid_(::fork()) {
    if (pid_ != 0) return;
    if (::setresuid(user, user, user) == 0)
      for (;;) ::pause();
    ::_exit(1);
  }
  ~Bystander() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Bystander(const Bystander&) = delete;
  Bystander& operator=(const Bystander&) = delete;
  base::Fd pidfd() const { return base::Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0))); }
  bool lives() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_;
};

base::Fd own_pidfd() { return base::Fd(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0))); }

// Its later messages: `at_once`, then `at_end` and `behind` after EOF from the engine; then it exits.
struct Later {
  std::vector<gateway::Event> at_once, at_end;
  std::string behind;
};

// Receives the order as `ids` and sends Ready with the descriptor from `handed`. Then it waits, or sends `later`.
[[noreturn]] void answer_order(const base::Fd& control, const privileges::Ids& ids,
                               const std::function<base::Fd()>& handed, const std::optional<Later>& later) {
  if (ids.uid != 0 && !privileges::become(ids).ok()) ::_exit(1);
  auto order = base::receive(control.get());
  if (!order.ok() || order->fds.size() != 5) ::_exit(2);
  const base::Fd fd = handed();
  const int engine = order->fds[0].get();
  if (!fd || !base::send(engine, gateway::encode(gateway::Event{}) + "\n", {fd.get()}).ok()) ::_exit(3);
  while (!later) ::pause();
  const auto send_events = [&](const std::vector<gateway::Event>& events) {
    for (const auto& event : events)
      if (!base::write_all(engine, gateway::encode(event) + "\n").ok()) ::_exit(4);
  };
  send_events(later->at_once);
  (void)base::read_all(engine, gateway::kMaxPolicyBytes);
  send_events(later->at_end);
  ::_exit(base::write_all(engine, later->behind).ok() ? 0 : 5);
}

std::string next_event(run::Network& network) {
  run::ReplyWriter reply;
  const run::Mask mask;
  auto record = run::Record::open({}, mask, reply, base::monotonic_us());
  if (!record.ok()) return record.error().message();
  pollfd one{network.fd(), POLLIN, 0};
  if (::poll(&one, 1, 10'000) != 1) return "(silence)";
  const Status status = network.on_readable(*record);
  if (status.ok()) return network.ready() ? "ready" : "not ready";
  return status.error().message();
}

// The engine's result for the events after the script's end.
std::string finished(run::Network& network) {
  run::ReplyWriter reply;
  const run::Mask mask;
  auto record = run::Record::open({}, mask, reply, base::monotonic_us());
  if (!record.ok()) return record.error().message();
  const Status status = network.finish(*record);
  return status.ok() ? "all events received" : status.error().message();
}

// Starts a gateway that runs as `ids` and sends the descriptor `handed`, in a separate network namespace. Returns the
// engine's result and whether the gateway lives after the execution's end; with `later`, the result of finished().
std::string heard_of(const privileges::Ids& ids, const std::function<base::Fd()>& handed,
                     const std::optional<Later>& later = {}) {
  return in_child([&]() -> std::string {
    if (::unshare(CLONE_NEWNET) != 0 || !slot::prepare_network().ok() || !firewall::prepare().ok()) return "no slot";
    auto channel = base::channel();
    if (!channel.ok()) return "no channel";
    const pid_t gateway = ::fork();
    if (gateway == 0) answer_order(channel->second, ids, handed, later);
    gateway::Policy rules;
    rules.net.opened.push_back({{"any.example", "BAND.md:1"}});
    const std::string id = "ab";
    auto network = run::Network::start({kSlotUid, id, rules, {channel->first.get(), gateway_ids().uid}});
    if (!network.ok()) return network.error().message();
    std::string result = next_event(**network);
    if (later && !later->at_once.empty() && result == "ready") result = next_event(**network);
    if (later && result == "ready") result = finished(**network);
    network->reset();
    if (later) {
      ::waitpid(gateway, nullptr, 0);
      return result;
    }
    result += ::waitpid(gateway, nullptr, WNOHANG) == 0 ? ", lives" : ", ended";
    ::kill(gateway, SIGKILL);
    ::waitpid(gateway, nullptr, 0);
    return result;
  });
}

constexpr const char* kNotItsOwn = "gateway: the descriptor that the process sent is not its own pidfd, lives";

}  // namespace

TEST_CASE("the gateway process of an execution sends its own pidfd, and is killed with the execution") {
  CHECK(heard_of(gateway_ids(), own_pidfd) == "ready, ended");
  CHECK(heard_of({0, 0}, own_pidfd) == kNotItsOwn);  // only a process of user band-gateway is accepted
  CHECK(heard_of(gateway_ids(), [] { return base::Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }) == kNotItsOwn);
}

TEST_CASE("EOF of the gateway's events without the last event is an error") {
  using Kind = gateway::Event::Kind;
  gateway::Event refused, last;
  refused.kind = Kind::Refused;
  refused.text = "any.example:25 refused (no rule)";
  last.kind = Kind::Last;
  const auto said_of = [](const Later& later) { return heard_of(gateway_ids(), own_pidfd, later); };
  const std::string ended = "gateway: the gateway process of this execution exited before its last event";
  const std::string out_of_order = "gateway: protocol error: an event out of order";
  CHECK(said_of({{}, {last}, ""}) == "all events received");  // the control
  CHECK(said_of({{refused}, {refused, last}, ""}) == "all events received");
  CHECK(said_of({{}, {}, ""}) == ended);
  CHECK(said_of({{refused}, {refused}, ""}) == ended);
  CHECK(said_of({{}, {}, gateway::encode(last)}) == ended);  // an incomplete line
  CHECK(said_of({{}, {last}, "{"}) == ended);
  CHECK(said_of({{}, {last, refused}, ""}) == out_of_order);
  CHECK(said_of({{}, {last, last}, ""}) == out_of_order);
  CHECK(said_of({{last}, {}, ""}) == out_of_order);  // the script may still run
}

TEST_CASE("a pidfd of another process is refused, and that process is not killed") {
  for (const uid_t user : {uid_t{0}, uid_t{65534}, gateway_ids().uid}) {
    CAPTURE(user);
    const Bystander other(user);
    CHECK(heard_of(gateway_ids(), [&] { return other.pidfd(); }) == kNotItsOwn);
    CHECK(other.lives());
  }
}
