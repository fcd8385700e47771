#include "tests/kernel/gateway_world.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "schemas/rules/net_rules.h"
#include "server/base/channel.h"
#include "server/base/io.h"
#include "server/layout/made_up.h"
#include "server/network/sockets.h"
#include "server/slot/network.h"

namespace band::test {
namespace {

void must(bool done, const std::string& what) {
  if (done) return;
  std::perror(("gateway_world: " + what).c_str());
  std::abort();
}

void command(const std::string& line) { must(std::system(line.c_str()) == 0, line); }

struct Namespaces {
  base::Fd own, outside, machine, slot;
  base::Fd here() { return base::Fd(::open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)); }
  base::Fd fresh() {
    must(::unshare(CLONE_NEWNET) == 0, "unshare");
    return here();
  }

  Namespaces() {
    own = here();
    outside = fresh();
    machine = fresh();
    command("ip link add inner type veth peer name outer netns /proc/" + std::to_string(::getpid()) + "/fd/" +
            std::to_string(outside.get()));
    command(
        "ip link set lo up && ip addr add 5.5.4.1/24 dev inner && ip link set inner up && ip route add default via "
        "5.5.4.2");
    must(::setns(outside.get(), CLONE_NEWNET) == 0, "setns");
    command("ip link set lo up && ip addr add 5.5.4.2/24 dev outer && ip link set outer up");
    for (const char* address : {"5.5.5.5", "5.5.5.6", "5.5.5.53", "10.1.2.3", "169.254.169.254"})
      command(std::string("ip addr add ") + address + "/32 dev lo");
    command("ip route add blackhole 5.5.5.99/32");  // drops packets silently
    slot = fresh();
    must(slot::prepare_network().ok() && firewall::prepare().ok(), "prepare the slot");
    must(::setns(own.get(), CLONE_NEWNET) == 0, "setns");
    machine_files();
  }

  // /etc/resolv.conf and /etc/hosts are changed for this process and the gateway only.
  static void machine_files() {
    must(::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0, "mounts");
    for (const auto& [path, text] :
         std::map<std::string, std::string>{{"/etc/resolv.conf", "search wrong.example\nnameserver 5.5.5.53\n"},
                                            {"/etc/hosts", "127.0.0.1 localhost\n5.5.5.6 hosts.example\n"}}) {
      const std::string copy = "/tmp/band-gateway-test." + std::to_string(::getpid());
      must(base::write_file(copy, text, 0644).ok(), copy);
      must(::mount(copy.c_str(), path.c_str(), nullptr, MS_BIND, nullptr) == 0, path);
      ::unlink(copy.c_str());
    }
  }
};

Namespaces& namespaces() {
  static Namespaces all;
  return all;
}

sockaddr_in at(const std::string& address, std::uint16_t port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  must(::inet_pton(AF_INET, address.c_str(), &to.sin_addr) == 1, address);
  return to;
}

bool readable(int fd, int ms) {
  pollfd one{fd, POLLIN, 0};
  return ::poll(&one, 1, ms) > 0;
}

std::string dns_name(const std::string& name) {
  std::string wire;
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t dot = std::min(name.find('.', begin), name.size());
    wire += static_cast<char>(dot - begin) + name.substr(begin, dot - begin);
    begin = dot + 1;
  }
  return wire + '\0';
}

}  // namespace

void in(Place place, const std::function<void()>& act) {
  Namespaces& all = namespaces();
  const base::Fd& there = place == Place::Outside ? all.outside : place == Place::Machine ? all.machine : all.slot;
  must(::setns(there.get(), CLONE_NEWNET) == 0, "setns");
  act();
  must(::setns(all.own.get(), CLONE_NEWNET) == 0, "setns back");
}

// ---- wires ----------------------------------------------------------------------------------------------------------

bool Wire::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

void Wire::end() const { ::shutdown(fd(), SHUT_WR); }

