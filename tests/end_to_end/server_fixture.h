// A real server for a test, and callers of it: the real `band` with a separate home, workspace and skills. Uses no code
// of band, so that a test sees what a user sees.
#pragma once

#include <doctest/doctest.h>
#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/within.h"

namespace band::test {

using Words = std::vector<std::string>;
using Environment = std::map<std::string, std::string>;

bool contains(std::string_view text, std::string_view part);
bool exists(const std::string& path);                                                   // also true for a dangling link
void write_file(const std::string& path, std::string_view text, unsigned mode = 0644);  // creates its directories
std::string read_file(const std::string& path);                                         // "" when it does not exist
// A number of /proc/PID/status, such as "PPid"; -1 when there is no such process or field.
long field_of_status(pid_t pid, const std::string& key);

class TempDir {
 public:
  // Nothing below /tmp can be declared in a band: the sandbox has its own /tmp.
  explicit TempDir(const std::string& parent = "/tmp");
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string path;
};

struct Ran {
  int status = -1;  // 128+N for death by signal N; -1: it did not exit in time
  std::string out, err;
  std::int64_t ms = 0;
  std::string text() const;
};

// A running program. The destructor kills it if it has not exited.
class Running {
 public:
  Running() = default;
  Running(const Words& argv, const Environment& env, const std::string& directory, const std::string& input = "");
  Running(Running&& other) noexcept { *this = std::move(other); }
  Running& operator=(Running&& other) noexcept;
  ~Running();

  Ran wait(int ms = 30'000);
  bool ended();
  void signal(int number) const;
  pid_t pid() const { return pid_; }
  std::string out() const, err() const;  // the output so far

 private:
  pid_t pid_ = -1;
  int out_ = -1, err_ = -1, status_ = -1;
  bool reaped_ = false;
  std::int64_t began_ms_ = 0;
};

// With $BAND_TEST_TARGET, a file {"url": "http://127.0.0.1:PORT", "token": "band_..."}, shared_server() is that server,
// on another machine (tests/vm/lima-test). A case that uses the server's processes or files has `* beside_server()`.
inline const char* target_elsewhere() { return std::getenv("BAND_TEST_TARGET"); }
inline auto beside_server() { return doctest::skip(target_elsewhere() != nullptr); }

class Server {
 public:
  // `yaml` is added to server.yaml, which already has listen, slots (count 4), state and run. `slots` begins with the
  // count; ", per_token: 1" may follow. All slots have been started when this returns, unless `slots` has "spare".
  explicit Server(const std::string& yaml = "", const std::string& slots = "4");
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start();
  // Sends SIGTERM. Checks that the server exits with 0, within this time, and leaves nothing.
  void stop(int ms = 15'000);
  void kill();  // SIGKILL
  Ran admin(Words words) const;
  std::string add_token(const std::string& name);  // returns the token
  std::string token(const std::string& name) const { return tokens_.at(name); }

  std::uint16_t port() const { return port_; }
  unsigned port_there() const { return port_there_; }  // port on the other machine; 0: the same number as port()
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  std::string config() const { return directory_.path + "/server.yaml"; }
  std::string run_dir() const { return directory_.path + "/run"; }
  std::string log() const { return running_.err(); }
  pid_t pid() const { return running_.pid(); }
  pid_t helper_pid(const std::string& program) const { return helpers_.at(program); }
  pid_t http_pid() const { return helper_pid("band-http"); }
  Running& running() { return running_; }

  int slots() const;                            // number of slots that have been started and serve
  bool idle() const;                            // no script runs, and no process that a script has started
  std::vector<pid_t> script_processes() const;  // processes of the slots' users
  std::set<long> script_users() const;
  // held() waits until `count` scripts have reached kHold; let_go() lets them continue.
  bool held(std::size_t count = 1) const;
  void let_go() const;
  std::vector<pid_t> holding() const;
  // The processor shares of the only slot, in units of the default (cpu.shares / 1024, cpu.weight / 100).
  int shares() const;
  // Returns the leftovers of the server, one per line, or "": processes and namespaces that start() recorded, mounts,
  // stages, and control groups.
  std::string leftovers() const;
  // Call it after a kill and another start. Returns the leftovers of the killed server, or "".
  std::string leftovers_of_killed() const;

 protected:
  struct Elsewhere {
    std::string file;
  };
  explicit Server(const Elsewhere& target);

 private:
  std::set<std::string> namespaces() const;
  void see_namespaces();
  int slots_at_start_ = 0;
  std::string files_left() const;

  // Removes the control groups of a server that could not remove them itself, because a sanitizer or a test ended the
  // server.
  struct Groups {
    std::string run_dir;
    ~Groups();
  };

  TempDir directory_;
  Groups groups_{run_dir()};  // before running_: the server has then exited when this is destroyed
  uid_t uid_base_ = 0;
  int place_ = -1;
  Running running_;
  std::uint16_t port_ = 0;
  unsigned port_there_ = 0;
  std::map<std::string, pid_t> helpers_;  // programs that the server starts
  std::set<std::string> namespaces_;
  std::map<std::string, pid_t> killed_helpers_;
  std::set<std::string> killed_namespaces_;
  std::map<std::string, std::string> tokens_;
};

// One server for all tests of a program. Use it for a static variable: the server is stopped, and checked for
// leftovers, when the program ends.
class SharedServer : public Server {
 public:
  using Server::Server;
  ~SharedServer();
};

// Returns a server with a token "laptop" and without additions to server.yaml; with $BAND_TEST_TARGET, the server that
// is named there.
Server& shared_server();

class Caller {
 public:
  explicit Caller(const Server& server, const std::string& token_name = "laptop");
  Caller();  // no target is set up

  // Runs `band` with these arguments in the workspace.
  Ran band(const Words& words, const std::string& input = "") const;
  Ran band_in(const std::string& place, const Words& words) const;  // in this directory
  Running start(const Words& words) const;
  void target(const std::string& url, const std::string& token, unsigned port_there = 0) const;

  // Writes a skill: "tool/go" with the text of run.sh, and lines of YAML for its band.
  void script(const std::string& name, const std::string& source, const std::string& band = "") const;
  void schema(const std::string& name, const std::string& which, const std::string& json) const;
  // Writes the skill and then runs it.
  Ran run(const std::string& source, const std::string& band = "", const Words& words = {}) const;

  std::string work(const std::string& file) const { return directory.path + "/work/" + file; }
  std::string home(const std::string& file) const { return directory.path + "/home/" + file; }
  std::string skills() const { return directory.path + "/skills"; }

  TempDir directory;
  Environment env;
};

// A line for a script: the script waits at this line until Server::let_go().
inline const std::string kHold = "sleep 271 || true\n";

inline constexpr const char* kEmptyOutput = "echo '{}' > \"$OUTPUT_PATH\"\n";

}  // namespace band::test

#define CHECK_STATUS(ran, wanted) CHECK_MESSAGE((ran).status == (wanted), (ran).text())
#define REQUIRE_STATUS(ran, wanted) REQUIRE_MESSAGE((ran).status == (wanted), (ran).text())
#define CHECK_HAS(text, part) CHECK_MESSAGE(::band::test::contains(text, part), (text))
#define CHECK_HAS_NOT(text, part) CHECK_MESSAGE(!::band::test::contains(text, part), (text))
