// The tree in which declared commands run (server/floor/command_floor.h), with real programs.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "server/floor/command_tree.h"
#include "server/floor/indexes.h"
#include "tests/kernel/command_room.h"
#include "tests/kernel/floor_place.h"
#include "tests/kernel/machine_directory.h"

using namespace band;
using test::CommandRoom;
using test::MachineDirectory;
using test::Ran;
using Words = std::vector<std::string>;

namespace {

namespace fs = std::filesystem;

// A floor, and the command floors next to it.
class State : public test::FloorPlace {
 public:
  State() {
    auto built = floor::build(config);
    REQUIRE_MESSAGE(built.ok(), built.error().message());
    floor_ = *built;
    floors_.emplace(path() + "/commands");
  }

  const floor::Floor& floor() const { return *floor_; }
  floor::CommandFloors& floors() { return *floors_; }

  Result<std::shared_ptr<const floor::CommandFloor>> get(const Words& names, const Words& shimmed = {},
                                                         const KnownPrograms& commands = built_in_programs()) {
    std::vector<std::shared_ptr<const floor::Program>> programs;
    for (const std::string& name : names) {
      auto program = floor::find_program(name, commands);
      REQUIRE_MESSAGE(program.ok(), program.error().message());
      programs.push_back(std::make_shared<const floor::Program>(std::move(*program)));
    }
    return floors_->get(*floor_, programs, shimmed);
  }
  std::shared_ptr<const floor::CommandFloor> made(const Words& names, const Words& shimmed = {},
                                                  const KnownPrograms& commands = built_in_programs()) {
    auto set = get(names, shimmed, commands);
    REQUIRE_MESSAGE(set.ok(), set.error().message());
    return *set;
  }

 private:
  std::shared_ptr<const floor::Floor> floor_;
  std::optional<floor::CommandFloors> floors_;
};

ino_t inode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  return info.st_ino;
}

