// Which accesses count as read and as written by an execution: real files and mounts, with shells that play the script.
#include "server/evidence/file_witness.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/view/declared.h"
#include "server/view/mounts.h"
#include "tests/kernel/own_mounts.h"
#include "tests/kernel/shell.h"

using namespace band;
using namespace band::test;
using run::FileWitness;

namespace {

namespace fs = std::filesystem;

constexpr view::Who kNobody{65534, 65534};

// A tmpfs with files of the machine, a workspace, and the roots of two views.
class Machine {
 public:
  Machine() {
    static const bool ready = own_mounts();
    REQUIRE(ready);
    REQUIRE(::mkdtemp(place_.data()) != nullptr);
    REQUIRE(::chmod(place_.c_str(), 0755) == 0);
    REQUIRE(mount_tmpfs(place_));
    unmount_ = base::Undo([this] {
      ::umount2(place_.c_str(), MNT_DETACH);
      ::rmdir(place_.c_str());
    });
    for (const char* name : {"files", "workspace", "script", "commands"})
      REQUIRE(::mkdir((place_ + "/" + name).c_str(), 0755) == 0);
    REQUIRE(::chmod(files().c_str(), 0777) == 0);
    for (const std::string& directory : {files(), workspace()}) {
      put(directory + "/a", "alpha");
      put(directory + "/b", "beta");
    }
  }
  static void put(const std::string& path, const std::string& content) {
    REQUIRE(base::write_file(path, content, 0666).ok());
    REQUIRE(::chmod(path.c_str(), 0666) == 0);
  }
  std::string files() const { return place_ + "/files"; }
  std::string workspace() const { return place_ + "/workspace"; }
  std::string root(const std::string& view) const { return place_ + "/" + view; }
  std::string in(const std::string& view) const { return root(view) + files(); }  // the files in that view

