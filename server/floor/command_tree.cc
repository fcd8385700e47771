#include "server/floor/command_tree.h"

#include <algorithm>
#include <filesystem>

#include "schemas/programs/essentials.h"
#include "server/floor/indexes.h"
#include "server/floor/trusted_path.h"
#include "server/layout/places.h"

namespace band::floor {
namespace {

namespace fs = std::filesystem;
using layout::Access;

constexpr const char* kLayer = "floor";
constexpr const char* kBin = "/usr/lib/band/bin";
constexpr const char* kGuarded = "/usr/lib/band/guarded";
constexpr const char* kLibraries = "/usr/lib/band/libraries";

bool begins_with(const std::string& text, std::string_view start) { return text.compare(0, start.size(), start) == 0; }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }
std::string top_of(const std::string& path) { return path.substr(0, path.find('/')); }

// Returns true for a dynamic linker, such as "ld-linux-x86-64.so.2" or "ld-musl-x86_64.so.1". The kernel executes this
// file, so it is not put among the libraries, which are only read.
bool is_loader(const std::string& path) {
  return begins_with(name_of(path), "ld-") || begins_with(name_of(path), "ld64");
}

class Planner {
 public:
  Planner(const Floor& floor, const std::set<std::string>& shimmed, Tree& tree, CommandFloor& made)
      : floor_(floor), shimmed_(shimmed), tree_(tree), made_(made) {}

  Status take_floor() {
    std::error_code failed;
    fs::recursive_directory_iterator at(floor_.path, failed), end;
    for (; !failed && at != end; at.increment(failed)) {
      const std::string path = at->path().string().substr(floor_.path.size() + 1);
      if (at->is_symlink())
        tree_.links[path] = fs::read_symlink(at->path(), failed).string();
      else if (at->is_regular_file())
        place_floor_file(path, at->path());
    }
    if (failed) return layer_error(kLayer, "cannot list " + floor_.path, failed.value());
    for (const std::string& name : shimmed_)
      made_.commands[name] = {
          {guarded(name)}, with_base({{guarded(name), Access::ReadExecute}}, Starts::Essentials), {}};
    return done();
  }

  // Called for all programs before the first call of take_program(), which copies no file that is below a directory of
  // any program. A directory may hide the floor's time zones and terminal descriptions, because the directory has the
  // same files.
  Status take_directories(const Program& program) {
    for (const ProgramDirectory& directory : program.directories) {
      const std::string path = directory.path.substr(1);
      for (const char* own : {"band", "dev", "proc", "tmp", "work"})
        if (top_of(path) == own) return hides(program, directory.path);
      const auto hidden = [&](const auto& entry) {
        return is_at_or_below(entry.first, path) && !is_of_machine(entry.first);
      };
      if (std::any_of(tree_.floor_files.begin(), tree_.floor_files.end(), hidden) ||
          std::any_of(tree_.links.begin(), tree_.links.end(), hidden))
        return hides(program, directory.path);
      directories_[directory.path] |= directory.executable;
    }
    return done();
  }

  // A directory inside another directory is bound together with the outer one. The map is sorted by path, so the outer
  // directory comes first.
  void settle_directories() {
    for (const auto& [path, executable] : directories_) {
      ProgramDirectory* outer = directory_of(path);
      if (outer != nullptr)
        outer->executable |= executable;
      else
        made_.directories.push_back({path, executable});
    }
    for (const ProgramDirectory& directory : made_.directories) {
      const std::string place = directory.path.substr(1);
      tree_.places.insert(place);
      std::erase_if(tree_.floor_files, [&](const auto& file) { return is_at_or_below(file.first, place); });
    }
  }

  void take_program(const Program& program) {
    Command command{program.argv, {}, program.env};
    std::vector<layout::PathRule> paths = program.paths;
    for (const Link& link : program.links)
      if (is_free(link.path)) tree_.links[link.path.substr(1)] = link.target;
    for (const ProgramFile& file : program.files) take_file(file);
    for (const ProgramFile& file : program.libraries) {
      const std::string path = file.path.substr(1);
      if (directory_of(file.path) != nullptr) {
        paths.push_back({file.path, Access::Read});  // the file is in the directory of another program
      } else if (is_free(file.path)) {
        tree_.files[(kLibraries + 1) + file.path] = file;
        tree_.links[path] = kLibraries + file.path;
      }
    }
    if (!program.essential.empty()) {
      command.argv[0] =
          (shimmed_.count(program.essential) != 0 ? guarded(program.essential) : kBin + ("/" + program.essential));
      paths.push_back({command.argv[0], Access::ReadExecute});
    }
    command.paths = with_base(std::move(paths), program.starts);
    // A rule may name the program by its path; scripts and the broker use its base name.
    made_.commands[fs::path(program.name).filename()] = std::move(command);
  }

