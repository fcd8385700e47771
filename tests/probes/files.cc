// Files: setuid and setgid bits, executable memory, writing through /proc.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string>

#include "tests/probes/probe.h"

namespace probe {
namespace {

constexpr unsigned kNoexecSeal = 0x8, kMemfdExec = 0x10;  // linux/memfd.h, Linux 6.3

int memfd(unsigned flags) { return static_cast<int>(::syscall(SYS_memfd_create, "probe", flags)); }

std::string copy_self_into(int fd) {
  const int self = ::open("/proc/self/exe", O_RDONLY);
  if (self < 0) untried("open itself");
  char bytes[65536];
  for (ssize_t n = 0; (n = ::read(self, bytes, sizeof bytes)) > 0;)
    if (::write(fd, bytes, static_cast<std::size_t>(n)) != n) untried("write");
  return "";
}

std::string read_by_mapping(const Arguments& arguments) {
  const int fd = ::open(arguments.at(0).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) untried("open " + arguments[0]);
  const void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  return did_if(page != MAP_FAILED && *static_cast<const volatile char*>(page) != '\0');
}

// "plain" requests no seal, "sealed" the seal that forbids execution.
std::string exec_memfd(const Arguments& arguments) {
  const int fd = memfd(arguments.at(0) == "sealed" ? kNoexecSeal : MFD_CLOEXEC);
  if (fd < 0) return did_if(false);
  copy_self_into(fd);
  ::fchmod(fd, 0755);
  char name[] = "band-probe", act[] = "nothing", empty[] = "";
  char* argv[] = {name, act, nullptr};
  char* env[] = {empty, nullptr};
  ::syscall(SYS_execveat, fd, "", argv, env, AT_EMPTY_PATH);
  return did_if(false);
}

std::string map_file(const Arguments& arguments) {
  const int fd = ::open(arguments.at(0).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) untried("open " + arguments[0]);
  return did_if(::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED);
}

std::string map_then_protect(const Arguments& arguments) {
  const int fd = ::open(arguments.at(0).c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) untried("open " + arguments[0]);
  void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
  if (page == MAP_FAILED) untried("map");
  return did_unless(::mprotect(page, 4096, PROT_READ | PROT_EXEC));
}

// CALL DIRECTORY BIT: sets the bit with CALL on a new file in DIRECTORY; "did" only if the bit is really set
// afterwards.
std::string set_bit(const Arguments& arguments) {
  const std::string call = arguments.at(0), file = arguments.at(1) + "/bit";
  const auto bit = static_cast<mode_t>(std::strtoul(arguments.at(2).c_str(), nullptr, 8));
  const mode_t mode = bit | 0755;
  ::umask(0);
  ::unlink(file.c_str());
  const bool makes = call == "open" || call == "openat" || call == "creat" || call == "mknod" || call == "mknodat";
  if (!makes && ::close(::open(file.c_str(), O_CREAT | O_WRONLY, 0644)) != 0) untried("make " + file);
  long result = -1;
  if (call == "chmod") result = ::syscall(SYS_chmod, file.c_str(), mode);
  if (call == "fchmod") result = ::fchmod(::open(file.c_str(), O_WRONLY), mode);
  if (call == "fchmodat") result = ::syscall(SYS_fchmodat, AT_FDCWD, file.c_str(), mode);
  if (call == "fchmodat2") result = ::syscall(452, AT_FDCWD, file.c_str(), mode, 0);
  if (call == "open") result = ::syscall(SYS_open, file.c_str(), O_CREAT | O_WRONLY, mode);
  if (call == "openat") result = ::syscall(SYS_openat, AT_FDCWD, file.c_str(), O_CREAT | O_WRONLY, mode);
  if (call == "creat") result = ::syscall(SYS_creat, file.c_str(), mode);
  if (call == "mknod") result = ::syscall(SYS_mknod, file.c_str(), S_IFREG | mode, 0);
  if (call == "mknodat") result = ::syscall(SYS_mknodat, AT_FDCWD, file.c_str(), S_IFREG | mode, 0);
  if (call == "tmpfile") {
    const int fd = static_cast<int>(::syscall(SYS_openat, AT_FDCWD, arguments[1].c_str(), O_TMPFILE | O_RDWR, mode));
    struct stat made {};
    return did_if(fd >= 0 && ::fstat(fd, &made) == 0 && (made.st_mode & bit) != 0);
  }
  struct stat made {};
  const int error = errno;
  const bool set = ::stat(file.c_str(), &made) == 0 && (made.st_mode & bit) != 0;
  if (result >= 0 && !set) untried("the call did nothing");
  errno = error;
  return did_if(set);
}

int of_memory = 1;

std::string write_own_memory(const Arguments&) {
  const int fd = ::open("/proc/self/mem", O_RDWR);
  const int other = 2;
  if (fd < 0) return did_if(false);
  const auto at = static_cast<off_t>(reinterpret_cast<unsigned long>(&of_memory));
  return did_if(::pwrite(fd, &other, sizeof other, at) == sizeof other && *const_cast<volatile int*>(&of_memory) == 2);
}

}  // namespace

void add_file_acts(Acts& acts) {
  acts["nothing"] = [](const Arguments&) { return std::string("did"); };
  acts["memfd-plain"] = [](const Arguments&) { return did_unless(memfd(MFD_CLOEXEC)); };
  acts["memfd-exec"] = [](const Arguments&) { return did_unless(memfd(kMemfdExec)); };
  acts["memfd-sealed"] = [](const Arguments&) { return did_unless(memfd(kNoexecSeal)); };
  acts["exec-memfd"] = exec_memfd;
  acts["map-executable"] = map_file;
  acts["map-read"] = read_by_mapping;
  acts["map-then-protect"] = map_then_protect;
  acts["set-bit"] = set_bit;
  acts["write-own-memory"] = write_own_memory;
  acts["mknod-device"] = [](const Arguments& a) {
    const std::string file = a.at(0) + "/device";
    ::unlink(file.c_str());
    return did_unless(::mknod(file.c_str(), S_IFCHR | 0666, makedev(1, 3)));
  };
}

}  // namespace probe
