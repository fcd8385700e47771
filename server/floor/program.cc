#include "server/floor/program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "schemas/programs/essentials.h"
#include "server/base/io.h"
#include "server/floor/floor.h"
#include "server/floor/libraries.h"
#include "server/floor/locate.h"
#include "server/floor/shebang.h"

namespace band::floor {
namespace {

namespace fs = std::filesystem;
using layout::Access;

constexpr const char* kLayer = "floor";
constexpr std::size_t kMaxEntries =
    200'000;  // entries in all directories of a program; walking them takes half a second

Result<std::string> head_of(const std::string& path) {
  base::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) return layer_error(kLayer, "cannot open " + path, errno);
  std::string head(kShebangBytes, '\0');
  const ssize_t size = ::pread(fd.get(), head.data(), head.size(), 0);
  if (size < 0) return layer_error(kLayer, "cannot read " + path, errno);
  head.resize(static_cast<std::size_t>(size));
  return head;
}

bool is_elf(std::string_view head) { return head.substr(0, SELFMAG) == ELFMAG; }

// Recognises a module by its name, because opening each file of a large directory would take longer than all other
// steps.
bool is_module(const std::string& name) {
  const auto ends_in = [&](std::string_view end) {
    return name.size() > end.size() && name.compare(name.size() - end.size(), end.size(), end) == 0;
  };
  return ends_in(".so") || ends_in(".node") || name.find(".so.") != std::string::npos;
}

// The needs of a program that is not in KnownPrograms: directories with its name, and /usr/share.
ProgramNeeds needs_of_unknown(const std::string& name) {
  ProgramNeeds needs;
  needs.certificates = true;
  needs.read = {"/usr/share"};
  if (name.find_first_of("*?[\\/") == std::string::npos)
    needs.run = {"/usr/lib/" + name, "/usr/libexec/" + name, "/usr/lib/*-linux-gnu/" + name};
  return needs;
}

class Assembly {
 public:
  Assembly(const KnownPrograms& known, Program& program, Hint hint) : known_(known), program_(program), hint_(hint) {}

  Status assemble() {
    if (const std::string plain = fs::path(program_.name).filename(); is_essential(plain))
      return Error{.code = Code::SkillInvalid,
                   .doing = program_.name + " is one of the essential commands",
                   .hint = "write it as `" + plain + "`, without a directory"};
    BAND_TRY(const TrustedPath at, locate(program_.name, known_, program_.sources, hint_));
    const ProgramNeeds* known = known_needs(program_.name, at);
    BAND_TRY(program_.argv, add_executable(at, 0));
    const ProgramNeeds needs = known != nullptr ? *known : needs_of_unknown(program_.name);
    program_.starts = needs.starts;
    BAND_CHECK(add_needs(needs));
    BAND_CHECK(add_modules());
    for (const auto& [name, value] : env_) program_.env.push_back(std::string(name).append("=").append(value));
    return done();
  }

 private:
  // Searches by the name as written, then by the targets of its links: `python` is python3, `nodejs` is node.
  const ProgramNeeds* known_needs(const std::string& name, const TrustedPath& at) const {
    const auto find = [&](const std::string& path) { return known_.find(fs::path(path).filename().string()); };
    const ProgramNeeds* needs = find(name);
    for (const Link& link : at.links)
      if (needs == nullptr) needs = find(link.target);
    return needs;
  }

  // Returns the beginning of the command line that executes this file (see Program::argv).
  Result<std::vector<std::string>> add_executable(const TrustedPath& at, int scripts_above) {
    if ((at.mode & S_ISUID) != 0)
      return layer_error(kLayer, "cannot use " + at.path + ": it is setuid, which has no effect in a sandbox", 0,
                         "remove the command from the band, and let the operator perform its task outside the sandbox");
    add_links(at);
    BAND_TRY(const std::string head, head_of(at.real));
    if (is_elf(head)) {
      BAND_CHECK(add_binary(at.real));
      return std::vector<std::string>{at.path};
    }
    BAND_TRY(const Shebang shebang, parse_shebang(head));
    if (shebang.interpreter.empty())
      return layer_error(kLayer, "cannot use " + at.path + ": it is neither a program nor a script with `#!`", ENOEXEC);
    if (scripts_above > 1)
      return layer_error(
          kLayer, "cannot use " + at.path + ": its interpreter is a script whose interpreter is a script, too", ELOOP);
    BAND_CHECK(add_file(at.real, true, Access::Read));
    BAND_TRY(std::vector<std::string> argv, add_interpreter(shebang.interpreter, scripts_above + 1));
    argv.insert(argv.end(), shebang.arguments.begin(), shebang.arguments.end());
    argv.push_back(at.path);
    return argv;
  }

