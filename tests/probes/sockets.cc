// Sockets: which can be made, and whom they reach.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "tests/probes/probe.h"

namespace probe {
namespace {

sockaddr_in ipv4(const std::string& address, const std::string& port) {
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::atoi(port.c_str())));
  if (::inet_pton(AF_INET, address.c_str(), &to.sin_addr) != 1) untried("not an address");
  return to;
}

std::string make(const Arguments& a) {
  return did_unless(::socket(std::atoi(a.at(0).c_str()), std::atoi(a.at(1).c_str()), std::atoi(a.at(2).c_str())));
}

std::string connect_tcp(const Arguments& a) {
  const sockaddr_in to = ipv4(a.at(0), a.at(1));
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0) return did_if(false);
  return did_unless(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to));
}

// Sends and waits for the listener's answer. A refusal comes as an ICMP error of an earlier packet, or as silence.
std::string ask_udp(const Arguments& a) {
  const sockaddr_in to = ipv4(a.at(0), a.at(1));
  const int fd = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (fd < 0 || ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) return did_if(false);
  if (::send(fd, "ping", 4, 0) != 4) return did_if(false);
  pollfd answer{fd, POLLIN, 0};
  char bytes[16];
  if (::poll(&answer, 1, 1000) <= 0) return "silence";
  return did_unless(::recv(fd, bytes, sizeof bytes, 0));
}

std::string connect_tcp6(const Arguments& a) {
  sockaddr_in6 to{};
  to.sin6_family = AF_INET6;
  to.sin6_port = htons(static_cast<std::uint16_t>(std::atoi(a.at(0).c_str())));
  to.sin6_addr = in6addr_loopback;
  const int fd = ::socket(AF_INET6, SOCK_STREAM, 0);
  if (fd < 0) return did_if(false);
  return did_unless(::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to));
}

std::string listen_tcp(const Arguments& a) {
  const sockaddr_in own = ipv4("127.0.0.1", a.at(0));
  const int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  if (fd < 0 || ::bind(fd, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) return did_if(false);
  return did_unless(::listen(fd, 1));
}

socklen_t unix_address(sockaddr_un& to, const std::string& name, bool abstract) {
  to = {};
  to.sun_family = AF_UNIX;
  if (name.size() + 2 > sizeof to.sun_path) untried("the name is too long");
  std::memcpy(to.sun_path + (abstract ? 1 : 0), name.data(), name.size());
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
}

std::string connect_unix(const std::string& name, bool abstract) {
  sockaddr_un to;
  const socklen_t size = unix_address(to, name, abstract);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) return did_if(false);
  return did_unless(::connect(fd, reinterpret_cast<const sockaddr*>(&to), size));
}

// Both ends by itself: bind, listen, connect, send, receive.
std::string talk_unix(const Arguments& a) {
  sockaddr_un own;
  const socklen_t size = unix_address(own, a.at(0), false);
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0), client = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(listener, reinterpret_cast<const sockaddr*>(&own), size) != 0 || ::listen(listener, 1) != 0 ||
      ::connect(client, reinterpret_cast<const sockaddr*>(&own), size) != 0)
    return did_if(false);
  const int server = ::accept(listener, nullptr, nullptr);
  char byte = 0;
  return did_if(::send(client, "x", 1, 0) == 1 && ::recv(server, &byte, 1, 0) == 1 && byte == 'x');
}

}  // namespace

void add_socket_acts(Acts& acts) {
  acts["socket"] = make;
  acts["connect-tcp"] = connect_tcp;
  acts["connect-tcp6"] = connect_tcp6;
  acts["listen-tcp"] = listen_tcp;
  acts["ask-udp"] = ask_udp;
  acts["connect-unix"] = [](const Arguments& a) { return connect_unix(a.at(0), false); };
  acts["connect-abstract"] = [](const Arguments& a) { return connect_unix(a.at(0), true); };
  acts["talk-unix"] = talk_unix;
}

}  // namespace probe
