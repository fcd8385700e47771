#include "tests/promises/sandbox.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <doctest/doctest.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <filesystem>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "schemas/core/json.h"
#include "server/base/channel.h"
#include "server/base/child.h"
#include "server/base/io.h"
#include "server/execution/execution.h"
#include "server/execution/gateway.h"
#include "server/execution/recipe.h"
#include "server/execution/slot_mounts.h"
#include "server/execution/zygote.h"
#include "server/firewall/firewall.h"
#include "server/slot/server_groups.h"
#include "tests/user_ids.h"
#include "tests/within.h"

namespace band::test {

bool all_made_ahead = false;
namespace {

namespace fs = std::filesystem;

constexpr int kSlots = 2;
constexpr const char* kTry =
    "try() { local said; if said=$(\"$@\" 2>&1 >/dev/null); then echo did; else echo \"refused: ${said##*: }\"; fi; "
    "}\n";

void must(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error().message());
}
template <class T>
T must(Result<T> result) {
  if (!result.ok()) throw std::runtime_error(result.error().message());
  return std::move(result).value();
}

std::string without_newline(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

// A thread with its own slot, as in the engine.
class Worker {
 public:
  using Task = std::packaged_task<Ran(slot::Slot&, run::SlotMounts&)>;
  Worker(int index, const slot::Config& config, const run::Site& site) {
    std::promise<void> ready;
    thread_ = std::thread([&, index] { work(index, config, site, ready); });
    ready.get_future().get();
  }
  ~Worker() {
    post(Task());
    thread_.join();
  }
  void post(Task task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    filled_.notify_one();
  }

 private:
  void work(int index, const slot::Config& config, const run::Site& site, std::promise<void>& ready) {
    slot::Slot slot;
    std::optional<run::SlotMounts> mounts;
    try {
      slot = must(slot::Slot::enter(index, config));
      must(firewall::prepare());
      mounts = must(run::SlotMounts::make(slot, site));
      ready.set_value();
    } catch (...) {
      return ready.set_exception(std::current_exception());
    }
    for (;;) {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [&] { return !tasks_.empty(); });
      Task task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      if (!task.valid()) return;
      task(slot, *mounts);
    }
  }
  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<Task> tasks_;
  std::thread thread_;
};

class World {
 public:
  static World& get() {
    static World world;
    return world;
  }

  uid_t uid(int slot) const { return config_.uid_base + static_cast<uid_t>(slot); }
  const std::string& scratch() const { return scratch_; }
  const std::string& probe_directory() const { return probe_directory_; }
  Worker& worker(int slot) { return *workers_.at(static_cast<std::size_t>(slot)); }
  const run::Site& site() const { return site_; }
  pid_t gateway_pid() const { return gateway_.pid(); }
  pid_t zygote_pid() const { return zygote_.pid(); }

