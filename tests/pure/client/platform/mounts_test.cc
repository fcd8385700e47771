// Paths that lead to one file through several mounts.
#include "client/platform/mounts.h"

#include <doctest/doctest.h>

using namespace band::client;

namespace {

// Lines as the kernel writes them: id, parent, device, directory in the file system, mount point, options ...
constexpr const char* kMounts =
    "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "22 21 0:21 / /proc rw,nosuid shared:5 - proc proc rw\n"
    "23 21 8:2 / /home rw shared:9 - ext4 /dev/sda2 rw\n"
    "24 21 8:2 /me/.band/skills/notes /srv/notes rw - ext4 /dev/sda2 rw\n"
    "25 23 8:1 /srv/lib /home/me/.band/skills/tool/scripts/_lib rw - ext4 /dev/sda1 rw\n"
    "26 21 8:2 /me/my\\040notes /mnt/with\\040blank\\134 rw - ext4 /dev/sda2 rw\n"
    "27 21 0:40 / /mnt/twice rw - tmpfs tmpfs rw\n"
    "28 27 8:2 /me /mnt/twice rw - ext4 /dev/sda2 rw\n"
    "broken\n";

std::string origin(const std::string& path) { return origin_of(parse_mounts(kMounts), path); }

}  // namespace

TEST_CASE("all paths that bind mounts add to a file have the same origin") {
  CHECK(origin("/home/me/.band/skills/notes/BAND.md") == "8:2/me/.band/skills/notes/BAND.md");
  CHECK(origin("/srv/notes/BAND.md") == "8:2/me/.band/skills/notes/BAND.md");
  CHECK(origin("/srv/notes") == "8:2/me/.band/skills/notes");
  CHECK(origin("/mnt/twice/.band/skills/notes") ==
        "8:2/me/.band/skills/notes");  // the later mount hides the earlier one
  CHECK(origin("/home/me/.band/skills/tool/scripts/_lib/x") == origin("/srv/lib/x"));
  CHECK(origin("/mnt/with blank\\/x") == origin("/home/me/my notes/x"));
  // The controls: names that only begin like a mount point, and the root.
  CHECK(origin("/srv/notes2/BAND.md") == "8:1/srv/notes2/BAND.md");
  CHECK(origin("/homes/me") == "8:1/homes/me");
  CHECK(origin_of({}, "/home/me") == "/home/me");
}

TEST_CASE("a mount that a later mount on a directory above it hides does not count") {
  const std::string hidden =
      "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
      "30 21 0:50 / /home/me/.band rw - tmpfs none rw\n";
  const std::string path = "/home/me/.band/skills/notes/assets";
  CHECK(origin_of(parse_mounts(hidden), path) == "0:50/skills/notes/assets");  // the control
  const auto mounts = parse_mounts(hidden +
                                   "31 21 0:51 / /home rw - tmpfs none rw\n"
                                   "32 21 0:51 /me/.band/skills/notes/assets /deep rw - tmpfs none rw\n"
                                   "33 31 0:52 / /home/me/work rw - tmpfs none rw\n");
  CHECK(origin_of(mounts, path) == "0:51/me/.band/skills/notes/assets");
  CHECK(origin_of(mounts, "/deep") == origin_of(mounts, path));
  CHECK(origin_of(mounts, "/home/me/work/x") == "0:52/x");  // a mount in the later one
}

TEST_CASE("in a chroot that is not a mount point, no mount may show a part of its file system") {
  const std::string plain =
      "40 21 0:21 / /proc rw - proc proc rw\n"
      "41 21 0:22 / /sys rw,nosuid shared:7 master:1 - sysfs sysfs rw\n"
      "42 21 8:2 / /home rw - ext4 /dev/sda2 rw\n";
  const std::string bound = plain + "43 21 8:1 /chroot/home /deep rw - ext4 /dev/sda1 rw\n";
  const std::string btrfs = plain + "44 21 0:30 /chroot/home /deep rw shared:1 - btrfs /dev/sda3 rw\n";
  const std::string root = "21 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
  CHECK(check_mounts(parse_mounts(plain), "8:1").ok());
  CHECK(check_mounts(parse_mounts(plain), "0:31").ok());
  const auto refused = check_mounts(parse_mounts(bound), "8:1");
  REQUIRE(!refused.ok());
  CHECK(refused.error().message().find("the mount /deep can show a part of it") != std::string::npos);
  CHECK(!check_mounts(parse_mounts(btrfs), "0:31").ok());  // its subvolumes have devices that no mount has
  CHECK(check_mounts(parse_mounts(btrfs), "8:1").ok());
  CHECK(check_mounts(parse_mounts(root + bound), "8:1").ok());
  CHECK(origin_of(parse_mounts(plain), "/srv/x") == "/srv/x");
  CHECK(origin_of(parse_mounts(plain), "/home/x") == "8:2/x");
}
