#include "server/privileges/privileges.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace band::privileges {
namespace {

constexpr const char* kLayer = "privileges";
// 64: capability sets are 64 bits wide (capget(2), _LINUX_CAPABILITY_VERSION_3); 41 are in use.
constexpr int kCapabilities = 64;

struct Sets {
  std::uint64_t effective = 0, permitted = 0, inheritable = 0;
};

// By the raw system calls: these work alike in a static program without libcap and cannot allocate.
Result<Sets> get_sets() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (::syscall(SYS_capget, &header, data) != 0) return layer_error(kLayer, "capget", errno);
  const auto join = [](std::uint32_t low, std::uint32_t high) { return std::uint64_t{high} << 32 | low; };
  return Sets{join(data[0].effective, data[1].effective), join(data[0].permitted, data[1].permitted),
              join(data[0].inheritable, data[1].inheritable)};
}

Status set_sets(const Sets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  for (int i = 0; i < 2; ++i) {
    data[i].effective = static_cast<std::uint32_t>(sets.effective >> (32 * i));
    data[i].permitted = static_cast<std::uint32_t>(sets.permitted >> (32 * i));
    data[i].inheritable = static_cast<std::uint32_t>(sets.inheritable >> (32 * i));
  }
  if (::syscall(SYS_capset, &header, data) != 0) return layer_error(kLayer, "capset", errno);
  return done();
}

std::uint64_t mask_of(const std::vector<int>& capabilities) {
  std::uint64_t mask = 0;
  for (const int cap : capabilities) mask |= std::uint64_t{1} << cap;
  return mask;
}

Status bound_to(std::uint64_t keep) {
  for (int cap = 0; cap < kCapabilities; ++cap) {
    const int present = ::prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
    if (present < 0) break;  // EINVAL: beyond the last capability of this kernel
    if (present == 0 || (keep >> cap & 1) != 0) continue;
    if (::prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) != 0)
      return layer_error(kLayer, "drop capability " + std::to_string(cap) + " from the bounding set", errno);
  }
  return done();
}

Status no_new_privs() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return layer_error(kLayer, "set no_new_privs", errno);
  return done();
}

}  // namespace

Status verify_none() {
  BAND_TRY(const Sets sets, get_sets());
  if ((sets.effective | sets.permitted | sets.inheritable) != 0) return layer_error(kLayer, "capabilities are left", 0);
  for (int cap = 0; cap < kCapabilities; ++cap) {
    const int bounded = ::prctl(PR_CAPBSET_READ, cap, 0, 0, 0);
    if (bounded < 0) break;
    if (bounded != 0) return layer_error(kLayer, "the bounding set is not empty", 0);
    if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) == 1)
      return layer_error(kLayer, "the ambient set is not empty", 0);
  }
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1) return layer_error(kLayer, "no_new_privs is not set", 0);
  return done();
}

Status become(Ids ids) {
  if (ids.uid == 0 || ids.gid == 0) return layer_error(kLayer, "refused to become root", 0);
  BAND_CHECK(bound_to(0));  // while CAP_SETPCAP is still there
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return layer_error(kLayer, "clear the ambient set", errno);
  if (::setgroups(0, nullptr) != 0) return layer_error(kLayer, "setgroups", errno);
  if (::setresgid(ids.gid, ids.gid, ids.gid) != 0) return layer_error(kLayer, "setresgid", errno);
  if (::setresuid(ids.uid, ids.uid, ids.uid) != 0) return layer_error(kLayer, "setresuid", errno);
  BAND_CHECK(set_sets({}));  // setresuid clears all but the inheritable set
  BAND_CHECK(no_new_privs());
  uid_t uid[3];
  gid_t gid[3];
  if (::getresuid(&uid[0], &uid[1], &uid[2]) != 0 || ::getresgid(&gid[0], &gid[1], &gid[2]) != 0)
    return layer_error(kLayer, "read the ids back", errno);
  const bool same = std::all_of(uid, uid + 3, [&](uid_t u) { return u == ids.uid; }) &&
                    std::all_of(gid, gid + 3, [&](gid_t g) { return g == ids.gid; });
  if (!same || ::getgroups(0, nullptr) != 0) return layer_error(kLayer, "the ids did not hold", 0);
  return verify_none();
}

Status give_up_but(const std::vector<int>& capabilities) {
  const std::uint64_t keep = mask_of(capabilities);
  BAND_CHECK(bound_to(0));
  if (::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0)
    return layer_error(kLayer, "clear the ambient set", errno);
  BAND_CHECK(set_sets({keep, keep, 0}));
  BAND_CHECK(no_new_privs());
  // Not dumpable: its /proc files belong to root even where uids are equal.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return layer_error(kLayer, "become not dumpable", errno);
  if (keep == 0) return verify_none();
  BAND_TRY(const Sets now, get_sets());
  if (now.permitted != keep || now.effective != keep || now.inheritable != 0)
    return layer_error(kLayer, "the capabilities did not hold", 0);
  return done();
}

Status give_up() { return give_up_but({}); }

Status keep_only(const std::vector<int>& capabilities) {
  std::uint64_t keep = mask_of(capabilities);
  BAND_CHECK(bound_to(keep));
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  BAND_TRY(Sets sets, get_sets());
  keep &= sets.permitted;
  BAND_CHECK(set_sets({keep, keep, 0}));
  BAND_TRY(const Sets now, get_sets());
  if (now.permitted != keep || now.effective != keep || now.inheritable != 0)
    return layer_error(kLayer, "the capabilities did not hold", 0);
  return done();
}

}  // namespace band::privileges
