// A sandbox to try things in, and the machine outside of it for the control.
//
// Scripts, inside and outside, have `try COMMAND...`, which prints "did" or "refused: <what the command says>", and
// band-probe (tests/probes). Inside, band-probe is added to this test's own floor.
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
  std::int64_t modified_us = -1;  // -1: not known
};

// Whoever asked for an execution: he may have changed his mind before it begins.
enum class Caller { Waits, Cancels, Goes };

// What a band would say.
struct With {
  std::vector<std::string> read, write, deny_read, deny_write;
  std::vector<std::string> optional_read, optional_write;    // opened where they are there
  std::vector<std::string> ceiling_read, ceiling_deny_read;  // beside what the default ceiling denies
  std::vector<std::string> cli, deny_cli, insist_cli;
  std::vector<std::string> insist_read, insist_write;
  std::vector<std::string> net, deny_net, insist_net;  // what the operator opens is in sandbox.cc
  std::vector<File> files;                             // of the workspace
  std::vector<File> lib, skill_files;                  // of the skill; the script is test/promise
  std::map<std::string, std::string> secrets;          // variables of the script
  std::map<std::string, std::string> env;              // those that are no secrets
  std::map<std::string, std::int64_t> limits;          // by name: "maxRuntimeMs"
  Caller caller = Caller::Waits;
  bool keep_partial = false;
  bool output = true;  // false: the script writes $OUTPUT_PATH itself
  // The sandbox is made ahead, and this happens before it is used.
  std::function<void()> meanwhile;
};

With reading(const std::vector<std::string>& read, const std::vector<std::string>& deny = {});

// What came of it.
struct Ran {
  std::string code;  // "OK", or the error's: "TIMEOUT"
  std::string message, hint;
  std::string out, err;  // kept logs, without the last newline
  std::uint64_t out_cut = 0;
  int exit_status = -1;  // -1: did not run to its end
  std::string data;      // JSON
  std::vector<File> files;
  std::vector<std::string> not_written, removed, mode_changed;
  std::vector<std::string> renamed;  // "old to new"
  std::uint64_t unnamed = 0;
  std::string ledger;    // a line an entry
  std::string streamed;  // all that the caller was told meanwhile
  std::int64_t max_memory_bytes = 0;
  std::int64_t charged_us = 0;  // to its token, for the boost
  bool slot_usable = false;
  bool warm = false;  // in a sandbox that was made ahead
};

Ran run(const std::string& script, const With& with = {});
// What the script printed; how it failed instead, when it did not end well.
std::string inside(const std::string& script, const With& with = {});
// The same script outside, as root, or as an ordinary user.
std::string outside(const std::string& script);
std::string outside_as(uid_t user, const std::string& script);

// Not waited for; at most one at a time in each of the two slots.
std::future<Ran> start(const std::string& script, const With& with = {}, int slot = 0);
uid_t slot_uid(int slot = 0);
std::string scratch();  // a directory of this test program, root's and closed

// In a script: it stands still here until let_go(). `held` waits until the script of that slot has come here.
inline const std::string kHold = "sleep 271 || true; ";
bool held(int slot = 0);
bool heard(int slot = 0);  // and nothing that it has printed before waits to be read
void let_go(int slot = 0);

// Of this program's gateway: the processes that wait for an execution, and those that serve one.
std::vector<pid_t> gateway_processes();

// Processes of this user on the whole machine.
std::vector<pid_t> processes_of(uid_t user);
std::vector<pid_t> processes_of(uid_t user, const std::string& words);  // that have them in their command line
bool wait_until(int ms, const std::function<bool()>& holds);

// A listener of the machine, which answers; and a directory of the machine outside the reserved places.
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

// A new mount of a file system of that type, of this program and its slots only. Declared after the Directory that it
// is in: what is removed must no longer hold it.
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
