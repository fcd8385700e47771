#include "server/privileges/privileges.h"

#include <grp.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <type_traits>

namespace band::privileges {
namespace {

constexpr const char* kLayer = "privileges";

struct Free {
  void operator()(void* of_libcap) const { ::cap_free(of_libcap); }
};
using Capabilities = std::unique_ptr<std::remove_pointer_t<cap_t>, Free>;

// Returns a state with these capabilities permitted and effective, and an empty inheritable set.
Result<Capabilities> just(const std::vector<cap_value_t>& capabilities) {
  Capabilities all(::cap_init());
  const int count = static_cast<int>(capabilities.size());
  if (!all || (count > 0 && (::cap_set_flag(all.get(), CAP_PERMITTED, count, capabilities.data(), CAP_SET) != 0 ||
                             ::cap_set_flag(all.get(), CAP_EFFECTIVE, count, capabilities.data(), CAP_SET) != 0)))
    return layer_error(kLayer, "cannot list capabilities", errno);
  return all;
}

Status keep(const std::vector<cap_value_t>& capabilities) {
  BAND_TRY(const Capabilities kept, just(capabilities));
  if (::cap_set_proc(kept.get()) != 0) return layer_error(kLayer, "cannot set the capabilities", errno);
  return done();
}

// A capability is in the ambient set only while it is permitted and inheritable (capabilities(7)), so the ambient set
// is empty when the inheritable set is.
Status verify(const std::vector<cap_value_t>& capabilities) {
  BAND_TRY(const Capabilities expected, just(capabilities));
  const Capabilities now(::cap_get_proc());
  if (!now || ::cap_compare(now.get(), expected.get()) != 0)
    return layer_error(kLayer, "the capabilities differ from those that were set", 0);
  return done();
}

bool contains(const std::vector<cap_value_t>& capabilities, cap_value_t cap) {
  return std::find(capabilities.begin(), capabilities.end(), cap) != capabilities.end();
}

// Reduces the bounding set to `capabilities`. Needs CAP_SETPCAP when the bounding set contains other capabilities.
// A process can only drop capabilities from its bounding set (capabilities(7)), so what is read back here stays true.
// Only a new user namespace has a full bounding set; the seccomp filters refuse to make one.
Status bound_to(const std::vector<cap_value_t>& capabilities) {
  for (cap_value_t cap = 0; cap < ::cap_max_bits(); ++cap) {
    if (::cap_get_bound(cap) != 1) continue;  // dropped already, or unknown to this kernel
    if (contains(capabilities, cap)) continue;
    if (::cap_drop_bound(cap) != 0 || ::cap_get_bound(cap) != 0)
      return layer_error(kLayer, "cannot drop capabilities from the bounding set", errno);
  }
  return done();
}

Status no_new_privs() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
    return layer_error(kLayer, "cannot set no_new_privs", errno);
  return done();
}

}  // namespace

Status become(Ids ids) {
  if (ids.uid == 0 || ids.gid == 0) return layer_error(kLayer, "refused to become root", 0);
  BAND_CHECK(bound_to({}));  // called while the process still has CAP_SETPCAP
  if (::setgroups(0, nullptr) != 0) return layer_error(kLayer, "setgroups", errno);
  if (::setresgid(ids.gid, ids.gid, ids.gid) != 0) return layer_error(kLayer, "setresgid", errno);
  if (::setresuid(ids.uid, ids.uid, ids.uid) != 0) return layer_error(kLayer, "setresuid", errno);
  BAND_CHECK(keep({}));
  BAND_CHECK(no_new_privs());
  uid_t uid[3];
  gid_t gid[3];
  if (::getresuid(&uid[0], &uid[1], &uid[2]) != 0 || ::getresgid(&gid[0], &gid[1], &gid[2]) != 0)
    return layer_error(kLayer, "cannot read the ids back", errno);
  const bool same = std::all_of(uid, uid + 3, [&](uid_t u) { return u == ids.uid; }) &&
                    std::all_of(gid, gid + 3, [&](gid_t g) { return g == ids.gid; });
  if (!same || ::getgroups(0, nullptr) != 0) return layer_error(kLayer, "the ids differ from those that were set", 0);
  return verify({});
}

Status empty_bounding_set() { return bound_to({}); }

Status give_up_but(const std::vector<int>& capabilities) {
  BAND_CHECK(bound_to({}));
  BAND_CHECK(keep(capabilities));
  BAND_CHECK(no_new_privs());
  // Makes the process not dumpable: root then owns the files in the process's /proc directory, so that no other process
  // with the same uid can open them.
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
    return layer_error(kLayer, "cannot make this process not dumpable", errno);
  return verify(capabilities);
}

Status give_up() { return give_up_but({}); }

Status keep_only(const std::vector<int>& capabilities) {
  BAND_CHECK(bound_to(capabilities));
  const Capabilities now(::cap_get_proc());
  if (!now) return layer_error(kLayer, "cannot read the capabilities", errno);
  std::vector<cap_value_t> granted;
  for (const cap_value_t cap : capabilities) {
    cap_flag_value_t permitted = CAP_CLEAR;
    if (::cap_get_flag(now.get(), cap, CAP_PERMITTED, &permitted) == 0 && permitted == CAP_SET) granted.push_back(cap);
  }
  BAND_CHECK(keep(granted));
  return verify(granted);
}

}  // namespace band::privileges
