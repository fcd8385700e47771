// How declared commands are found on the machine (server/floor/program.h).
#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <thread>

#include "server/floor/locate.h"
#include "server/floor/program.h"
#include "tests/kernel/machine_directory.h"

using namespace band;
using test::MachineDirectory;
using Words = std::vector<std::string>;

namespace {

KnownPrograms commands_in(const std::string& directory) {
  KnownPrograms commands = built_in_programs();
  commands.directories.insert(commands.directories.begin(), directory);
  return commands;
}

floor::Program found(const std::string& name, const KnownPrograms& commands) {
  auto program = floor::find_program(name, commands);
  REQUIRE_MESSAGE(program.ok(), program.error().message());
  return *program;
}

Error refused(const std::string& name, const KnownPrograms& commands) {
  const auto program = floor::find_program(name, commands);
  REQUIRE_FALSE(program.ok());
  return program.error();
}

bool has_library(const floor::Program& program, const std::string& name) {
  return std::any_of(program.libraries.begin(), program.libraries.end(), [&](const floor::ProgramFile& file) {
    return file.path.find("/" + name + ".so") != std::string::npos;
  });
}

bool may(const floor::Program& program, const std::string& path, layout::Access access) {
  return std::any_of(program.paths.begin(), program.paths.end(),
                     [&](const layout::PathRule& rule) { return rule.path == path && rule.access == access; });
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a program that a user other than root can change is refused, at every directory of its path") {
  const MachineDirectory dir;
  const KnownPrograms commands = commands_in(dir / "bin");
  const std::string tool = dir.copy("bin/tool", "/usr/bin/true");
  CHECK(found("tool", commands).argv == Words{tool});  // the control

  struct Row {
    std::string path;
    mode_t mode;
    mode_t good;
  };
  for (const Row& row : {Row{tool, 0775, 0755}, Row{tool, 0757, 0755}, Row{dir / "bin", 0775, 0755},
                         Row{dir / "bin", 01777, 0755}, Row{dir.path(), 0775, 0755}}) {
    CAPTURE(row.path);
    REQUIRE(::chmod(row.path.c_str(), row.mode) == 0);
    CHECK(refused("tool", commands).err == EPERM);
    REQUIRE(::chmod(row.path.c_str(), row.good) == 0);
  }
  for (const std::string& path : {tool, dir / "bin", dir.path()}) {
    CAPTURE(path);
    REQUIRE(::chown(path.c_str(), 4711, 0) == 0);
    const Error error = refused("tool", commands);
    CHECK(error.err == EPERM);
    CHECK(contains(error.message(), path));
    REQUIRE(::chown(path.c_str(), 0, 0) == 0);
  }
  CHECK(found("tool", commands).argv == Words{tool});
}

TEST_CASE(
    "links to programs are followed and kept, and a link to a program that users other than root can change is "
    "refused") {
  const MachineDirectory dir;
  const KnownPrograms commands = commands_in(dir / "bin");
  const std::string tool = dir.copy("lib/tool-1.2", "/usr/bin/true");
  std::filesystem::create_directories(dir / "bin");
  std::filesystem::create_directories(dir / "alternatives");
  dir.link("bin/tool", "../alternatives/tool");
  dir.link("alternatives/tool", tool);
  dir.link("current", "lib");
  dir.link("bin/other", "../current/tool-1.2");
  dir.link("bin/loop", "loop");

  const floor::Program program = found("tool", commands);
  CHECK(program.argv == Words{dir / "bin/tool"});
  REQUIRE(program.links.size() == 2);
  CHECK(program.links[0].path == dir / "bin/tool");
  CHECK(program.links[0].target == dir / "alternatives/tool");
  CHECK(program.links[1].target == tool);
  CHECK(may(program, tool, layout::Access::ReadExecute));
  CHECK(found("other", commands).links.at(0).target == tool);  // links to directories are resolved
  CHECK_FALSE(floor::find_program("loop", commands).ok());

  REQUIRE(::chmod((dir / "alternatives").c_str(), 0777) == 0);
  CHECK(refused("tool", commands).err == EPERM);
  CHECK(found("other", commands).argv == Words{dir / "bin/other"});  // its path does not contain that directory
}

TEST_CASE("a program that not every user can read and execute, or that is setuid, is refused") {
  const MachineDirectory dir;
  const KnownPrograms commands = commands_in(dir / "bin");
  const std::string tool = dir.copy("bin/tool", "/usr/bin/true");
  for (const mode_t mode : {0750, 0754, 0751, 04755}) {
    CAPTURE(mode);
    REQUIRE(::chmod(tool.c_str(), mode) == 0);
    CHECK_FALSE(floor::find_program("tool", commands).ok());
  }
  REQUIRE(::chmod(tool.c_str(), 0755) == 0);
  REQUIRE(::chmod((dir / "bin").c_str(), 0750) == 0);
  CHECK(refused("tool", commands).err == EACCES);
  REQUIRE(::chmod((dir / "bin").c_str(), 0755) == 0);
  CHECK(found("tool", commands).argv == Words{tool});
  dir.make("bin/text", "echo no first line\n");
  CHECK(contains(refused("text", commands).message(), "neither a program nor a script"));
}

TEST_CASE("a script's interpreter is found with the script") {
  const MachineDirectory dir;
  const KnownPrograms commands = commands_in(dir / "bin");
  dir.make("bin/shell", "#!/bin/sh -e\n");
  dir.make("bin/snake", "#!/usr/bin/env python3\n");
  dir.make("bin/pearl", "#!/usr/bin/perl -w\n");
  dir.make("bin/nested", "#!" + (dir / "bin/pearl") + " -x\n");
  dir.make("bin/deep", "#!" + (dir / "bin/nested") + "\n");
  dir.make("bin/lost", "#!/usr/bin/env no-such-interpreter\n");

  const floor::Program shell = found("shell", commands);
  CHECK(shell.argv == Words{"/usr/bin/sh", "-e", dir / "bin/shell"});
  CHECK(shell.essential == "sh");
  CHECK(shell.starts == Starts::Essentials);
  CHECK(may(shell, dir / "bin/shell", layout::Access::Read));

  const floor::Program snake = found("snake", commands);
  CHECK(snake.argv == Words{"/usr/bin/python3", dir / "bin/snake"});
  CHECK(has_library(snake, "libssl"));  // python3 needs it
  CHECK(std::count(snake.env.begin(), snake.env.end(), "PYTHONDONTWRITEBYTECODE=1") == 1);
  CHECK(found("pearl", commands).argv == Words{"/usr/bin/perl", "-w", dir / "bin/pearl"});
  CHECK(found("nested", commands).argv == Words{"/usr/bin/perl", "-w", dir / "bin/pearl", "-x", dir / "bin/nested"});
  CHECK_FALSE(floor::find_program("deep", commands).ok());
  CHECK(contains(refused("lost", commands).message(), "the command no-such-interpreter is not on the machine"));
}

TEST_CASE("a program that is not found is an error with a hint what to do") {
  const MachineDirectory dir;
  std::filesystem::create_directories(dir / "bin");
  KnownPrograms commands = built_in_programs();
  commands.directories = {dir / "bin"};
  commands.programs["band-test-tool"].package = "tool-cli";
  const Error error = refused("band-test-tool", commands);
  CHECK(error.code == Code::SandboxUnavailable);
  CHECK(error.message() == "the command band-test-tool is not on the machine that runs the scripts");
  CHECK(error.hint == "apt-get install tool-cli");
  CHECK(contains(refused("curl", commands).hint, "it is at /usr/bin/curl: put /usr/bin into `commands.directories`"));
  CHECK(refused("libc6", commands).hint == "apt-get install libc6");  // apt has a package of that name
  CHECK(contains(refused("band-test-nothing", commands).hint, "`commands.directories`"));
  CHECK(contains(refused("/usr/bin/curl", commands).hint, "put /usr/bin into"));
  for (const char* name : {"", ".", "..", "a/b", "../x", "/", "/usr/bin/"}) {
    CAPTURE(name);
    CHECK(refused(name, commands).code == Code::SkillInvalid);
  }
  CHECK(refused("/usr/bin/jq", built_in_programs()).code == Code::SkillInvalid);
}

TEST_CASE("commands are found only in configured directories, and in the operator's directories first") {
  const MachineDirectory dir;
  const std::string own = dir.copy("bin/curl", "/usr/bin/true");
  CHECK(found("curl", built_in_programs()).argv == Words{"/usr/bin/curl"});
  CHECK(found("curl", commands_in(dir / "bin")).argv == Words{own});
  CHECK(found(own, commands_in(dir / "bin")).argv == Words{own});
  CHECK_FALSE(floor::find_program(own, built_in_programs()).ok());
  CHECK(found("/usr/bin/curl", commands_in(dir / "bin")).argv == Words{"/usr/bin/curl"});
}

TEST_CASE("a program has the data files that the configuration lists for it, if only root can change them") {
  const MachineDirectory dir;
  KnownPrograms commands = commands_in(dir / "bin");
  dir.copy("bin/tool", "/usr/bin/true");
  dir.make("data/file", "x", 0644);
  dir.make("plugins-1/deep/text", "x", 0644);
  dir.copy("helpers/ask", "/usr/bin/curl");
  dir.make("open/file", "x", 0644);
  REQUIRE(::chmod((dir / "open").c_str(), 0777) == 0);
  ProgramNeeds& needs = commands.programs["tool"];
  needs.starts = Starts::Nothing;
  needs.read = {dir / "data", dir / "open", dir / "not-there"};
  needs.load = {dir / "plugins-*"};
  needs.run = {dir / "helpers"};
  needs.env = {{"TOOL", "1"}};

  const floor::Program program = found("tool", commands);
  REQUIRE(program.directories.size() == 3);
  CHECK(may(program, dir / "data", layout::Access::Read));
  CHECK(may(program, dir / "plugins-1", layout::Access::Read));
  CHECK(may(program, dir / "helpers", layout::Access::ReadExecute));
  for (const auto& directory : program.directories) CHECK(directory.executable == (directory.path != dir / "data"));
  REQUIRE(program.left_out.size() == 1);
  CHECK(contains(program.left_out[0], dir / "open"));
  CHECK(has_library(program, "libcurl"));  // needed by the program that it starts
  CHECK_FALSE(has_library(program, "libsqlite3"));
  CHECK(program.env == Words{"TOOL=1"});

  const auto python = found("python3", commands);  // has a module that needs libraries
  const Words modules = floor::glob_paths("/usr/lib/python3.[0-9]*/lib-dynload/_sqlite3.*.so");
  REQUIRE_FALSE(modules.empty());
  dir.copy("plugins-1/deep/sql.so", modules[0]);
  CHECK(has_library(python, "libsqlite3"));
  CHECK(has_library(found("tool", commands), "libsqlite3"));
}

TEST_CASE(
    "a program for another C library or processor is refused as a command; in the directory of another program it is "
    "left out and logged") {
  const MachineDirectory dir;
  KnownPrograms commands = commands_in(dir / "bin");
  dir.copy("bin/tool", "/usr/bin/true");
  dir.copy("parts/ask", "/usr/bin/curl");
  const std::string curl = contents("/usr/bin/curl"), loader = "/lib64/ld-linux";
  const std::size_t named = curl.find(loader);
  REQUIRE(named != std::string::npos);
  std::string of_musl = curl, of_arm = curl;
  of_musl.replace(named, loader.size(), "/lib64/ld-other");
  of_arm[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_AARCH64);
  ProgramNeeds& needs = commands.programs["tool"];
  needs.load = {dir / "parts"};
  REQUIRE(found("tool", commands).left_out.empty());  // the control

  struct Row {
    std::string name, text, why;
  };
  for (const Row& row :
       {Row{"of-musl", of_musl, "No such file or directory"}, Row{"of-arm", of_arm, "Exec format error"}}) {
    CAPTURE(row.name);
    const std::string file = dir.make("parts/" + row.name, row.text);
    const floor::Program program = found("tool", commands);
    REQUIRE(program.left_out.size() == 1);
    CHECK(contains(program.left_out[0], file));
    CHECK(contains(program.left_out[0], row.why));
    CHECK(has_library(program, "libcurl"));  // needed by the program that can run
    std::filesystem::remove(file);
    dir.make("bin/" + row.name, row.text);
    CHECK(contains(refused(row.name, commands).message(), row.why));
  }
}

TEST_CASE("a program is searched only once, until one of its files changes") {
  const MachineDirectory dir;
  std::filesystem::create_directories(dir / "first");
  KnownPrograms commands = commands_in(dir / "second");
  commands.directories.insert(commands.directories.begin(), dir / "first");
  const std::string tool = dir.copy("second/tool", "/usr/bin/true");
  floor::Programs programs(commands);
  const auto find = [&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(1'050));  // files are checked once a second
    auto program = programs.find("tool");
    REQUIRE(program.ok());
    return *program;
  };
  const auto first = find();
  CHECK(find() == first);
  std::filesystem::remove(tool);
  dir.copy("second/tool", "/usr/bin/false");
  const auto second = find();
  CHECK(second != first);
  CHECK(second->key != first->key);
  dir.copy("first/tool", "/usr/bin/true");
  CHECK(find()->argv == Words{dir / "first/tool"});
  REQUIRE(::chmod((dir / "first/tool").c_str(), 0777) == 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(1'050));
  CHECK_FALSE(programs.find("tool").ok());
}
