// Executions that are killed and do not die: their answers, the effect of their missing slots, and that all slots come
// back.
//
// A process that joined the script's pid namespace from outside, and that its own parent does not reap, keeps pid 1 of
// that namespace from ending (pid_namespaces(7)). A test controls how long. Page tables of hundreds of megabytes, which
// a script can have, need seconds for the same effect (page_tables_test.cc).
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <sys/fsuid.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tests/end_to_end/memory_scan.h"

using namespace band::test;

namespace {

int space_of(pid_t process, const char* kind) {
  return ::open(("/proc/" + std::to_string(process) + "/ns/" + kind).c_str(), O_RDONLY | O_CLOEXEC);
}

// Acts as a process of that slot that has not ended yet: makes a connection from its network namespace, as its user.
bool connect_from(int network, uid_t user, std::uint16_t port) {
  if (::setns(network, CLONE_NEWNET) != 0) return false;
  ::setfsuid(user);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         ::send(socket, "\1", 1, MSG_NOSIGNAL) == 1;  // the beginning of neither TLS nor HTTP
}

// While it exists, the pid namespace of `process` does not end. With a port, it also has a connection of the execution.
class Holder {
 public:
  explicit Holder(pid_t process, uid_t user = 0, std::uint16_t port = 0) {
    const int space = space_of(process, "pid"), network = space_of(process, "net");
    REQUIRE_MESSAGE(space >= 0, "process " << process << " has ended");
    int ready[2];
    REQUIRE(::pipe2(ready, O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (port != 0 && !connect_from(network, user, port)) fail(ready[1], "connect from the slot's network namespace");
      ::setfsuid(0);
      if (::setns(space, CLONE_NEWPID) != 0) fail(ready[1], "setns");
      const pid_t joiner = ::fork();
      if (joiner == 0)
        for (;;) ::pause();
      if (joiner < 0) fail(ready[1], "fork in the pid namespace");
      if (::write(ready[1], kJoined, sizeof kJoined) < 0) ::_exit(1);
      for (;;) ::pause();  // and reaps no child
    }
    ::close(space);
    ::close(network);
    ::close(ready[1]);
    char text[128] = "";
    REQUIRE(::read(ready[0], text, sizeof text - 1) > 0);
    REQUIRE(std::string(text) == kJoined);
    ::close(ready[0]);
  }
  Holder(Holder&& other) noexcept : pid_(std::exchange(other.pid_, -1)) {}
  Holder& operator=(Holder&&) = delete;
  ~Holder() { release(); }

  // init then becomes the joiner's parent and reaps it.
  void release() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  static constexpr char kJoined[] = "joined";

  [[noreturn]] static void fail(int to_parent, const std::string& what) {
    const std::string text = what + ": " + std::strerror(errno);
    if (::write(to_parent, text.data(), text.size()) < 0) ::_exit(2);
    ::_exit(1);
  }

  pid_t pid_ = -1;
};

// An execution whose script has ended, and which cannot die before the holder is released.
struct Undead {
  Running caller;
  Holder holder;
};

Undead undead(const Server& server, const Caller& caller) {
  const auto before = server.holding();
  caller.script("tool/undead", kHold);
  Running running = caller.start({"run", "tool/undead"});
  pid_t script = -1;
  const bool began = within(10'000, [&] {
    for (const pid_t pid : server.holding())
      if (std::find(before.begin(), before.end(), pid) == before.end()) script = pid;
    return script > 0;
  });
  REQUIRE_MESSAGE(began, running.err());
  Holder holder(script);
  running.signal(SIGINT);
  return {std::move(running), std::move(holder)};
}

std::string slots_at(const Caller& caller) {
  const std::string status = caller.band({"status", "--json"}).out, key = "\"slots\":{";
  const std::size_t at = status.find(key);
  return at == std::string::npos ? status : status.substr(at + key.size(), status.find('}', at) - at - key.size());
}

bool slots_become(const Caller& caller, const std::string& wanted) {
  return within(20'000, [&] { return slots_at(caller) == wanted; });
}

}  // namespace

TEST_CASE(
    "an execution whose processes do not exit is reported after some seconds, and its slot is reused when they have "
    "exited") {
  Server server("", "1");
  const Caller caller(server);
  REQUIRE(slots_at(caller) == R"("total":1,"free":1,"dying":0)");
  caller.script("tool/go", kHold);
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  Holder holder(server.script_processes().front());
  server.let_go();
  const Ran ran = running.wait();
  CHECK_STATUS(ran, 8);
  CHECK_HAS(ran.err, "did not end within 5 s after the kill");
  CHECK(slots_become(caller, R"("total":1,"free":0,"dying":1)"));
  CHECK_HAS(caller.band({"status"}).out,
            "0 free of 1, 1 unusable until the processes of their last executions have exited");
  holder.release();
  CHECK(slots_become(caller, R"("total":1,"free":1,"dying":0)"));
  CHECK_STATUS(caller.run(kEmptyOutput), 0);
  server.stop();
}

TEST_CASE("while processes of an execution still exit, the engine's memory has none of its secrets") {
  Server server("", "1");
  Caller caller(server);
  const std::string secret = random_secret();
  caller.env["API_KEY"] = secret;
  caller.script("tool/go", kHold, "env: [API_KEY]");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  CHECK(copies_in(server.pid(), {secret}) > 0);  // the control
  Holder holder(server.script_processes().front());
  server.let_go();
  CHECK_STATUS(running.wait(), 8);
  CHECK(slots_become(caller, R"("total":1,"free":0,"dying":1)"));
  CHECK(within(10'000, [&] { return copies_in(server.pid(), {secret}) == 0; }));
  CHECK(slots_at(caller) == R"("total":1,"free":0,"dying":1)");
  holder.release();
  CHECK(slots_become(caller, R"("total":1,"free":1,"dying":0)"));
  server.stop();
}

TEST_CASE("an execution that dies late sends nothing after its answer") {
  const int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listener, 8) == 0);
  REQUIRE(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const std::uint16_t port = ntohs(address.sin_port);
  Server server("gateway: {allow_private: [127.0.0.0/8]}\n", "1");
  const Caller caller(server);
  caller.script("tool/go", kHold, "allow: {net: [\"127.0.0.1:" + std::to_string(port) + "\"]}");
  Running running = caller.start({"run", "tool/go"});
  REQUIRE(server.held());
  const auto user = static_cast<uid_t>(*server.script_users().begin());
  Holder holder(server.script_processes().front(), user, port);
  const int connection = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
  REQUIRE(connection >= 0);
  char byte = 0;
  REQUIRE(::recv(connection, &byte, 1, 0) == 1);  // the control: it is relayed
  const auto over = [&](int ms) {
    pollfd one{connection, POLLIN, 0};
    return ::poll(&one, 1, ms) > 0;
  };
  CHECK(!over(500));
  server.let_go();
  CHECK_STATUS(running.wait(), 8);
  CHECK(over(1'000));  // and has ended, although the execution has not
  CHECK(slots_become(caller, R"("total":1,"free":0,"dying":1)"));
  holder.release();
  CHECK(slots_become(caller, R"("total":1,"free":1,"dying":0)"));
  ::close(connection);
  ::close(listener);
  server.stop();
}

TEST_CASE("with no slot in service new and waiting callers are refused immediately") {
  Server server("", "1");
  const Caller caller(server), early(server);
  Undead dying = undead(server, caller);
  early.script("tool/go", kEmptyOutput);
  Running waiting = early.start({"run", "tool/go"});  // before the server stops waiting for the first
  CHECK(slots_become(caller, R"("total":1,"free":0,"dying":1)"));
  for (const Ran& ran : {waiting.wait(2'000), caller.run(kEmptyOutput)}) {
    CHECK_STATUS(ran, 9);
    CHECK_HAS(ran.err, "no slot is in service");
    CHECK_HAS(ran.err, "try again in 5 s");
  }
  dying.holder.release();
  CHECK(slots_become(caller, R"("total":1,"free":1,"dying":0)"));
  CHECK_STATUS(caller.run(kEmptyOutput), 0);
  server.stop();
}

TEST_CASE("one token's executions that do not die leave a slot to every other token, and all slots come back") {
  Server server;
  server.add_token("other");
  REQUIRE(within(5000, [&] { return Caller(server, "other").band({"status"}).status == 0; }));
  const Caller attacker(server), other(server, "other");
  for (int round = 0; round < 2; ++round) {
    std::vector<Undead> dying;
    dying.reserve(3);
    for (int i = 0; i < 3; ++i) dying.push_back(undead(server, attacker));
    CHECK(slots_become(other, R"("total":4,"free":1,"dying":3)"));
    Running fourth = attacker.start({"run", "hello/greet", "--name", "attacker"});
    for (int i = 0; i < 3; ++i) CHECK_STATUS(other.band({"run", "hello/greet", "--name", "other"}), 0);
    CHECK(!fourth.ended());  // its token holds three slots
    dying.clear();
    CHECK_STATUS(fourth.wait(), 0);
    CHECK(slots_become(other, R"("total":4,"free":4,"dying":0)"));
  }
  server.stop();
}

TEST_CASE("a stopping server does not wait for an execution that does not die") {
  Server server;
  const Caller caller(server);
  Undead dying = undead(server, caller);
  CHECK(slots_become(caller, R"("total":4,"free":3,"dying":1)"));
  server.running().signal(SIGTERM);
  CHECK(server.running().wait(20'000).status == 0);
  dying.holder.release();
  const bool clean = within(5'000, [&] { return server.leftovers().empty(); });
  CHECK_MESSAGE(clean, server.leftovers());
  server.start();
  CHECK_STATUS(Caller(server).band({"run", "hello/greet", "--name", "World"}), 0);
  server.stop();
}