  void settle_tops() {
    std::set<std::string> tops;
    for (const auto& [path, file] : tree_.files) tops.insert(top_of(path));
    for (const auto& [path, target] : tree_.links) tops.insert(top_of(path));
    for (const std::string& path : tree_.places) tops.insert(top_of(path));
    for (const char* of_every_view : {"usr", "etc", "bin", "lib", "lib64", "sbin"}) tops.erase(of_every_view);
    made_.tops.assign(tops.begin(), tops.end());
  }

 private:
  static bool is_of_machine(const std::string& path) {
    return is_at_or_below("/" + path, kZones) || is_at_or_below("/" + path, kSharedTerminfo);
  }
  static std::string guarded(const std::string& name) { return kGuarded + ("/" + name); }

  void place_floor_file(const std::string& path, const std::string& source) {
    const std::string name = name_of(path);
    if (begins_with(path, "usr/bin/") && is_essential(name)) {
      const bool watched = shimmed_.count(name) != 0;
      tree_.floor_files[(watched ? guarded(name) : kBin + ("/" + name)).substr(1)] = source;
      tree_.links[path] = watched ? std::string(layout::kShim) : kBin + ("/" + name);
    } else if (is_loader(path)) {
      tree_.floor_files[path] = source;
      loaders_.push_back("/" + path);
    } else if (begins_with(path, "etc/") || begins_with(path, "usr/lib/band/") || is_of_machine(path) ||
               is_at_or_below("/" + path, kLocale) || "/" + path == kLocaleArchive) {
      tree_.floor_files[path] = source;
      has_shared_terminfo_ |= is_at_or_below("/" + path, kSharedTerminfo);
    } else {
      tree_.floor_files[(kLibraries + 1) + ("/" + path)] = source;
      tree_.links[path] = kLibraries + ("/" + path);
    }
  }

  std::vector<layout::PathRule> with_base(std::vector<layout::PathRule> paths, Starts starts) const {
    paths.push_back({kLibraries, Access::Read});
    for (const char* locale : {kLocale, kLocaleArchive}) paths.push_back({locale, Access::Read});
    paths.push_back({kZones, Access::Read});
    if (has_shared_terminfo_) paths.push_back({kSharedTerminfo, Access::Read});
    paths.push_back({layout::kShim, Access::ReadExecute});
    for (const std::string& loader : loaders_) paths.push_back({loader, Access::ReadExecute});
    if (starts == Starts::Essentials) paths.push_back({kBin, Access::ReadExecute});
    return paths;
  }

  void take_file(const ProgramFile& file) {
    if (is_free(file.path)) tree_.files[file.path.substr(1)] = file;
    // The directory may belong to another program as data, but this file must be executable there.
    if (ProgramDirectory* directory = directory_of(file.path)) directory->executable |= file.executable;
  }

  ProgramDirectory* directory_of(const std::string& path) {
    for (ProgramDirectory& directory : made_.directories)
      if (is_at_or_below(path, directory.path)) return &directory;
    return nullptr;
  }

  // Returns true when the floor has no file or link at the path, and the path is not at or below a directory that is
  // bound.
  bool is_free(const std::string& path) {
    const std::string inside = path.substr(1);
    return directory_of(path) == nullptr && tree_.floor_files.count(inside) == 0 && tree_.links.count(inside) == 0;
  }

  static Error hides(const Program& program, const std::string& directory) {
    return layer_error(
        kLayer, "cannot mount " + directory + " for " + program.name + ": its mount would hide files of the sandbox", 0,
        "name smaller directories in `commands.programs` of /etc/band/server.yaml");
  }

  const Floor& floor_;
  const std::set<std::string>& shimmed_;
  Tree& tree_;
  CommandFloor& made_;
  std::map<std::string, bool> directories_;  // by path: executable?
  std::vector<std::string> loaders_;
  bool has_shared_terminfo_ = false;
};

}  // namespace

Result<Tree> plan_tree(const Floor& floor, const std::vector<std::shared_ptr<const Program>>& programs,
                       const std::set<std::string>& shimmed, CommandFloor& made) {
  Tree tree;
  Planner planner(floor, shimmed, tree, made);
  BAND_CHECK(planner.take_floor());
  for (const auto& program : programs) BAND_CHECK(planner.take_directories(*program));
  planner.settle_directories();
  for (const auto& program : programs) planner.take_program(*program);
  planner.settle_tops();
  return tree;
}

}  // namespace band::floor
