#include "server/view/overlay.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "server/view/root.h"

namespace band::view {
namespace {

constexpr const char* kLayer = "view";

Result<base::Fd> open_empty(const std::string& path) {
  if (::mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return layer_error(kLayer, "cannot make " + path, errno);
  BAND_TRY(base::Fd directory, open_beneath(AT_FDCWD, path, O_PATH | O_DIRECTORY));
  std::error_code failed;
  if (!std::filesystem::is_empty(path, failed))
    return layer_error(kLayer, "cannot use " + path + ": this directory must be empty", failed.value(),
                       "remove the files in it");
  return directory;
}

// A device that is a mount of its own is not in the overlay, which shows the file below the mount.
Status check_device(int devices, const std::string& name) {
  struct stat shown {
  }, wanted{};
  const std::string path = "/dev/" + name;
  if (::stat(path.c_str(), &wanted) != 0) return layer_error(kLayer, "cannot examine " + path, errno);
  if (::fstatat(devices, name.c_str(), &shown, AT_SYMLINK_NOFOLLOW) == 0 && S_ISCHR(shown.st_mode) &&
      shown.st_rdev == wanted.st_rdev)
    return done();
  return layer_error(kLayer, "cannot show " + path + ": it is a link or a mount of its own", 0,
                     "make it a device file in the file system of /dev, with mknod(1)");
}

}  // namespace

Result<Overlays> Overlays::make(const std::string& empty, const std::string& place) {
  Overlays overlays;
  BAND_TRY(overlays.empty_, open_empty(empty));
  if (::mkdir(place.c_str(), 0700) != 0 && errno != EEXIST) return layer_error(kLayer, "cannot make " + place, errno);
  BAND_TRY(const base::Fd machine, open_beneath(AT_FDCWD, "/dev", O_PATH | O_DIRECTORY));
  BAND_TRY(overlays.devices_, overlays.over(machine.get(), {.writable = true, .devices = true}));
  BAND_CHECK(attach(overlays.devices_.get(), AT_FDCWD, place));
  overlays.unmount_ = base::Undo([place] { ::umount2(place.c_str(), MNT_DETACH); });
  for (const char* device : kDevices) BAND_CHECK(check_device(overlays.devices_.get(), device));
  return overlays;
}

Result<base::Fd> Overlays::over(int directory, const MountRights& rights) const {
  return make_overlay(directory, empty_.get(), rights);
}

Status check_overlays(const std::string& directory) {
  BAND_TRY(const base::Fd one, open_beneath(AT_FDCWD, directory, O_PATH | O_DIRECTORY));
  BAND_TRY(const base::Fd devices, open_beneath(AT_FDCWD, "/dev", O_PATH | O_DIRECTORY));
  BAND_TRY(const base::Fd made, make_overlay(one.get(), devices.get(), {}));
  return done();
}

}  // namespace band::view
