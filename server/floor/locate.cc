#include "server/floor/locate.h"

#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "server/base/child.h"

namespace band::floor {
namespace {

constexpr const char* kLayer = "floor";
constexpr const char* kAptCache = "/usr/bin/apt-cache";
// apt needs 20 ms with its cache. Without the cache it reads all package lists, which takes half a second.
constexpr int kAptMs = 5'000;

// Other usual directories of programs. A declared command there is found only if the operator adds the directory.
constexpr const char* kElsewhere[] = {"/usr/bin",  "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/usr/games",
                                      "/snap/bin", "/opt/bin",  "/opt/*/bin",     "/usr/lib/*/bin"};

bool is_plain_name(const std::string& name) {
  const auto odd = [](unsigned char c) {
    return ::isalnum(c) == 0 && std::string_view("._+-").find(static_cast<char>(c)) == std::string_view::npos;
  };
  return !name.empty() && name.size() < 128 && name.front() != '-' && std::none_of(name.begin(), name.end(), odd);
}

std::string base_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Returns a path of the program outside the configured directories, or "".
std::string find_elsewhere(const std::string& name) {
  if (name.front() == '/') return ::access(name.c_str(), X_OK) == 0 ? name : "";
  if (!is_plain_name(name)) return "";
  for (const char* directory : kElsewhere)
    for (const std::string& path : glob_paths(std::string(directory) + "/" + name))
      if (::access(path.c_str(), X_OK) == 0) return path;
  return "";
}

// Returns true when the package lists on this machine contain a package with exactly this name. Uses no network.
bool is_package(const std::string& name) {
  if (!is_plain_name(name) || ::access(kAptCache, X_OK) != 0) return false;
  base::Fd null(::open("/dev/null", O_RDWR | O_CLOEXEC));
  auto child = base::spawn({{kAptCache, "--no-all-versions", "show", name},
                            {"LC_ALL=C", "PATH=/usr/bin:/bin"},
                            {null.get(), null.get(), null.get()}});
  if (!child.ok()) return false;
  const auto exit = child->wait(kAptMs);
  return exit && !exit->signalled && exit->code == 0;
}

Error missing(const std::string& name, const KnownPrograms& known, Hint how) {
  const std::string plain = base_name(name);
  std::string hint = "install the command, or name its directory in `commands.directories` of /etc/band/server.yaml";
  if (const std::string place = find_elsewhere(name); !place.empty()) {
    hint =
        "it is at " + place + ": put " + directory_of(place) + " into `commands.directories` of /etc/band/server.yaml";
  } else if (const ProgramNeeds* needs = known.find(plain); needs != nullptr && !needs->package.empty()) {
    hint = "apt-get install " + needs->package;
  } else if (how == Hint::Package && is_package(plain)) {
    hint = "apt-get install " + plain;
  }
  return Error{.code = Code::SandboxUnavailable,
               .doing = "the command " + name + " is not on the machine that runs the scripts",
               .hint = hint,
               .details = kMissing};
}

// Returns nullopt when the directory does not contain the program. Only a directory that contains the program is
// checked: a directory to which other users can write is an error only if the program would be used from there.
std::optional<Result<TrustedPath>> look_in(const std::string& directory, const std::string& name) {
  const std::string path = directory + "/" + name;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return std::nullopt;
  auto found = follow_trusted(path);
  if (!found.ok() || (S_ISREG(info.st_mode) && (info.st_mode & S_IXOTH) != 0)) return found;
  return layer_error(kLayer, "cannot use " + path + ": it is not a regular file that every user may execute", EACCES,
                     "chmod 755 " + path);
}

}  // namespace

std::vector<std::string> glob_paths(const std::string& pattern) {
  std::vector<std::string> paths;
  glob_t matches{};
  if (::glob(pattern.c_str(), 0, nullptr, &matches) == 0)
    paths.assign(matches.gl_pathv, matches.gl_pathv + matches.gl_pathc);
  ::globfree(&matches);
  return paths;
}

Result<TrustedPath> locate(const std::string& name, const KnownPrograms& known, std::vector<Source>& sources,
                           Hint hint) {
  const bool absolute = !name.empty() && name.front() == '/';
  const std::string plain = absolute ? base_name(name) : name;
  if (plain.empty() || plain == "." || plain == ".." || (!absolute && plain.find('/') != std::string::npos))
    return Error{.code = Code::SkillInvalid,
                 .doing = "\"" + name + "\" is not a command",
                 .hint = "write the name of a command, or its absolute path"};
  for (const std::string& directory : known.directories) {
    if (absolute && directory_of(name) != directory) continue;
    if (auto found = look_in(directory, plain)) return std::move(*found);
    sources.push_back({directory + "/" + plain, "-"});
  }
  return missing(name, known, hint);
}

}  // namespace band::floor
