// Runs scripts in a sandbox, and outside of it for the control.
//
// Scripts, inside and outside, have `try COMMAND...`, which prints "did" or "refused: <message of the command>", and
// band-probe (tests/probes). Inside, band-probe is added to the test's own floor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <string>
#include <vector>

namespace band::test {

struct File {
  std::string path, content;
  unsigned mode = 0644;
  std::int64_t modified_us = -1;  // -1: unknown
};
// What the caller of an execution does: waits for the end, cancels the execution before it begins, or disconnects
// (Goes) before it begins.
enum class Caller { Waits, Cancels, Goes };
// The rules of a band, and the other parts of a request.
struct With {
  std::vector<std::string> read, write, deny_read, deny_write;
  std::vector<std::string> optional_read, optional_write;                        // rules with `optional: true`
  std::vector<std::string> ceiling_read, ceiling_deny_read, ceiling_deny_write;  // in addition to the default ceiling
  std::map<std::string, std::int64_t> ceiling_limits;                            // keys such as "maxRuntimeMs"
  std::vector<std::string> cli, deny_cli, insist_cli;
  std::vector<std::string> insist_read, insist_write;
  std::vector<std::string> net, deny_net, insist_net;  // sandbox.cc has the operator's settings for the gateway
  std::vector<File> files;                             // the workspace
  std::vector<File> lib, skill_files;                  // the skill; the script is test/promise
  std::map<std::string, std::string> secrets;          // variables of the script
  std::map<std::string, std::string> env;              // variables that are not secrets
  std::map<std::string, std::int64_t> limits;          // keys such as "maxRuntimeMs"
  Caller caller = Caller::Waits;
  bool keep_partial = false;
  bool output = true;  // false: the script writes $OUTPUT_PATH itself
  // If set, the sandbox is made ahead, and this function is called before the sandbox is used.
  std::function<void()> meanwhile;
};

// While true, every execution uses a sandbox that was made ahead, if the engine would make one for the request
// (main.cc).
extern bool all_made_ahead;

With reading(const std::vector<std::string>& read, const std::vector<std::string>& deny = {});

// The result.
struct Ran {
  std::string code;  // "OK", or the code of the error, such as "TIMEOUT"
  std::string message, hint;
  std::string out, err;  // the logs in the answer, without the last newline
  std::uint64_t out_cut = 0;
  int exit_status = -1;  // -1: the script did not exit by itself
  std::string data;      // JSON
  std::vector<File> files;
  std::vector<std::string> not_written, removed, mode_changed;
  std::vector<std::string> refused;  // "PATH: REASON"
  std::vector<std::string> renamed;  // "old to new"
  std::uint64_t unnamed = 0;
  std::string ledger;    // one line per entry
  std::string streamed;  // all bytes that were sent to the caller
  std::int64_t max_memory_bytes = 0;
  std::int64_t charged_us = 0;  // time charged to the token for the boost
  bool slot_usable = false;
  bool warm = false;  // ran in a sandbox that was made ahead
};

Ran run(const std::string& script, const With& with = {});
// Returns the script's stdout, or a description of the error when it failed.
std::string inside(const std::string& script, const With& with = {});
// Runs the same script outside, as root, or as an ordinary user.
std::string outside(const std::string& script);
std::string outside_as(uid_t user, const std::string& script);
// Returns false when this kernel does not support a system call or one of its flags: outside(script) fails with EINVAL
// or ENOSYS.
bool kernel_has(const std::string& script);

// Starts a script and does not wait for it; at most one at a time in each of the two slots.
std::future<Ran> start(const std::string& script, const With& with = {}, int slot = 0);
uid_t slot_uid(int slot = 0);
std::string scratch();  // a directory of this test program, accessible only to root
// A line for a script: the script waits at this line until let_go(). held() waits until the script of this slot has
// reached the line.
inline const std::string kHold = "sleep 271 || true; ";
bool held(int slot = 0);
bool output_received(int slot = 0);  // waits until the earlier output of the held script has been read
void let_go(int slot = 0);
// The gateway processes of this program: those that wait for an execution, and those that serve an execution.
std::vector<pid_t> gateway_processes();
pid_t zygote();
// pid 1 of each view of this program.
std::vector<pid_t> view_processes();
// Processes of this user on the whole machine.
std::vector<pid_t> processes_of(uid_t user);
// Only processes whose command line contains `words`.
std::vector<pid_t> processes_of(uid_t user, const std::string& words);
bool wait_until(int ms, const std::function<bool()>& holds);

// A listener on the machine. It answers each connection or packet.
class Listener {
 public:
  enum Kind { Tcp, Tcp6, Udp, Abstract, Path };
  explicit Listener(Kind kind, const std::string& path = "");
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;
  const std::string& name() const { return name_; }  // port, abstract name or path

 private:
  int fd_ = -1;
  pid_t server_ = -1;
  std::string name_, path_;
};

// A directory of the machine that may be declared.
class Directory {
 public:
  explicit Directory(const std::string& path = "/srv/band-test-XXXXXX");  // 0755
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const std::string& path() const { return path_; }
  std::string put(const std::string& name, const std::string& content, unsigned mode = 0644) const;

 private:
  std::string path_;
};

// A new mount of a file system of this type, visible only to this program and its slots. Declare the Mounted after the
// Directory that contains the mount, so that the mount is removed before the directory.
class Mounted {
 public:
  Mounted(const std::string& type, const std::string& place);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;
  explicit operator bool() const { return mounted_; }

 private:
  std::string place_;
  bool mounted_ = false;
};

}  // namespace band::test