  Result<std::vector<std::string>> add_interpreter(const std::string& path, int scripts_above) {
    const fs::path place(path);
    const std::string name = place.filename().string();
    const std::string directory = in_floor(place.parent_path().string() + "/");
    if (is_essential(name) && (path.front() != '/' || directory == "usr/bin/" || directory == "usr/sbin/")) {
      program_.essential = name;
      return std::vector<std::string>{"/usr/bin/" + name};
    }
    BAND_TRY(const TrustedPath at,
             path.front() == '/' ? follow_trusted(path) : locate(path, known_, program_.sources, hint_));
    BAND_TRY(std::vector<std::string> argv, add_executable(at, scripts_above));
    if (const ProgramNeeds* needs = known_needs(name, at)) BAND_CHECK(add_needs(*needs));
    return argv;
  }

  Status add_binary(const std::string& path) {
    BAND_CHECK(add_file(path, true, Access::ReadExecute));
    BAND_TRY(const std::string loader, add_libraries_of(path));
    if (!loader.empty()) main_ = {loader, path};
    return done();
  }

  // Returns the loader; "" when the program is static.
  Result<std::string> add_libraries_of(const std::string& path) {
    BAND_TRY(const Libraries libraries, libraries_of(path));
    for (const std::string& file : libraries.files) BAND_CHECK(add_library(file));
    if (libraries.interpreter.empty()) return std::string();
    BAND_CHECK(add_source(libraries.interpreter));
    const std::string loader = "/" + in_floor(libraries.interpreter);
    if (std::find(program_.loaders.begin(), program_.loaders.end(), loader) == program_.loaders.end()) {
      program_.loaders.push_back(loader);
      program_.files.push_back({loader, libraries.interpreter, program_.sources.back().signature, true});
      program_.paths.push_back({loader, Access::ReadExecute});
    }
    return libraries.interpreter;
  }

  // Leaves out programs that this machine cannot start: npm before 9.4 installs programs for musl next to those for
  // glibc.
  Status add_libraries_if_it_runs(const std::string& path) {
    const auto added = add_libraries_of(path);
    if (added.ok()) return done();
    const Error& error = added.error();
    if (error.err != ENOENT && error.err != ENOEXEC) return error;
    program_.left_out.push_back(error.message());
    return done();
  }

  Status add_library(const std::string& path) {
    if (!libraries_.insert(path).second) return done();
    BAND_CHECK(add_source(path));
    program_.libraries.push_back({"/" + in_floor(path), path, program_.sources.back().signature, false});
    return done();
  }

  Status add_file(const std::string& real, bool executable, Access access) {
    if (!files_.insert(real).second) return done();
    BAND_CHECK(add_source(real));
    program_.files.push_back({real, real, program_.sources.back().signature, executable});
    program_.paths.push_back({real, access});
    return done();
  }

  // All files that are read, copied or loaded must be files that only root can change (follow_trusted()).
  Status add_source(const std::string& path) {
    BAND_TRY(const TrustedPath at, follow_trusted(path));
    program_.sources.push_back({path, signature_of(path)});
    return done();
  }

  void add_links(const TrustedPath& at) {
    for (const Link& link : at.links) {
      program_.links.push_back(link);
      program_.sources.push_back(
          {link.path, signature_of(link.path)});  // stat(2) follows the link, so a new target changes the signature
    }
  }

  Status add_needs(const ProgramNeeds& needs) {
    for (const std::string& path : needs.read) BAND_CHECK(add_data(path, Access::Read, false));
    if (needs.certificates)
      for (const std::string& path : known_.certificates) BAND_CHECK(add_data(path, Access::Read, false));
    for (const std::string& path : needs.load) BAND_CHECK(add_data(path, Access::Read, true));
    for (const std::string& path : needs.run) BAND_CHECK(add_data(path, Access::ReadExecute, true));
    // The variables of the program are set last and override those of its interpreter.
    for (const auto& [name, value] : needs.env) env_[name] = value;
    return done();
  }

  Status add_data(const std::string& pattern, Access access, bool executable) {
    const std::vector<std::string> paths = glob_paths(pattern);
    if (paths.empty() && pattern.find_first_of("*?[") == std::string::npos)
      program_.sources.push_back({pattern, "-"});  // so that a file or directory that is made there later is detected
    for (const std::string& path : paths) {
      const auto at = follow_trusted(path);
      if (!at.ok()) {
        if (at.error().err != ENOENT) program_.left_out.push_back(at.error().message());
        continue;
      }
      add_links(*at);
      if (S_ISREG(at->mode)) BAND_CHECK(add_file(at->real, executable, access));
      if (S_ISDIR(at->mode)) add_directory(at->real, access, executable);
    }
    return done();
  }