 private:
  World() {
    ::umask(022);
    ::signal(SIGPIPE, SIG_IGN);
    ::setgroups(0, nullptr);
    // Mounts of tests propagate to the slots, as on a machine with systemd, and end with this program.
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_SHARED, nullptr) != 0)
      throw std::runtime_error("a mount namespace");
    std::string place = "/tmp/band-promises-XXXXXX";
    if (::mkdtemp(place.data()) == nullptr) throw std::runtime_error("mkdtemp");
    scratch_ = place;
    fs::create_directories(scratch_ + "/stage");
    config_.uid_base = config_.gid = own_user_ids();
    config_.instance = "test_" + std::to_string(::getpid());
    config_.cgroups = must(slot::find_cgroups());
    config_.count = kSlots;
    groups_.emplace(must(slot::ServerGroups::make(config_)));
    site_.config = policy::default_site_config();
    site_.config.run_dir = site_.config.state_dir = scratch_;
    // Commands that exist on no machine, with known package names.
    for (const char* name : {"no-such-a", "no-such-b"})
      site_.config.commands.programs[name].package = std::string("package-of-") + name;
    zygote_ = must(run::Zygote::start(BAND_BIN_DIR "/band-init", must(syscalls::make_filter())));
    site_.zygote = zygote_.control();
    gateway_ = must(run::Gateway::start(BAND_BIN_DIR "/band-gateway"));
    site_.gateway = gateway_.door();
    site_.config.gateway.allow_private = {*Cidr::parse("127.0.0.0/8")};
    site_.floors = std::make_shared<run::Floors>(
        floor::Config{scratch_ + "/floor", BAND_BIN_DIR "/band-shim", config_.uid_base, kSlots, config_.gid},
        site_.config.commands);
    fs::copy(BAND_BIN_DIR "/band-probe", must(site_.floors->current())->path + "/usr/bin/band-probe");
    // outside_as() starts it as users that may have no access to the directories above the build, such as /root.
    std::string probes = "/tmp/band-probe-XXXXXX";
    if (::mkdtemp(probes.data()) == nullptr || ::chmod(probes.c_str(), 0755) != 0) throw std::runtime_error("mkdtemp");
    probe_directory_ = probes;
    fs::copy(BAND_BIN_DIR "/band-probe", probe_directory_ + "/band-probe");
    for (int i = 0; i < kSlots; ++i) workers_.push_back(std::make_unique<Worker>(i, config_, site_));
  }
  ~World() {
    workers_.clear();
    gateway_.end(1'000);
    zygote_.end(1'000);
    groups_.reset();
    std::error_code ignored;
    fs::remove_all(scratch_, ignored);
    fs::remove_all(probe_directory_, ignored);
  }

  std::string scratch_, probe_directory_;
  std::optional<slot::ServerGroups> groups_;
  slot::Config config_;
  run::Site site_;
  run::Gateway gateway_;
  run::Zygote zygote_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

RuleSet rule_set(const std::vector<std::string>& patterns) {
  RuleSet rules;
  for (const std::string& pattern : patterns) rules.push_back({pattern, "test/BAND.md:1"});
  return rules;
}

Domain domain(const std::vector<std::string>& allow, const std::vector<std::string>& deny,
              const std::vector<std::string>& insist) {
  std::vector<std::string> opened = allow;
  opened.insert(opened.end(), insist.begin(), insist.end());  // insist opens, too
  Domain result;
  if (!opened.empty()) result.opened = {rule_set(opened)};
  result.deny = rule_set(deny);
  result.insist = rule_set(insist);
  return result;
}

void set_limit(Limits& limits, const std::string& name, std::int64_t value) {
  for (const LimitKey& key : kLimitKeys)
    if (key.name == name) limits.*key.member = value;
}

ExecRequest request_of(const std::string& script, const With& with) {
  ExecRequest request;
  request.script = "test/promise";
  request.source = kTry + script + (with.output ? "\necho null >\"$OUTPUT_PATH\"\n" : "\n");
  request.rules.cli = domain(with.cli, with.deny_cli, with.insist_cli);
  request.rules.net = domain(with.net, with.deny_net, with.insist_net);
  request.rules.read = domain(with.read, with.deny_read, with.insist_read);
  request.rules.write = domain(with.write, with.deny_write, with.insist_write);
  for (const auto& [patterns, rules] :
       {std::pair{&with.optional_read, &request.rules.read}, std::pair{&with.optional_write, &request.rules.write}})
    for (Rule rule : rule_set(*patterns)) {
      rule.optional = true;
      if (rules->opened.empty()) rules->opened.emplace_back();
      rules->opened.front().push_back(std::move(rule));
    }
  for (const auto& [files, shipped] :
       {std::pair{&with.files, &request.files}, {&with.lib, &request.lib}, {&with.skill_files, &request.skill_files}})
    for (const File& file : *files) {
      shipped->push_back({file.path, file.mode, file.content});
      if (file.modified_us >= 0) shipped->back().modified_us = file.modified_us;
    }
  request.keep_partial = with.keep_partial;
  request.whole_files = !with.secrets.empty();
  for (const bool secret : {true, false})
    for (const auto& [name, value] : secret ? with.secrets : with.env) {
      EnvRule rule;
      rule.name = name;
      rule.secret = secret;
      rule.origin = "test/BAND.md:1";
      request.rules.env.push_back(rule);
      (secret ? request.secrets : request.env)[name] = value;
    }
  if (scaled(1) != 1) request.rules.limit.maxRuntimeMs = scaled(60'000);  // an emulated processor (tools/test-vm)
  for (const auto& [name, value] : with.limits) set_limit(request.rules.limit, name, value);
  return request;
}

Ran ran_of(const run::Outcome& outcome) {
  const Answer& answer = outcome.answer;
  Ran ran;
  ran.code = answer.error ? std::string(code_name(answer.error->code)) : "OK";
  if (answer.error) ran.message = answer.error->message(), ran.hint = answer.error->hint;
  ran.out = without_newline(answer.stdout_log);
  ran.err = without_newline(answer.stderr_log);
  ran.out_cut = answer.stdout_cut;
  ran.exit_status = answer.exit_status.value_or(-1);
  ran.data = dump_json(answer.data);
  for (const ShippedFile& file : answer.files)
    ran.files.push_back({file.path, file.content, file.mode, file.modified_us.value_or(-1)});
  ran.not_written = answer.not_written;
  for (const RefusedFile& file : answer.refused) ran.refused.push_back(file.path + ": " + file.reason);
  ran.removed = answer.removed;
  ran.mode_changed = answer.mode_changed;
  for (const RenamedFile& file : answer.renamed) ran.renamed.push_back(file.from + " to " + file.to);
  ran.unnamed = answer.unnamed;
  for (const LedgerEntry& entry : answer.ledger) ran.ledger += entry.kind + ": " + entry.text + "\n";
  ran.max_memory_bytes = answer.metrics.maxMemoryBytes;
  ran.slot_usable = outcome.dying.empty();
  ran.warm = answer.metrics.warm;
  return ran;
}

// Returns how much a token with a debt of kDebtUs at `since_us` was charged since then: each charged microsecond delays
// the time at which it has credit again by three microseconds.
constexpr std::int64_t kDebtUs = 100'000'000;
std::int64_t charged_us(run::Boosts& boosts, const std::string& token, std::int64_t since_us) {
  std::int64_t us = 0;
  const std::int64_t debt = kDebtUs - run::Boosts::kMostCreditUs;
  while (!boosts.allowed(token, since_us + (debt + us) * run::Boosts::kUsPerUs)) us += 1'000;
  return us;
}

void discard(std::unique_ptr<run::Prepared> made) {
  run::Dying dying;
  (void)run::discard(std::move(made), dying);
  while (!dying.gone(1'000)) {
  }
}

// With all_made_ahead, or a function to be called before the use: returns a sandbox made ahead, if the engine would
// make one for the request.
std::unique_ptr<run::Prepared> made_ahead(slot::Slot& slot, run::SlotMounts& mounts, const run::Site& site,
                                          const ExecRequest& request, const std::function<void()>& meanwhile) {
  if ((!all_made_ahead && !meanwhile) || !run::recipe_of("test", request)) return nullptr;
  const auto plan = policy::plan(request, site.config);
  if (!plan.ok()) return nullptr;  // the execution reports the error
  auto made = std::make_unique<run::Prepared>();
  Status status = slot.limit_memory(plan->limits.maxMemoryBytes, "test");
  const auto go_on = [] { return true; };
  run::StepClock clock;
  if (status.ok()) status = run::make(*made, {slot, mounts, site, *plan, clock, {}, request.takes_input(), go_on, {}});
  if (status.ok()) {
    ::usleep(10'000);  // long enough for band-init to wait
    if (meanwhile) meanwhile();
    if (run::is_current(*made, site, *plan)) return made;
    if (!meanwhile) throw std::runtime_error("a sandbox made ahead is not current");
  }
  discard(std::move(made));
  return nullptr;
}

Ran execute(slot::Slot& slot, run::SlotMounts& mounts, const std::string& script, const With& with) {
  auto ends = must(base::stream_pair());
  run::ReplyWriter reply(std::move(ends.first));
  std::string streamed;
  std::thread caller([&, peer = ends.second.get()] {
    char bytes[65536];
    for (ssize_t n = 0; (n = ::read(peer, bytes, sizeof bytes)) > 0;)
      streamed.append(bytes, static_cast<std::size_t>(n));
  });
  run::Cancellation cancellation;
  cancellation.event.reset(::eventfd(0, EFD_CLOEXEC));
  if (with.caller == Caller::Cancels) cancellation.cancel("the caller asked for it");
  if (with.caller == Caller::Goes) ::shutdown(ends.second.get(), SHUT_RDWR);
  run::Boosts boosts;
  run::Boost boost(boosts, slot, "test");
  const std::int64_t began = base::monotonic_us();
  boosts.charge("test", kDebtUs, began);  // for charged_us(): with a debt the maximum credit has no effect
  const run::Job job{must(random_hex(8)), "test", began, &cancellation, boost, mounts};
  run::Site site = World::get().site();
  policy::SiteConfig& config = site.config;
  if (!with.ceiling_read.empty()) config.ceiling.read.opened = {rule_set(with.ceiling_read)};
  for (Rule& rule : rule_set(with.ceiling_deny_read)) config.ceiling.read.deny.push_back(std::move(rule));
  for (Rule& rule : rule_set(with.ceiling_deny_write)) config.ceiling.write.deny.push_back(std::move(rule));
  for (const auto& [name, value] : with.ceiling_limits) set_limit(config.ceiling.limit, name, value);
  ExecRequest request = request_of(script, with);
  auto warm = made_ahead(slot, mounts, site, request, with.meanwhile);
  auto outcome = run::execute(slot, site, job, std::move(request), reply, std::move(warm));
  reply.finish(scaled(10'000));
  caller.join();
  Ran ran = ran_of(outcome);
  (void)boost.end();  // after a short script it has not ended yet
  ran.charged_us = charged_us(boosts, "test", began);
  ran.streamed = std::move(streamed);
  must(run::remove(std::move(outcome.rest)));  // as the engine does, in this order, before the slot is used again
  while (!outcome.dying.gone(1'000)) {
  }
  return ran;
}

std::string output_of(const std::vector<std::string>& argv) {
  int ends[2];
  REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
  base::Fd read(ends[0]), write(ends[1]), null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  base::Spawn what;
  what.argv = argv;
  what.env = {"PATH=" + World::get().probe_directory() + ":/usr/bin:/bin:/usr/sbin:/sbin", "LANG=C.UTF-8"};
  what.fds = {null.get(), write.get(), STDERR_FILENO};
  auto child = base::spawn(what);
  REQUIRE(child.ok());
  write.reset();
  auto text = base::read_all(read.get(), 64 << 20);
  child->wait(-1);
  REQUIRE(text.ok());
  return without_newline(*text);
}

}  // namespace

std::future<Ran> start(const std::string& script, const With& with, int slot) {
  Worker::Task task(
      [script, with](slot::Slot& place, run::SlotMounts& mounts) { return execute(place, mounts, script, with); });
  auto result = task.get_future();
  World::get().worker(slot).post(std::move(task));
  return result;
}

Ran run(const std::string& script, const With& with) { return start(script, with).get(); }

std::string inside(const std::string& script, const With& with) {
  const Ran ran = run(script, with);
  CHECK(ran.slot_usable);
  if (ran.code == "OK") return ran.out;
  return ran.code + " " + std::to_string(ran.exit_status) + ": " + ran.message + "\n" + ran.out + "\n" + ran.err;
}

std::string outside(const std::string& script) { return output_of({"/usr/bin/bash", "-c", kTry + script}); }

bool kernel_has(const std::string& script) {
  const std::string result = outside(script);
  return result != "refused EINVAL" && result != "refused ENOSYS";
}

std::string outside_as(uid_t user, const std::string& script) {
  const std::string id = std::to_string(user);
  return output_of(
      {"/usr/bin/setpriv", "--reuid", id, "--regid", id, "--clear-groups", "/usr/bin/bash", "-c", kTry + script});
}

uid_t slot_uid(int slot) { return World::get().uid(slot); }
std::string scratch() { return World::get().scratch(); }

namespace {

std::vector<pid_t> children_of(pid_t pid) {
  const std::string parent = std::to_string(pid);
  std::istringstream children(must(base::read_file("/proc/" + parent + "/task/" + parent + "/children", 4096)));
  return {std::istream_iterator<pid_t>(children), std::istream_iterator<pid_t>()};
}

}  // namespace

std::vector<pid_t> gateway_processes() { return children_of(World::get().gateway_pid()); }

pid_t zygote() {
  const std::vector<pid_t> started = children_of(World::get().zygote_pid());
  if (started.size() != 1) throw std::runtime_error("the zygote");
  return started[0];
}

std::vector<pid_t> view_processes() { return children_of(zygote()); }

Listener::Listener(Kind kind, const std::string& path) : path_(path) {
  sockaddr_storage own{};
  socklen_t size = sizeof(sockaddr_in);
  own.ss_family = kind == Tcp6 ? AF_INET6 : kind == Tcp || kind == Udp ? AF_INET : AF_UNIX;
  if (kind == Tcp6) size = sizeof(sockaddr_in6);
  if (own.ss_family == AF_UNIX) {
    auto* address = reinterpret_cast<sockaddr_un*>(&own);
    name_ = kind == Path ? path : "band-test-" + std::to_string(::getpid());
    std::memcpy(address->sun_path + (kind == Abstract ? 1 : 0), name_.data(), name_.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
  }
  fd_ = ::socket(own.ss_family, (kind == Udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
  REQUIRE(::bind(fd_, reinterpret_cast<const sockaddr*>(&own), size) == 0);
  if (kind != Udp) REQUIRE(::listen(fd_, 64) == 0);
  if (kind == Path) REQUIRE(::chmod(path.c_str(), 0777) == 0);
  socklen_t room = sizeof own;
  REQUIRE(::getsockname(fd_, reinterpret_cast<sockaddr*>(&own), &room) == 0);
  if (own.ss_family != AF_UNIX) name_ = std::to_string(ntohs(reinterpret_cast<const sockaddr_in*>(&own)->sin_port));
  if (kind != Udp) return;
  server_ = ::fork();
  for (; server_ == 0;) {  // answers every packet
    char bytes[64];
    room = sizeof own;
    const ssize_t n = ::recvfrom(fd_, bytes, sizeof bytes, 0, reinterpret_cast<sockaddr*>(&own), &room);
    if (n < 0 || ::getppid() == 1) ::_exit(0);
    ::sendto(fd_, bytes, static_cast<std::size_t>(n), 0, reinterpret_cast<const sockaddr*>(&own), room);
  }
}

Listener::~Listener() {
  ::close(fd_);
  if (!path_.empty()) ::unlink(path_.c_str());
  if (server_ > 0) {
    ::kill(server_, SIGKILL);
    ::waitpid(server_, nullptr, 0);
  }
}

With reading(const std::vector<std::string>& read, const std::vector<std::string>& deny) {
  With with;
  with.read = read;
  with.deny_read = deny;
  return with;
}

Directory::Directory(const std::string& path) : path_(path) {
  fs::create_directories("/srv");
  REQUIRE(::mkdtemp(path_.data()) != nullptr);
  REQUIRE(::chmod(path_.c_str(), 0755) == 0);
}

Directory::~Directory() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Mounted::Mounted(const std::string& type, const std::string& place) : place_(place) {
  scratch();  // makes the World and its mount namespace, if this was not done yet
  fs::create_directories(place);
  mounted_ = ::mount("band-test", place.c_str(), type.c_str(), 0, nullptr) == 0;
}

Mounted::~Mounted() {
  if (mounted_) ::umount2(place_.c_str(), MNT_DETACH);
}

std::string Directory::put(const std::string& name, const std::string& content, unsigned mode) const {
  std::string file = path_ + "/" + name;
  fs::create_directories(fs::path(file).parent_path());
  REQUIRE(base::write_file(file, content, mode).ok());
  return file;
}

}  // namespace band::test
