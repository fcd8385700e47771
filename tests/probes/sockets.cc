// Sockets: which can be made, and which peers they reach.
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
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

// Sends and waits for the listener's answer. A refusal is an ICMP error of an earlier packet, or no answer.
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

// Plays both ends: bind, listen, connect, send, receive.
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

int listening_unix(const std::string& name, bool abstract) {
  sockaddr_un own;
  const socklen_t size = unix_address(own, name, abstract);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (::bind(fd, reinterpret_cast<const sockaddr*>(&own), size) != 0 || ::listen(fd, 8) != 0)
    untried("listen at " + name);
  return fd;
}

// be-reachable NAME PORT READY OVER: listens at the path /tmp/NAME, at the abstract NAME and on UDP port PORT of
// 127.0.0.1; makes a file READY, and answers until a file OVER exists. Returns the counts: "path 1, abstract 0, udp 2".
std::string be_reachable(const Arguments& a) {
  const sockaddr_in own = ipv4("127.0.0.1", a.at(1));
  const int udp = ::socket(AF_INET, SOCK_DGRAM, 0);
  if (::bind(udp, reinterpret_cast<const sockaddr*>(&own), sizeof own) != 0) untried("bind port " + a[1]);
  pollfd doors[] = {
      {listening_unix("/tmp/" + a.at(0), false), POLLIN, 0}, {listening_unix(a[0], true), POLLIN, 0}, {udp, POLLIN, 0}};
  if (::close(::open(a.at(2).c_str(), O_WRONLY | O_CREAT, 0666)) != 0) untried("make " + a[2]);
  int came[3] = {};
  // One round more after the end, for requests that arrived before it.
  for (bool over = false, last = false; !last; over = ::access(a.at(3).c_str(), F_OK) == 0) {
    last = over;
    ::poll(doors, 3, 20);
    for (int i = 0; i < 2; ++i)
      if ((doors[i].revents & POLLIN) != 0 && ::accept(doors[i].fd, nullptr, nullptr) >= 0) ++came[i];
    sockaddr_in from{};
    socklen_t size = sizeof from;
    char byte = 0;
    if ((doors[2].revents & POLLIN) == 0) continue;
    if (::recvfrom(udp, &byte, 1, 0, reinterpret_cast<sockaddr*>(&from), &size) > 0) ++came[2];
    ::sendto(udp, "pong", 4, 0, reinterpret_cast<const sockaddr*>(&from), size);
  }
  return "path " + std::to_string(came[0]) + ", abstract " + std::to_string(came[1]) + ", udp " +
         std::to_string(came[2]);
}

// Listens on a Unix socket at `path` and returns the descriptor that arrives with the first byte.
int descriptor_from(const std::string& path) {
  const int listener = listening_unix(path, false);
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  if (::recvmsg(::accept(listener, nullptr, nullptr), &message, 0) != 1 || CMSG_FIRSTHDR(&message) == nullptr)
    untried("receive a descriptor");
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

std::string execute_at(int fd, const std::string& name) {
  return in_child([&] {
    char* argv[] = {const_cast<char*>("probe"), const_cast<char*>("--version"), nullptr};
    char* env[] = {nullptr};
    ::dup2(2, 1);
    ::syscall(SYS_execveat, fd, name.c_str(), argv, env, name.empty() ? AT_EMPTY_PATH : 0);
    return did_if(false);
  });
}

// take-fd SOCKET HOW [NAME]: receives a descriptor that another process has opened, and tries to use it.
std::string take_descriptor(const Arguments& a) {
  const int fd = descriptor_from(a.at(0));
  const std::string how = a.at(1), name = a.size() > 2 ? a[2] : "";
  char byte = 0;
  if (how == "read") return did_unless(::read(fd, &byte, 1));
  if (how == "stat") return did_unless(::faccessat(fd, name.c_str(), F_OK, 0));
  if (how == "open") return did_unless(::openat(fd, name.c_str(), O_RDONLY));
  if (how == "reopen") return did_unless(::open(("/proc/self/fd/" + std::to_string(fd)).c_str(), O_RDONLY));
  if (how == "execute") return execute_at(fd, name);
  if (how == "signal") return did_unless(::syscall(SYS_pidfd_send_signal, fd, 0, nullptr, 0));
  if (how == "enter") return ::fchdir(fd) != 0 ? did_if(false) : did_unless(::open(name.c_str(), O_RDONLY));
  untried("take-fd SOCKET HOW [NAME]");
}

// give-fd SOCKET PATH: sends an O_PATH descriptor of PATH to the listener.
std::string give_descriptor(const Arguments& a) {
  sockaddr_un to;
  const socklen_t size = unix_address(to, a.at(0), false);
  const int fd = ::open(a.at(1).c_str(), O_PATH), socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  if (fd < 0) untried("open " + a[1]);
  for (int tries = 0; ::connect(socket, reinterpret_cast<const sockaddr*>(&to), size) != 0; ++tries) {
    if (tries == 500) untried("connect to " + a[0]);
    ::usleep(20'000);
  }
  char byte = 'x';
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof fd);
  std::memcpy(CMSG_DATA(rights), &fd, sizeof fd);
  return did_unless(::sendmsg(socket, &message, 0));
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
  acts["be-reachable"] = be_reachable;
  acts["give-fd"] = give_descriptor;
  acts["linger"] = [](const Arguments&) {
    const linger minutes{1, 60};
    return did_unless(::setsockopt(::socket(AF_INET, SOCK_STREAM, 0), SOL_SOCKET, SO_LINGER, &minutes, sizeof minutes));
  };
  acts["take-fd"] = take_descriptor;
}

}  // namespace probe
