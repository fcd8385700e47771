// Finds the BAND.md of a script, and reads it with the BAND.md files that it names in `path`, `extends` and `includes`.
// schemas/permit/compose.h composes the files.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "schemas/band/band.h"
#include "schemas/core/diagnostic.h"

namespace band {

// A BAND.md that is not yet written: `text` is used as the content of the file at `path`, which need not exist. Only
// the last part of `path` may be a link.
struct BandDraft {
  std::filesystem::path path;
  std::string text;
};

// One BAND.md and the files that it names. The references form no cycle.
struct BandNode {
  struct Reference {
    std::string pointer;  // the JSON pointer of the name in this file: "/extends/0"
    const BandNode* node;
  };
  BandFile band;
  const BandNode* path = nullptr;            // the file of `path`, which replaces this file; `extends` and `includes`
                                             // are then not read
  std::vector<Reference> includes, extends;  // in the order of the file
};

struct BandFiles {
  std::vector<std::unique_ptr<BandNode>> nodes;
  const BandNode* first = nullptr;  // the most specific BAND.md of the script
  std::vector<std::string> files;   // the name of every file that was read, in the order of reading
  // For each file but the first: the key by which another file names it, and the FILE:LINE where this happens:
  // "extends, github/BAND.md:5".
  std::map<std::string, std::string> named_by;
};

// Returns the most specific BAND.md of `script`: the first that exists of scripts/SCRIPT/BAND.md, scripts/BAND.md and
// BAND.md in directory `skill`. With an empty `script`: the skill's BAND.md. Returns nullopt if none of these files
// exists. `draft` counts as an existing file.
std::optional<std::filesystem::path> nearest_band_file(const std::filesystem::path& skill, const std::string& script,
                                                       const BandDraft* draft = nullptr);
// Reads the BAND.md of a script and the files that it names. After an error, appends to `errors` and returns nullopt.
// Errors are: those of parse_band(); no BAND.md; a file that cannot be read or is outside the directory that contains
// `skill_dir`; more than 16 files; files that name one another in a cycle; and a file that requires a newer version of
// band. If `named` is not null, appends the paths of the BAND.md and of each file that is named, except directories.
// After an error, too: also the path of a file that does not exist, as it is written. Files that are named only by a
// file with errors of parse_band() are unknown.
std::optional<BandFiles> read_bands(const std::filesystem::path& skill_dir, const std::string& script_name,
                                    std::vector<Diagnostic>& errors, const BandDraft* draft = nullptr,
                                    std::vector<std::filesystem::path>* named = nullptr);
// As read_bands(), but starts with the BAND.md `file`. All other files must be in the directory of `file` or below this
// directory.
std::optional<BandFiles> read_bands_from(const std::filesystem::path& file, std::vector<Diagnostic>& errors);

// Returns the origin of the value at a JSON pointer, "github/BAND.md:12"; without the line if it is unknown.
std::string origin_of(const BandFile& band, const std::string& pointer);
// Returns a diagnostic at the place of the value at a JSON pointer.
Diagnostic diagnostic_at(const BandFile& band, const std::string& pointer, std::string message, std::string hint);

}  // namespace band