  void add_directory(const std::string& real, Access access, bool executable) {
    const auto same = [&](const ProgramDirectory& known) { return known.path == real; };
    const auto known = std::find_if(program_.directories.begin(), program_.directories.end(), same);
    if (known == program_.directories.end())
      program_.directories.push_back({real, executable});
    else
      known->executable |= executable;
    program_.paths.push_back({real, access});
  }

  // Adds the libraries of the modules and programs that the program may load or start from its directories.
  Status add_modules() {
    std::vector<std::string> modules, programs;
    std::size_t entries = 0;
    for (const ProgramDirectory& directory : program_.directories)
      if (directory.executable) BAND_CHECK(walk(directory.path, modules, programs, entries));
    for (const std::string& path : programs) BAND_CHECK(add_libraries_if_it_runs(path));
    if (main_.loader.empty()) return done();
    for (const std::string& file : libraries_of_modules(main_.loader, main_.path, modules))
      BAND_CHECK(add_library(file));
    return done();
  }

  Status walk(const std::string& directory, std::vector<std::string>& modules, std::vector<std::string>& programs,
              std::size_t& entries) {
    // Directories in which a new module must be detected, because it may need further libraries.
    std::set<std::string> watched = {directory};
    std::error_code failed;
    fs::recursive_directory_iterator at(directory, fs::directory_options::skip_permission_denied, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
      if (++entries > kMaxEntries)
        return layer_error(kLayer, "cannot read the directories of " + program_.name + ": too many files", 0,
                           "name smaller directories in `commands.programs` of /etc/band/server.yaml");
      if (at->is_symlink() || !at->is_regular_file()) continue;
      const std::string& path = at->path().native();
      if (is_module(at->path().filename())) {
        modules.push_back(path);
        watched.insert(at->path().parent_path());
      } else if (::access(path.c_str(), X_OK) == 0) {
        const auto head = head_of(path);
        if (head.ok() && is_elf(*head)) programs.push_back(path);
      }
    }
    if (failed) return layer_error(kLayer, "cannot read " + directory, failed.value());
    for (const std::string& path : watched) program_.sources.push_back({path, signature_of(path)});
    return done();
  }

  const KnownPrograms& known_;
  Program& program_;
  const Hint hint_;
  struct {
    std::string loader, path;
  } main_;  // the program or interpreter that loads modules
  std::set<std::string> files_, libraries_;
  std::map<std::string, std::string> env_;
};

std::string key_of(const Program& program) {
  Digest digest;
  const auto add = [&](const std::vector<std::string>& parts) {
    digest.add(std::to_string(parts.size()));
    for (const std::string& part : parts) digest.add(part);
  };
  add({program.name, program.essential, program.starts == Starts::Nothing ? "nothing" : "essentials"});
  add(program.argv);
  add(program.env);
  std::vector<std::string> parts;
  for (const auto* list : {&program.files, &program.libraries})
    for (const ProgramFile& file : *list)
      for (const std::string& part : {file.path, file.source, file.signature}) parts.push_back(part);
  for (const Link& link : program.links) parts.insert(parts.end(), {link.path, link.target});
  for (const ProgramDirectory& directory : program.directories)
    parts.push_back(directory.path + (directory.executable ? " x" : ""));
  for (const layout::PathRule& rule : program.paths)
    parts.push_back(rule.path + " " + std::to_string(static_cast<int>(rule.access)));
  add(parts);
  return digest.hex(32);
}

}  // namespace

Result<Program> find_program(const std::string& name, const KnownPrograms& known, Hint hint) {
  Program program;
  program.name = name;
  BAND_CHECK(Assembly(known, program, hint).assemble());
  program.key = key_of(program);
  return program;
}

Result<std::shared_ptr<const Program>> Programs::find(const std::string& name, Hint hint) {
  const std::int64_t now = base::monotonic_us();
  Remembered before;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = remembered_.find(name); found != remembered_.end()) before = found->second;
  }
  if (before.program && now - before.checked_us < 1'000'000) return before.program;
  // Two threads may search for the same program at the same time; their results are equal.
  if (!before.program || !are_current(before.program->sources)) {
    BAND_TRY(Program program, find_program(name, known_, hint));
    before.program = std::make_shared<const Program>(std::move(program));
  }
  const std::lock_guard lock(mutex_);
  remembered_[name] = {before.program, now};
  return before.program;
}

}  // namespace band::floor
