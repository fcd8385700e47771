// Loading one script with everything that belongs to it (skills.h). A skill may come from anywhere: no link in it leads
// out of it, so that it cannot make band ship a file of the caller's under its own name.
#include <filesystem>

#include "client/host/tree.h"
#include "client/skills/skills.h"
#include "schemas/core/json.h"
#include "schemas/core/utf8.h"
#include "schemas/rules/algebra.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLibDepth = 16;

Diagnostic problem(const std::string& file, std::string message, std::string hint) {
  return Diagnostic{file, 0, 0, std::move(message), std::move(hint)};
}

void load_source(const Tree& skill, const ScriptPlace& place, std::string& source, std::vector<Diagnostic>& errors) {
  const std::string path = "scripts/" + place.script + "/run.sh";
  const std::string shown = place.skill + "/" + path;
  const Tree::Found found = skill.resolve(path);
  if (found.kind == Tree::Kind::Outside)
    return errors.push_back(problem(shown, "is a link that leads out of the skill", "put the script itself there"));
  if (found.kind != Tree::Kind::File)
    return errors.push_back(problem(shown, "is missing, or no regular file", "write the script there; bash runs it"));
  int err = 0;
  auto file = skill.read(found.path, kMaxSourceBytes, err);
  if (!file)
    return errors.push_back(
        err == EFBIG
            ? problem(shown, "has more than 1 MiB", "move data into the workspace or scripts/_lib")
            : problem(shown, Error{.code = Code::SkillInvalid, .doing = "cannot be read", .err = err}.message(),
                      "check its permissions"));
  if (file->content.find_first_not_of(" \t\r\n") == std::string::npos)
    return errors.push_back(
        problem(shown, "is empty", "write the script there; its result goes to \"$OUTPUT_PATH\" as JSON"));
  if (file->content.find('\0') != std::string::npos || !is_valid_utf8(file->content))
    return errors.push_back(
        problem(shown, "is no UTF-8 text", "save it as UTF-8; binary parts belong into scripts/_lib"));
  source = std::move(file->content);
}

class LibLoader {
 public:
  LibLoader(const Tree& skill, const std::string& skill_name, std::vector<Diagnostic>& errors)
      : skill_(skill), skill_name_(skill_name), errors_(errors) {}

  std::vector<ShippedFile> load() {
    visit("", 0);
    if (count_ > kMaxLibFiles)
      complain("", "has more than " + std::to_string(kMaxLibFiles) + " files",
               "keep what the scripts share, and nothing else, in it");
    if (bytes_ > kMaxLibBytes)
      complain("", "has more than 8 MiB", "keep what the scripts share, and nothing else, in it");
    return std::move(files_);
  }

 private:
  void complain(const std::string& path, std::string what, std::string hint) {
    errors_.push_back(problem(join_path(skill_name_ + "/scripts/_lib", path), std::move(what), std::move(hint)));
  }

  void visit(const std::string& path, std::size_t depth) {
    if (count_ > kMaxLibFiles || bytes_ > kMaxLibBytes) return;
    const Tree::Found found = skill_.resolve(path.empty() ? "scripts/_lib" : "scripts/_lib/" + path);
    int err = 0;
    if (found.kind == Tree::Kind::Missing && path.empty()) return;  // most skills have none
    if (found.kind == Tree::Kind::Directory) {
      if (depth > kMaxLibDepth)
        return complain(path, "is nested too deep, or a link to a directory above", "flatten it");
      const Fd directory = skill_.open_directory(found.path, err);
      const auto names = directory ? list_directory(directory.get(), err) : std::nullopt;
      if (!names) return complain(path, "cannot be listed", "check its permissions");
      for (const std::string& name : *names) visit(path.empty() ? name : path + "/" + name, depth + 1);
      return;
    }
    if (found.kind == Tree::Kind::Outside)
      return complain(path, "is a link that leads out of the skill", "put the file itself there");
    if (found.kind != Tree::Kind::File) return complain(path, "is no regular file", "remove it");
    if (!is_safe_relative_path(path))
      return complain(path, "has a name that cannot travel", "no control characters, and UTF-8");
    auto file = skill_.read(found.path, kMaxLibBytes, err);
    if (!file)
      return complain(path, err == EFBIG ? "has more than 8 MiB" : "cannot be read", "check its size and permissions");
    ++count_;
    bytes_ += file->content.size();
    files_.push_back({path, file->mode, std::move(file->content)});
  }

