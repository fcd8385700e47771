// The floor follows changes of the machine's files (server/floor/floor.h). The test simulates an upgrade by a mount
// over one program, in a separate mount namespace.
#include "server/floor/floor.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>
#include <vector>

#include "server/floor/indexes.h"
#include "server/floor/libraries.h"
#include "server/layout/places.h"
#include "tests/kernel/floor_place.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using test::FloorPlace;
using test::own_mounts;

namespace {

namespace fs = std::filesystem;

// Makes a program, owned by root, that replaces one of the machine.
std::string other_program(const FloorPlace& place, const std::string& text) {
  std::string file = place.path() + "/other";
  std::ofstream(file) << "#!/bin/sh\n" << text << "\n";
  ::chmod(file.c_str(), 0755);
  return file;
}

std::string content(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool put_over(const std::string& program, const std::string& other) {
  return ::mount(other.c_str(), program.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

}  // namespace

TEST_CASE("a floor is built once, and used as long as the machine's files are unchanged") {
  const FloorPlace place;
  const auto first = floor::build(place.config);
  REQUIRE_MESSAGE(first.ok(), first.error().message());
  CHECK(floor::is_current(**first));
  CHECK(content((*first)->path + "/usr/bin/wc") == content("/usr/bin/wc"));
  struct stat before {};
  REQUIRE(::stat(((*first)->path + "/usr/bin/wc").c_str(), &before) == 0);
  const auto second = floor::build(place.config);
  REQUIRE(second.ok());
  struct stat after {};
  REQUIRE(::stat(((*second)->path + "/usr/bin/wc").c_str(), &after) == 0);
  CHECK((*first)->key == (*second)->key);
  CHECK(before.st_ino == after.st_ino);
  // Building it again gives the same files, the indexes included, because the key is a hash of all files.
  REQUIRE(fs::remove(place.config.directory + "/current"));
  const auto again = floor::build(place.config);
  REQUIRE(again.ok());
  CHECK((*again)->key == (*first)->key);
}

TEST_CASE("a floor without indexes, made by an older server, is replaced") {
  const FloorPlace place;
  const auto made = floor::build(place.config);
  REQUIRE(made.ok());
  const std::string old_key = "0123456789abcdef", old = place.config.directory + "/" + old_key;
  fs::rename((*made)->path, old);
  REQUIRE(fs::remove(old + floor::kLocaleArchive));
  const std::string manifest = place.config.directory + "/current";
  std::string text = content(manifest);
  text.replace(0, old_key.size(), old_key);
  std::ofstream(manifest) << text;
  const auto fresh = floor::build(place.config);
  REQUIRE(fresh.ok());
  CHECK((*fresh)->key == (*made)->key);
  CHECK(fs::exists((*fresh)->path + floor::kLocaleArchive));
}

TEST_CASE("a server in another directory gets a floor with its own band-shim, although the old files are unchanged") {
  FloorPlace place;
  const auto old = floor::build(place.config);
  REQUIRE(old.ok());
  place.config.band_shim = other_program(place, "echo shim");
  const auto fresh = floor::build(place.config);
  REQUIRE(fresh.ok());
  CHECK((*fresh)->key != (*old)->key);
  CHECK(content((*fresh)->path + layout::kShim) == content(place.config.band_shim));
  CHECK(content((*old)->path + layout::kShim) == content("/usr/bin/false"));  // the control
}

TEST_CASE("a package upgrade makes a new floor; the old one is kept for its sandboxes until the server restarts") {
  const FloorPlace place;
  const auto old = floor::build(place.config);
  REQUIRE(old.ok());
  const std::string what = test::in_child([&]() -> std::string {
    if (!own_mounts() || !put_over("/usr/bin/wc", other_program(place, "echo upgraded"))) return "no mounts";
    if (floor::is_current(**old)) return "the change was not noticed";
    const auto upgraded = floor::build(place.config);
    if (!upgraded.ok()) return upgraded.error().message();
    if ((*upgraded)->key == (*old)->key) return "the same floor";
    if (content((*upgraded)->path + "/usr/bin/wc").find("upgraded") == std::string::npos) return "the old program";
    if (content((*old)->path + "/usr/bin/wc").find("upgraded") != std::string::npos) return "the old floor was changed";
    floor::remove_others(place.config, **upgraded);
    return fs::exists((*old)->path) ? "the old floor stayed" : "a new floor";
  });
  CHECK(what == "a new floor");
}

TEST_CASE("a missing essential is an error that names its package") {
  const FloorPlace place;
  const std::string what = test::in_child([&]() -> std::string {
    const std::string nothing = other_program(place, "");
    ::chmod(nothing.c_str(), 0644);
    if (!own_mounts() || !put_over("/usr/bin/jq", nothing)) return "no mounts";
    const auto built = floor::build(place.config);
    return built.ok() ? "built" : built.error().message() + "; " + built.error().hint;
  });
  CAPTURE(what);
  CHECK(what.find("the essential command jq") != std::string::npos);
  CHECK(what.find("apt-get install jq") != std::string::npos);
}

TEST_CASE("missing data of an essential is an error that names its package") {
  const FloorPlace place;
  const auto without = [&](const char* path, bool directory) {
    return test::in_child([&]() -> std::string {
      if (!own_mounts()) return "no mounts";
      const bool hidden = directory ? ::mount("none", path, "tmpfs", 0, nullptr) == 0 : put_over(path, "/dev/null");
      if (!hidden) return "not hidden";
      const auto built = floor::build(place.config);
      return built.ok() ? "built" : built.error().message() + "; " + built.error().hint;
    });
  };
  for (const auto& [path, directory, package] :
       {std::tuple("/usr/share/zoneinfo", true, "tzdata"), std::tuple("/usr/lib/locale/C.utf8", true, "libc-bin"),
        std::tuple("/usr/libexec/coreutils/libstdbuf.so", false, "coreutils")}) {
    const std::string what = without(path, directory);
    CAPTURE(what);
    CHECK(what.find(std::string("read ") + path + ", which essential commands need") != std::string::npos);
    CHECK(what.find(std::string("apt-get install ") + package) != std::string::npos);
  }
  CHECK(floor::build(place.config).ok());  // the control
}

TEST_CASE("a program of the floor finds its locale in the archive, and the linker cache names its libraries") {
  const FloorPlace place;
  const auto built = floor::build(place.config);
  REQUIRE_MESSAGE(built.ok(), built.error().message());
  const std::string root = (*built)->path;
  std::ofstream(place.path() + "/text") << "\xc3\xa9";  // one character in UTF-8
  // Runs a command of the floor while the directories are hidden; returns its exit status.
  const auto status_of = [&](const std::string& command, std::vector<std::string> hidden) {
    return test::in_child([&]() -> std::string {
      if (!own_mounts()) return "no mounts";
      for (const std::string& path : hidden)
        if (::mount("none", (root + path).c_str(), "tmpfs", 0, nullptr) != 0) return "not hidden";
      const std::string run = "chroot " + root + " /usr/bin/bash -c '" + command + "' < " + place.path() + "/text";
      return std::to_string(WEXITSTATUS(std::system(run.c_str())));
    });
  };
  const std::string count = "export LC_ALL=C.UTF-8; exit $(wc -m)";
  CHECK(status_of(count, {"/usr/lib/locale/C.utf8"}) == "1");
  CHECK(status_of(count, {"/usr/lib/locale"}) == "2");  // the control: neither archive nor directory
  CHECK(content(root + floor::kLinkerCache).find("/libjq.so.1") != std::string::npos);
}

TEST_CASE("a missing program that makes the indexes is an error that names its package") {
  const FloorPlace place;
  for (const char* program : {"/usr/bin/localedef", "/sbin/ldconfig"}) {
    const auto with = [&](const std::string& text, mode_t mode) {
      return test::in_child([&]() -> std::string {
        const std::string other = other_program(place, text);
        ::chmod(other.c_str(), mode);
        if (!own_mounts() || !put_over(program, other)) return "no mounts";
        const auto built = floor::build(place.config);
        return built.ok() ? "built" : built.error().message() + "; " + built.error().hint;
      });
    };
    const std::string missing = with("", 0644), failing = with("exit 3", 0755);
    CAPTURE(program);
    CHECK(missing.find("cannot run " + std::string(program)) != std::string::npos);
    CHECK(missing.find("apt-get install libc-bin") != std::string::npos);
    CHECK(failing.find(std::string(program) + ": exited with 3") != std::string::npos);
  }
  CHECK(floor::build(place.config).ok());  // the control
}

TEST_CASE(
    "the floor has all time zones of the machine and is rebuilt when one changes, but does not have the local time "
    "zone") {
  const FloorPlace place;
  const auto old = floor::build(place.config);
  REQUIRE_MESSAGE(old.ok(), old.error().message());
  const std::string zones = (*old)->path + floor::kZones;
  for (const char* zone : {"/Europe/Berlin", "/America/Argentina/Ushuaia", "/UTC", "/tzdata.zi"})
    CHECK(content(zones + zone) == content(floor::kZones + std::string(zone)));
  CHECK(fs::exists("/usr/share/zoneinfo/localtime"));
  CHECK_FALSE(fs::exists(zones + "/localtime"));
  const std::string what = test::in_child([&]() -> std::string {
    if (!own_mounts() || !put_over("/usr/share/zoneinfo/Europe/Berlin", "/usr/share/zoneinfo/Asia/Tokyo"))
      return "no mounts";
    if (floor::is_current(**old)) return "the change was not noticed";
    const auto fresh = floor::build(place.config);
    if (!fresh.ok()) return fresh.error().message();
    const std::string built = (*fresh)->path + floor::kZones + "/Europe/Berlin";
    return content(built) == content("/usr/share/zoneinfo/Asia/Tokyo") ? "the new zone" : "the old zone";
  });
  CHECK(what == "the new zone");
}

TEST_CASE("a dynamic linker that does not exit is killed, with an error that names the program") {
  const FloorPlace place;
  // A file whose interpreter (PT_INTERP) is a script of this test: it keeps its output open and prints nothing.
  const std::string linker = place.path() + "/linker", program = place.path() + "/program";
  std::ofstream(linker) << "#!/bin/sh\nexec sleep 120\n";
  ::chmod(linker.c_str(), 0755);
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  Elf64_Phdr segment{};
  segment.p_type = PT_INTERP;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = linker.size() + 1;
  std::ofstream file(program, std::ios::binary);
  file.write(reinterpret_cast<const char*>(&header), sizeof header);
  file.write(reinterpret_cast<const char*>(&segment), sizeof segment);
  file.write(linker.c_str(), static_cast<std::streamsize>(linker.size() + 1));
  file.close();
  const std::string what = test::in_child([&]() -> std::string {
    ::alarm(90);  // fails the test if libraries_of() waits for the linker's two minutes
    const auto libraries = floor::libraries_of(program);
    return libraries.ok() ? "listed" : libraries.error().message();
  });
  CHECK(what.find("list the libraries of " + program) != std::string::npos);
  CHECK(what.find("did not exit") != std::string::npos);
  CHECK(floor::libraries_of("/usr/bin/wc")->files.size() > 0);  // the control
}

TEST_CASE("no file of the floor is setuid, and root owns all files") {
  const FloorPlace place;
  const auto built = floor::build(place.config);
  REQUIRE(built.ok());
  std::size_t files = 0;
  for (const auto& entry : fs::recursive_directory_iterator((*built)->path)) {
    struct stat info {};
    REQUIRE(::lstat(entry.path().c_str(), &info) == 0);
    CAPTURE(entry.path().string());
    CHECK(info.st_uid == 0);
    if (S_ISREG(info.st_mode)) {
      CHECK((info.st_mode & (S_ISUID | S_ISGID | S_IWGRP | S_IWOTH)) == 0);
      ++files;
    }
  }
  CHECK(files > 100);
}
