#include "server/needs.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "server/admin/service.h"
#include "server/admin/tokens.h"
#include "server/base/io.h"
#include "server/execution/zygote.h"
#include "server/firewall/firewall.h"
#include "server/landlock/landlock.h"
#include "server/network/sockets.h"
#include "server/privileges/user.h"
#include "server/slot/server_groups.h"
#include "server/syscalls/syscalls.h"
#include "server/view/overlay.h"

namespace band::server {
namespace {

namespace fs = std::filesystem;

// Measured numbers of open files: of the server itself; of an execution with insist.read, a command view and net rules
// (fewer than 37; one more for each declared mount); of a request in the queue (memfd, reply, eventfd).
constexpr std::int64_t kOfItself = 256, kOfAnExecution = 37, kOfOneThatWaits = 3;

constexpr std::size_t kMaxWords = 16 << 10;

Status program_there(const std::string& program, const std::string& mend) {
  if (::access(program.c_str(), X_OK) == 0) return done();
  return layer_error("serve", "cannot start " + program, errno, mend);
}

Status programs_there(const admin::Paths& paths) {
  for (const char* name : {"band-http", "band-gateway", "band-init", "band-shim"})
    BAND_CHECK(program_there(beside(paths, name), "band's programs must be in one directory: install them together"));
  return program_there(run::kBubblewrap, "apt-get install bubblewrap");
}

Status user_there(const char* user) {
  const auto ids = privileges::ids_of(user);
  return ids.ok() ? done() : Status(ids.error());
}

// Returns the directory, or the nearest one above it that exists.
fs::path nearest(const std::string& directory) {
  std::error_code failed;
  fs::path there = directory;
  while (!fs::exists(fs::symlink_status(there, failed)) && there.has_parent_path() && there != there.parent_path())
    there = there.parent_path();
  return there;
}

// For a directory that serve() makes or writes to.
Status writable(const std::string& directory) {
  std::error_code failed;
  const fs::path there = nearest(directory);
  if (!fs::is_directory(there, failed))
    return layer_error("serve", "cannot make " + directory + ": " + there.string() + " is not a directory", 0,
                       "remove it, or set another path in server.yaml");
  if (::access(there.c_str(), W_OK | X_OK) == 0) return done();
  return layer_error("serve", "cannot write in " + there.string(), errno, "set another path in server.yaml");
}

// serve() makes this directory, but not its parent.
Status run_directory_there(const std::string& directory) {
  std::error_code failed;
  const fs::path parent = fs::path(directory).parent_path();
  if (!fs::exists(parent, failed))
    return layer_error("service", "cannot make " + directory, ENOENT, "make " + parent.string());
  return writable(directory);
}

Status cgroups_there(bool root, const admin::Paths& paths, const policy::SiteConfig& config) {
  BAND_TRY(const slot::Cgroups cgroups, slot::find_cgroups());
  if (!root) return done();
  for (const slot::Hierarchy* hierarchy : {&cgroups.memory, &cgroups.cpu, &cgroups.pids})
    if (::access(hierarchy->root.c_str(), W_OK) != 0)
      return layer_error("slot", "cannot make control groups in " + hierarchy->root, errno,
                         "give band-server write access there");
  return slot::uids_free({cgroups, admin::instance(paths), config.uid_base, 0, config.slots});
}

// A running server with the same run directory uses the port, and will have released it.
bool ours(const admin::Paths& paths, std::uint16_t port) {
  const auto announced = base::read_file(paths.port_file(), 16);
  return announced.ok() && *announced == std::to_string(port) + "\n";
}

Status port_free(const admin::Paths& paths, const policy::SiteConfig& config) {
  if (config.port == 0 || ours(paths, config.port)) return done();
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_port = htons(config.port);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(config.port);
  const bool is_v4 = ::inet_pton(AF_INET, config.address.c_str(), &v4.sin_addr) == 1;
  const std::string doing = "cannot listen on " + config.address + " port " + std::to_string(config.port);
  if (!is_v4 && ::inet_pton(AF_INET6, config.address.c_str(), &v6.sin6_addr) != 1)
    return layer_error("http", doing + ": not an IP address", 0);
  const base::Fd socket(::socket(is_v4 ? AF_INET : AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return layer_error("http", doing, errno);
  const int bound = is_v4 ? ::bind(socket.get(), reinterpret_cast<sockaddr*>(&v4), sizeof v4)
                          : ::bind(socket.get(), reinterpret_cast<sockaddr*>(&v6), sizeof v6);
  if (bound == 0) return done();
  return layer_error(
      "http", doing, errno,
      errno == EADDRINUSE ? "another program uses the port; set another one with `listen` in server.yaml" : "");
}

// Makes namespaces, overlays, loopback, chains and sockets of a slot in this process, which then exits.
Status like_a_slot(const policy::SiteConfig& config) {
  BAND_CHECK(own_limits());
  BAND_CHECK(slot::own_namespaces());
  BAND_CHECK(view::check_overlays(nearest(config.state_dir)));
  BAND_CHECK(firewall::prepare());
  BAND_TRY(const network::Sockets sockets, network::open_sockets());
  return done();
}

// In a child process: the kernel removes what it made when it exits.
Status slot_can_be_made(const policy::SiteConfig& config) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return layer_error("check", "cannot make a pipe", errno);
  const base::Fd read_end(ends[0]);
  base::Fd write_end(ends[1]);
  const pid_t child = ::fork();
  if (child < 0) return layer_error("check", "cannot fork", errno);
  if (child == 0) {
    const Status made = like_a_slot(config);
    const std::string words = made.ok() ? "" : made.error().message() + '\0' + made.error().hint;
    ::_exit(base::write_all(write_end.get(), words).ok() && made.ok() ? 0 : 1);
  }
  write_end.reset();
  const auto words = base::read_all(read_end.get(), kMaxWords);
  int status = 0;
  pid_t ended = 0;
  while ((ended = ::waitpid(child, &status, 0)) < 0 && errno == EINTR) continue;
  if (ended == child && status == 0) return done();
  const std::string text = words.ok() ? *words : "";
  const std::size_t end = std::min(text.find('\0'), text.size());
  return layer_error("", text.empty() ? "cannot make a slot: the test process was killed" : text.substr(0, end), 0,
                     end < text.size() ? text.substr(end + 1) : "");
}

}  // namespace

std::string beside(const admin::Paths& paths, const std::string& program) {
  return fs::path(paths.program).parent_path() / program;
}

Result<gid_t> runner_group() {
  const group* entry = ::getgrnam("band-runner");
  if (entry == nullptr)
    return layer_error("serve", "there is no group band-runner", 0, "run `band setup --target local` as root first");
  return entry->gr_gid;
}

Status kernel_has_landlock() {
  if (landlock::abi() >= 1) return done();
  return layer_error("landlock", "this kernel does not support Landlock", ENOSYS,
                     "use Linux 5.13 or later, with `landlock` in CONFIG_LSM or in the boot parameter lsm=");
}

Status room_for_descriptors(const policy::SiteConfig& config) {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
    return layer_error("serve", "cannot read the limit of open files", errno);
  const std::int64_t without_slots = kOfItself + kOfOneThatWaits * config.queue_length;
  const std::int64_t needed = without_slots + kOfAnExecution * config.slots;
  if (static_cast<rlim_t>(needed) <= files.rlim_max) return done();
  const std::int64_t fit = (static_cast<std::int64_t>(files.rlim_max) - without_slots) / kOfAnExecution;
  return layer_error("serve",
                     std::to_string(config.slots) + " slots and a queue of " + std::to_string(config.queue_length) +
                         " need " + std::to_string(needed) + " open files, and the limit is " +
                         std::to_string(files.rlim_max),
                     0,
                     "raise the hard limit (`ulimit -Hn`, LimitNOFILE= of the unit), or " +
                         (fit > 0 ? "set slots.count to at most " + std::to_string(fit) : "set a lower queue.length"));
}

Status own_limits() {
  // A hard limit of 0 would pipe core dumps to a program of the machine (core(5)). It can be raised only now.
  const rlimit no_core{1, 1};
  if (::setrlimit(RLIMIT_CORE, &no_core) != 0)
    return layer_error(
        "serve", "cannot disable core dumps", errno,
        "the server needs CAP_SYS_RESOURCE, or a hard limit of core files above 0 (`ulimit -Hc`); if sudo sets it to "
        "0: write `Set disable_coredump false` in /etc/sudo.conf, or use a root shell that sudo did not start");
  // An execution has up to 2,000 declared mounts open at a time; the 1024 of a shell are for programs that use
  // select(2).
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0)
    return layer_error("serve", "cannot read the limit of open files", errno);
  files.rlim_cur = files.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &files) != 0)
    return layer_error("serve", "cannot raise the limit of open files", errno);
  return done();
}

