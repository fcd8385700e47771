// The broker's door: which descriptors it accepts, and what many connections may cost its caller.
#include "server/broker/door.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "server/base/channel.h"
#include "server/base/io.h"
#include "tests/door_place.h"
#include "tests/kernel/in_child.h"

using namespace band;

namespace {

using test::DoorPlace;
using Numbers = std::vector<std::uint32_t>;

std::string request(const Numbers& descriptors = {}) { return test::shim_request(descriptors); }

// A door, the requests that it has accepted, and its error messages.
class Open {
 public:
  Open() {
    auto door = broker::Door::open(place.fd.get(), "broker", ::getuid());
    REQUIRE(door.ok());
    door_ = std::move(*door);
  }
  void turn() {
    door_.on_readable([this](broker::Caller caller) { taken.push_back(std::move(caller)); },
                      [this](const Error& error) { malformed.push_back(error.message()); });
  }
  void turn_for(int ms) {
    for (const std::int64_t until = base::monotonic_us() + std::int64_t{ms} * 1000; base::monotonic_us() < until;) {
      pollfd ready{door_.fd(), POLLIN, 0};
      if (::poll(&ready, 1, 10) > 0) turn();
    }
  }
  const DoorPlace place;
  std::vector<broker::Caller> taken;
  std::vector<std::string> malformed;

 private:
  broker::Door door_;
};

// Returns the message that a shim has received, without waiting; "" when there is none yet, "closed" after EOF.
std::string answer_at(const base::Fd& shim) {
  char bytes[1024];
  const ssize_t n = ::recv(shim.get(), bytes, sizeof bytes, MSG_DONTWAIT);
  if (n == 0 || (n < 0 && errno != EAGAIN)) return "closed";
  return n < 0 ? ""
               : std::string(bytes + sizeof(shim::AnswerHead), static_cast<std::size_t>(n) - sizeof(shim::AnswerHead));
}

std::ptrdiff_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return std::distance(std::filesystem::begin(all), std::filesystem::end(all));
}

// `count` numbers from `first` on.
Numbers up_to(std::uint32_t count, std::uint32_t first) {
  Numbers numbers(count);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

// Sends a request with this descriptor, by default as its stdin, and returns "taken" or the error message.
std::string with_stdin(int fd, std::uint32_t number = 0) {
  Open door;
  const base::Fd shim = door.place.ask(request({number}), {fd});
  door.turn();
  if (!door.malformed.empty()) return door.malformed[0];
  return door.taken.size() == 1 && door.taken[0].descriptors.size() == 1 ? "taken" : "nothing";
}

base::Fd opened(const char* path, int flags) { return base::Fd(::open(path, flags | O_CLOEXEC)); }
base::Fd made(long fd) { return base::Fd(static_cast<int>(fd)); }

}  // namespace

