// Finds the BAND.md of a script and composes it with the files that it extends and includes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "schemas/band/band.h"
#include "schemas/band/narrow.h"
#include "schemas/rules/algebra.h"

namespace band {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 16;

struct Composed {
  BandFile band;
  Rules rules;
  std::map<std::string, std::string> limit_origins;
};

Domain domain_of(const RuleSet& allow, const RuleSet& deny, const RuleSet& insist) {
  Domain domain;
  RuleSet opened = allow;
  opened.insert(opened.end(), insist.begin(), insist.end());
  if (!opened.empty()) domain.opened.push_back(std::move(opened));
  domain.deny = deny;
  domain.insist = insist;
  return domain;
}

Rules rules_of(const BandFile& band) {
  Rules rules;
  rules.cli = domain_of(band.allow_cli, band.deny_cli, band.insist_cli);
  rules.net = domain_of(band.allow_net, band.deny_net, band.insist_net);
  rules.read = domain_of(band.allow_read, band.deny_read, band.insist_read);
  rules.write = domain_of(band.allow_write, band.deny_write, band.insist_write);
  rules.limit = band.limit;
  rules.env = band.env;
  return rules;
}

// Returns the origin of a value, "github/BAND.md:12"; without the line if it is unknown.
std::string origin_of(const BandFile& band, const std::string& pointer) {
  const auto place = band.places.find(pointer);
  return place == band.places.end() ? band.file : band.file + ":" + std::to_string(place->second.first);
}

std::map<std::string, std::string> limit_origins_of(const BandFile& band) {
  std::map<std::string, std::string> origins;
  for (const LimitKey& key : kLimitKeys)
    if (band.limit.*key.member) origins[key.name] = origin_of(band, std::string("/limit/") + key.name);
  if (band.limit.maxCostDollars) origins["maxCostDollars"] = origin_of(band, "/limit/maxCostDollars");
  return origins;
}

// Keeps the smaller of two limits, with its origin.
void unite_limits(Composed& mine, const Composed& theirs) {
  const auto join = [&](const char* name, const auto& own, const auto& other) {
    if (other && (!own || *other < *own)) mine.limit_origins[name] = theirs.limit_origins.at(name);
  };
  for (const LimitKey& key : kLimitKeys) join(key.name, mine.rules.limit.*key.member, theirs.rules.limit.*key.member);
  join("maxCostDollars", mine.rules.limit.maxCostDollars, theirs.rules.limit.maxCostDollars);
  mine.rules.limit = smaller(mine.rules.limit, theirs.rules.limit);
}

// `required` takes precedence over a default, and `secret` over `secret: false`.
void unite_env(std::vector<EnvRule>& to, const std::vector<EnvRule>& from) {
  for (const EnvRule& rule : from) {
    const auto found =
        std::find_if(to.begin(), to.end(), [&](const EnvRule& other) { return other.name == rule.name; });
    if (found == to.end()) {
      to.push_back(rule);
      continue;
    }
    found->required = found->required || rule.required;
    found->secret = found->secret || rule.secret;
    if (found->required)
      found->fallback.reset();
    else if (!found->fallback)
      found->fallback = rule.fallback;
    if (found->description.empty()) found->description = rule.description;
  }
}

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

class Composer {
 public:
  Composer(fs::path root, const BandDraft* draft, std::vector<Diagnostic>& errors)
      : root_(std::move(root)), draft_(draft), errors_(errors) {}

  const std::vector<std::string>& files() const { return files_; }
  const std::map<std::string, std::string>& named_by() const { return named_by_; }

  // Returns null after errors. `file` must be resolved and below the root. A file that several others name is composed
  // only once; the number of files bounds the recursion depth.
  const Composed* compose(const fs::path& file) {
    if (auto known = done_.find(file.string()); known != done_.end()) return known->second ? &*known->second : nullptr;
    std::optional<Composed>& slot = done_[file.string()];  // references into a map stay valid
    const std::string shown = shown_name(file);
    files_.push_back(shown);
    Result<std::string> text = draft_ != nullptr && draft_->path == file ? draft_->text : read_file(file);
    if (!text.ok()) {
      errors_.push_back({shown, 0, 0, text.error().message(), text.error().hint});
      return nullptr;
    }
    const std::optional<BandFile> band = parse_band(text.value(), shown, errors_);
    if (!band) return nullptr;
    check_version(*band);
    open_.push_back(file.string());
    std::optional<Composed> composed = follow(*band, file);
    open_.pop_back();
    slot = std::move(composed);
    return slot ? &*slot : nullptr;
  }

 private:
  std::string shown_name(const fs::path& file) const { return file.lexically_relative(root_).generic_string(); }

  void complain(const BandFile& band, const std::string& pointer, std::string message, std::string hint) {
    const auto place = band.places.find(pointer);
    const auto [line, column] = place == band.places.end() ? std::pair{0, 0} : place->second;
    errors_.push_back({band.file, line, column, std::move(message), std::move(hint)});
  }

  void check_version(const BandFile& band) {
    if (band.min_band_version.empty() || version_at_least(BAND_VERSION, band.min_band_version)) return;
    complain(band, "/requires/band", "needs band " + band.min_band_version + "; this is " + BAND_VERSION,
             "upgrade band");
  }