std::size_t entries_of(const std::string& directory) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(directory), fs::directory_iterator()));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("real programs run in a tree of the files that they need, each in its Landlock domain") {
  State state;
  const auto set = state.made({"curl", "git", "node", "perl", "python3", "sqlite3", "wget"});
  const CommandRoom room(*set);
  struct Row {
    std::string command;
    Words arguments;
    std::string output;
  };
  const Row rows[] = {
      {"python3",
       {"-c", "import ssl, sqlite3, ctypes, json, zoneinfo, lzma; ssl.create_default_context(); print('ok', 6*7)"},
       "ok 42\n"},
      {"python3", {"-c", "import subprocess; print(subprocess.check_output('echo hi | tr h H', shell=True))"}, "b'Hi"},
      {"curl", {"--version"}, "curl "},
      {"wget", {"--version"}, "GNU Wget"},
      {"node", {"-e", "console.log(require('crypto').createHash('md5').update('').digest('hex'))"}, "d41d8cd98f"},
      {"perl", {"-MJSON::PP", "-MEncode", "-e", "print encode_json([1,2])"}, "[1,2]"},
      {"sqlite3", {":memory:", "select 6*7"}, "42\n"},
      {"git", {"--version"}, "git version"},
      {"git", {"init", "-q", "repository"}, ""},
      {"git",
       {"-C", "repository", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "--allow-empty", "-m", "first"},
       "first"},
      {"git", {"-C", "repository", "log", "--format=%s"}, "first\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.command);
    CAPTURE(row.arguments.back());
    const Ran ran = room.run(row.command, row.arguments);
    CHECK_MESSAGE(ran.status == 0, ran.output);
    CHECK_MESSAGE(contains(ran.output, row.output), ran.output);
  }
}

TEST_CASE("a command neither executes nor reads another program, not even through the dynamic linker") {
  State state;
  const auto set = state.made({"curl", "git", "python3"}, {"jq"});
  const CommandRoom room(*set);
  const auto python = [&](const std::string& code, bool landlock) {
    return room.run("python3", {"-c", "import os, subprocess\n" + code}, {.landlock = landlock}).status == 0;
  };
  for (const std::string& code :
       {std::string("open('/usr/bin/curl', 'rb')"), std::string("open('/usr/lib/git-core/git', 'rb')"),
        std::string("open('/usr/lib/band/guarded/jq', 'rb')"),
        std::string("subprocess.check_call(['/usr/bin/curl', '-V'])"),
        std::string("subprocess.check_call(['/usr/bin/git', '--version'])"),
        std::string("subprocess.check_call(['/usr/lib/band/guarded/jq', '-n', '1'])"),
        std::string("subprocess.check_call(['/lib64/ld-linux-x86-64.so.2', '/usr/bin/curl', '-V'])")}) {
    CAPTURE(code);
    CHECK(python(code, false));  // the control
    CHECK_FALSE(python(code, true));
  }
  CHECK(python("subprocess.check_call(['/usr/bin/sed', '--version'])", true));  // interpreters start essentials
  CHECK_FALSE(python("open('/usr/bin/rm', 'ab')", false));
  // A program with `starts: nothing` cannot start a shell.
  const Words alias = {"-c", "alias.x=!echo started", "x"};
  CHECK(room.run("git", alias, {.landlock = false}).output == "started\n");
  CHECK(room.run("git", alias).status != 0);
}

TEST_CASE(
    "commands find the shim in the place of an essential that a rule names, and the essential runs in its own Landlock "
    "domain") {
  State state;
  const auto set = state.made({"python3"}, {"jq", "awk"});
  CHECK(fs::read_symlink(set->path + "/usr/bin/jq") == "/usr/lib/band/band-shim");
  CHECK(fs::read_symlink(set->path + "/usr/bin/sed") == "/usr/lib/band/bin/sed");
  CHECK_FALSE(fs::exists(set->path + "/usr/lib/band/bin/jq"));
  CHECK(set->commands.size() == 3);
  CHECK(set->commands.at("jq").argv == Words{"/usr/lib/band/guarded/jq"});
  const CommandRoom room(*set);
  CHECK(room.run("jq", {"-n", "6*7"}).output == "42\n");
  CHECK(room.run("awk", {"BEGIN { system(\"echo from sh\") }"}).output == "from sh\n");
  CHECK(room.run("awk", {"BEGIN { exit system(\"/usr/lib/band/guarded/jq -n 1\") }"}, {.landlock = false}).status == 0);
  CHECK(room.run("awk", {"BEGIN { exit system(\"/usr/lib/band/guarded/jq -n 1\") }"}).status != 0);
  CHECK(room.run("awk", {"BEGIN { exit system(\"jq -n 1\") }"}).status == 1);  // this floor's shim is `false`
}

TEST_CASE("programs of /opt run at their paths in the command view: scripts, links and programs with data") {
  State state;
  const MachineDirectory dir;
  KnownPrograms commands = built_in_programs();
  commands.directories.insert(commands.directories.begin(), dir / "bin");
  dir.make("bin/shell", "#!/bin/sh -e\necho \"$0 $1\" | tr a-z A-Z\n");
  dir.make("bin/awkward", "#!/usr/bin/awk -f\nBEGIN { print ARGV[1] }\n");
  dir.make("lib/snake.py", "#!/usr/bin/env python3\nimport sys, ssl; print(sys.argv[1:], open(sys.argv[1]).read())\n");
  dir.link("bin/snake", "../lib/snake.py");
  dir.copy("bin/tool", "/usr/bin/sort");
  const std::string data = dir.make("share/data", "some data", 0644);
  commands.programs["snake"].read = {dir / "share"};
  commands.programs["tool"].starts = Starts::Nothing;
  const auto set = state.made({"awkward", "shell", "snake", "tool"}, {"awk"}, commands);
  CHECK(set->tops == Words{"opt"});
  const CommandRoom room(*set);
  std::string loud = (dir / "bin/shell") + " X\n";
  for (char& c : loud) c = static_cast<char>(::toupper(c));
  CHECK(room.run("shell", {"x"}).output == loud);
  CHECK(room.run("awkward", {"word"}).output ==
        "word\n");  // its interpreter is watched, but the script does not start it itself
  CHECK(room.run("snake", {data}).output == "['" + data + "'] some data\n");
  CHECK(room.run("tool", {data}, {.landlock = false}).output == "some data\n");
  CHECK(room.run("tool", {data}).status != 0);  // the data of snake
}

TEST_CASE("git starts no program that its configuration names") {
  State state;
  const MachineDirectory dir;
  KnownPrograms commands = built_in_programs();
  commands.directories.push_back(dir.path());
  dir.make("prepare", "#!/bin/sh -e\neval \"$1\"\n");
  const auto set = state.made({"git", "prepare"}, {}, commands);
  const CommandRoom room(*set);
  const std::string fresh =
      "rm -rf repository mark in; git init -q repository; cd repository; git config user.name x; "
      "git config user.email x@x; echo a > a; git add a; git commit -qm a; ";
  const std::string mark = "touch /tmp/mark;";
  struct Row {
    std::string prepare;
    Words arguments;
    bool tamed = true;  // the environment is sufficient to prevent it; otherwise only Landlock does
  };
  const Row rows[] = {
      {"git config core.fsmonitor '" + mark + ":'", {"status"}},
      {"git config core.sshCommand '" + mark + ":'", {"ls-remote", "ssh://x.invalid/y"}},
      {"git config core.gitProxy touch", {"ls-remote", "git://mark/y"}},
      {"git config protocol.ext.allow always", {"ls-remote", "ext::touch /tmp/mark"}},
      {"git config core.editor '" + mark + ":'", {"commit", "--amend"}},
      {"git config sequence.editor '" + mark + ":'", {"rebase", "-i", "--root"}},
      {"git config credential.helper '!" + mark + ":'; printf 'protocol=https\nhost=x\n\n' > /tmp/in",
       {"credential", "fill"}},
      {"git config alias.x '!" + mark + "'", {"x"}, false},
      {"git config diff.external '" + mark + ":'; echo b > a", {"diff"}, false},
      {"git config filter.x.clean '" + mark + "cat'; echo '* filter=x' > .gitattributes; echo b > a",
       {"add", "a"},
       false},
      {"git config diff.x.textconv '" + mark + "cat'; echo '* diff=x' > .gitattributes; echo b > a", {"diff"}, false},
      {"git config remote.o.uploadpack '" + mark + ":'; git config remote.o.url .", {"ls-remote", "o"}, false},
      {"git config merge.x.driver '" + mark +
           ":'; echo '* merge=x' > .gitattributes; git checkout -qb y; echo y > a; "
           "git commit -qam y; git checkout -q -; echo z > a; git commit -qam z",
       {"merge", "y"},
       false},
  };
  const auto starts_it = [&](const Row& row, const test::RoomOptions& options) {
    const Ran ready = room.run("prepare", {fresh + row.prepare}, {.landlock = false});
    REQUIRE_MESSAGE(ready.status == 0, ready.output);
    Words arguments = {"-C", "repository"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    room.run("git", arguments, options);
    return fs::exists(room.tmp() + "/mark") || fs::exists(room.tmp() + "/repository/mark");
  };
  for (const Row& row : rows) {
    CAPTURE(row.prepare);
    CHECK(starts_it(row, {.landlock = false, .env = false}));  // the control
    if (row.tamed) CHECK_FALSE(starts_it(row, {.landlock = false, .env = true}));
    CHECK_FALSE(starts_it(row, {.landlock = true, .env = false}));
    CHECK_FALSE(starts_it(row, {.landlock = true, .env = true}));
  }
}

TEST_CASE(
    "the command floor of a set of programs is built once, shares its files with other floors, and is removed when it "
    "is no longer used") {
  State state;
  const MachineDirectory dir;
  KnownPrograms commands = built_in_programs();
  commands.directories.push_back(dir.path());
  const std::string tool = dir.copy("tool", "/usr/bin/true");
  const auto both = state.made({"curl", "tool"}, {"jq"}, commands);
  CHECK(state.made({"curl", "tool"}, {"jq"}, commands) == both);
  const auto other = state.made({"curl"}, {}, commands);
  CHECK(other->path != both->path);
  CHECK(inode_of(other->path + "/usr/bin/curl") == inode_of(both->path + "/usr/bin/curl"));
  CHECK(inode_of(other->path + "/usr/lib/band/bin/sed") == inode_of(state.floor().path + "/usr/bin/sed"));
  const std::string sets = state.path() + "/commands/sets", store = state.path() + "/commands/store";
  CHECK(entries_of(sets) == 2);
  const std::size_t stored = entries_of(store);

  // Another program with that name is another set; the old set is kept while it is in use.
  fs::remove(tool);
  dir.copy("tool", "/usr/bin/false");
  auto newer = state.made({"curl", "tool"}, {"jq"}, commands);
  CHECK(newer->path != both->path);
  CHECK(fs::exists(both->path + dir.path() + "/tool"));
  CHECK(entries_of(sets) == 3);
  newer.reset();
  fs::remove(tool);
  dir.copy("tool", "/usr/bin/true");
  const auto newest = state.made({"curl", "tool"}, {"jq"}, commands);
  CHECK(entries_of(sets) == 3);            // the second was removed
  CHECK(entries_of(store) == stored + 1);  // with its file; the first and the third have one file each

  floor::CommandFloors later(state.path() + "/commands");
  REQUIRE(later.clean().ok());
  CHECK_FALSE(fs::exists(sets));
  CHECK(entries_of(store) == stored + 1);  // files that were in use are kept for this server
  REQUIRE(later.clean().ok());
  CHECK(entries_of(store) == 0);
}

TEST_CASE("threads that request the command floor of the same programs at the same time get the same floor") {
  State state;
  std::vector<std::shared_ptr<const floor::Program>> programs;
  programs.push_back(std::make_shared<const floor::Program>(*floor::find_program("curl", built_in_programs())));
  std::vector<std::shared_ptr<const floor::CommandFloor>> got(8);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < got.size(); ++i)
    threads.emplace_back([&, i] {
      auto set = state.floors().get(state.floor(), programs, {});
      if (set.ok()) got[i] = *set;
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& set : got) CHECK((set && set == got[0]));
  CHECK(entries_of(state.path() + "/commands/sets") == 1);
}

TEST_CASE("if a program changes while it is copied into a command floor, the request fails") {
  State state;
  const MachineDirectory dir;
  KnownPrograms commands = built_in_programs();
  commands.directories.push_back(dir.path());
  const std::string tool = dir.copy("tool", "/usr/bin/true");
  auto program = std::make_shared<const floor::Program>(*floor::find_program("tool", commands));
  CHECK(state.floors().get(state.floor(), {program}, {"jq"}).ok());  // the control
  std::ofstream(tool, std::ios::app) << "more";
  const floor::Program changed = *floor::find_program("tool", commands);
  std::ofstream(tool, std::ios::app) << "more";
  const auto set = state.floors().get(state.floor(), {std::make_shared<const floor::Program>(changed)}, {});
  REQUIRE_FALSE(set.ok());
  CHECK(contains(set.error().message(), "the file was changed while it was copied"));
  for (const auto& entry : fs::directory_iterator(state.path() + "/commands/store"))
    CHECK(entry.path().extension() != ".new");
}

TEST_CASE("a directory of a program cannot hide the sandbox's own files") {
  State state;
  KnownPrograms commands = built_in_programs();
  for (const char* directory :
       {"/usr", "/usr/bin", "/usr/lib", "/usr/lib/locale", "/etc", "/usr/lib/x86_64-linux-gnu"}) {
    CAPTURE(directory);
    commands.programs["curl"].read = {directory};
    const auto set = state.get({"curl"}, {}, commands);
    REQUIRE_FALSE(set.ok());
    CHECK(contains(set.error().message(), "its mount would hide files of the sandbox"));
  }
  commands.programs["curl"].read = {"/usr/share", "/usr/share/git-core"};
  const auto set = state.made({"curl"}, {}, commands);
  for (const auto& directory : set->directories)
    CHECK(directory.path != "/usr/share/git-core");  // bound with /usr/share
  // /usr/share contains the time zones itself; a set without it has those of the floor.
  CHECK_FALSE(fs::exists(set->path + floor::kZones));
  CHECK(fs::exists(state.made({"git"})->path + floor::kZones + "/Europe/Berlin"));
}

TEST_CASE("a command floor has the linker cache and the locale archive, which commands may open") {
  State state;
  const auto set = state.made({"git"});
  for (const char* index : {floor::kLocaleArchive, floor::kLinkerCache}) CHECK(fs::exists(set->path + index));
  const auto& paths = set->commands.at("git").paths;
  CHECK(std::any_of(paths.begin(), paths.end(), [](const auto& rule) { return rule.path == floor::kLocaleArchive; }));
}

// Debian has them in /usr/share since release 13, so the test makes a floor of its own.
TEST_CASE("terminal descriptions in /usr/share can be read, and a program's directory may replace them") {
  const test::FloorPlace place;
  floor::Floor floor;
  floor.path = place.path() + "/floor";
  const std::string file = "usr/share/terminfo/x/xterm";
  fs::create_directories(fs::path(floor.path + "/" + file).parent_path());
  std::ofstream(floor.path + "/" + file) << "x";
  KnownPrograms commands = built_in_programs();
  const auto planned = [&](const Words& read, floor::CommandFloor& made) {
    commands.programs["curl"].read = read;
    auto curl = floor::find_program("curl", commands);
    REQUIRE(curl.ok());
    auto tree = floor::plan_tree(floor, {std::make_shared<const floor::Program>(std::move(*curl))}, {}, made);
    REQUIRE_MESSAGE(tree.ok(), tree.error().message());
    return std::move(*tree);
  };
  floor::CommandFloor alone, below;
  CHECK(planned({}, alone).floor_files.count(file) == 1);
  const auto& paths = alone.commands.at("curl").paths;
  CHECK(std::any_of(paths.begin(), paths.end(), [](const auto& rule) { return rule.path == floor::kSharedTerminfo; }));
  CHECK(planned({"/usr/share"}, below).floor_files.count(file) == 0);  // replaced by the directory
}

TEST_CASE("a command floor contains the essentials and its programs, and no setuid bit") {
  State state;
  const auto set = state.made({"git"});
  for (const auto& entry : fs::recursive_directory_iterator(set->path)) {
    struct stat info {};
    REQUIRE(::lstat(entry.path().c_str(), &info) == 0);
    CHECK((info.st_mode & (S_ISUID | S_ISGID)) == 0);
    CHECK(info.st_uid == 0);
    if (!S_ISLNK(info.st_mode)) CHECK((info.st_mode & (S_IWGRP | S_IWOTH)) == 0);
  }
  for (const char* absent : {"/usr/bin/curl", "/usr/bin/python3", "/usr/bin/git-upload-pack", "/usr/bin/perl"})
    CHECK_FALSE(fs::exists(fs::symlink_status(set->path + absent)));
}
