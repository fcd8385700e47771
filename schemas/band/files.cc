#include "schemas/band/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>

namespace band {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 16;

// Returns whether version `have` is at least `least`: "0.1" < "0.1.1" < "0.2". Both must consist of numbers and dots.
bool version_at_least(std::string have, std::string least) {
  const auto part = [](std::string& text) {
    const std::size_t dot = text.find('.');
    const long number = std::strtol(text.substr(0, dot).c_str(), nullptr, 10);
    text = dot == std::string::npos ? "" : text.substr(dot + 1);
    return number;
  };
  for (int i = 0; i < 3; ++i) {
    const long h = part(have), l = part(least);
    if (h != l) return h > l;
  }
  return true;
}

bool is_beneath(const fs::path& path, const fs::path& root) {
  const auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  return end == root.end();
}

// Reads at most one byte more than the maximum size of a band, which is enough to detect a file that is too large.
Result<std::string> read_file(const fs::path& path) {
  const auto failed = [&](int err) {
    return Error{
        .code = Code::SkillInvalid, .doing = "cannot read the file", .err = err, .hint = "make it a readable file"};
  };
  // O_NOFOLLOW: the path is resolved, so a link as its last part was created later. O_NONBLOCK: opening a FIFO would
  // block.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return failed(errno);
  struct stat status = {};
  std::string text;
  int err = ::fstat(fd, &status) != 0 ? errno : !S_ISREG(status.st_mode) ? EINVAL : 0;
  char buffer[16384];
  while (err == 0 && text.size() <= kMaxBandFileBytes) {
    const ssize_t got = ::read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) err = errno;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(fd);
  if (err != 0) return failed(err);
  return text;
}

void add_named(const fs::path& path, std::vector<fs::path>* named) {
  std::error_code failure;
  if (named != nullptr && !fs::is_directory(path, failure)) named->push_back(path);
}

class Reading {
 public:
  Reading(fs::path root, const BandDraft* draft, std::vector<Diagnostic>& errors, std::vector<fs::path>* named)
      : root_(std::move(root)), draft_(draft), errors_(errors), named_(named) {}

  // `file` must be resolved and below the root. Returns nullopt after errors.
  std::optional<BandFiles> run(const fs::path& file) {
    const std::size_t before = errors_.size();
    read_.first = node(file);
    if (read_.first == nullptr || errors_.size() > before) return std::nullopt;
    return std::move(read_);
  }

 private:
  // Returns null after errors. A file that several others name is read only once; the number of files bounds the
  // recursion depth.
  const BandNode* node(const fs::path& file) {
    if (const auto known = known_.find(file.string()); known != known_.end()) return known->second;
    const BandNode*& done = known_[file.string()];  // references into a map stay valid
    const std::string shown = shown_name(file);
    read_.files.push_back(shown);
    Result<std::string> text = draft_ != nullptr && draft_->path == file ? draft_->text : read_file(file);
    if (!text.ok()) {
      errors_.push_back({shown, 0, 0, text.error().message(), text.error().hint});
      return nullptr;
    }
    std::optional<BandFile> band = parse_band(text.value(), shown, errors_);
    if (!band) return nullptr;
    check_version(*band);
    read_.nodes.push_back(std::make_unique<BandNode>(BandNode{std::move(*band), nullptr, {}, {}}));
    BandNode& made = *read_.nodes.back();
    open_.push_back(file.string());
    const bool complete = follow(made, file);
    open_.pop_back();
    if (complete) done = &made;
    return done;
  }

  // Reads the files that `made` names.
  bool follow(BandNode& made, const fs::path& file) {
    if (!made.band.path.empty()) {
      made.path = other(made.band, file, made.band.path, "/path");
      return made.path != nullptr;
    }
    const bool included = each(made, file, made.band.includes, "/includes", made.includes);
    const bool extended = each(made, file, made.band.extends, "/extends", made.extends);
    return included && extended;
  }

  bool each(const BandNode& from, const fs::path& file, const std::vector<std::string>& names, const char* list,
            std::vector<BandNode::Reference>& references) {
    bool complete = true;
    for (std::size_t i = 0; i < names.size(); ++i) {
      std::string pointer = std::string(list) + "/" + std::to_string(i);
      if (from.band.places.find(pointer) == from.band.places.end()) pointer = list;  // a single string
      const BandNode* found = other(from.band, file, names[i], pointer);
      complete = complete && found != nullptr;
      references.push_back({std::move(pointer), found});
    }
    return complete;
  }

  // Reads the other file that `band` names at `pointer`.
  const BandNode* other(const BandFile& band, const fs::path& from, const std::string& named,
                        const std::string& pointer) {
    std::error_code failure;
    const fs::path path = from.parent_path() / named;
    const fs::path file = fs::canonical(path, failure);
    add_named(failure ? path : file, named_);
    if (failure) {
      complain(band, pointer, "\"" + named + "\": " + failure.message(), "write a path relative to this file");
      return nullptr;
    }
    if (!is_beneath(file, root_)) {
      complain(band, pointer, "\"" + named + "\" is outside " + root_.filename().string() + "/",
               "name a BAND.md of this skill or of a neighbouring skill");
      return nullptr;
    }
    if (fs::is_directory(file, failure)) {
      complain(band, pointer, "\"" + named + "\" is a directory",
               "write `" + (fs::path(named) / "BAND.md").string() + "`");
      return nullptr;
    }
    if (const auto at = std::find(open_.begin(), open_.end(), file.string()); at != open_.end()) {
      std::string circle;
      for (auto it = at; it != open_.end(); ++it) circle += shown_name(*it) + " -> ";
      complain(band, pointer, "a cycle: " + circle + shown_name(file), "remove one of these references");
      return nullptr;
    }
    if (known_.find(file.string()) == known_.end() && read_.files.size() >= kMaxFiles) {
      complain(band, pointer, "more than 16 files are composed", "merge some of them");
      return nullptr;
    }
    read_.named_by.emplace(shown_name(file),
                           pointer.substr(1, pointer.find('/', 1) - 1) + ", " + origin_of(band, pointer));
    return node(file);
  }