 private:
  std::string place_ = "/srv/band-witness-XXXXXX";
  base::Undo unmount_;
};

// The insists: names of files of the machine (read, write) and of the workspace (shipped).
struct Insist {
  std::vector<std::string> read = {}, write = {}, shipped = {};
  bool writable = false;  // all files of the machine
};

Rules rules_of(const Machine& machine, const Insist& insist) {
  const auto rule = [](const std::string& pattern) { return Rule{pattern, "BAND.md:1"}; };
  Rules rules;
  rules.read.opened = {{rule(machine.files() + "/**"), rule("./**")}};
  if (insist.writable || !insist.write.empty()) rules.write.opened = {{rule(machine.files() + "/**")}};
  for (const std::string& name : insist.read) rules.read.insist.push_back(rule(machine.files() + "/" + name));
  for (const std::string& name : insist.write) rules.write.insist.push_back(rule(machine.files() + "/" + name));
  for (const std::string& name : insist.shipped) rules.read.insist.push_back(rule("./" + name));
  return rules;
}

// The parts of an execution that a witness uses.
class Execution {
 public:
  Execution(const Machine& machine, const Insist& insist) : machine_(machine), rules_(rules_of(machine, insist)) {
    auto opened = run::Record::open(rules_, mask_, reply_, 0);
    REQUIRE(opened.ok());
    record_.emplace(std::move(*opened));
    auto declared = view::open_declared(rules_, {}, kNobody, go_on_);
    REQUIRE(declared.ok());
    declared_ = std::move(*declared);
  }
  Status call() {
    auto called = FileWitness::call(
        {rules_, workspace_.get(), declared_.mounts, declared_.links, shipped_, kNobody, go_on_, *record_});
    if (!called.ok()) return called.error();
    witness = std::move(*called);
    return done();
  }
  // Attaches the declared mounts in the script's view, or later in the command view.
  void show(const std::string& view) {
    const base::Fd root = root_of(view);
    for (const view::DeclaredMount& mount : declared_.mounts) {
      REQUIRE(view::make_directories(root.get(), mount.place()).ok());
      auto clone = view == "script" ? Result<base::Fd>(base::Fd()) : view::clone_tree(mount.tree.get(), false);
      REQUIRE(clone.ok());
      REQUIRE(view::attach(*clone ? clone->get() : mount.tree.get(), root.get(), mount.place()).ok());
    }
  }
  Status enter(const std::string& view) { return witness->enter(root_of(view).get()); }
  void begin() {
    REQUIRE(call().ok());
    show("script");
    REQUIRE(enter("script").ok());
  }
  // Called when all processes have exited. Returns the ledger, followed by "met" or "unmet".
  std::string end() {
    if (const Status finished = witness->finish(); !finished.ok()) return finished.error().message();
    return recorded_text();
  }
  std::string recorded_text() {
    std::string text;
    for (const LedgerEntry& entry : record_->ledger().release()) text += entry.text + "; ";
    for (std::size_t at = 0; (at = text.find(machine_.files())) != std::string::npos;)
      text.replace(at, machine_.files().size(), "M");
    return text + (record_->insists().judge().ok() ? "met" : "unmet");
  }
  std::string why() { return record_->insists().judge().error().message(); }
  void stop_waiting() { wanted_ = false; }
  bool is_told_something() const {
    pollfd one{witness->fd(), POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
  }

  std::unique_ptr<FileWitness> witness;

 private:
  base::Fd root_of(const std::string& view) const {
    return base::Fd(::open(machine_.root(view).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  }

  const Machine& machine_;
  const Rules rules_;
  const run::Mask mask_;
  run::ReplyWriter reply_;
  std::optional<run::Record> record_;
  bool wanted_ = true;
  const std::function<bool()> go_on_ = [this] { return wanted_; };
  view::Declared declared_;
  base::Fd workspace_{::open(machine_.workspace().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  const std::vector<ShippedFile> shipped_ = {{"a", 0644, "alpha"}, {"b", 0644, "beta"}};
};

// Runs a script in the directory of the machine's files in its view, and returns end().
std::string after(const std::string& script, const Insist& insist) {
  const Machine machine;
  Execution execution(machine, insist);
  execution.begin();
  shell(machine.in("script"), script);
  return execution.end();
}

std::string after_shipped(const std::string& script, const std::vector<std::string>& insist) {
  const Machine machine;
  Execution execution(machine, {.shipped = insist});
  execution.begin();
  shell(machine.workspace(), script);
  return execution.end();
}

}  // namespace

TEST_CASE("for rules without an insist on files, no FileWitness is made") {
  const Machine machine;
  Execution nothing(machine, {});
  REQUIRE(nothing.call().ok());
  CHECK(nothing.witness == nullptr);
  Execution something(machine, {.read = {"a"}});
  REQUIRE(something.call().ok());
  CHECK(something.witness != nullptr);
}

TEST_CASE("a read before the execution entered the view does not count, and the same read after that counts") {
  const Machine machine;
  Execution execution(machine, {.read = {"a"}});
  REQUIRE(execution.call().ok());
  execution.show("script");
  shell(machine.in("script"), "cat a");
  REQUIRE(execution.enter("script").ok());
  CHECK_FALSE(execution.is_told_something());
  SUBCASE("before") { CHECK(execution.end() == "unmet"); }
  SUBCASE("after") {
    shell(machine.in("script"), "cat a");
    CHECK(execution.is_told_something());
    CHECK(execution.end() == "read M/a; met");
  }
}

TEST_CASE(
    "a file counts as read when it is opened for reading, also under a later name, and is reported once, by its first "
    "name") {
  for (const char* script : {"cat a", ": <a", "cat a a a", "mv a c; cat c", "ln a c; rm a; cat c", "mv a b; cat b",
                             "cat a; echo x >>a", "cat a; rm a", "(kill -9 $BASHPID) <a; :", "mv a c; cat c; mv b a"}) {
    CAPTURE(script);
    CHECK(after(script, {.read = {"a"}, .writable = true}) == "read M/a; met");
  }
}

TEST_CASE(
    "a file does not count as read if it was not opened for reading, if it is another inode, or if it was changed "
    "before") {
  for (const char* script :
       {"true", "stat a; test -r a; ls", "touch a", ": >>a", "chmod 600 a", "mv a c", "cat b", "mv b a; cat a",
        "ln -f b a; cat a", "cp b c; mv c a; cat a", "rm a; echo alpha >a; cat a", "echo x >a; cat a",
        "echo x >>a; cat a", ": >a; cat a", "truncate -s 2 a; cat a", "echo x >>a; mv a c; cat c"}) {
    CAPTURE(script);
    CHECK(after(script, {.read = {"a"}, .writable = true}) == "unmet");
  }
}

TEST_CASE("the error names the nearest file that was read and does not count") {
  const Machine machine;
  Execution execution(machine, {.read = {"a"}});
  execution.begin();
  shell(machine.in("script"), "cat b");
  CHECK(execution.end() == "unmet");
  CHECK(execution.why().find("nearest: " + machine.in("script") + "/b") != std::string::npos);
}

TEST_CASE("a read of a file with two names counts for both names, and not for another file") {
  const Machine machine;
  fs::create_hard_link(machine.files() + "/a", machine.files() + "/z");
  Execution both(machine, {.read = {"a", "z"}});
  both.begin();
  shell(machine.in("script"), "cat z");
  CHECK(both.end() == "read M/a; read M/z; met");
  CHECK(after("cat a", {.read = {"a", "b"}}) == "read M/a; unmet");
  CHECK(after("cat b a", {.read = {"a", "b"}}) == "read M/b; read M/a; met");
}

TEST_CASE("only accesses through the views of the script and of its commands count") {
  const Machine machine;
  Execution execution(machine, {.read = {"a"}});
  execution.begin();
  execution.show("commands");
  shell(machine.files(), "cat a");                                  // the machine's own path
  shell(machine.in("commands"), "cat a");                           // a view that was not entered yet
  REQUIRE(base::read_file(machine.in("script") + "/a", 100).ok());  // the server itself
  REQUIRE(execution.enter("commands").ok());
  CHECK(execution.witness->on_readable().ok());
  SUBCASE("no access through a view") { CHECK(execution.end() == "unmet"); }
  SUBCASE("the script") {
    shell(machine.in("script"), "cat a");
    CHECK(execution.end() == "read M/a; met");
  }
  SUBCASE("a command") {
    shell(machine.in("commands"), "cat a");
    CHECK(execution.end() == "read M/a; met");
  }
}

TEST_CASE("a view without one of the declared mounts cannot be entered") {
  const Machine machine;
  Execution execution(machine, {.read = {"a"}});
  REQUIRE(execution.call().ok());
  CHECK_FALSE(execution.enter("script").ok());
  execution.show("script");
  CHECK(execution.enter("script").ok());
}

TEST_CASE("a read of a shipped file counts for the inode of the file, and only before the file is changed") {
  for (const char* script : {"cat a", ": <a", "mv a c; cat c", "cat a; echo x >a", "mv a b; cat b"}) {
    CAPTURE(script);
    CHECK(after_shipped(script, {"a"}) == "read a; met");
  }
  for (const char* script : {"true", "stat a; touch a; ls", ": >>a", "cat b", "mv b a; cat a", "echo x >a; cat a",
                             "truncate -s 2 a; cat a", "rm a; echo alpha >a; cat a"}) {
    CAPTURE(script);
    CHECK(after_shipped(script, {"a"}).ends_with("unmet"));
  }
  CHECK(after_shipped("cat b a", {"a", "b"}) == "read b; read a; met");
}

TEST_CASE("the error states why a shipped file does not count") {
  const Machine machine;
  Execution execution(machine, {.shipped = {"a"}});
  execution.begin();
  shell(machine.workspace(), "echo x >a; cat a");
  CHECK(execution.end() == "unmet");
  CHECK(execution.why().find("nearest: ./a, which was changed before it was read") != std::string::npos);
}

TEST_CASE("a file of the machine counts as written when an access through a view created it or changed its content") {
  for (const char* script : {"echo x >a", "printf ALPHA >a", "echo x >>a", ": >a", "echo x >c; mv c a",
                             "rm a; echo x >a", "ln b c; echo x >a; rm c"}) {
    CAPTURE(script);
    CHECK(after(script, {.write = {"a"}}).ends_with("met"));
    CHECK(after(script, {.write = {"a"}}).starts_with("wrote M/a"));
  }
  for (const char* script : {"true", "cat a", "touch a", ": >>a", "printf alpha >a", "echo x >a; printf alpha >a",
                             "echo x >b", "rm a", "mv b a", "chmod 600 a"}) {
    CAPTURE(script);
    CHECK(after(script, {.write = {"a"}}) == "unmet");
  }
  CHECK(after("echo x >new", {.write = {"new"}}) == "wrote M/new; met");
}

TEST_CASE("writes of other processes to the machine's files do not count") {
  const Machine machine;
  Execution execution(machine, {.write = {"a"}});
  execution.begin();
  shell(machine.files(), "echo x >a");
  shell(machine.in("script"), "cat a");
  SUBCASE("no write through a view") { CHECK(execution.end() == "unmet"); }
  SUBCASE("the script writes another file") {
    shell(machine.in("script"), "echo y >b");
    CHECK(execution.end() == "unmet");
  }
  SUBCASE("the script writes, too") {
    shell(machine.in("script"), "echo y >a");
    CHECK(execution.end() == "wrote M/a; met");
  }
}

TEST_CASE("reads and writes of one execution are distinguished") {
  const Insist both{.read = {"b"}, .write = {"a"}};
  CHECK(after("cat b; echo x >a", both) == "read M/b; wrote M/a; met");
  CHECK(after("cat a; echo x >b", both) == "unmet");
  CHECK(after("echo x >a", both) == "wrote M/a; unmet");
  CHECK(after("cat b", both) == "read M/b; unmet");
}

TEST_CASE("when every insist of read is met, the kernel reports no further reads") {
  const Machine machine;
  Execution reads(machine, {.read = {"a"}, .shipped = {"b"}, .writable = true});
  reads.begin();
  shell(machine.in("script"), "cat a");
  CHECK(reads.witness->on_readable().ok());
  shell(machine.in("script"), "cat b");
  CHECK(reads.is_told_something());  // the control: something is still missing
  CHECK(reads.witness->on_readable().ok());
  shell(machine.workspace(), "cat b");
  CHECK(reads.witness->on_readable().ok());
  shell(machine.in("script"), "cat a b; echo x >a");
  shell(machine.workspace(), "cat a b");
  CHECK_FALSE(reads.is_told_something());
  CHECK(reads.end() == "read M/a; read b; met");
}

TEST_CASE("when every insist of read is met, the kernel still reports writes") {
  const Machine machine;
  Execution execution(machine, {.read = {"b"}, .write = {"a"}});
  execution.begin();
  shell(machine.in("script"), "cat b");
  CHECK(execution.witness->on_readable().ok());
  shell(machine.in("script"), "echo x >a");
  CHECK(execution.is_told_something());
  CHECK(execution.end() == "read M/b; wrote M/a; met");
}

TEST_CASE("if there are more events than one call processes, later calls process the rest, at the latest end()") {
  const Machine machine;
  shell(machine.files(), "seq -f f%g 3000 | xargs touch");
  Execution execution(machine, {.read = {"a"}});
  execution.begin();
  shell(machine.in("script"), "seq -f f%g 3000 | xargs cat; cat a");
  const auto first = execution.witness->on_readable();
  REQUIRE(first.ok());
  CHECK_FALSE(*first);
  CHECK(execution.is_told_something());
  SUBCASE("by later calls of on_readable()") {
    int calls = 1;
    for (bool all = false; !all; ++calls) {
      const auto received = execution.witness->on_readable();
      REQUIRE(received.ok());
      all = *received;
    }
    CHECK(calls > 2);
    CHECK(execution.recorded_text() == "read M/a; met");
  }
  SUBCASE("by end()") { CHECK(execution.end() == "read M/a; met"); }
}

TEST_CASE("events that cannot be read are an error of on_readable() and of end()") {
  const Machine machine;
  Execution execution(machine, {.read = {"b"}});
  execution.begin();
  shell(machine.in("script"), "cat a");
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const rlimit none{0, limit.rlim_max};  // each event has a descriptor
  std::string received;
  SUBCASE("an error of on_readable()") {
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    const auto call = execution.witness->on_readable();
    if (!call.ok()) received = call.error().message();
  }
  SUBCASE("an error of end()") {
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0);
    received = execution.end();
  }
  REQUIRE(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
  CHECK(received == "watch: cannot read from fanotify: Too many open files");
}

TEST_CASE("more writable files than can be watched are an error before a process starts") {
  const Machine machine;
  shell(machine.files(), "mkdir d; cd d; seq 10000 | xargs touch");
  Execution most(machine, {.read = {"d/*"}, .writable = true});
  CHECK(most.call().ok());
  shell(machine.files(), "touch d/one-more");
  Execution more(machine, {.read = {"d/*"}, .writable = true});
  const Status refused = more.call();
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == Code::LimitExceeded);
  Execution read_only(machine, {.read = {"d/*"}});
  CHECK(read_only.call().ok());
}

TEST_CASE("for a cancelled execution, no FileWitness is made") {
  const Machine machine;
  Execution early(machine, {.write = {"a"}});
  early.stop_waiting();
  const Status called = early.call();
  REQUIRE_FALSE(called.ok());
  CHECK(called.error().code == Code::Cancelled);
}
