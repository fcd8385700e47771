// band-shim: the program in PATH under the name of a declared command. The shim requests the command from the broker.
// For its caller, the shim behaves like the command: same descriptors, forwarded signals, same exit status or death by
// signal. The shim makes no decision, parses nothing and stores no data, so a script gains nothing by replacing or
// imitating the shim.
//
// The start of the shim is part of each command's run time. Therefore the shim is static and has no C library,
// allocates no memory, and sends argv and environment from the memory in which the kernel has placed them.
#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "server/layout/places.h"
#include "server/shim/kernel.h"
#include "server/shim/protocol.h"

namespace band::shim {
namespace {

using kernel::call;

void print(const char* text, std::size_t size) {
  while (size > 0) {
    const long n = call(SYS_write, 2, text, size);
    if (n == -EINTR) continue;
    if (n <= 0) return;
    text += n;
    size -= static_cast<std::size_t>(n);
  }
}

void print(const char* text) { print(text, strlen(text)); }

// `error`: the negative result of a system call, or 0 when no system call failed.
[[noreturn]] void fail(const char* what, long error) {
  print("band: ");
  print(what);
  if (error < 0) {
    char number[] = ": error 000";  // the number of errno(3): its text is not available without the C library
    for (std::size_t digit = sizeof number - 2; error < 0; error /= 10, --digit)
      number[digit] = static_cast<char>('0' - error % 10);
    print(number);
  }
  print("\n");
  kernel::exit(kCannotRun);
}

const char* base_name(const char* path) {
  const char* base = path;
  for (; *path != '\0'; ++path)
    if (*path == '/') base = path + 1;
  return base;
}

// execve(2) places the strings of argv contiguously in memory. The strings of the environment are contiguous, too.
struct Block {
  const char* begin = nullptr;
  std::size_t size = 0;
};
Block block_of(char** strings) {
  if (*strings == nullptr) return {};
  char** last = strings;
  while (last[1] != nullptr) ++last;
  return {*strings, static_cast<std::size_t>(*last - *strings) + strlen(*last) + 1};
}

std::uint64_t ignored_signals() {
  const auto ignore = reinterpret_cast<std::uint64_t>(SIG_IGN);
  std::uint64_t ignored = 0;
  for (int signal = 1; signal < 32; ++signal) {
    kernel::SignalAction action;
    if (call(SYS_rt_sigaction, signal, nullptr, &action, sizeof action.mask) == 0 && action.handler == ignore)
      ignored |= kernel::bit_of(signal);
  }
  return ignored;
}

// Returns -1 for `.` and `..`.
int number_of(const char* text) {
  int number = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return -1;
    number = number * 10 + (*text - '0');
  }
  return number;
}

// Lists all descriptors that the caller has left open; exec has closed those with close-on-exec. procfs returns them in
// ascending order.
void find_descriptors(RequestHead& head) {
  constexpr const char* kWhat = "cannot list the descriptors of the command";
  const long directory = call(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (directory < 0) fail(kWhat, directory);
  std::uint32_t further = 0;
  alignas(8) char entries[1024];
  long size = 0;
  while ((size = call(SYS_getdents64, directory, entries, sizeof entries)) > 0)
    for (const char* entry = entries; entry < entries + size; entry += kernel::size_of_entry(entry)) {
      const int number = number_of(kernel::name_of_entry(entry));
      if (number < 0 || number == directory) continue;
      if (number > 2 && ++further > kMaxFurtherDescriptors)
        fail(
            "more than 16 descriptors besides 0 to 2 are open, but a command accepts at most 16: close some, for "
            "example with `5>&-`",
            0);
      head.descriptors[head.descriptor_count++] = static_cast<std::uint32_t>(number);
    }
  if (size < 0) fail(kWhat, size);
  call(SYS_close, directory);
}

// The caller may have closed the descriptors 0 to 2. A descriptor that the shim opens must not get one of these
// numbers.
long above_standard(long fd) {
  if (fd < 0 || fd > 2) return fd;
  const long moved = call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, 3);
  call(SYS_close, fd);
  return moved;
}

int connect_to_broker() {
  constexpr const char* kWhat = "cannot connect to the broker of commands";
  const long socket = above_standard(call(SYS_socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket < 0) fail(kWhat, socket);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  static_assert(std::string_view(layout::kBroker).size() < sizeof address.sun_path);
  memcpy(address.sun_path, layout::kBroker, strlen(layout::kBroker));
  const long connected = call(SYS_connect, socket, &address, sizeof address);
  if (connected < 0) fail(kWhat, connected);
  return static_cast<int>(socket);
}

// Sends the head and the body; the descriptors are attached to the first byte of the head.
void send_request(int socket, const RequestHead& head, iovec* parts, int count) {
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxDescriptors * sizeof(int))] = {};
  msghdr message{};
  parts[0] = {const_cast<RequestHead*>(&head), sizeof head};
  message.msg_iov = parts;
  message.msg_iovlen = static_cast<std::size_t>(count);
  if (head.descriptor_count > 0) {
    const std::size_t bytes = sizeof(int) * head.descriptor_count;
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(bytes);
    cmsghdr* rights = CMSG_FIRSTHDR(&message);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(bytes);
    memcpy(CMSG_DATA(rights), head.descriptors, bytes);
  }
  while (message.msg_iovlen > 0) {
    long sent = call(SYS_sendmsg, socket, &message, MSG_NOSIGNAL);
    if (sent == -EINTR) continue;
    if (sent == -EPIPE || sent == -ECONNRESET)
      return;  // the broker refused the request before it had read all of it; the answer contains the reason
    if (sent < 0) fail("cannot send the request to the broker of commands", sent);
    message.msg_control = nullptr;
    message.msg_controllen = 0;
    while (message.msg_iovlen > 0 && static_cast<std::size_t>(sent) >= message.msg_iov->iov_len) {
      sent -= static_cast<long>(message.msg_iov->iov_len);
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
    const long n = call(SYS_read, socket, to, size);
    if (n == -EINTR) continue;
    if (n <= 0) return false;
    to += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

[[noreturn]] void die_of(int signal) {
  const kernel::SignalAction standard;
  call(SYS_rt_sigaction, signal, &standard, nullptr, sizeof standard.mask);
  const std::uint64_t only = kernel::bit_of(signal);
  call(SYS_rt_sigprocmask, SIG_UNBLOCK, &only, nullptr, sizeof only);
  call(SYS_kill, call(SYS_getpid), signal);
  kernel::exit(128 + signal);
}

[[noreturn]] void obey_answer(int socket) {
  AnswerHead head;
  char text[kMaxAnswerText];
  if (!read_exactly(socket, reinterpret_cast<char*>(&head), sizeof head) || head.text_bytes > sizeof text ||
      !read_exactly(socket, text, head.text_bytes))
    fail("the sandbox ended before the command's exit status was known", 0);
  print(text, head.text_bytes);
  if (head.kind == AnswerHead::Kind::Signalled) die_of(static_cast<int>(head.code));
  kernel::exit(static_cast<int>(head.code));
}

// Returns the name of the executed file: the caller chooses argv[0].
const char* executed_name(char** environment, const char* otherwise) {
  while (*environment != nullptr) ++environment;
  const auto* entry = reinterpret_cast<const Elf64_auxv_t*>(environment + 1);
  for (; entry->a_type != AT_NULL; ++entry)
    if (entry->a_type == AT_EXECFN) return base_name(reinterpret_cast<const char*>(entry->a_un.a_val));
  return base_name(otherwise);
}

[[noreturn]] void run(char** argv, char** environment) {
  const char* name = executed_name(environment, argv[0]);
  RequestHead head;
  if (strcmp(name, base_name(layout::kShim)) == 0 && argv[0] != nullptr && argv[1] != nullptr &&
      strcmp(argv[1], "--not-found") == 0 && argv[2] != nullptr) {
    head.mode = Mode::NotFound;
    argv += 2;
    name = argv[0];
  }
  head.ignored = ignored_signals();
  std::uint64_t forwarded = 0;
  for (const int signal : kForwardedSignals) forwarded |= kernel::bit_of(signal);
  call(SYS_rt_sigprocmask, SIG_BLOCK, &forwarded, nullptr, sizeof forwarded);
  if (head.mode == Mode::Run) find_descriptors(head);
  const long signals = above_standard(call(SYS_signalfd4, -1, &forwarded, sizeof forwarded, SFD_CLOEXEC));

  char directory[kMaxDirectoryBytes];
  const long named = call(SYS_getcwd, directory, sizeof directory);
  if (named < 0 || directory[0] != '/') fail("cannot determine the working directory: it may have been removed", named);
  head.umask = static_cast<std::uint32_t>(call(SYS_umask, 022));
  const Block arguments = block_of(argv), variables = block_of(environment);
  head.name_bytes = static_cast<std::uint32_t>(strlen(name) + 1);
  head.directory_bytes = static_cast<std::uint32_t>(strlen(directory) + 1);
  head.argv_bytes = static_cast<std::uint32_t>(arguments.size);
  head.env_bytes = static_cast<std::uint32_t>(variables.size);
  iovec parts[5] = {{},
                    {const_cast<char*>(name), head.name_bytes},
                    {directory, head.directory_bytes},
                    {const_cast<char*>(arguments.begin), arguments.size},
                    {const_cast<char*>(variables.begin), variables.size}};
  const int socket = connect_to_broker();
  send_request(socket, head, parts, 5);
  // Closes the descriptors of which the command has copies. If the shim kept them, a pipe that the command has closed
  // would stay open.
  call(SYS_close, 0);
  call(SYS_close, 1);
  for (std::uint32_t i = 0; i < head.descriptor_count; ++i)
    if (head.descriptors[i] > 2) call(SYS_close, head.descriptors[i]);

  for (;;) {
    pollfd events[2] = {{socket, POLLIN, 0}, {static_cast<int>(signals), POLLIN, 0}};
    const long ready = call(SYS_ppoll, events, 2, nullptr, nullptr, 0);
    if (ready < 0 && ready != -EINTR) fail("cannot wait for the command", ready);
    if (events[1].revents != 0) {
      signalfd_siginfo info;
      if (call(SYS_read, signals, &info, sizeof info) == sizeof info) {
        const auto byte = static_cast<unsigned char>(info.ssi_signo);
        call(SYS_sendto, socket, &byte, 1, MSG_NOSIGNAL, nullptr, 0);
        if (byte == SIGTSTP) call(SYS_kill, call(SYS_getpid), SIGSTOP);
      }
    }
    if (events[0].revents != 0) obey_answer(socket);
  }
}

}  // namespace
}  // namespace band::shim

// The initial stack of a new program: argc, argv, nullptr, environment, nullptr, auxv.
extern "C" [[noreturn]] void band_shim_start(char** stack) {
  const auto argc = reinterpret_cast<std::size_t>(stack[0]);
  band::shim::run(stack + 1, stack + 1 + argc + 1);
}
