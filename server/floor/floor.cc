#include "server/floor/floor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "schemas/programs/essentials.h"
#include "server/base/io.h"
#include "server/base/undo.h"
#include "server/floor/certificates.h"
#include "server/floor/indexes.h"
#include "server/floor/libraries.h"
#include "server/floor/trusted_path.h"
#include "server/layout/places.h"

namespace band::floor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLayer = "floor";
constexpr std::size_t kMaxFileBytes = 256u << 20;

// Path of a file in the floor (relative to its root) -> its source on the machine.
using Layout = std::map<std::string, std::string>;

// Data that essentials open in addition to their libraries: a file, or all files of a directory.
struct Data {
  const char* path;
  const char* package;  // the Debian package, for the error when the data are missing
  std::array<std::string_view, 3> without = {};
  const char* or_else = nullptr;  // its path in another Debian release
};
constexpr Data kData[] = {{kLocale, "libc-bin"},
                          // localtime is the machine's local zone. posix contains the same zones again; right
                          // contains them with leap seconds.
                          {kZones, "tzdata", {"localtime", "posix", "right"}},
                          {"/usr/libexec/coreutils/libstdbuf.so", "coreutils"},
                          // Terminal descriptions (terminfo(5)), which bash needs for editing its command line.
                          {"/usr/lib/terminfo", "ncurses-base", {}, kSharedTerminfo}};

std::string place_of(const Data& data) {
  std::error_code ignored;
  return data.or_else != nullptr && !fs::exists(data.path, ignored) ? data.or_else : data.path;
}

Status add_program(Layout& layout, const std::string& target, const std::string& source) {
  layout[target] = source;
  BAND_TRY(const Libraries libraries, libraries_of(source));
  if (!libraries.interpreter.empty()) layout[in_floor(libraries.interpreter)] = libraries.interpreter;
  for (const std::string& file : libraries.files) layout[in_floor(file)] = file;
  return done();
}

// For a link, the target file is copied, if the target is in the same directory tree.
Status add_data(Layout& layout, const Data& data) {
  std::error_code failed;
  const std::string place = place_of(data), top = fs::canonical(place, failed);
  bool found = false;
  const auto add = [&](const std::string& path) {
    std::error_code dangling;
    const std::string real = fs::canonical(path, dangling);
    if (dangling || !is_at_or_below(real, top) || !fs::is_regular_file(real, dangling)) return;
    layout[(place + path.substr(top.size())).substr(1)] = real;
    found = true;
  };
  if (!failed) add(top);
  if (!failed && fs::is_directory(top, failed)) {
    fs::recursive_directory_iterator at(top, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
      const std::string name = at->path().filename();
      if (at.depth() == 0 && std::find(data.without.begin(), data.without.end(), name) != data.without.end())
        at.disable_recursion_pending();
      else
        add(at->path());
    }
  }
  if (found && !failed) return done();
  return layer_error(kLayer, "cannot read " + place + ", which essential commands need",
                     failed ? failed.value() : ENOENT, std::string("apt-get install ") + data.package);
}

Result<Layout> lay_out(const Config& config) {
  BAND_CHECK(check_indexers());
  Layout layout;
  for (const Essential& essential : kEssentials) {
    const std::string name(essential.name);
    std::string source;
    for (const char* directory : {"/usr/bin/", "/bin/", "/usr/sbin/"})
      if (source.empty() && ::access((directory + name).c_str(), X_OK) == 0) source = directory + name;
    if (source.empty())
      return layer_error(kLayer, "cannot find the essential command " + name, ENOENT,
                         "apt-get install " + std::string(essential.package));
    BAND_CHECK(add_program(layout, "usr/bin/" + name, source));
  }
  BAND_CHECK(add_program(layout, layout::kShim + 1, config.band_shim));
  for (const Data& data : kData) BAND_CHECK(add_data(layout, data));
  return layout;
}

using Texts = std::map<std::string, std::string>;  // by path below the root

