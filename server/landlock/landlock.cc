#include "server/landlock/landlock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace band::landlock {
namespace {

constexpr const char* kLayer = "landlock";

// Numbers of the kernel's ABI (include/uapi/linux/landlock.h, Linux 6.12), written out because Debian 12's header
// stops at ABI 2.
constexpr std::uint64_t kExecute = 1u << 0, kWriteFile = 1u << 1, kReadFile = 1u << 2, kReadDir = 1u << 3,
                        kRemoveDir = 1u << 4, kRemoveFile = 1u << 5, kMakeChar = 1u << 6, kMakeDir = 1u << 7,
                        kMakeReg = 1u << 8, kMakeSock = 1u << 9, kMakeFifo = 1u << 10, kMakeBlock = 1u << 11,
                        kMakeSym = 1u << 12, kRefer = 1u << 13, kTruncate = 1u << 14, kIoctlDev = 1u << 15;
constexpr std::uint64_t kBindTcp = 1u << 0, kConnectTcp = 1u << 1;
constexpr std::uint64_t kScopeAbstractUnix = 1u << 0, kScopeSignal = 1u << 1;
constexpr unsigned kVersion = 1u << 0;
constexpr int kPathBeneath = 1;

struct RulesetAttr {
  std::uint64_t handled_fs, handled_net, scoped;
};
struct [[gnu::packed]] PathBeneathAttr {
  std::uint64_t allowed;
  std::int32_t parent_fd;
};

std::uint64_t handled_fs(int abi) {
  std::uint64_t all = (kMakeSym << 1) - 1;
  if (abi >= 2) all |= kRefer;
  if (abi >= 3) all |= kTruncate;
  if (abi >= 5) all |= kIoctlDev;
  return all;
}

std::uint64_t rights_of(Access access) {
  switch (access) {
    case Access::List:
      return kReadDir;
    case Access::Read:
      return kReadDir | kReadFile;
    case Access::ReadExecute:
      return kReadDir | kReadFile | kExecute;
    case Access::Device:
      return kReadFile | kWriteFile | kTruncate | kIoctlDev;
    case Access::Write:
      return kWriteFile | kRemoveDir | kRemoveFile | kMakeDir | kMakeReg | kRefer | kTruncate;
    case Access::ReadWrite:
      return rights_of(Access::Read) | rights_of(Access::Write);
    case Access::Own:
      return rights_of(Access::ReadWrite) | kMakeSock | kMakeFifo | kMakeSym;
  }
  return 0;
}

// The rights that the kernel accepts for a path that is not a directory.
constexpr std::uint64_t kFileRights = kExecute | kWriteFile | kReadFile | kTruncate | kIoctlDev;

Status add_path(int ruleset, const PathRule& rule, std::uint64_t handled) {
  const int fd = ::open(rule.path.c_str(), O_PATH | O_CLOEXEC);
  if (fd < 0) return layer_error(kLayer, "cannot open " + rule.path, errno);
  struct stat info {};
  std::uint64_t rights = rights_of(rule.access) & handled;
  if (::fstat(fd, &info) == 0 && !S_ISDIR(info.st_mode)) rights &= kFileRights;
  const PathBeneathAttr attr{rights, fd};
  const long failed = ::syscall(SYS_landlock_add_rule, ruleset, kPathBeneath, &attr, 0);
  const int error = errno;
  ::close(fd);
  if (failed != 0) return layer_error(kLayer, "cannot add the rule of " + rule.path, error);
  return done();
}

}  // namespace

int abi() {
  const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, kVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

std::vector<std::string> missing(int abi) {
  std::vector<std::string> what;
  if (abi < 2) what.push_back("renaming across directories (ABI 2)");
  if (abi < 3) what.push_back("truncation (ABI 3)");
  if (abi < 4) what.push_back("TCP bind and connect (ABI 4)");
  if (abi < 5) what.push_back("ioctl on devices (ABI 5)");
  if (abi < 6) what.push_back("abstract Unix socket and signal scopes (ABI 6)");
  return what;
}

Result<base::Fd> prepare(const Ruleset& wanted) {
  const int version = abi();
  if (version < 1)
    return layer_error(kLayer, "not available on this kernel", ENOSYS,
                       "use Linux 5.13 or later with `landlock` in CONFIG_LSM or the lsm= boot parameter");
  RulesetAttr attr{handled_fs(version), 0, 0};
  if (version >= 4 && wanted.tcp != Tcp::All) attr.handled_net |= kBindTcp;
  if (version >= 4 && wanted.tcp == Tcp::None) attr.handled_net |= kConnectTcp;
  if (version >= 6) attr.scoped = kScopeAbstractUnix | kScopeSignal;
  // Older kernels accept a longer structure if the members that they do not support are zero.
  base::Fd ruleset(static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0)));
  if (!ruleset) return layer_error(kLayer, "cannot create the rule set", errno);
  for (const PathRule& rule : wanted.paths) BAND_CHECK(add_path(ruleset.get(), rule, attr.handled_fs));
  return ruleset;
}

Status enforce(const base::Fd& ruleset) {
  if (::syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0)
    return layer_error(kLayer, "cannot restrict this process", errno);
  return done();
}

Status restrict(const Ruleset& wanted) {
  BAND_TRY(const base::Fd ruleset, prepare(wanted));
  return enforce(ruleset);
}

}  // namespace band::landlock
