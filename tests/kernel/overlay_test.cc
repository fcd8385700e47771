// Read-only overlays of directories of the machine (server/view/overlay.h).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <functional>
#include <string>

#include "server/base/io.h"
#include "server/view/overlay.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/own_mounts.h"

using namespace band;
using namespace band::test;

namespace {

// A tmpfs over /tmp with the file `shown/file` and the directory `shown/inside`, in a mount namespace of the test's
// child process. It ends with this process, so nothing must be removed.
class Room {
 public:
  Room() {
    if (!own_mounts() || !mount_tmpfs(path_)) return;
    std::filesystem::create_directories(path_ + "/shown/inside");
    made_ = base::write_file(path_ + "/shown/file", "text", 0644).ok();
  }
  explicit operator bool() const { return made_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }
  Result<view::Overlays> overlays() const { return view::Overlays::make(at("empty"), at("dev")); }
  // Attaches an overlay of the directory `of` at the directory `place`.
  Status show(const view::Overlays& overlays, const std::string& of, const std::string& place) const {
    std::filesystem::create_directories(at(place));
    const base::Fd directory(::open(at(of).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    BAND_TRY(const base::Fd tree, overlays.over(directory.get(), {}));
    return view::attach(tree.get(), AT_FDCWD, at(place));
  }

 private:
  std::string path_ = "/tmp";
  bool made_ = false;
};

std::string in_room(const std::function<std::string(const Room&, const view::Overlays&)>& act) {
  return in_child([&] {
    const Room room;
    if (!room) return did_if(false);
    const auto overlays = room.overlays();
    return overlays.ok() ? act(room, *overlays) : overlays.error().message() + "; " + overlays.error().hint;
  });
}

// Returns whether a watch of `watched` reports that `used` is opened.
std::string watch(const std::string& watched, const std::string& used) {
  const base::Fd events(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (::inotify_add_watch(events.get(), watched.c_str(), IN_ALL_EVENTS) < 0) return did_if(false);
  const base::Fd opened(::open(used.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  return !opened ? did_if(false) : ::read(events.get(), buffer, sizeof buffer) > 0 ? "seen" : "nothing";
}

std::string lock_both(const std::string& one, const std::string& other) {
  const base::Fd first(::open(one.c_str(), O_RDONLY | O_CLOEXEC)), second(::open(other.c_str(), O_RDONLY | O_CLOEXEC));
  if (::flock(first.get(), LOCK_EX | LOCK_NB) != 0) return did_if(false);
  return did_if(::flock(second.get(), LOCK_EX | LOCK_NB) == 0);
}

}  // namespace

TEST_CASE("an overlay shows the files of its directory with their inode numbers, and no mount below the directory") {
  CHECK(in_room([](const Room& room, const view::Overlays& overlays) -> std::string {
          if (!mount_tmpfs(room.at("shown/inside")) || !base::write_file(room.at("shown/inside/x"), "", 0644).ok())
            return did_if(false);
          if (const Status shown = room.show(overlays, "shown", "a"); !shown.ok()) return said(shown);
          struct stat own {
          }, of_machine{};
          if (::stat(room.at("a/file").c_str(), &own) != 0 || ::stat(room.at("shown/file").c_str(), &of_machine) != 0)
            return did_if(false);
          const auto text = base::read_file(room.at("a/file"), 64);
          return (text.ok() ? *text : "unread") + (own.st_ino == of_machine.st_ino ? " same number" : " other number") +
                 (own.st_dev == of_machine.st_dev ? " same file" : " other file") +
                 (std::filesystem::is_empty(room.at("a/inside")) ? " empty" : " mounted");
        }) == "text same number other file empty");
}

TEST_CASE("root can change nothing through an overlay") {
  CHECK(in_room([](const Room& room, const view::Overlays& overlays) -> std::string {
          if (const Status shown = room.show(overlays, "shown", "a"); !shown.ok()) return said(shown);
          // The control: the same acts on the directory itself.
          std::string results;
          for (const std::string top : {"shown", "a"}) {
            const std::string file = room.at(top + "/file"), made = room.at(top + "/made-in-").append(top);
            results += did_if(base::Fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC)).get() >= 0) + " " +
                       did_if(::chmod(file.c_str(), 0600) == 0) + " " +
                       did_if(::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0) + " " +
                       did_if(::mkdir(made.c_str(), 0755) == 0) + "; ";
          }
          return results;
        }) == "did did did did; refused EROFS refused EROFS refused EROFS refused EROFS; ");
}

TEST_CASE("reading a file through an overlay does not change its access time on the machine") {
  CHECK(in_room([](const Room& room, const view::Overlays& overlays) -> std::string {
          if (const Status shown = room.show(overlays, "shown", "a"); !shown.ok()) return said(shown);
          const std::string file = room.at("shown/file");
          const timespec old[] = {{1'000, 0}, {1'000, 0}};
          if (::utimensat(AT_FDCWD, file.c_str(), old, 0) != 0) return did_if(false);
          std::string results;
          for (const std::string& read : {room.at("a/file"), file}) {
            struct stat info {};
            if (!base::read_file(read, 64).ok() || ::stat(file.c_str(), &info) != 0) return did_if(false);
            results += info.st_atim.tv_sec == 1'000 ? "same " : "changed ";
          }
          return results;
        }) == "same changed ");
}

// On newer kernels a watch of the machine's file reports that it is opened through an overlay.
TEST_CASE("a watch on a file of an overlay reports only its use through this overlay, and a lock has no other effect") {
  CHECK(in_room([](const Room& room, const view::Overlays& overlays) -> std::string {
          for (const char* place : {"a", "b"})
            if (const Status shown = room.show(overlays, "shown", place); !shown.ok()) return said(shown);
          const std::string a = room.at("a/file"), b = room.at("b/file"), machine = room.at("shown/file");
          std::string results;
          for (const auto& [one, other] : {std::pair(machine, machine), {a, a}, {a, b}, {a, machine}})
            results += watch(one, other) + ", " + lock_both(one, other) + "; ";
          return results + lock_both(machine, a);
        }) == "seen, refused EAGAIN; seen, refused EAGAIN; nothing, did; nothing, did; did");
}

TEST_CASE("the error names the cause if an overlay cannot be made") {
  CHECK(in_room([](const Room& room, const view::Overlays& overlays) -> std::string {
          const Status first = room.show(overlays, "shown", "a"), second = room.show(overlays, "a", "b");
          const Status third = room.show(overlays, "b", "c");  // the kernel stacks at most two file systems
          if (!first.ok() || !second.ok() || third.ok()) return said(first) + "; " + said(second) + "; " + said(third);
          return third.error().message() + "; " + third.error().hint;
        }) ==
        "view: cannot make an overlay (fsconfig): Invalid argument; the kernel's log (dmesg) has the reason; the "
        "directory "
        "must not be on an overlay of an overlay, or on a file system that overlayfs does not support");
  CHECK(in_child([] {
          const Room room;
          const bool filled =
              room && ::mkdir(room.at("empty").c_str(), 0755) == 0 && ::mkdir(room.at("empty/x").c_str(), 0755) == 0;
          const auto overlays = room.overlays();
          return filled && !overlays.ok() ? overlays.error().hint : "no error";
        }) == "remove the files in it");
  CHECK(in_child([] {
          const Room room;
          const bool covered = room && ::mount("/dev/zero", "/dev/zero", nullptr, MS_BIND, nullptr) == 0 &&
                               ::mount("/dev/full", "/dev/zero", nullptr, MS_BIND, nullptr) == 0;
          const auto overlays = room.overlays();
          return covered && !overlays.ok() ? overlays.error().message() : "no error";
        }) == "view: cannot show /dev/zero: it is a link or a mount of its own");
}
