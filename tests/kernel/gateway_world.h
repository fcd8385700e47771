// A network of the test's own for band-gateway: the outside with servers and a resolver under public addresses, the
// machine that the gateway runs on, and a slot with its firewall. Three network namespaces of this process; the
// machine's own network is not touched.
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

// How long something may take to come. Less than the gateway's own deadlines (10 s for who has begun, and more), so
// that none of these passes for an answer; more than a busy machine stands still.
inline constexpr int kPatienceMs = 8'000;

enum class Place { Outside, Machine, Slot };
// Runs `act` in that network namespace; sockets that it makes stay there.
void in(Place place, const std::function<void()>& act);

// What comes and goes on one socket, with deadlines.
class Wire {
 public:
  explicit Wire(base::Fd fd) : fd_(std::move(fd)) {}
  int fd() const { return fd_.get(); }
  explicit operator bool() const { return static_cast<bool>(fd_); }

  bool send(std::string_view bytes) const;
  void end() const;  // of what is sent
  // Each `ms` without a byte. So many, or fewer at the end or deadline; or "(reset)".
  std::string read(std::size_t bytes, int ms = kPatienceMs) const;
  std::string rest(int ms = kPatienceMs) const;  // to the end; "(reset)" or "(no end)" behind it
  void close() { fd_.reset(); }

 private:
  base::Fd fd_;
};

// Into all of them, until nobody has taken any of it for half a second, and for three at most: windows open by and by.
// How much.
std::size_t stuff(const std::vector<Wire>& wires);

// From the slot, as the slot's uid. No descriptor: refused; `failed` says why.
Wire connect(const std::string& address, std::uint16_t port, int* failed = nullptr);
// Sends "hello\n" on a connection from the slot. Returns the first 6 bytes that come back, "(reset)", "(refused)" or
// "(error ERRNO)". A reset may come before connect(2) returns: that is "(reset)", too.
std::string said_back(const std::string& address, std::uint16_t port);
// From wherever the caller is, as it is.
Wire connect_here(const std::string& address, std::uint16_t port);

// A server in the outside (or on the machine); each connection is `serve`d by a thread of its own.
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

void echo(Wire& wire);  // until the end

// The machine's resolver, at 5.5.5.53.
class Dns {
 public:
  Dns();
  ~Dns();
  // Answers to name: addresses ("5.5.5.5"), or one alias (">other.example"). Unknown names do not exist.
  void set(const std::string& name, std::vector<std::string> answer);
  // Each question takes the next answer.
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

// What the slot's resolver says: an address, "empty", "NXDOMAIN", or "(silence)".
std::string resolve(const std::string& name, int type = 1);

// A band-gateway, as the engine has it.
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

// One execution: firewall, sockets, order, plan.
class Served {
 public:
  explicit Served(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {},
                  const std::function<void(gateway::Policy&)>& change = {});
  Served(GatewayProcess& process, const gateway::Policy& plan);
  ~Served();

  // Events so far; waits until one has `text` in its text, at most `ms`.
  bool told(const std::string& text, int ms = kPatienceMs);
  std::vector<gateway::Event> events();
  std::string texts();
  // The engine's end: what comes until the process has gone.
  std::vector<gateway::Event> end(int ms = kPatienceMs);
  pid_t pid() const;  // of the process that serves
  bool gone() const;  // it has ended, and its sockets with it
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

// One that may reach up.example on that port, which is 5.5.5.5.
struct ServedOne {
  Dns dns;
  Served served;
  std::string address;
  explicit ServedOne(std::uint16_t port, const std::function<void(gateway::Policy&)>& change = {});
};

gateway::Policy plan_of(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {});

}  // namespace band::test
