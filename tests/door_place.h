// A directory for a broker's door, and requests of shims to it.
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "server/base/channel.h"
#include "server/base/fd.h"
#include "server/shim/protocol.h"

namespace band::test {

class DoorPlace {
 public:
  DoorPlace() {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    REQUIRE(::chmod(path_.c_str(), 0711) == 0);
    fd = base::Fd(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~DoorPlace() { std::filesystem::remove_all(path_); }
  DoorPlace(const DoorPlace&) = delete;
  DoorPlace& operator=(const DoorPlace&) = delete;
  base::Fd ask(const std::string& bytes, const std::vector<int>& fds = {}) const {
    base::Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = path_ + "/broker";
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    REQUIRE(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(base::send(socket.get(), bytes, fds).ok());
    return socket;
  }
  base::Fd fd;

 private:
  std::string path_ = "/tmp/band-door-XXXXXX";
};

// Returns a request for `gh` in /, without arguments. `descriptors`: the numbers of the attached descriptors.
inline std::string shim_request(const std::vector<std::uint32_t>& descriptors = {}) {
  shim::RequestHead head;
  head.descriptor_count = static_cast<std::uint32_t>(descriptors.size());
  std::copy_n(descriptors.begin(), std::min(descriptors.size(), std::size(head.descriptors)), head.descriptors);
  head.name_bytes = 3;
  head.directory_bytes = 2;
  head.argv_bytes = 3;
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string("gh\0/\0gh\0", 8);
}

}  // namespace band::test
