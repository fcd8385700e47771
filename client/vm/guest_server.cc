#include "client/vm/guest_server.h"

#include <sys/utsname.h>

#include <vector>

#include "client/host/environment.h"
#include "client/host/spawn.h"
#include "schemas/wire/wire.h"

namespace band::client::vm {
namespace {

using namespace std::chrono_literals;

constexpr const char* kUploadDirectory = "/opt/band-setup";  // scripts cannot write there
constexpr int kStillExecuting = 40, kNeedsSource = 41;       // exit codes of lima/install-server
const int kServerBusy = exit_code(Code::ServerBusy);         // exit code of `band-server drain`
constexpr std::size_t kMostNamed = 5;                        // executions listed in one message
const std::vector<const char*> kPrograms = {"band-server", "band-http", "band-gateway", "band-init", "band-shim"};

// Returns name and version of a system from its os-release; "" if one is missing.
std::string id_of(const std::string& os_release) {
  const std::string text = "\n" + os_release;
  std::string both;
  for (const char* key : {"\nID=", "\nVERSION_ID="}) {
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return "";
    both += text.substr(at, text.find('\n', at + 1) - at);
  }
  return both;
}

// Programs of this machine run in a guest with the same system, release and architecture.
Result<bool> is_same_system(const Limactl& lima) {
  utsname own = {};
  if (::uname(&own) != 0 || std::string(own.sysname) != "Linux") return false;
  for (const char* program : kPrograms)
    if (!sibling_program(program).ok()) return false;
  const auto release = read_file("/etc/os-release", 64u << 10, Code::Internal);
  BAND_TRY(const auto theirs, lima.shell({"cat", "/etc/os-release"}));
  BAND_TRY(const auto machine, lima.shell({"uname", "-m"}));
  return release.ok() && !id_of(*release).empty() && id_of(*release) == id_of(theirs.out) &&
         machine.out == std::string(own.machine) + "\n";
}

// `printed`: the output of `band-server drain`, which may contain other lines.
Error still_runs(const std::string& printed, int drain_s) {
  const std::vector<std::string> left = left_by_drain(printed);
  std::string names = left.empty() ? "; the server does not list them" : "";
  for (std::size_t i = 0; i < left.size() && i < kMostNamed; ++i) names += (i == 0 ? ": " : ", ") + left[i];
  if (left.size() > kMostNamed) names += " and " + std::to_string(left.size() - kMostNamed) + " more";
  return Error{
      .code = Code::ServerBusy,
      .doing = "executions in the virtual machine did not end within " + std::to_string(drain_s) + " s" + names,
      .hint = "no execution was stopped: run `band setup` again, with a longer --drain SECONDS"};
}

// Runs lima/install-server in the guest. Returns its status and output. `way`: --programs or --source.
Result<Limactl::Ran> run_install_script(const Limactl& lima, const GuestFiles& files, int drain_s, const char* way,
                                        const std::string& given, const Show& show) {
  std::vector<int> fine = {0, kStillExecuting};
  if (way == std::string("--programs")) fine.push_back(kNeedsSource);
  const std::string there = kUploadDirectory;
  auto ran = lima.shell({"sudo", there + "/install-server", "--digest", files.digest, "--drain",
                         std::to_string(drain_s), way, there + "/" + given},
                        show.progress, fine, kInstallMs);
  if (!ran.ok()) note_log(lima, kInstallLog, show);
  return ran;
}

Status make_upload_directory(const Limactl& lima) {
  const std::string place = "install -d -m 0700 -o \"$SUDO_UID\" -g \"$SUDO_GID\" " + std::string(kUploadDirectory) +
                            " " + kUploadDirectory + "/programs";
  BAND_TRY(const auto made, lima.shell({"sudo", "sh", "-c", place}));
  return done();
}

// Returns kNeedsSource if the programs do not run in the guest.
Result<Limactl::Ran> install_programs(const Limactl& lima, const GuestFiles& files, int drain_s, const Show& show) {
  std::vector<std::string> paths;
  for (const char* program : kPrograms) {
    BAND_TRY(std::string path, sibling_program(program));
    paths.push_back(std::move(path));
  }
  BAND_CHECK(make_upload_directory(lima));
  BAND_CHECK(lima.copy(paths, std::string(kUploadDirectory) + "/programs"));
  BAND_CHECK(lima.copy({files.file("install-server")}, kUploadDirectory));
  return run_install_script(lima, files, drain_s, "--programs", "programs", show);
}

Result<Limactl::Ran> install_source(const Limactl& lima, const GuestFiles& files, int drain_s, const Show& show) {
  BAND_CHECK(make_upload_directory(lima));
  BAND_CHECK(lima.copy({files.file("install-server"), files.file("source.tar.gz")}, kUploadDirectory));
  return run_install_script(lima, files, drain_s, "--source", "source.tar.gz", show);
}

}  // namespace

Result<GuestFiles> guest_files() {
  GuestFiles files;
  files.directory = executable_directory() + "/../share/band/lima";
  auto digest = read_file(files.file("source.digest"), 1024, Code::Usage);
  if (digest.ok() && digest->ends_with('\n')) digest->pop_back();
  if (digest.ok() && digest->size() == 64 && digest->find_first_not_of("0123456789abcdef") == std::string::npos) {
    files.digest = *digest;
    return files;
  }
  return Error{.code = Code::Usage,
               .doing = "there is no " + files.file("source.digest") + ", which is needed to create a virtual machine",
               .hint = "`cmake --install` installs this file with band; in a build tree, `ninja programs` creates it"};
}

Result<bool> has_server(const Limactl& lima, const GuestFiles& files) {
  BAND_TRY(const auto current, lima.shell({"readlink", "/opt/band/current"}, {}, {0, 1}));
  BAND_TRY(const auto active, lima.shell({"systemctl", "is-active", "--quiet", "band-server"}, {}, {0, 3, 4}));
  return current.out == "/opt/band/" + files.digest + "\n" && active.status == 0;
}

Status install_server(const Limactl& lima, const GuestFiles& files, int drain_s, const Begin& begin, const Show& show) {
  BAND_TRY(const bool same, is_same_system(lima));
  Limactl::Ran ran{kNeedsSource, ""};
  if (same) {
    begin("install the server of the virtual machine, with this machine's programs", 60s);
    BAND_TRY(ran, install_programs(lima, files, drain_s, show));
  }
  if (ran.status == kNeedsSource) {
    begin("compile the server in the virtual machine", 300s);
    BAND_TRY(ran, install_source(lima, files, drain_s, show));
  }
  if (ran.status == kStillExecuting) return still_runs(ran.out, drain_s);
  (void)lima.shell({"sudo", "rm", "-rf", kUploadDirectory});
  return done();
}

Status drain_server(const Limactl& lima, int drain_s, const Show& show) {
  BAND_TRY(const auto drained, lima.shell({"sudo", "band-server", "drain", "--seconds", std::to_string(drain_s)},
                                          show.progress, {0, kServerBusy}, kInstallMs));
  if (drained.status == kServerBusy) return still_runs(drained.out, drain_s);
  return done();
}

void note_log(const Limactl& lima, const std::string& file, const Show& show) {
  const auto log = lima.shell({"sudo", "tail", "-n", "40", file});
  if (log.ok()) show.note("--- the end of " + file + " in the virtual machine\n" + log->out);
}

}  // namespace band::client::vm
