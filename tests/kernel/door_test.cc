// The broker's door: which descriptors come through, and what many connections may cost whoever turns it.
#include "server/broker/door.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "server/base/channel.h"
#include "server/base/io.h"

using namespace band;

namespace {

class Place {
 public:
  Place() {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    fd = base::Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Place() { std::filesystem::remove_all(path_); }
  base::Fd ask(const std::string& bytes, const std::vector<int>& fds = {}) const {
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (path_ + "/broker").c_str());
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(base::send(socket.get(), bytes, fds).ok());
    return socket;
  }
  base::Fd fd;

 private:
  std::string path_ = "/tmp/band-door-XXXXXX";
};

std::string request(std::uint32_t descriptors = 0) {
  shim::RequestHead head;
  head.descriptors = descriptors;
  head.name_bytes = 3;
  head.directory_bytes = 2;
  head.argv_bytes = 3;
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string("gh\0/\0gh\0", 8);
}

// What becomes of a request with this descriptor for its stdin.
std::string with_stdin(int fd) {
  const Place place;
  auto door = broker::Door::open(place.fd.get(), "broker", ::getuid());
  REQUIRE(door.ok());
  const base::Fd shim = place.ask(request(1), {fd});
  std::string became = "nothing";
  door->turn([&](broker::Caller caller) { became = caller.descriptors.size() == 1 ? "taken" : "taken without it"; },
             [&](const Error& error) { became = error.message(); });
  return became;
}

base::Fd opened(const char* path, int flags) { return base::Fd(::open(path, flags | O_CLOEXEC)); }
base::Fd made(long fd) { return base::Fd(static_cast<int>(fd)); }

}  // namespace

TEST_CASE("files, pipes, Unix sockets and plain devices are descriptors for a command") {
  int pipe[2], pair[2];
  REQUIRE(::pipe2(pipe, O_CLOEXEC) == 0);
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
  const base::Fd ends[] = {base::Fd(pipe[0]), base::Fd(pipe[1]), base::Fd(pair[0]), base::Fd(pair[1])};
  for (const base::Fd& end : ends) CHECK(with_stdin(end.get()) == "taken");
  for (const char* path : {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/etc/passwd"}) {
    CAPTURE(path);
    CHECK(with_stdin(opened(path, O_RDONLY).get()) == "taken");
  }
  CHECK(with_stdin(made(::memfd_create("m", MFD_CLOEXEC)).get()) == "taken");
}

TEST_CASE("nothing else is: not what opens paths, nor connections, nor what acts on its maker") {
  sigset_t none;
  ::sigemptyset(&none);
  const std::pair<const char*, base::Fd> others[] = {
      {"a directory", opened("/", O_RDONLY)},
      {"a path", opened("/etc/passwd", O_PATH)},
      {"a directory's path", opened("/", O_PATH)},
      {"tcp", made(::socket(AF_INET, SOCK_STREAM, 0))},
      {"udp", made(::socket(AF_INET, SOCK_DGRAM, 0))},
      {"tcp6", made(::socket(AF_INET6, SOCK_STREAM, 0))},
      {"netlink", made(::socket(AF_NETLINK, SOCK_RAW, 0))},
      {"a terminal", opened("/dev/ptmx", O_RDWR | O_NOCTTY)},
      {"a process", made(::syscall(SYS_pidfd_open, ::getpid(), 0))},
      {"epoll", made(::epoll_create1(EPOLL_CLOEXEC))},
      {"eventfd", made(::eventfd(0, EFD_CLOEXEC))},
      {"signalfd", made(::signalfd(-1, &none, SFD_CLOEXEC))},
      {"timerfd", made(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC))},
      {"inotify", made(::inotify_init1(IN_CLOEXEC))},
      {"fanotify", made(::fanotify_init(FAN_CLASS_NOTIF | FAN_CLOEXEC, O_RDONLY))},
      {"page faults", made(::syscall(SYS_userfaultfd, O_CLOEXEC))},
      {"a mount", made(::syscall(SYS_fsopen, "tmpfs", 1 /* FSOPEN_CLOEXEC */))},
  };
  for (const auto& [name, fd] : others) {
    CAPTURE(name);
    REQUIRE(fd);
    const std::string became = with_stdin(fd.get());
    CHECK_MESSAGE(became.find("descriptor") != std::string::npos, became);
  }
}

TEST_CASE("requests that take long to decide do not keep whoever turns the door from its deadline") {
  const Place place;
  auto door = broker::Door::open(place.fd.get(), "broker", ::getuid());
  REQUIRE(door.ok());
  std::vector<base::Fd> shims;
  for (int i = 0; i < 30; ++i) shims.push_back(place.ask(request()));
  int taken = 0, malformed = 0;
  const auto turn = [&](useconds_t cost_us) {
    door->turn([&](broker::Caller) { ++taken, ::usleep(cost_us); }, [&](const Error&) { ++malformed; });
  };
  turn(15'000);
  CHECK(taken > 0);
  CHECK(taken < 5);
  for (int i = 0; i < 100 && taken < 30; ++i) turn(0);  // nobody is forgotten
  CHECK(taken == 30);
  CHECK(malformed == 0);
}
