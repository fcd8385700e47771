#include "client/workspace/own.h"

#include <filesystem>
#include <set>

#include "client/host/own_directories.h"
#include "client/workspace/workspace.h"
#include "schemas/band/files.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

// `what`: the file or the workspace.
Status refused(const OwnPlace& place, const std::string& what) {
  return Error{
      .code = Code::PermissionDenied,
      .doing = what + (place.is_file ? " is " + place.path + ", a file of band, which no run writes"
                                     : " is in " + place.path + ", a directory of band, into which no run writes"),
      .hint = "run the script in another directory; only a person changes band's skills and configuration"};
}

Result<Position> position_of(const OwnDirectories& own, const Tree& tree, const std::string& directory,
                             const std::string& what) {
  int err = 0;
  Position position = own.position_of(tree, directory, err);
  if (err == 0) return position;
  return Error{.code = Code::PermissionDenied,
               .doing = "cannot determine whether " + what + " is in a directory of band",
               .err = err,
               .hint = "check the permissions of the directories above it"};
}

// A skill that is the target of a link. The BAND.md files that it names can be next to it. They are read only if a file
// is written to the directory that contains the skill, or below it.
struct Linked {
  std::string directory;
  OwnPlace parent;
  bool read = false;
};

// Adds the BAND.md files that the scripts of a skill have or name. After an error the skill does not run until a person
// corrects it, so the files that are unknown because of the error need no protection.
void add_bands(const std::string& skill, OwnDirectories& own) {
  std::set<fs::path> known;
  std::error_code error;
  for (fs::directory_iterator entry(fs::path(skill) / "scripts", error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string script = entry->path().filename().string();
    const auto first =
        is_script_name(std::string("x/").append(script)) ? nearest_band_file(skill, script) : std::nullopt;
    if (!first || !known.insert(*first).second) continue;
    std::vector<Diagnostic> errors;
    std::vector<fs::path> named;
    read_bands(skill, script, errors, nullptr, &named);
    for (const fs::path& file : named) own.add(file.string());
  }
}

Status check(OwnDirectories& own, std::vector<Linked>& skills, const Position& position, const std::string& written) {
  if (const OwnPlace* place = own.containing(position)) return refused(*place, written);
  for (Linked& skill : skills) {
    if (skill.read || !skill.parent.levels_above(position)) continue;
    add_bands(skill.directory, own);
    skill.read = true;
    if (const OwnPlace* place = own.containing(position)) return refused(*place, written);
  }
  return done();
}

}  // namespace

Status check_own_directories(const Tree& tree, const std::vector<StoreItem>& items) {
  if (items.empty()) return done();
  BAND_TRY(OwnDirectories own, OwnDirectories::find());
  std::vector<Linked> skills;
  for (const std::string& directory : own.linked_skills())
    if (auto parent = own.place_of(fs::path(directory).parent_path())) skills.push_back({directory, *parent});
  const std::string* directory = nullptr;
  Position position;  // one at a time: a script chooses the paths, and a path can have thousands of names
  for (const StoreItem& item : items) {
    if (directory == nullptr || *directory != item.directory) {
      BAND_TRY(position, position_of(own, tree, item.directory, item.file->path));
      directory = &item.directory;
    }
    position.enter(item.name);
    BAND_CHECK(check(own, skills, position, item.file->path));
    position.leave();
  }
  return done();
}

Status check_not_own(const Tree& workspace) {
  BAND_TRY(const OwnDirectories own, OwnDirectories::find());
  const std::string what = "the workspace " + workspace.path();
  BAND_TRY(const Position position, position_of(own, workspace, "", what));
  if (const OwnPlace* place = own.containing(position)) return refused(*place, what);
  return done();
}

}  // namespace band::client