TEST_CASE("the broker accepts files, pipes, Unix sockets and plain devices as descriptors of a command") {
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

TEST_CASE(
    "the broker refuses directories, O_PATH descriptors, network sockets, pidfds and other kernel objects as "
    "descriptors of a command") {
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
  for (const auto& other : others) {
    CAPTURE(other.first);
    REQUIRE(other.second);
    const std::string became = with_stdin(other.second.get());
    CHECK_MESSAGE(became.find("descriptor") != std::string::npos, became);
  }
}

TEST_CASE("a descriptor of a command can have any number, and a refusal names the number") {
  for (const std::uint32_t number : {1u, 3u, 63u, 255u, 1'000'000u}) {
    CAPTURE(number);
    CHECK(with_stdin(opened("/dev/null", O_RDONLY).get(), number) == "taken");
    const std::string directory = with_stdin(opened("/", O_RDONLY).get(), number);
    CHECK_MESSAGE(directory.find("descriptor " + std::to_string(number) + " is a directory") != std::string::npos,
                  directory);
    CHECK((directory.find("`" + std::to_string(number) + ">&-`") != std::string::npos) == (number > 2));
  }
}

TEST_CASE("sixteen descriptors in addition to 0 to 2 arrive at the broker in order") {
  std::vector<base::Fd> files;
  std::vector<int> fds;
  files.reserve(19);
  for (int i = 0; i < 19; ++i) files.push_back(made(::memfd_create("m", MFD_CLOEXEC)));
  for (const base::Fd& file : files) {
    REQUIRE(::ftruncate(file.get(), static_cast<off_t>(fds.size())) == 0);
    fds.push_back(file.get());
  }
  Open door;
  Numbers numbers = up_to(19, 0);
  numbers.back() = 63;
  const base::Fd shim = door.place.ask(request(numbers), fds);
  door.turn_for(20);
  REQUIRE(door.taken.size() == 1);
  const broker::Caller& caller = door.taken[0];
  CHECK(caller.request.descriptors == std::vector<int>(numbers.begin(), numbers.end()));
  REQUIRE(caller.descriptors.size() == 19);
  for (std::size_t i = 0; i < 19; ++i) {
    struct stat info {};
    CHECK(::fstat(caller.descriptors[i].get(), &info) == 0);
    CHECK(info.st_size == static_cast<off_t>(i));
  }
  CHECK(door.malformed.empty());
}

TEST_CASE("a file of a kernel file system is refused as a descriptor of a command, with any number") {
  const auto in_new_mount = [](const char* type, const char* file) {
    const base::Fd context(static_cast<int>(::syscall(SYS_fsopen, type, 1 /* FSOPEN_CLOEXEC */)));
    REQUIRE(::syscall(SYS_fsconfig, context.get(), 6 /* FSCONFIG_CMD_CREATE */, nullptr, nullptr, 0) == 0);
    const base::Fd mount(static_cast<int>(::syscall(SYS_fsmount, context.get(), 1 /* FSMOUNT_CLOEXEC */, 0)));
    return base::Fd(::openat(mount.get(), file, O_RDONLY | O_CLOEXEC));
  };
  const std::pair<const char*, base::Fd> files[] = {
      {"procfs", opened("/proc/self/status", O_RDONLY)},
      {"procfs, for writing", opened("/proc/self/mem", O_RDWR)},
      {"procfs in a separate mount", in_new_mount("proc", "self/status")},
      {"nsfs", opened("/proc/self/ns/net", O_RDONLY)},
      {"sysfs", opened("/sys/kernel/uevent_seqnum", O_RDONLY)},
      {"cgroup2", in_new_mount("cgroup2", "cgroup.controllers")},
      {"debugfs", in_new_mount("debugfs", "sleep_time")},
      {"tracefs", in_new_mount("tracefs", "README")},
      {"securityfs", in_new_mount("securityfs", "lsm")},
      {"binfmt_misc", in_new_mount("binfmt_misc", "status")},
  };
  for (const auto& file : files) {
    CAPTURE(file.first);
    REQUIRE(file.second);
    for (const std::uint32_t number : {0u, 1u, 2u, 7u}) {
      const std::string became = with_stdin(file.second.get(), number);
      CHECK_MESSAGE(
          became.find("descriptor " + std::to_string(number) + " is a file of /proc, /sys or") != std::string::npos,
          became);
    }
  }
  // The controls: an O_PATH descriptor of /proc has another error, and a file of a tmpfs made by the same calls is
  // accepted.
  CHECK(with_stdin(opened("/proc/cpuinfo", O_PATH).get()).find("O_PATH") != std::string::npos);
  const base::Fd context(static_cast<int>(::syscall(SYS_fsopen, "tmpfs", 1)));
  REQUIRE(::syscall(SYS_fsconfig, context.get(), 6, nullptr, nullptr, 0) == 0);
  const base::Fd mount(static_cast<int>(::syscall(SYS_fsmount, context.get(), 1, 0)));
  const base::Fd file(::openat(mount.get(), "x", O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  REQUIRE(file);
  CHECK(with_stdin(file.get()) == "taken");
}

TEST_CASE("incomplete requests hold a bounded number of descriptors, and a later request is accepted") {
  test::allow_descriptors(4'096);
  Open door;
  const base::Fd null = opened("/dev/null", O_RDONLY);
  const auto before = open_descriptors();
  std::vector<base::Fd> slow;
  slow.reserve(40);
  for (int i = 0; i < 40; ++i)
    slow.push_back(door.place.ask(request(up_to(19, 0)).substr(0, 1), std::vector<int>(19, null.get())));
  door.turn_for(100);
  // Both ends of each connection are in this process while the door reads from it.
  const auto held = open_descriptors() - before - 40;
  CHECK(held > 19);
  CHECK(held <= static_cast<std::ptrdiff_t>(broker::kMaxPendingDescriptors + broker::kMaxPending));
  CHECK(door.malformed.size() == 20);  // 20 times 19 is 380
  CHECK(door.malformed.at(0).find("too many requests with descriptors") != std::string::npos);
  slow.clear();
  const base::Fd honest = door.place.ask(request(up_to(19, 0)), std::vector<int>(19, null.get()));
  door.turn_for(100);
  CHECK(door.taken.size() == 1);
}

TEST_CASE("on_readable() returns early when requests take long to process, and later calls process the rest") {
  const DoorPlace place;
  auto door = broker::Door::open(place.fd.get(), "broker", ::getuid());
  REQUIRE(door.ok());
  std::vector<base::Fd> shims;
  shims.reserve(30);
  for (int i = 0; i < 30; ++i) shims.push_back(place.ask(request()));
  int taken = 0, malformed = 0;
  const auto turn = [&](useconds_t cost_us) {
    door->on_readable([&](broker::Caller) { ++taken, ::usleep(cost_us); }, [&](const Error&) { ++malformed; });
  };
  turn(15'000);
  CHECK(taken > 0);
  CHECK(taken < 5);
  for (int i = 0; i < 100 && taken < 30; ++i) turn(0);  // all are processed
  CHECK(taken == 30);
  CHECK(malformed == 0);
}

TEST_CASE("malformed requests are refused with a reason, and leave no open descriptor") {
  Open door;
  const auto before = open_descriptors();
  std::string foreign = request();
  foreign[0] = 'X';
  shim::RequestHead large;
  large.name_bytes = 3;
  large.argv_bytes = shim::kMaxBodyBytes;
  const std::string oversized(reinterpret_cast<const char*>(&large), sizeof large);
  std::string unended = request();
  unended.back() = 'x';
  const int null = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const base::Fd of_null(null);
  struct {
    std::string bytes;
    std::vector<int> fds;
  } const bad[] = {{foreign, {}},
                   {oversized, {}},
                   {unended, {}},
                   {request({0}), {}},                                   // a descriptor is missing
                   {request({0}), {null, null}},                         // a descriptor that the request does not name
                   {request({3, 3}), {null, null}},                      // twice the same number
                   {request({4, 3}), {null, null}},                      // not in order
                   {request({1u << 20}), {null}},                        // a number that no process has
                   {request(up_to(17, 3)), std::vector<int>(17, null)},  // more than a command may have
                   {request(up_to(20, 0)), std::vector<int>(20, null)},
                   {"GET / HTTP/1.1\r\n" + foreign, {}}};
  std::size_t received = 0;
  for (const auto& [bytes, fds] : bad) {
    CAPTURE(received);
    const base::Fd shim = door.place.ask(bytes, fds);
    door.turn_for(20);
    CHECK(door.malformed.size() == ++received);
    CHECK(answer_at(shim).find("band: broker: ") == 0);
    CHECK(answer_at(shim) == "closed");
  }
  const base::Fd good = door.place.ask(request());  // the control
  door.turn_for(20);
  CHECK(door.taken.size() == 1);
  door.taken.clear();
  CHECK(open_descriptors() == before + 2);  // of_null and good
}

TEST_CASE("an incomplete request is dropped without an error, and a request sent byte by byte is accepted") {
  Open door;
  const std::string whole = request();
  for (std::size_t cut = 1; cut < whole.size(); ++cut) {
    const base::Fd gone = door.place.ask(whole.substr(0, cut));
    door.turn();
  }
  door.turn_for(20);
  CHECK(door.taken.empty());
  const base::Fd slow = door.place.ask(whole.substr(0, 1));
  for (std::size_t at = 1; at < whole.size(); ++at) {
    door.turn();
    REQUIRE(::send(slow.get(), whole.data() + at, 1, 0) == 1);
  }
  door.turn_for(20);
  CHECK(door.taken.size() == 1);
}

TEST_CASE(
    "a thousand silent connections hold at most 64 descriptors and for at most 5 seconds; then the broker accepts "
    "other requests") {
  test::allow_descriptors(4'096);
  Open door;
  std::vector<base::Fd> silent;
  silent.reserve(1'000);
  for (int i = 0; i < 1'000; ++i) silent.push_back(door.place.ask(request().substr(0, 1)));
  const auto before = open_descriptors();
  door.turn_for(200);
  CHECK(open_descriptors() == before + static_cast<std::ptrdiff_t>(broker::kMaxPending));
  CHECK(answer_at(silent[0]) == "");
  const base::Fd honest = door.place.ask(request());
  silent.erase(silent.begin() + 64, silent.end());  // the waiting ones disconnect; the 64 accepted ones stay
  door.turn_for(2'000);
  CHECK(door.taken.empty());  // the control: they do block other requests
  door.turn_for(broker::kRequestTimeoutMs);
  CHECK(answer_at(silent[0]) == "closed");
  CHECK(door.taken.size() == 1);
}

TEST_CASE("the broker closes a connection of another user") {
  Open door;
  REQUIRE(::setegid(65534) == 0);
  REQUIRE(::seteuid(65534) == 0);
  const base::Fd of_other_user = door.place.ask(request());
  REQUIRE(::seteuid(0) == 0);
  REQUIRE(::setegid(0) == 0);
  door.turn_for(20);
  CHECK(door.taken.empty());
  CHECK(answer_at(of_other_user) == "closed");
  const base::Fd own = door.place.ask(request());  // the control
  door.turn_for(20);
  CHECK(door.taken.size() == 1);
}