// The generated files of /etc. They name only the gateway's resolver and two accounts. The accounts have no home
// directory, because ssh reads its configuration from the home of the passwd entry, regardless of $HOME, and a script
// must not be able to write this configuration.
Texts etc_files(const Config& config) {
  std::string passwd = "root:x:0:0:root:/:/usr/bin/false\n";
  for (int slot = 0; slot < config.slots; ++slot)
    passwd += "band-runner:x:" + std::to_string(config.uid_base + static_cast<uid_t>(slot)) + ":" +
              std::to_string(config.gid) + ":band:/nonexistent:/bin/bash\n";
  return {
      {"etc/passwd", passwd},
      {"etc/group", "root:x:0:\nband-runner:x:" + std::to_string(config.gid) + ":\n"},
      {"etc/hostname", "band\n"},
      {"etc/hosts", "127.0.0.1 localhost band\n"},
      {"etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n"},
      {"etc/resolv.conf", "nameserver 127.0.0.1\n"},
  };
}

Result<Texts> generated_files(const Config& config) {
  Texts files = etc_files(config);
  BAND_TRY(Certificates certificates, read_certificates(config.extra_ca));
  if (!certificates.bundle.empty()) files[layout::kCertificates + 1] = std::move(certificates.bundle);
  if (!certificates.extra.empty()) files[layout::kExtraCertificates + 1] = std::move(certificates.extra);
  return files;
}

Status put(const fs::path& root, const std::string& name, std::string_view bytes, unsigned mode) {
  const fs::path target = root / name;
  std::error_code failed;
  fs::create_directories(target.parent_path(), failed);
  if (failed) return layer_error(kLayer, "cannot make " + target.parent_path().string(), failed.value());
  base::Fd fd(::open(target.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!fd) return layer_error(kLayer, "cannot create " + target.string(), errno);
  BAND_CHECK(base::write_all(fd.get(), bytes));
  if (::fchmod(fd.get(), mode) != 0) return layer_error(kLayer, "cannot chmod " + target.string(), errno);
  return done();
}

// Called before the floor gets its final name: so after a power failure a floor with its final name is complete.
Status sync_all(const std::string& directory) {
  base::Fd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd || ::syncfs(fd.get()) != 0) return layer_error(kLayer, "cannot sync " + directory, errno);
  return done();
}

// Makes the directories that a view mounts on, and the links of a merged /usr.
Status put_skeleton(const fs::path& root) {
  std::error_code failed;
  for (const char* link : {"bin", "lib", "lib64", "sbin"}) {
    fs::create_directories(root / "usr" / link, failed);
    fs::create_directory_symlink(fs::path("usr") / link, root / link, failed);
    if (failed) return layer_error(kLayer, "cannot link " + std::string(link), failed.value());
  }
  return done();
}

struct Built {
  std::string key;
  std::string scratch;
};

// Copies all files into a scratch directory, adds the indexes, and hashes the bytes of all files.
Result<Built> copy_all(const Config& config, const Layout& layout, const Texts& generated) {
  std::string scratch = config.directory + "/new.XXXXXX";
  if (::mkdtemp(scratch.data()) == nullptr) return layer_error(kLayer, "cannot make " + scratch, errno);
  base::Undo remove([&] {
    std::error_code ignored;
    fs::remove_all(scratch, ignored);
  });
  if (::chmod(scratch.c_str(), 0755) != 0) return layer_error(kLayer, "cannot chmod " + scratch, errno);
  BAND_CHECK(put_skeleton(scratch));
  Digest hash;
  for (const auto& [name, source] : layout) {
    BAND_TRY(const std::string bytes, base::read_file(source, kMaxFileBytes));
    hash.add(name);
    hash.add(bytes);
    const bool program = ::access(source.c_str(), X_OK) == 0;
    BAND_CHECK(put(scratch, name, bytes, program ? 0755 : 0644));
  }
  for (const auto& [name, text] : generated) {
    hash.add(name);
    hash.add(text);
    BAND_CHECK(put(scratch, name, text, 0644));
  }
  BAND_CHECK(make_indexes(scratch, kLocale + 1));
  for (const std::string index : {kLocaleArchive, kLinkerCache}) {
    BAND_TRY(const std::string bytes, base::read_file(scratch + index, kMaxFileBytes));
    hash.add(index);
    hash.add(bytes);
  }
  BAND_CHECK(sync_all(scratch));
  remove.keep();
  return Built{hash.hex(16), scratch};
}

