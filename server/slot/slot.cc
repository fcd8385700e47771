#include "server/slot/slot.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "server/base/io.h"
#include "server/slot/network.h"

namespace band::slot {
namespace {

constexpr const char* kLayer = "slot";

std::int64_t number_in(const std::string& file, const char* key) {
  const auto text = base::read_file(file, 1 << 16);
  if (!text.ok()) return 0;
  std::size_t at = 0;
  if (*key != '\0') {
    at = text->find(std::string(key) + " ");
    if (at == std::string::npos) return 0;
    at += std::strlen(key) + 1;
  }
  return std::strtoll(text->c_str() + at, nullptr, 10);
}

Status make_directory(const std::string& group) {
  if (::mkdir(group.c_str(), 0755) != 0 && errno != EEXIST) return layer_error(kLayer, "cannot make " + group, errno);
  return done();
}

// Moves the calling thread into a group of v1, and sets `tasks` to the group's file `tasks`. Only v1 can contain single
// threads. "0" is the calling thread; moving only one thread is cheap.
Status join(const std::string& group, base::Fd& tasks) {
  tasks.reset(::open((group + "/tasks").c_str(), O_WRONLY | O_CLOEXEC));
  if (!tasks) return layer_error(kLayer, "cannot open " + group + "/tasks", errno);
  if (::write(tasks.get(), "0", 1) != 1) return layer_error(kLayer, "cannot enter " + group, errno);
  return done();
}

}  // namespace

Status own_namespaces() {
  // First of all, so that nothing that the slot makes is visible outside.
  if (::unshare(CLONE_NEWNS | CLONE_NEWNET) != 0)
    return layer_error(kLayer, "cannot make a mount namespace and a network namespace", errno);
  // Slave instead of private: a mount that the machine unmounts must not stay mounted here.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) != 0)
    return layer_error(
        kLayer, "cannot make the mounts slaves", errno,
        errno == EINVAL ? "/ is not a mount point: before chroot(1), `mount --bind` the directory on itself" : "");
  return prepare_network();
}

Result<Slot> Slot::enter(int index, const Config& config) {
  Slot slot;
  slot.index_ = index;
  slot.uid_ = config.uid_base + static_cast<uid_t>(index);
  slot.gid_ = config.gid;
  if (slot.uid_ == 0 || slot.gid_ == 0) return layer_error(kLayer, "cannot make a slot with uid or gid 0", 0);
  slot.version_ = config.cgroups.memory.version;
  slot.groups_ = group_of(config.cgroups.memory, config);
  BAND_CHECK(slot.make_share(config));
  BAND_CHECK(slot.make_count(config));
  BAND_CHECK(slot.enter_group());
  BAND_CHECK(own_namespaces());
  return slot;
}

Status Slot::enter_group() {
  std::string group;
  do {
    group = groups_ + "/slot-" + std::to_string(index_) + "-" + std::to_string(generation_++);
  } while (::mkdir(group.c_str(), 0755) != 0 && errno == EEXIST);
  if (::access(group.c_str(), F_OK) != 0) return layer_error(kLayer, "cannot make " + group, errno);
  const std::string last = std::exchange(group_, group);
  if (version_ == 1) {
    BAND_CHECK(join(group_, memory_tasks_));
    // Swap would be memory beyond the limit where it is not accounted (no memsw).
    BAND_CHECK(base::write_kernel_file(group_ + "/memory.swappiness", "0"));
  } else {
    cgroup_.reset(::open(group_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!cgroup_) return layer_error(kLayer, "cannot open " + group_, errno);
  }
  if (shares_.empty()) BAND_CHECK(open_weight(group_));
  if (!last.empty()) left_.push_back(last);
  return done();
}

// Without a group for each slot, the kernel would share the processors between sessions (autogroups, sched(7)). Each
// command has its own session and would get the share of a whole script.
Status Slot::make_share(const Config& config) {
  const Cgroups& cgroups = config.cgroups;
  shares_version_ = cgroups.cpu.version;
  if (cgroups.cpu == cgroups.memory) return done();  // the group of each execution serves both controllers
  shares_ = group_of(cgroups.cpu, config) + "/slot-" + std::to_string(index_);
  BAND_CHECK(make_directory(shares_));
  BAND_CHECK(open_weight(shares_));
  if (shares_version_ == 1) return join(shares_, cpu_tasks_);
  cgroup_.reset(::open(shares_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return cgroup_ ? done() : Status(layer_error(kLayer, "cannot open " + shares_, errno));
}

// In v1 the slot's thread is in the group, too: the processes that it starts would be counted without joining the
// group. A group that also serves memory or cpu already has its members.
Status Slot::make_count(const Config& config) {
  const Cgroups& cgroups = config.cgroups;
  if (cgroups.pids == cgroups.memory) {
    thread_ = cgroups.pids.version == 1 ? 1 : 0;
    return done();
  }
  count_ = group_of(cgroups.pids, config) + "/slot-" + std::to_string(index_);
  if (cgroups.pids == cgroups.cpu) {
    thread_ = cgroups.cpu.version == 1 ? 1 : 0;
    return done();
  }
  BAND_CHECK(make_directory(count_));
  if (cgroups.pids.version == 1) {
    thread_ = 1;
    return join(count_, count_tasks_);
  }
  cgroup_.reset(::open(count_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!cgroup_) return layer_error(kLayer, "cannot open " + count_, errno);
  return done();
}

Groups Slot::groups() const {
  Groups groups{cgroup_.get(), {}};
  for (const base::Fd* tasks : {&memory_tasks_, &cpu_tasks_, &count_tasks_})
    if (*tasks) groups.tasks.push_back(tasks->get());
  return groups;
}

// rmdir fails with EBUSY while the last processes are being reaped; the next call retries it. The rest is removed with
// the server.
void Slot::remove_left_groups() {
  std::erase_if(left_, [](const std::string& each) {
    if (::rmdir(each.c_str()) == 0 || errno == ENOENT) return true;
    kill_members(each);
    return false;
  });
}

void Slot::open_peak() {
  const std::string file = group_ + (version_ == 1 ? "/memory.max_usage_in_bytes" : "/memory.peak");
  peak_.reset(::open(file.c_str(), O_RDWR | O_CLOEXEC));
  // memory.peak does not exist before Linux 5.19. Before 6.12, the kernel refuses the write in keep_group().
}

bool Slot::keep_group(std::int64_t bytes, const std::string& owner) const {
  if (limit_ != bytes || owner_ != owner || !members(group_).empty()) return false;
  const std::int64_t residue = number_in(group_ + (version_ == 1 ? "/memory.usage_in_bytes" : "/memory.current"), "");
  return residue <= kMostResidueBytes && ::pwrite(peak_.get(), "0", 1, 0) == 1;
}

Status Slot::limit_memory(std::int64_t bytes, const std::string& owner) {
  if (!keep_group(bytes, owner)) {
    limit_ = 0;
    BAND_CHECK(enter_group());
    open_peak();
    BAND_CHECK(set_limit(bytes));
    limit_ = bytes;
    owner_ = owner;
  }
  remove_left_groups();
  refused_before_ = refused_forks();
  oom_before_ = oom_kills();
  return done();
}

Status Slot::set_limit(std::int64_t bytes) const {
  const std::string value = std::to_string(bytes);
  if (version_ == 2) {
    BAND_CHECK(base::write_kernel_file(group_ + "/memory.max", value));
    // Swap would be memory beyond the limit. The file is absent when the kernel has no swap accounting.
    if (::access((group_ + "/memory.swap.max").c_str(), F_OK) == 0)
      BAND_CHECK(base::write_kernel_file(group_ + "/memory.swap.max", "0"));
    return done();
  }
  const std::string with_swap = group_ + "/memory.memsw.limit_in_bytes";
  const bool has_swap = ::access(with_swap.c_str(), F_OK) == 0;
  // The limit with swap must not be below the one without, so it is set second; a new group has neither.
  BAND_CHECK(base::write_kernel_file(group_ + "/memory.limit_in_bytes", value));
  if (has_swap) BAND_CHECK(base::write_kernel_file(with_swap, value));
  return done();
}

Status Slot::limit_processes(std::int64_t most) const {
  return base::write_kernel_file(count_group() + "/pids.max", std::to_string(most + thread_));
}

Status Slot::set_shares(int shares) const {
  const int one = shares_version_ == 1 ? 1024 : 100;  // the defaults of the kernel
  const std::string value = std::to_string(shares * one);
  if (::pwrite(weight_.get(), value.data(), value.size(), 0) != static_cast<ssize_t>(value.size()))
    return layer_error(kLayer, "cannot set the shares of slot " + std::to_string(index_), errno);
  return done();
}

Status Slot::open_weight(const std::string& group) {
  const std::string file = group + (shares_version_ == 1 ? "/cpu.shares" : "/cpu.weight");
  weight_.reset(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  return weight_ ? done() : Status(layer_error(kLayer, "cannot open " + file, errno));
}

std::int64_t Slot::refused_forks() const { return number_in(count_group() + "/pids.events", "max"); }

std::int64_t Slot::oom_kills() const {
  return number_in(group_ + (version_ == 1 ? "/memory.oom_control" : "/memory.events"), "oom_kill");
}

Usage Slot::usage() const {
  char peak[32] = {};
  if (::pread(peak_.get(), peak, sizeof peak - 1, 0) < 0) peak[0] = '\0';
  return {std::strtoll(peak, nullptr, 10), oom_kills() - oom_before_, refused_forks() - refused_before_};
}

}  // namespace band::slot