  std::string shown_name(const fs::path& file) const { return file.lexically_relative(root_).generic_string(); }

  void complain(const BandFile& band, const std::string& pointer, std::string message, std::string hint) {
    errors_.push_back(diagnostic_at(band, pointer, std::move(message), std::move(hint)));
  }

  void check_version(const BandFile& band) {
    if (band.min_band_version.empty() || version_at_least(BAND_VERSION, band.min_band_version)) return;
    complain(band, "/requires/band", "needs band " + band.min_band_version + "; this is " + BAND_VERSION,
             "upgrade band");
  }

  fs::path root_;
  const BandDraft* draft_;
  std::vector<Diagnostic>& errors_;
  std::vector<fs::path>* named_;  // can be null
  BandFiles read_;
  std::map<std::string, const BandNode*> known_;  // null: the file has errors, or is being read
  std::vector<std::string> open_;                 // the chain of files from the first one to the current one
};

bool is_plain_name(const std::string& name) {
  return !name.empty() && name.size() <= 64 && name[0] != '.' &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

// Adds an error when there is no BAND.md.
std::optional<fs::path> nearest(const fs::path& skill, const std::string& script, const BandDraft* draft,
                                std::vector<Diagnostic>& errors) {
  const std::string name = skill.filename().string();
  if (!script.empty() && !is_plain_name(script)) {
    errors.push_back(
        {name, 0, 0, "\"" + script.substr(0, 80) + "\" is not the name of a script", "write `skill/script`"});
    return std::nullopt;
  }
  if (auto found = nearest_band_file(skill, script, draft)) return found;
  errors.push_back({name + "/BAND.md", 0, 0, "there is no BAND.md",
                    "write one: `---`, `band: " + name + "`, the rules, `---`; without rules everything is denied"});
  return std::nullopt;
}

}  // namespace

std::string origin_of(const BandFile& band, const std::string& pointer) {
  const auto place = band.places.find(pointer);
  return place == band.places.end() ? band.file : band.file + ":" + std::to_string(place->second.first);
}

Diagnostic diagnostic_at(const BandFile& band, const std::string& pointer, std::string message, std::string hint) {
  const auto place = band.places.find(pointer);
  const auto [line, column] = place == band.places.end() ? std::pair{0, 0} : place->second;
  return {band.file, line, column, std::move(message), std::move(hint)};
}

std::optional<fs::path> nearest_band_file(const fs::path& skill, const std::string& script, const BandDraft* draft) {
  std::vector<fs::path> candidates{skill / "BAND.md"};
  if (!script.empty())
    candidates.insert(candidates.begin(), {skill / "scripts" / script / "BAND.md", skill / "scripts" / "BAND.md"});
  for (const fs::path& candidate : candidates) {
    std::error_code failure;
    // A dangling link counts as existing: otherwise a wider band would apply, which allows what the author of the
    // missing band wanted to deny.
    if (fs::symlink_status(candidate, failure).type() != fs::file_type::not_found) return candidate;
    if (draft != nullptr && draft->path == candidate) return candidate;
  }
  return std::nullopt;
}

std::optional<BandFiles> read_bands(const fs::path& skill_dir, const std::string& script_name,
                                    std::vector<Diagnostic>& errors, const BandDraft* draft,
                                    std::vector<fs::path>* named) {
  std::error_code failure;
  const fs::path skill = fs::canonical(skill_dir, failure);
  if (failure) {
    errors.push_back(
        {skill_dir.string(), 0, 0, "cannot open the skill: " + failure.message(), "name a skill's directory"});
    return std::nullopt;
  }
  const std::optional<fs::path> start = nearest(skill, script_name, draft, errors);
  if (!start) return std::nullopt;
  const fs::path root = skill.parent_path();
  const bool is_draft = draft != nullptr && draft->path == *start;
  const fs::path file = is_draft ? *start : fs::canonical(*start, failure);
  add_named(failure ? *start : file, named);
  const std::string shown = start->lexically_relative(root).generic_string();
  if (failure) {
    errors.push_back({shown, 0, 0, "cannot open the file: " + failure.message(), "repair or remove it"});
    return std::nullopt;
  }
  if (!is_beneath(file, root)) {
    errors.push_back(
        {shown, 0, 0, "the file is a link to a file outside " + root.filename().string() + "/", "copy the file"});
    return std::nullopt;
  }
  return Reading(root, draft, errors, named).run(file);
}

std::optional<BandFiles> read_bands_from(const fs::path& file, std::vector<Diagnostic>& errors) {
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (!failure) return Reading(real.parent_path(), nullptr, errors, nullptr).run(real);
  errors.push_back({file.string(), 0, 0, "cannot open the file: " + failure.message(), "name a BAND.md"});
  return std::nullopt;
}

}  // namespace band