// The manifest contains the floor's key, then a line "signature path" for each source.
std::string manifest_path(const Config& config) { return config.directory + "/current"; }

std::shared_ptr<const Floor> read_manifest(const Config& config) {
  const auto text = base::read_file(manifest_path(config), 4 << 20);
  if (!text.ok()) return nullptr;
  std::istringstream lines(*text);
  auto floor = std::make_shared<Floor>();
  std::getline(lines, floor->key);
  floor->path = config.directory + "/" + floor->key;
  Source source;
  while (lines >> source.signature && std::getline(lines, source.path)) {
    source.path.erase(0, 1);
    floor->sources.push_back(source);
  }
  const bool usable = floor->key.size() == 16 && !floor->sources.empty() && fs::is_directory(floor->path);
  return usable ? floor : nullptr;
}

// Returns true when the floor was made for this configuration: with the same band-shim (a server in another directory
// has another one), and with the same generated files, whose content depends on slots, ids and certificates; and when
// the floor has its indexes.
bool fits(const Config& config, const Texts& generated, const Floor& floor) {
  const auto is_shim = [&](const Source& source) { return source.path == config.band_shim; };
  if (std::none_of(floor.sources.begin(), floor.sources.end(), is_shim)) return false;
  for (const char* index : {kLocaleArchive, kLinkerCache})
    if (!fs::exists(floor.path + index)) return false;
  for (const auto& [name, text] : generated) {
    const auto present = base::read_file(floor.path + "/" + name, kMaxFileBytes);
    if (!present.ok() || *present != text) return false;
  }
  return true;
}

}  // namespace

std::string in_floor(std::string path) {
  path.erase(0, 1);
  for (const char* top : {"bin/", "sbin/", "lib/", "lib64/"})
    if (path.rfind(top, 0) == 0) return "usr/" + path;
  return path;
}

bool is_current(const Floor& floor) { return are_current(floor.sources); }

Status check(const Config& config) {
  BAND_TRY(const Texts generated, generated_files(config));
  BAND_TRY(const Layout layout, lay_out(config));
  return done();
}

Result<std::shared_ptr<const Floor>> build(const Config& config) {
  std::error_code failed;
  fs::create_directories(config.directory, failed);
  if (failed) return layer_error(kLayer, "cannot make " + config.directory, failed.value());
  auto floor = std::make_shared<Floor>();
  // The signatures are computed before the files are read. If a file changes during the read, its signature is then
  // outdated, and the next check makes a new floor.
  for (const std::string& source : {std::string(kMachineBundle), config.extra_ca})
    if (!source.empty()) floor->sources.push_back({source, signature_of(source)});
  BAND_TRY(const Texts generated, generated_files(config));
  if (auto present = read_manifest(config); present && is_current(*present) && fits(config, generated, *present))
    return present;

  BAND_TRY(const Layout layout, lay_out(config));
  std::set<std::string> sources;  // a set, because half of the time zones are second names of another zone's file
  for (const auto& [name, source] : layout)
    if (sources.insert(source).second) floor->sources.push_back({source, signature_of(source)});
  BAND_TRY(const Built built, copy_all(config, layout, generated));
  floor->key = built.key;
  floor->path = config.directory + "/" + built.key;
  if (fs::is_directory(floor->path)) {
    fs::remove_all(built.scratch, failed);  // the content is the same: an upgrade changed no file of the floor
  } else if (::rename(built.scratch.c_str(), floor->path.c_str()) != 0) {
    return layer_error(kLayer, "cannot rename " + built.scratch, errno);
  }
  std::string manifest = floor->key + "\n";
  for (const Source& source : floor->sources) manifest += source.signature + " " + source.path + "\n";
  BAND_CHECK(base::write_file(manifest_path(config), manifest, 0600));
  return std::shared_ptr<const Floor>(floor);
}

void remove_others(const Config& config, const Floor& keep) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(config.directory, ignored))
    if (entry.is_directory(ignored) && entry.path() != fs::path(keep.path)) fs::remove_all(entry.path(), ignored);
}

}  // namespace band::floor