  // Composes the other file that `band` names at `pointer`.
  const Composed* other(const BandFile& band, const fs::path& from, const std::string& named,
                        const std::string& pointer) {
    std::error_code failure;
    const fs::path file = fs::canonical(from.parent_path() / named, failure);
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
    if (done_.find(file.string()) == done_.end() && files_.size() >= kMaxFiles) {
      complain(band, pointer, "more than 16 files are composed", "merge some of them");
      return nullptr;
    }
    named_by_.emplace(shown_name(file), pointer.substr(1, pointer.find('/', 1) - 1) + ", " + origin_of(band, pointer));
    return compose(file);
  }

  std::optional<Composed> follow(const BandFile& band, const fs::path& file) {
    if (!band.path.empty()) {
      const Composed* target = other(band, file, band.path, "/path");
      if (target == nullptr) return std::nullopt;
      Composed composed = *target;
      composed.band.name = band.name;
      if (!band.description.empty()) composed.band.description = band.description;
      return composed;
    }
    Composed composed{band, rules_of(band), limit_origins_of(band)};
    bool good = true;
    const auto each = [&](const std::vector<std::string>& names, const char* list, bool restricting) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        std::string pointer = std::string(list) + "/" + std::to_string(i);
        if (band.places.find(pointer) == band.places.end()) pointer = list;  // a single string
        const Composed* found = other(band, file, names[i], pointer);
        good = good && found != nullptr && combine(composed, *found, restricting, pointer) &&
               add_config(composed.band, found->band, pointer);
      }
    };
    each(band.includes, "/includes", false);
    each(band.extends, "/extends", true);  // last, because it also restricts the included rules
    if (!good) return std::nullopt;
    return composed;
  }

  // The configuration of a band of another name belongs to other scripts and is not joined.
  bool add_config(BandFile& band, const BandFile& other, const std::string& pointer) {
    if (band.name != other.name) return true;
    auto joined = narrow(other.config, band.config, band.name);
    if (!joined.ok()) return complain(band, pointer, joined.error().doing, joined.error().hint), false;
    band.config = std::move(joined).value();
    return true;
  }

  bool combine(Composed& composed, const Composed& with, bool restricting, const std::string& pointer) {
    const BandFile& band = composed.band;
    std::size_t total = 0;
    for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write}) {
      Domain& mine = composed.rules.*domain;
      const Domain& theirs = with.rules.*domain;
      // Checked before composing: composing multiplies the numbers of layers, so 16 files can produce thousands of
      // layers.
      const std::size_t layers =
          restricting ? mine.opened.size() + theirs.opened.size() : mine.opened.size() * theirs.opened.size();
      if (layers > kMaxLayers) {
        complain(band, pointer, "more than " + std::to_string(kMaxLayers) + " layers of rules", "extend fewer bands");
        return false;
      }
      mine = restricting ? restrict_to(mine, theirs) : unite(mine, theirs);
      total += mine.deny.size() + mine.insist.size();
      for (const RuleSet& layer : mine.opened) total += layer.size();
    }
    if (total > kMaxRules) {
      complain(band, pointer, "more than " + std::to_string(kMaxRules) + " rules in all",
               "write fewer, wider patterns");
      return false;
    }
    unite_limits(composed, with);
    unite_env(composed.rules.env, with.rules.env);
    return true;
  }

  fs::path root_;
  const BandDraft* draft_;
  std::vector<Diagnostic>& errors_;
  std::map<std::string, std::optional<Composed>> done_;
  std::vector<std::string> open_;  // the chain of files from the first one to the current one
  std::vector<std::string> files_;
  std::map<std::string, std::string> named_by_;
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

// `file` and `root` must be resolved, and `file` below `root`.
std::optional<ComposedBand> composed_from(const fs::path& file, const fs::path& root, const BandDraft* draft,
                                          std::vector<Diagnostic>& errors) {
  const std::size_t before = errors.size();
  Composer composer(root, draft, errors);
  const Composed* composed = composer.compose(file);
  if (composed == nullptr || errors.size() > before) return std::nullopt;
  std::vector<Diagnostic> insists = check_insists(composed->rules);
  errors.insert(errors.end(), insists.begin(), insists.end());
  if (!insists.empty()) return std::nullopt;
  return ComposedBand{composed->band, composed->rules, composer.files(), composer.named_by(), composed->limit_origins};
}

}  // namespace

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

std::optional<ComposedBand> compose_band(const fs::path& skill_dir, const std::string& script_name,
                                         std::vector<Diagnostic>& errors, const BandDraft* draft) {
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
  return composed_from(file, root, draft, errors);
}

std::optional<ComposedBand> compose_file(const fs::path& file, std::vector<Diagnostic>& errors) {
  std::error_code failure;
  const fs::path real = fs::canonical(file, failure);
  if (!failure) return composed_from(real, real.parent_path(), nullptr, errors);
  errors.push_back({file.string(), 0, 0, "cannot open the file: " + failure.message(), "name a BAND.md"});
  return std::nullopt;
}

void add_rules(ComposedBand& band, const BandFile& more) {
  const Rules rules = rules_of(more);
  for (Domain Rules::*domain : {&Rules::cli, &Rules::net, &Rules::read, &Rules::write})
    band.rules.*domain = unite(band.rules.*domain, rules.*domain);
  for (const LimitKey& key : kLimitKeys)
    if (rules.limit.*key.member) band.rules.limit.*key.member = rules.limit.*key.member;
  if (rules.limit.maxCostDollars) band.rules.limit.maxCostDollars = rules.limit.maxCostDollars;
  unite_env(band.rules.env, rules.env);
}

}  // namespace band
