// File systems that the machine has mounted below declared directories.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

// Returns the kernel file systems that this kernel supports; proc, sysfs and devpts exist on every machine.
std::vector<std::string> windows() {
  std::vector<std::string> types = {"proc", "sysfs", "devpts"};
  for (const char* type : {"cgroup2", "debugfs", "tracefs", "securityfs", "bpf", "mqueue", "pstore", "fusectl"})
    if (outside(std::string("grep -cw ") + type + " /proc/filesystems") == "1") types.emplace_back(type);
  return types;
}

}  // namespace

TEST_CASE("a file system that the machine has mounted below a declared directory is shown") {
  const Directory dir;
  const Mounted disk("tmpfs", dir.path() + "/disk");
  REQUIRE(disk);
  dir.put("disk/file", "content");
  CHECK(inside("cat " + dir.path() + "/disk/file", reading({dir.path() + "/**"})) == "content");
}

TEST_CASE("a kernel file system is not shown under another path") {
  for (const std::string& type : windows()) {
    CAPTURE(type);
    const Directory dir;
    dir.put("a", "alpha");
    const std::string window = dir.path() + "/window";
    const Mounted mounted(type, window);
    REQUIRE(mounted);
    CHECK(outside("stat -c %d " + window) != outside("stat -c %d " + dir.path()));  // the control: it is mounted
    CHECK(inside("ls " + dir.path(), reading({dir.path() + "/**"})) == "a");
    const Ran ran = run("echo ran", reading({window + "/**"}));
    CHECK(ran.code == "PERMISSION_DENIED");
    CHECK(ran.message.find("kernel") != std::string::npos);
  }
}

TEST_CASE("a single file of a kernel file system is not shown under another path") {
  const Directory dir;
  dir.put("a", "alpha");
  const std::string file = dir.put("version", "");
  scratch();
  CHECK(outside("mount --bind /proc/version " + file + " && cut -c1-5 " + file) == "Linux");
  CHECK(inside("ls " + dir.path(), reading({dir.path() + "/**"})) == "a");
  CHECK(run("echo ran", reading({file})).code == "PERMISSION_DENIED");
  CHECK(outside("umount " + file + " && cat " + file) == "");
  CHECK(inside("ls " + dir.path(), reading({dir.path() + "/**"})) == "a\nversion");
}

TEST_CASE(
    "the memory of files that an execution leaves in a tmpfs of the machine is not charged to the next execution of "
    "the slot") {
  const Directory dir;
  const Mounted memory("tmpfs", dir.path() + "/memory");
  REQUIRE(memory);
  REQUIRE(::chmod((dir.path() + "/memory").c_str(), 0777) == 0);
  With with;
  with.write = {dir.path() + "/memory/**"};
  with.limits["maxMemoryBytes"] = 64 << 20;
  with.limits["maxDiskBytes"] = 128 << 20;
  const Ran full = run("cat /dev/zero >" + dir.path() + "/memory/x", with);
  CHECK(full.code == "LIMIT_EXCEEDED");
  CHECK(full.max_memory_bytes > 60 << 20);
  CHECK(std::stoi(outside("du -m " + dir.path() + "/memory/x | cut -f1")) > 40);  // the control: the pages still exist
  with.write.clear();
  const Ran next = run("band-probe eat-heap 48", with);
  CHECK(next.code == "OK");
  CHECK(next.max_memory_bytes < 64 << 20);
  CHECK(run("true", with).max_memory_bytes < 16 << 20);
}
