#include "tests/end_to_end/server_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

namespace band::test {

long field_of_status(pid_t pid, const std::string& key) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.rfind(key + ":", 0) == 0) return std::stol(line.substr(key.size() + 1));
  return -1;
}

namespace {

namespace fs = std::filesystem;

constexpr uid_t kFirstUid = 1'900'000'000;
constexpr uid_t kUidsPerServer = 64, kPlaces = 64;

// Servers of other test programs and other builds run at the same time: each takes the first free place of its build.
// Users and state directory belong to the place, so a floor (which names the users) is built once.
int claim_place(const std::string& state, uid_t& uid_base) {
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char c : state) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  for (unsigned place = 0; place < kPlaces; ++place) {
    const std::string file = state + "/" + std::to_string(place) + ".lock";
    const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE_MESSAGE(fd >= 0, file);
    uid_base = kFirstUid + (static_cast<uid_t>(hash % 10'000) * kPlaces + place) * kUidsPerServer;
    if (::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
    ::close(fd);
  }
  FAIL("no free place for a test's server");
  return -1;
}

void need_users() {
  for (const std::string user : {"band-http", "band-gateway", "band-runner"})
    if (::getpwnam(user.c_str()) == nullptr)
      FAIL("this machine has no user ", user,
           ": start the test with `tools/test REGEX`, which creates the users that a ",
           "server needs and removes them, or create them with `useradd --system ", user, "`");
}

std::string state_directory() {
  fs::create_directories(BAND_BIN_DIR "/../test-state");
  return fs::canonical(BAND_BIN_DIR "/../test-state");
}

std::string content_of(int fd) {
  std::string text;
  char bytes[65536];
  for (ssize_t n; (n = ::pread(fd, bytes, sizeof bytes, static_cast<off_t>(text.size()))) > 0;)
    text.append(bytes, static_cast<std::size_t>(n));
  return text;
}

std::string link_text(const fs::path& path) {
  std::error_code failed;
  return fs::read_symlink(path, failed).string();
}

template <class Look>
void each_process(Look look) {
  std::error_code failed;
  for (fs::directory_iterator it("/proc", failed), end; !failed && it != end; it.increment(failed)) {
    const std::string name = it->path().filename();
    if (name.find_first_not_of("0123456789") == std::string::npos) look(std::stoi(name));
  }
}

pid_t child_named(pid_t parent, const std::string& program) {
  pid_t found = -1;
  each_process([&](pid_t pid) {
    if (field_of_status(pid, "PPid") == parent &&
        contains(read_file("/proc/" + std::to_string(pid) + "/comm"), program))
      found = pid;
  });
  return found;
}

// Returns true for another test or a process of it, and for a process of a server that runs. Tests run in parallel, and
// the kernel uses the numbers of namespaces again.
bool of_another(pid_t process) {
  bool of_test = false;
  pid_t pid = process;
  for (; pid > 1; pid = static_cast<pid_t>(field_of_status(pid, "PPid"))) {
    if (pid == ::getpid()) return false;
    const std::string name = read_file("/proc/" + std::to_string(pid) + "/comm");
    if (name == "band-server\n" && pid != process) return true;
    of_test = of_test || name.starts_with("test_");
  }
  return of_test || pid < 0;  // < 0: it has exited
}

// Returns what is left of a server with these helpers and slot namespaces.
std::string processes_in(const std::map<std::string, pid_t>& helpers, const std::set<std::string>& namespaces) {
  std::string left;
  for (const auto& [name, pid] : helpers)
    if (contains(read_file("/proc/" + std::to_string(pid) + "/comm"), name)) left += name + "\n";
  each_process([&](pid_t pid) {
    for (const char* kind : {"/ns/net", "/ns/mnt"})
      if (const std::string text = link_text("/proc/" + std::to_string(pid) + kind);
          namespaces.count(text) != 0 && !of_another(pid))
        left += "process " + std::to_string(pid) + " in " + text + "\n";
  });
  return left;
}

// Returns the control groups of the server with this run directory: one for each hierarchy that it uses.
std::vector<std::string> groups_of(const std::string& run_dir) {
  std::vector<std::string> groups;
  struct stat lock {};
  if (::stat((run_dir + "/server.pid").c_str(), &lock) != 0) return groups;
  const std::string name = "band-" + std::to_string(lock.st_dev) + "-" + std::to_string(lock.st_ino) + "-";
  std::error_code failed;
  for (const char* root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/pids", "/sys/fs/cgroup"})
    for (const auto& entry : fs::directory_iterator(root, failed))
      if (entry.path().filename().string().starts_with(name)) groups.push_back(entry.path());
  return groups;
}

}  // namespace

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

void write_file(const std::string& path, std::string_view text, unsigned mode) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
  REQUIRE_MESSAGE(::chmod(path.c_str(), mode) == 0, path);
}

std::string read_file(const std::string& path) {
  std::error_code failed;
  if (fs::is_directory(path, failed)) return "";
  std::ifstream file(path, std::ios::binary);
  try {
    return {std::istreambuf_iterator<char>(file), {}};
  } catch (const std::ios_base::failure&) {
    return "";  // a file of /proc whose process has exited since the open: read(2) fails with ESRCH
  }
}

namespace {
std::string new_directory(std::string path) {
  if (::mkdtemp(path.data()) == nullptr)
    throw fs::filesystem_error("mkdtemp", std::error_code(errno, std::system_category()));
  ::chmod(path.c_str(), 0755);  // users of scripts must be able to enter it
  return path;
}
}  // namespace

TempDir::TempDir(const std::string& parent) : path(new_directory(parent + "/band-test-XXXXXX")) {}
TempDir::~TempDir() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

std::string Ran::text() const {
  return "status " + std::to_string(status) + " after " + std::to_string(ms) + " ms\nstdout: " + out.substr(0, 4000) +
         "\nstderr: " + err.substr(0, 4000);
}

// ---- Running ------------------------------------------------------------------------------------------------------

Running::Running(const Words& argv, const Environment& env, const std::string& directory, const std::string& input)
    : began_ms_(now_ms()) {
  out_ = ::memfd_create("out", MFD_CLOEXEC);
  err_ = ::memfd_create("err", MFD_CLOEXEC);
  const int in = ::memfd_create("in", MFD_CLOEXEC);
  REQUIRE(::pwrite(in, input.data(), input.size(), 0) == static_cast<ssize_t>(input.size()));
  std::vector<std::string> variables;
  for (const auto& [name, value] : env) variables.emplace_back(name).append("=").append(value);
  std::vector<char*> words, values;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  for (std::string& value : variables) values.push_back(value.data());
  words.push_back(nullptr);
  values.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // a test that crashes leaves no server
    ::dup2(in, 0);
    ::dup2(out_, 1);
    ::dup2(err_, 2);
    if (::chdir(directory.c_str()) == 0) ::execve(words[0], words.data(), values.data());
    ::_exit(127);
  }
  ::close(in);
  REQUIRE(pid_ > 0);
}

Running& Running::operator=(Running&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(out_, other.out_);
  std::swap(err_, other.err_);
  std::swap(status_, other.status_);
  std::swap(reaped_, other.reaped_);
  std::swap(began_ms_, other.began_ms_);
  return *this;
}

Running::~Running() {
  if (pid_ > 0 && !ended()) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  if (out_ >= 0) ::close(out_);
  if (err_ >= 0) ::close(err_);
}

bool Running::ended() {
  int status = 0;
  if (!reaped_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    reaped_ = true;
    status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  return reaped_;
}

void Running::signal(int number) const { REQUIRE(::kill(pid_, number) == 0); }
std::string Running::out() const { return content_of(out_); }
std::string Running::err() const { return content_of(err_); }

Ran Running::wait(int ms) {
  (void)within(ms, [&] { return ended(); });
  return {status_, out(), err(), now_ms() - began_ms_};
}

// ---- Server -------------------------------------------------------------------------------------------------------

Server::Server(const std::string& yaml, const std::string& slots) {
  need_users();
  const std::string state = state_directory();
  place_ = claim_place(state, uid_base_);
  // The floor has as many users as there are slots.
  const std::string own = state + "/" + std::to_string(uid_base_) + "-" + std::to_string(std::stoi(slots));
  fs::create_directories(own);
  if (!contains(slots, "spare")) slots_at_start_ = std::stoi(slots);
  const std::string spare = slots_at_start_ > 0 ? ", spare: " + std::to_string(slots_at_start_) : "";
  write_file(directory_.path + "/server.yaml", "listen: 127.0.0.1:0\nslots: {count: " + slots + spare +
                                                   ", uid_base: " + std::to_string(uid_base_) + "}\nstate: " + own +
                                                   "\nrun: " + run_dir() + "\n" + yaml);
  add_token("laptop");
  start();
}

Server::Server(const Elsewhere& target) {
  const std::string text = read_file(target.file);
  std::smatch url, token;
  const bool found = std::regex_search(text, url, std::regex("\"http://127\\.0\\.0\\.1:([0-9]+)\"")) &&
                     std::regex_search(text, token, std::regex("\"(band_[^\"]+)\""));
  REQUIRE_MESSAGE(found, target.file);
  port_ = static_cast<std::uint16_t>(std::stoi(url[1]));
  tokens_["laptop"] = token[1];
  if (std::smatch there; std::regex_search(text, there, std::regex("\"serverPort\": ?([0-9]+)")))
    port_there_ = static_cast<unsigned>(std::stoi(there[1]));
}

Server::~Server() {
  if (running_.pid() > 0 && !running_.ended()) {
    ::kill(running_.pid(), SIGTERM);
    (void)running_.wait(10'000);
  }
  ::close(place_);
}

Ran Server::admin(Words words) const {
  words.insert(words.begin(), BAND_BIN_DIR "/band-server");
  words.insert(words.end(), {"--config", directory_.path + "/server.yaml"});
  return Running(words, {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}, "/").wait();
}

std::string Server::add_token(const std::string& name) {
  const Ran added = admin({"token", "add", name});
  const std::size_t from = added.out.find("\"band_");
  REQUIRE_MESSAGE((added.status == 0 && from != std::string::npos), added.text());
  return tokens_[name] = added.out.substr(from + 1, added.out.find('"', from + 1) - from - 1);
}

void Server::start() {
  running_ = Running({BAND_BIN_DIR "/band-server", "serve", "--config", directory_.path + "/server.yaml"},
                     {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}}, "/");
  const std::string file = run_dir() + "/port";
  ::unlink(file.c_str());  // from a killed server
  const bool up = within(20'000, [&] { return running_.ended() || !read_file(file).empty(); });
  REQUIRE_MESSAGE((up && !running_.ended()), "band-server does not start: " << log());
  port_ = static_cast<std::uint16_t>(std::stoi(read_file(file)));
  for (const std::string name : {"band-http", "band-gateway", "bwrap"}) helpers_[name] = child_named(pid(), name);
  helpers_["band-zygote"] = child_named(helpers_["bwrap"], "band-zygote");
  for (const auto& helper : helpers_) REQUIRE_MESSAGE(helper.second > 0, helper.first);
  const bool started = within(20'000, [&] { return slots() >= slots_at_start_; });
  REQUIRE_MESSAGE(started, log());
  namespaces_.clear();
  see_namespaces();
  REQUIRE(namespaces_.size() >= 2);  // a network and a mount namespace for each slot
}

// Counts the slots that serve: threads of the server that have got their final name.
int Server::slots() const {
  int count = 0;
  std::error_code failed;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid()) + "/task", failed))
    if (read_file(task.path() / "comm").starts_with("slot-")) ++count;
  return count;
}

// Slots may be started while the server runs.
void Server::see_namespaces() { namespaces_.merge(namespaces()); }

void Server::stop(int ms) {
  see_namespaces();
  running_.signal(SIGTERM);
  const Ran ended = running_.wait(ms);
  CHECK_MESSAGE(ended.status == 0, ended.text());
  const bool clean = within(4'000, [&] { return leftovers().empty(); });
  CHECK_MESSAGE(clean, leftovers());
}

void Server::kill() {
  see_namespaces();
  running_.signal(SIGKILL);
  REQUIRE(running_.wait(20'000).status == 128 + SIGKILL);
  killed_helpers_ = helpers_;
  killed_namespaces_ = namespaces_;
}

bool Server::idle() const {
  if (target_elsewhere() == nullptr) return script_processes().empty();
  const std::string status = Caller(*this).band({"status", "--json"}).out;
  std::smatch total, free;
  return std::regex_search(status, total, std::regex("\"total\": ?([0-9]+)")) &&
         std::regex_search(status, free, std::regex("\"free\": ?([0-9]+)")) && total[1] == free[1];
}

std::vector<pid_t> Server::script_processes() const {
  if (target_elsewhere() != nullptr)  // no REQUIRE: this is also called after doctest has ended
    FAIL("this case uses the server's processes: TEST_CASE(... * beside_server())");
  std::vector<pid_t> found;
  each_process([&](pid_t pid) {
    const long uid = field_of_status(pid, "Uid");
    const bool of_slot =
        uid >= static_cast<long>(uid_base_) && uid < static_cast<long>(uid_base_) + static_cast<long>(kUidsPerServer);
    // A process that waits in a warm sandbox belongs to band; execve(2) turns it into a script.
    if (of_slot && read_file("/proc/" + std::to_string(pid) + "/comm") != "band-init\n") found.push_back(pid);
  });
  return found;
}

std::set<long> Server::script_users() const {
  std::set<long> users;
  for (const pid_t pid : script_processes())
    if (const long uid = field_of_status(pid, "Uid"); uid > 0) users.insert(uid);
  return users;
}

std::vector<pid_t> Server::holding() const {
  std::vector<pid_t> found = script_processes();
  const std::string words = std::string("sleep") + '\0' + "271" + '\0';
  std::erase_if(found, [&](pid_t pid) { return read_file("/proc/" + std::to_string(pid) + "/cmdline") != words; });
  return found;
}

bool Server::held(std::size_t count) const {
  return within(20'000, [&] { return holding().size() == count; });
}

void Server::let_go() const {
  const std::vector<pid_t> all = holding();
  for (const pid_t pid : all) ::kill(pid, SIGKILL);
  // Waits until they have exited, so that held() does not find them again.
  for (const pid_t pid : all) REQUIRE(within(5'000, [&] { return ::kill(pid, 0) != 0; }));
}

// Returns the network and mount namespaces of the slots, which are threads of the server.
std::set<std::string> Server::namespaces() const {
  std::set<std::string> found;
  std::error_code failed;
  for (const auto& task : fs::directory_iterator("/proc/" + std::to_string(pid()) + "/task", failed))
    for (const char* kind : {"ns/net", "ns/mnt"}) {
      const std::string text = link_text(task.path() / kind);
      if (text != link_text(std::string("/proc/self/") + kind)) found.insert(text);
    }
  return found;
}

Server::Groups::~Groups() {
  for (const std::string& group : groups_of(run_dir)) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(group, ignored)) ::rmdir(entry.path().c_str());
    ::rmdir(group.c_str());
  }
}

std::string Server::files_left() const {
  std::string left;
  std::error_code failed;
  for (const auto& entry : fs::recursive_directory_iterator(run_dir() + "/stage", failed))
    if (!entry.is_directory(failed)) left += entry.path().string() + "\n";  // empty mount points may remain
  if (contains(read_file("/proc/self/mountinfo"), directory_.path)) left += "a mount\n";
  return left;
}

int Server::shares() const {
  int shares = 0;
  for (const std::string& group : groups_of(run_dir()))
    for (const auto& slot : fs::directory_iterator(group))
      for (const auto& [name, usual] : {std::pair("cpu.shares", 1024), std::pair("cpu.weight", 100)}) {
        int value = 0;
        if (std::ifstream(slot.path() / name) >> value) shares = value / usual;
      }
  return shares;
}

std::string Server::leftovers() const {
  std::string left = files_left() + processes_in(helpers_, namespaces_);
  for (const pid_t pid : script_processes()) left += "process " + std::to_string(pid) + "\n";
  if (exists(run_dir() + "/port")) left += "the port file\n";
  for (const std::string& group : groups_of(run_dir())) left += "cgroup " + group + "\n";
  return left;
}

std::string Server::leftovers_of_killed() const {
  std::string left = files_left() + processes_in(killed_helpers_, killed_namespaces_);
  // The new server's own groups exist; no process of the old one is in them, and no slot is left over.
  for (const pid_t pid : script_processes()) left += "process " + std::to_string(pid) + "\n";
  const auto groups = groups_of(run_dir());
  if (groups.empty()) left += "no cgroup\n";
  for (const std::string& group : groups) {
    std::error_code failed;
    int slots = 0;
    for (const auto& entry : fs::directory_iterator(group, failed)) slots += entry.is_directory(failed) ? 1 : 0;
    if (slots != 4) left += std::to_string(slots) + " slots' cgroups in " + group + "\n";
  }
  return left;
}

SharedServer::~SharedServer() {
  ::kill(pid(), SIGTERM);
  const Ran ended = running().wait(15'000);
  const bool clean = within(4'000, [&] { return leftovers().empty(); });
  if (ended.status == 0 && clean) return;
  std::fprintf(stderr, "the shared server failed when it stopped: %s\nleft: %s\n", ended.text().c_str(),
               leftovers().c_str());
  std::error_code ignored;
  fs::remove_all(fs::path(run_dir()).parent_path(), ignored);
  ::_exit(1);
}

Server& shared_server() {
  if (const char* file = target_elsewhere()) {
    struct Other : Server {
      explicit Other(const char* path) : Server(Elsewhere{path}) {}
    };
    static Other other(file);
    return other;
  }
  static SharedServer server;
  return server;
}

}  // namespace band::test