std::string Wire::read(std::size_t bytes, int ms) const {
  std::string all(bytes, '\0');
  std::size_t have = 0;
  while (have < bytes && readable(fd(), ms)) {
    const ssize_t n = ::recv(fd(), all.data() + have, bytes - have, 0);
    if (n < 0) return all.substr(0, have) + "(reset)";
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  return all.substr(0, have);
}

std::string Wire::rest(int ms) const {
  std::string all;
  char bytes[65536];
  while (readable(fd(), ms)) {
    const ssize_t n = ::recv(fd(), bytes, sizeof bytes, 0);
    if (n == 0) return all;
    if (n < 0) return all + "(reset)";
    all.append(bytes, static_cast<std::size_t>(n));
  }
  return all + "(no end)";
}

std::size_t stuff(const std::vector<Wire>& wires) {
  const std::string block(64 << 10, kFiller);
  std::size_t taken = 0;
  for (int idle = 0, turn = 0; idle < 50 && turn < 300; ++idle, ++turn) {
    for (const Wire& wire : wires) {
      const ssize_t n = ::send(wire.fd(), block.data(), block.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      if (n <= 0) continue;
      taken += static_cast<std::size_t>(n);
      idle = 0;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return taken;
}

Wire connect(const std::string& address, std::uint16_t port, int* failed) {
  base::Fd socket;
  in(Place::Slot, [&] {
    ::setfsuid(kSlotUid);  // the owner for -m owner
    socket.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ::setfsuid(0);
  });
  const sockaddr_in to = at(address, port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    if (failed != nullptr) *failed = errno;
    socket.reset();
  }
  return Wire(std::move(socket));
}

std::string said_back(const std::string& address, std::uint16_t port) {
  int failed = 0;
  const Wire wire = connect(address, port, &failed);
  if (failed == ECONNRESET) return "(reset)";
  if (!wire) return failed == ECONNREFUSED ? "(refused)" : "(error " + std::to_string(failed) + ")";
  return wire.send("hello\n") ? wire.read(6) : "(reset)";
}

Wire connect_here(const std::string& address, std::uint16_t port) {
  base::Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = at(address, port);
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) socket.reset();
  return Wire(std::move(socket));
}

// ---- the outside ----------------------------------------------------------------------------------------------------

Upstream::Upstream(const std::string& address, std::uint16_t port, std::function<void(Wire&)> serve, Place place)
    : serve_(std::move(serve)) {
  in(place, [&] { listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)); });
  const sockaddr_in here = at(address, port);
  const int yes = 1;
  ::setsockopt(listener_.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  must(::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0 &&
           ::listen(listener_.get(), 1024) == 0,
       "listen on " + address);
  thread_ = std::thread([this] {
    for (;;) {
      base::Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!client) return;
      ++connections_;
      ++open_;
      std::thread([this, wire = std::make_shared<Wire>(std::move(client))] {
        serve_(*wire);
        wire->close();
        --open_;
      }).detach();
    }
  });
}

Upstream::~Upstream() {
  ::shutdown(listener_.get(), SHUT_RDWR);
  thread_.join();
  while (open_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

void echo(Wire& wire) {
  char bytes[65536];
  for (ssize_t n = 0; (n = ::recv(wire.fd(), bytes, sizeof bytes, 0)) > 0;)
    if (!wire.send({bytes, static_cast<std::size_t>(n)})) return;
}

Dns::Dns() {
  in(Place::Outside, [&] { socket_.reset(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)); });
  const sockaddr_in here = at("5.5.5.53", 53);
  must(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) == 0, "bind the resolver");
  int ends[2];
  must(::pipe2(ends, O_CLOEXEC) == 0, "pipe");
  stop_out_.reset(ends[0]);
  stop_in_.reset(ends[1]);
  thread_ = std::thread([this] { serve(); });
}

Dns::~Dns() {
  stop_in_.reset();
  thread_.join();
}

void Dns::set(const std::string& name, std::vector<std::string> answer) { rotate(name, {std::move(answer)}); }

void Dns::rotate(const std::string& name, std::vector<std::vector<std::string>> answers) {
  const std::lock_guard hold(mutex_);
  answers_[name] = std::move(answers);
}

int Dns::asked(const std::string& name, int type) {
  const std::lock_guard hold(mutex_);
  return asked_[{name, type}];
}

void Dns::serve() {
  for (;;) {
    pollfd events[2] = {{socket_.get(), POLLIN, 0}, {stop_out_.get(), POLLIN, 0}};
    ::poll(events, 2, -1);
    if (events[1].revents != 0) return;
    char bytes[512];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    const ssize_t n = ::recvfrom(socket_.get(), bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&from), &size);
    if (n < 17) continue;
    const std::string reply = answer({bytes, static_cast<std::size_t>(n)});
    ::sendto(socket_.get(), reply.data(), reply.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
  }
}

std::string Dns::answer(const std::string& question) {
  std::string name;
  std::size_t i = 12;
  for (; question[i] != 0; i += static_cast<std::size_t>(question[i]) + 1)
    name += (name.empty() ? "" : ".") + question.substr(i + 1, static_cast<std::size_t>(question[i]));
  const int type = static_cast<unsigned char>(question[i + 2]);
  const std::string asked = question.substr(12, i + 5 - 12);
  const std::lock_guard hold(mutex_);
  ++asked_[{name, type}];
  int count = 0;
  std::string records;
  bool known = false;
  std::string owner = dns_name(name);
  for (auto found = answers_.find(name); found != answers_.end();) {
    known = true;
    auto& turns = found->second;
    const std::vector<std::string> answer = turns.front();
    if (type == 1 && turns.size() > 1) turns.erase(turns.begin());
    found = answers_.end();
    for (const std::string& one : answer) {
      const bool alias = one[0] == '>', v6 = one.find(':') != std::string::npos;
      std::string data = alias ? dns_name(one.substr(1)) : std::string(v6 ? 16 : 4, '\0');
      if (!alias) must(::inet_pton(v6 ? AF_INET6 : AF_INET, one.c_str(), data.data()) == 1, one);
      const int of_type = alias ? 5 : v6 ? 28 : 1;
      if (!alias && of_type != type) continue;
      records += owner + std::string{'\0', static_cast<char>(of_type),    '\0', '\1', '\0', '\0', '\0', '\0',
                                     '\0', static_cast<char>(data.size())} +
                 data;
      ++count;
      if (alias) {
        owner = dns_name(one.substr(1));
        found = answers_.find(one.substr(1));
      }
    }
  }
  return question.substr(0, 2) +
         std::string{'\x81', static_cast<char>(known ? '\x80' : '\x83'), 0, 1, 0, static_cast<char>(count), 0, 0, 0,
                     0} +
         asked + records;
}

// ---- the slot's resolver --------------------------------------------------------------------------------------------

std::string resolve(const std::string& name, int type) {
  base::Fd socket;
  in(Place::Slot, [&] {
    ::setfsuid(kSlotUid);
    socket.reset(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ::setfsuid(0);
  });
  const sockaddr_in to = at("127.0.0.1", 53);
  must(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0, "connect to the resolver");
  const std::string question =
      std::string{7, 7, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0} + dns_name(name) + std::string{0, static_cast<char>(type), 0, 1};
  ::send(socket.get(), question.data(), question.size(), 0);
  if (!readable(socket.get(), kWaitMs)) return "(silence)";
  unsigned char reply[512];
  const ssize_t n = ::recv(socket.get(), reply, sizeof reply, 0);
  if (n < 12) return "(refused)";
  if ((reply[3] & 15) == 3) return "NXDOMAIN";
  if ((reply[3] & 15) != 0) return "rcode " + std::to_string(reply[3] & 15);
  if (reply[7] == 0) return "empty";
  char text[INET_ADDRSTRLEN];
  return ::inet_ntop(AF_INET, reply + n - (n > static_cast<ssize_t>(question.size()) + 16 ? 11 + 4 : 4), text,
                     sizeof text);
}

// ---- the gateway ----------------------------------------------------------------------------------------------------

GatewayProcess::GatewayProcess() {
  auto pair = base::channel();
  must(pair.ok(), "channel");
  const base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  in(Place::Machine, [&] {
    auto child = base::spawn({{BAND_BIN_DIR "/band-gateway", "--user", "band-gateway"},
                              {"PATH=/usr/bin"},
                              {null.get(), STDERR_FILENO, STDERR_FILENO, pair->second.get()}});
    must(child.ok(), "start band-gateway");
    child_ = std::move(*child);
  });
  control_ = std::move(pair->first);
}

gateway::Policy plan_of(const std::vector<std::string>& allow, const std::vector<std::string>& deny) {
  gateway::Policy plan;
  plan.net.opened.emplace_back();
  for (const std::string& pattern : allow) plan.net.opened[0].push_back({pattern, "BAND.md:1"});
  for (const std::string& pattern : deny) plan.net.deny.push_back({pattern, "BAND.md:9"});
  return plan;
}

Served::Served(const std::vector<std::string>& allow, const std::vector<std::string>& deny,
               const std::function<void(gateway::Policy&)>& change)
    : own_(std::make_unique<GatewayProcess>()) {
  gateway::Policy plan = plan_of(allow, deny);
  if (change) change(plan);
  start(*own_, plan);
}

Served::Served(GatewayProcess& process, const gateway::Policy& plan) { start(process, plan); }

void Served::start(GatewayProcess& process, const gateway::Policy& plan) {
  const auto rules = NetRules::compile(plan.net);
  must(rules.ok(), "compile the rules");
  firewall::Doors doors{network::kRelayPort, network::kResolverPort, network::kRefusalGroup, {}};
  for (const auto& port : rules->name_ports())
    doors.to_relay.push_back({layout::kMadeUpNetwork, layout::kMadeUpBits, port});
  for (const auto& opening : rules->openings()) doors.to_relay.push_back(opening);
  std::optional<network::Sockets> sockets;
  in(Place::Slot, [&] {
    auto opened = network::open_sockets();
    must(opened.ok(), opened.ok() ? "" : opened.error().message());
    sockets = std::move(*opened);
    auto chain = firewall::install("ab", kSlotUid, doors);
    must(chain.ok(), chain.ok() ? "" : chain.error().message());
    chain_ = std::move(*chain);
  });
  auto stream = base::stream_pair();
  must(stream.ok(), "stream");
  events_ = std::move(stream->first);
  const std::string json = gateway::encode(plan);
  const std::uint64_t size = json.size();
  must(base::write_all(events_.get(), std::string(reinterpret_cast<const char*>(&size), sizeof size) + json).ok() &&
           base::send(process.control(), "begin",
                      {stream->second.get(), sockets->relay.get(), sockets->resolver_udp.get(),
                       sockets->resolver_tcp.get(), sockets->refusals.get()})
               .ok(),
       "send the order");
  stream->second.reset();
  must(readable(events_.get(), 10'000), "the gateway is not ready");
  auto ready = base::receive(events_.get(), 4096);
  must(ready.ok() && ready->fds.size() == 1, "the gateway's first words");
  pidfd_ = std::move(ready->fds[0]);
  thread_ = std::thread([this] { listen(); });
}

void Served::listen() {
  std::string left;
  char bytes[65536];
  for (ssize_t n = 0; (n = ::recv(events_.get(), bytes, sizeof bytes, 0)) > 0;) {
    left.append(bytes, static_cast<std::size_t>(n));
    for (std::size_t end = 0; (end = left.find('\n')) != std::string::npos; left.erase(0, end + 1)) {
      auto event = gateway::decode_event(left.substr(0, end));
      must(event.ok(), "an event: " + left.substr(0, end));
      const std::lock_guard hold(mutex_);
      if (event->kind != gateway::Event::Kind::Last) heard_.push_back(std::move(*event));
    }
    more_.notify_all();
  }
  const std::lock_guard hold(mutex_);
  ended_ = true;
  more_.notify_all();
}

bool Served::reported(const std::string& text, int ms) {
  std::unique_lock hold(mutex_);
  return more_.wait_for(hold, std::chrono::milliseconds(ms), [&] {
    for (const gateway::Event& event : heard_)
      if (event.text.find(text) != std::string::npos) return true;
    return false;
  });
}

std::vector<gateway::Event> Served::events() {
  const std::lock_guard hold(mutex_);
  return heard_;
}

std::string Served::texts() {
  std::string all;
  for (const auto& event : events()) all += event.text + "\n";
  return all;
}

std::vector<gateway::Event> Served::end(int ms) {
  ::shutdown(events_.get(), SHUT_WR);
  std::unique_lock hold(mutex_);
  must(more_.wait_for(hold, std::chrono::milliseconds(ms), [&] { return ended_; }), "the gateway does not end");
  return heard_;
}

pid_t Served::pid() const {
  const auto info = base::read_file("/proc/self/fdinfo/" + std::to_string(pidfd_.get()), 4096);
  return static_cast<pid_t>(std::atoi(info->c_str() + info->find("Pid:") + 4));
}

bool Served::gone() const { return readable(pidfd_.get(), kWaitMs); }

// The relay's own port identifies the side: the other port may differ, because the firewall redirects the connection.
std::vector<base::Fd> Served::connections(Towards side) const {
  std::vector<base::Fd> found;
  for (int number = 0; number < 4096; ++number) {
    base::Fd fd(static_cast<int>(::syscall(SYS_pidfd_getfd, pidfd_.get(), number, 0)));
    sockaddr_in peer{}, own{};
    socklen_t size = sizeof peer, own_size = sizeof own;
    if (!fd || ::getpeername(fd.get(), reinterpret_cast<sockaddr*>(&peer), &size) != 0) continue;
    if (peer.sin_family != AF_INET || ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&own), &own_size) != 0)
      continue;
    if ((ntohs(own.sin_port) == network::kRelayPort) == (side == Towards::Script)) found.push_back(std::move(fd));
  }
  return found;
}

Served::~Served() {
  ::shutdown(events_.get(), SHUT_RDWR);
  if (thread_.joinable()) thread_.join();
  readable(pidfd_.get(), 3000);
  in(Place::Slot, [&] { (void)chain_.remove(); });
}

ServedOne::ServedOne(std::uint16_t port, const std::function<void(gateway::Policy&)>& change)
    : served({"up.example:" + std::to_string(port)}, {}, change), address(resolve("up.example")) {
  dns.set("up.example", {"5.5.5.5"});
}

}  // namespace band::test