  const Tree& skill_;
  const std::string& skill_name_;
  std::vector<Diagnostic>& errors_;
  std::vector<ShippedFile> files_;
  std::size_t count_ = 0, bytes_ = 0;
};

// `stated` is the band's `contract` entry (relative to the skill), `usual` the place where a schema lies otherwise.
void load_schema(const Tree& skill, const std::string& stated, const std::string& usual,
                 std::optional<InputSchema>& schema, std::vector<Diagnostic>& errors) {
  const std::string path = stated.empty() ? usual : stated;
  const Tree::Found found = skill.resolve(path);
  if (found.kind == Tree::Kind::Missing && stated.empty()) return;
  if (found.kind != Tree::Kind::File)
    return errors.push_back(
        problem(path, "the schema is missing, or a link that leads out of the skill", "put the schema there"));
  auto loaded = InputSchema::load(fs::path(skill.path()) / found.path, fs::path(skill.path()) / "schemas");
  if (!loaded.ok()) return errors.push_back(problem(path, loaded.error().message(), loaded.error().hint));
  schema = std::move(loaded).value();
}

// `contract.input` is relative to the band's own file, which is shown as "SKILL/scripts/greet/BAND.md"; here it becomes
// relative to the skill.
std::string contract_path(const BandFile& band, const std::string& stated) {
  if (stated.empty()) return "";
  const std::size_t skill_end = band.file.find('/');
  const fs::path inside =
      skill_end == std::string::npos ? fs::path() : fs::path(band.file.substr(skill_end + 1)).parent_path();
  return (inside / stated).lexically_normal().string();
}

}  // namespace

Json Script::input_schema() const {
  if (input) return input->bundled();
  return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
}

std::string Script::description() const {
  // A band beside the script speaks of it; one further up speaks of the whole skill, and then the schema is nearer.
  if (band.band.file.ends_with("/scripts/" + place.script + "/BAND.md") && !band.band.description.empty())
    return band.band.description;
  if (const Json schema = input_schema();
      schema.is_object() && schema.contains("description") && schema["description"].is_string())
    return schema["description"].get<std::string>();
  return band.band.description;
}

std::optional<Script> load_script(const ScriptPlace& place, std::vector<Diagnostic>& errors) {
  Script script;
  script.place = place;
  const std::size_t before = errors.size();
  auto skill = Tree::open(place.skill_directory);
  if (!skill.ok()) {
    errors.push_back(problem(place.skill_directory, skill.error().message(), "check its permissions"));
    return std::nullopt;
  }
  auto band = compose_band(place.skill_directory, place.script, errors);
  if (band) {
    script.band = std::move(*band);
    for (Diagnostic& diagnostic : check_insists(script.band.rules)) errors.push_back(std::move(diagnostic));
    const BandFile& nearest = script.band.band;
    load_schema(*skill, contract_path(nearest, nearest.input_schema), "schemas/input/" + place.script + ".json",
                script.input, errors);
    load_schema(*skill, contract_path(nearest, nearest.output_schema), "schemas/output/" + place.script + ".json",
                script.output, errors);
  }
  load_source(*skill, place, script.source, errors);
  script.lib = LibLoader(*skill, place.skill, errors).load();
  if (errors.size() > before) return std::nullopt;
  return script;
}

std::vector<Violation> check_input(const Script& script, Json& input) {
  if (script.input) {
    script.input->apply_defaults(input);
    return script.input->validate(input);
  }
  if (input.is_object() && input.empty()) return {};
  return {Violation{"", "additionalProperties",
                    "this script takes no input, because it has no schemas/input/" + script.place.script + ".json"}};
}

}  // namespace band::client
