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
