// band-shim: what stands in PATH for a declared command. It asks the broker to run the command and becomes, as far as
// its caller can tell, that command: same descriptors, signals both ways, exit status or death by signal. It decides
// nothing, parses nothing and holds no data: a script may replace or imitate it and gains nothing.
//
// Its start is part of every command's time, so it is static, allocates nothing, and sends argv and environment from
// where the kernel has put them.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "server/policy/places.h"
#include "server/shim/protocol.h"

namespace band::shim {
namespace {

void print(const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(2, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
}

[[noreturn]] void fail(const char* what) {
  const char* reason = errno != 0 ? ::strerrordesc_np(errno) : "";
  for (const char* part : {"band: ", what, *reason != '\0' ? ": " : "", reason, "\n"}) print(part, std::strlen(part));
  ::_exit(kCannotRun);
}

const char* base_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// The strings of argv, and those of the environment, lie one behind the other in memory as execve(2) has put them.
struct Block {
  const char* begin = nullptr;
  std::size_t size = 0;
};
Block block_of(char** strings) {
  if (*strings == nullptr) return {};
  char** last = strings;
  while (last[1] != nullptr) ++last;
  return {*strings, static_cast<std::size_t>(*last - *strings) + std::strlen(*last) + 1};
}

std::uint64_t ignored_signals() {
  std::uint64_t ignored = 0;
  for (int signal = 1; signal < 32; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) ignored |= 1ull << (signal - 1);
  }
  return ignored;
}

int open_descriptors(std::uint32_t& mask, int (&open)[3]) {
  int count = 0;
  for (int fd = 0; fd < 3; ++fd)
    if (::fcntl(fd, F_GETFD) >= 0) {
      mask |= 1u << fd;
      open[count++] = fd;
    }
  return count;
}

// A caller may have closed 0 to 2: what is opened here must not take their places.
int above_standard(int fd) {
  if (fd < 0 || fd > 2) return fd;
  const int moved = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  ::close(fd);
  return moved;
}

int connect_to_broker() {
  const int socket = above_standard(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, policy::kBroker, sizeof address.sun_path - 1);
  if (socket < 0 || ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail("the broker of commands cannot be reached");
  return socket;
}

// Head and body, the descriptors with the first byte.
void send_request(int socket, const RequestHead& head, iovec* parts, int count, const int* fds, int fd_count) {
  alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
  msghdr message{};
  parts[0] = {const_cast<RequestHead*>(&head), sizeof head};
  message.msg_iov = parts;
  message.msg_iovlen = static_cast<std::size_t>(count);
  if (fd_count > 0) {
    const std::size_t bytes = sizeof(int) * static_cast<std::size_t>(fd_count);
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(bytes);
    std::memcpy(CMSG_DATA(rights), fds, bytes);
  }
  while (message.msg_iovlen > 0) {
    ssize_t sent = ::sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;  // refused before all was read: the answer says why
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    while (message.msg_iovlen > 0 && static_cast<std::size_t>(sent) >= message.msg_iov->iov_len) {
      sent -= static_cast<ssize_t>(message.msg_iov->iov_len);
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen > 0) {
      message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + sent;
      message.msg_iov->iov_len -= static_cast<std::size_t>(sent);
    }
  }
}

bool read_exactly(int socket, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t n = ::read(socket, to, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void die_of(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

[[noreturn]] void obey_answer(int socket) {
  AnswerHead head;
  char text[kMaxAnswerText];
  errno = 0;
  if (!read_exactly(socket, reinterpret_cast<char*>(&head), sizeof head) || head.text_bytes > sizeof text ||
      !read_exactly(socket, text, head.text_bytes))
    fail("the command's sandbox is gone");
  print(text, head.text_bytes);
  if (head.kind == AnswerHead::Kind::Signalled) die_of(static_cast<int>(head.code));
  ::_exit(static_cast<int>(head.code));
}

[[noreturn]] void run(char** argv, char** environment) {
  const auto* path = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
  const char* name = base_name(path != nullptr ? path : argv[0]);
  RequestHead head;
  if (std::strcmp(name, base_name(policy::kShim)) == 0 && argv[0] != nullptr && argv[1] != nullptr &&
      std::strcmp(argv[1], "--not-found") == 0 && argv[2] != nullptr) {
    head.mode = Mode::NotFound;
    argv += 2;
    name = argv[0];
  }
  head.ignored = ignored_signals();
  sigset_t forwarded;
  ::sigemptyset(&forwarded);
  for (const int signal : kForwardedSignals) ::sigaddset(&forwarded, signal);
  ::sigprocmask(SIG_BLOCK, &forwarded, nullptr);
  int fds[3];
  const int fd_count = open_descriptors(head.descriptors, fds);
  const int signals = above_standard(::signalfd(-1, &forwarded, SFD_CLOEXEC));

  char directory[kMaxDirectoryBytes];
  if (::getcwd(directory, sizeof directory) == nullptr) fail("the working directory is gone");
  head.umask = ::umask(022);
  const Block arguments = block_of(argv), variables = block_of(environment);
  head.name_bytes = static_cast<std::uint32_t>(std::strlen(name) + 1);
  head.directory_bytes = static_cast<std::uint32_t>(std::strlen(directory) + 1);
  head.argv_bytes = static_cast<std::uint32_t>(arguments.size);
  head.env_bytes = static_cast<std::uint32_t>(variables.size);
  iovec parts[5] = {{},
                    {const_cast<char*>(name), head.name_bytes},
                    {directory, head.directory_bytes},
                    {const_cast<char*>(arguments.begin), arguments.size},
                    {const_cast<char*>(variables.begin), variables.size}};
  const int socket = connect_to_broker();
  send_request(socket, head, parts, 5, fds, fd_count);
  // The command has its own copies. Held here, they would keep a pipe open that the command has closed.
  ::close(0);
  ::close(1);

  for (;;) {
    pollfd events[2] = {{socket, POLLIN, 0}, {signals, POLLIN, 0}};
    if (::poll(events, 2, -1) < 0 && errno != EINTR) fail("poll");
    if (events[1].revents != 0) {
      signalfd_siginfo info;
      if (::read(signals, &info, sizeof info) == sizeof info) {
        const auto byte = static_cast<unsigned char>(info.ssi_signo);
        ::send(socket, &byte, 1, MSG_NOSIGNAL);
      }
    }
    if (events[0].revents != 0) obey_answer(socket);
  }
}

}  // namespace
}  // namespace band::shim

int main(int, char** argv, char** environment) { band::shim::run(argv, environment); }
