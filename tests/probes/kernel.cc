// System calls that no script needs.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "tests/probes/probe.h"

namespace probe {
namespace {

std::string make_map(const Arguments&) {
  bpf_attr attr;
  std::memset(&attr, 0, sizeof attr);
  attr.map_type = BPF_MAP_TYPE_ARRAY;
  attr.key_size = attr.value_size = 4;
  attr.max_entries = 1;
  return did_unless(::syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof attr));
}

std::string count_clock(const Arguments&) {
  perf_event_attr attr{};
  attr.type = PERF_TYPE_SOFTWARE;
  attr.size = sizeof attr;
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  return did_unless(::syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

std::string ring(const Arguments&) {
  io_uring_params params{};
  return did_unless(::syscall(SYS_io_uring_setup, 2, &params));
}

std::string handle(const Arguments&) {
  alignas(8) char room[sizeof(file_handle) + 128] = {};
  auto* own = reinterpret_cast<file_handle*>(room);
  own->handle_bytes = 128;
  int mount_id = 0;
  return did_unless(::name_to_handle_at(AT_FDCWD, "/", own, &mount_id, 0));
}

}  // namespace

void add_kernel_acts(Acts& acts) {
  acts["mount"] = [](const Arguments& a) { return did_unless(::mount("probe", a.at(0).c_str(), "tmpfs", 0, nullptr)); };
  acts["umount"] = [](const Arguments& a) { return did_unless(::umount2(a.at(0).c_str(), MNT_DETACH)); };
  acts["remount"] = [](const Arguments& a) {
    return did_unless(::mount(nullptr, a.at(0).c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr));
  };
  acts["pivot_root"] = [](const Arguments&) { return did_unless(::syscall(SYS_pivot_root, "/tmp", "/tmp")); };
  acts["chroot"] = [](const Arguments& a) { return did_unless(::chroot(a.at(0).c_str())); };
  acts["open_tree"] = [](const Arguments&) { return did_unless(::open_tree(AT_FDCWD, "/", OPEN_TREE_CLONE)); };
  acts["fsopen"] = [](const Arguments&) { return did_unless(::fsopen("tmpfs", 0)); };
  acts["mount_setattr"] = [](const Arguments& a) {
    mount_attr nothing{};
    return did_unless(::mount_setattr(AT_FDCWD, a.at(0).c_str(), 0, &nothing, sizeof nothing));
  };
  acts["bpf"] = make_map;
  acts["perf_event_open"] = count_clock;
  acts["io_uring_setup"] = ring;
  acts["name_to_handle_at"] = handle;
  acts["userfaultfd"] = [](const Arguments&) { return did_unless(::syscall(SYS_userfaultfd, O_CLOEXEC)); };
  acts["keyctl"] = [](const Arguments&) {
    return did_unless(::syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_PROCESS_KEYRING, 1));
  };
  acts["add_key"] = [](const Arguments&) {
    return did_unless(::syscall(SYS_add_key, "user", "band-probe", "x", 1, KEY_SPEC_PROCESS_KEYRING));
  };
  acts["personality"] = [](const Arguments&) { return did_unless(::personality(READ_IMPLIES_EXEC)); };
  acts["sethostname"] = [](const Arguments&) {
    char name[65] = {};
    if (::gethostname(name, sizeof name - 1) != 0) untried("gethostname");
    return did_unless(::sethostname(name, std::strlen(name)));
  };
  acts["syslog"] = [](const Arguments&) {
    return did_unless(::syscall(SYS_syslog, 10 /* size of the buffer */, 0, 0));
  };
  acts["fanotify_init"] = [](const Arguments&) { return did_unless(::syscall(SYS_fanotify_init, 0, O_RDONLY)); };
}

}  // namespace probe
