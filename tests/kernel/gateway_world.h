// A separate network for tests of band-gateway. It has three network namespaces of this process: the outside, with
// servers and a resolver under public addresses; the machine on which the gateway runs; and a slot with its firewall.
// The network of the real machine is not changed.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "server/base/child.h"
#include "server/base/fd.h"
#include "server/firewall/firewall.h"
#include "server/gateway_link/event.h"
#include "server/gateway_link/policy.h"

namespace band::test {

inline constexpr uid_t kSlotUid = 0x72000000;

// Timeout for expected data. It is longer than the delays of a busy machine. It is shorter than the gateway's own
// deadlines (10 s or more), so that a test does not mistake the end of a connection after such a deadline for an
// answer.
inline constexpr int kWaitMs = 8'000;

enum class Place { Outside, Machine, Slot };
// Runs `act` in the network namespace of `place`; sockets that `act` makes belong to this namespace.
void in(Place place, const std::function<void()>& act);

// Sends and receives on one socket, with deadlines.
class Wire {
 public:
  explicit Wire(base::Fd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

  bool send(std::string_view bytes) const;
  void end() const;  // sends EOF
  // Returns `bytes` bytes, or "(reset)". Returns fewer bytes at EOF, and when no byte arrived for `ms` milliseconds.
  std::string read(std::size_t bytes, int ms = kWaitMs) const;
  // All bytes until EOF; without EOF, "(reset)" or "(no end)" is appended.
  std::string rest(int ms = kWaitMs) const;
  void close() { fd_.reset(); }

 private:
  base::Fd fd_;
};

// The byte of data that is neither TLS nor HTTP. (64 KiB of letters could be a method: server/gateway/recognise.h.)
inline constexpr char kFiller = '\x01';

// Writes to all wires until no wire has accepted a byte for half a second, because TCP windows grow gradually. Stops
// after three seconds. Returns the number of bytes written.
std::size_t stuff(const std::vector<Wire>& wires);

// Connects from the slot, as the slot's uid. If this fails, the result has no descriptor and `failed` is set to the
// errno.
Wire connect(const std::string& address, std::uint16_t port, int* failed = nullptr);
// Sends "hello\n" on a connection from the slot. Returns the first 6 bytes that come back, "(reset)", "(refused)" or
// "(error ERRNO)". Also returns "(reset)" for a reset before connect(2) returns.
std::string said_back(const std::string& address, std::uint16_t port);
// Connects from the network namespace of the calling thread, with the uid of this thread.
Wire connect_here(const std::string& address, std::uint16_t port);

// A server in the outside or on the machine. `serve` runs in a separate thread for each connection.
class Upstream {
 public:
  Upstream(const std::string& address, std::uint16_t port, std::function<void(Wire&)> serve,
           Place place = Place::Outside);
  ~Upstream();
  int connections() const { return connections_; }

 private:
  base::Fd listener_;
  std::function<void(Wire&)> serve_;
  std::atomic<int> connections_ = 0, open_ = 0;
  std::thread thread_;
};

void echo(Wire& wire);  // sends back all bytes until EOF

// The machine's resolver, at 5.5.5.53.
class Dns {
 public:
  Dns();
  ~Dns();
  // Sets the answer for a name: addresses ("5.5.5.5"), or one CNAME (">other.example"). Unknown names do not exist.
  void set(const std::string& name, std::vector<std::string> answer);
  // Sets a list of answers: each query for the name gets the next one.
  void rotate(const std::string& name, std::vector<std::vector<std::string>> answers);
  int asked(const std::string& name, int type = 1);

 private:
  void serve();
  std::string answer(const std::string& question);

  base::Fd socket_, stop_in_, stop_out_;
  std::mutex mutex_;
  std::map<std::string, std::vector<std::vector<std::string>>> answers_;
  std::map<std::pair<std::string, int>, int> asked_;
  std::thread thread_;
};

// Returns the answer of the slot's resolver: an address, "empty", "NXDOMAIN", or "(silence)".
std::string resolve(const std::string& name, int type = 1);

// A band-gateway, started as by the engine.
class GatewayProcess {
 public:
  GatewayProcess();
  int control() const { return control_.get(); }
  pid_t pid() const { return child_.pid(); }

 private:
  base::Fd control_;
  base::Child child_;
};

enum class Towards { Script, Servers };

// The gateway of one execution: firewall, sockets, order, policy.
class Served {
 public:
  explicit Served(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {},
                  const std::function<void(gateway::Policy&)>& change = {});
  Served(GatewayProcess& process, const gateway::Policy& plan);
  ~Served();

  // Waits at most `ms` milliseconds for an event whose text contains `text`. Returns true when such an event has
  // arrived.
  bool reported(const std::string& text, int ms = kWaitMs);
  std::vector<gateway::Event> events();
  std::string texts();
  // Shuts down the engine's end of the connection to the gateway process. Returns all events until the process has
  // exited.
  std::vector<gateway::Event> end(int ms = kWaitMs);
  pid_t pid() const;  // the serving process
  bool gone() const;  // the serving process has exited, and its sockets are closed
  // Copies of the gateway's ends of connections.
  std::vector<base::Fd> connections(Towards side) const;
  int events_fd() const { return events_.get(); }

 private:
  void start(GatewayProcess& process, const gateway::Policy& plan);
  void listen();

  std::unique_ptr<GatewayProcess> own_;
  base::Fd events_, pidfd_;
  firewall::Chain chain_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::vector<gateway::Event> heard_;
  std::vector<base::Fd> fds_;
  bool ended_ = false;
  std::thread thread_;
};

// An execution that may reach up.example (5.5.5.5) on `port`.
struct ServedOne {
  Dns dns;
  Served served;
  std::string address;
  explicit ServedOne(std::uint16_t port, const std::function<void(gateway::Policy&)>& change = {});
};

gateway::Policy plan_of(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {});

}  // namespace band::test
