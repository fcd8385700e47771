// The broker's door: what many connections at once may cost whoever turns it.
#include "server/broker/door.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

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
  base::Fd ask(const std::string& bytes) const {
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, (path_ + "/broker").c_str());
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(base::write_all(socket.get(), bytes).ok());
    return socket;
  }
  base::Fd fd;

 private:
  std::string path_ = "/tmp/band-door-XXXXXX";
};

std::string request() {
  shim::RequestHead head;
  head.name_bytes = 3;
  head.directory_bytes = 2;
  head.argv_bytes = 3;
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string("gh\0/\0gh\0", 8);
}

}  // namespace

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