floor::Config floor_config(const admin::Paths& paths, const policy::SiteConfig& config, gid_t gid) {
  return {config.state_dir + "/floor", beside(paths, "band-shim"), config.uid_base, config.slots, gid,
          config.gateway.extra_ca};
}

Checked check(const admin::Paths& paths, const policy::SiteConfig& config) {
  Checked checked;
  const auto look = [&](const Status& status) {
    if (!status.ok()) checked.errors.push_back(status.error());
  };
  const bool root = ::geteuid() == 0;
  const auto gid = runner_group();
  look(gid.ok() ? done() : Status(gid.error()));
  look(user_there("band-http"));
  look(user_there("band-gateway"));
  const Status programs = programs_there(paths);
  look(programs);
  look(kernel_has_landlock());
  look(cgroups_there(root, paths, config));
  if (programs.ok()) look(floor::check(floor_config(paths, config, gid.ok() ? *gid : 0)));
  const auto filter = syscalls::make_filter();
  look(filter.ok() ? done() : Status(filter.error()));
  look(port_free(paths, config));
  look(room_for_descriptors(config));
  if (root) {
    const auto tokens = admin::load_tokens(paths.tokens);
    look(tokens.ok() ? done() : Status(tokens.error()));
    look(run_directory_there(config.run_dir));
    look(writable(config.state_dir));
    look(admin::state_free(paths));
    look(slot_can_be_made(config));
  } else {
    checked.unchecked.emplace_back(
        "tokens, directories, control groups, and the namespaces and firewall of a slot: checking these needs root");
  }
  checked.unchecked.emplace_back(
      "a run through all layers: `serve` makes such a run in each slot before the slot serves");
  return checked;
}

}  // namespace band::server
