// Loads one script with its band, schemas and files (skills.h). A skill is untrusted: links that point outside the
// skill are refused, so that band never ships another file of the caller under a name of the skill.
#include <algorithm>
#include <filesystem>

#include "client/host/tree.h"
#include "client/skills/schema_view.h"
#include "client/skills/skills.h"
#include "schemas/core/json.h"
#include "schemas/core/utf8.h"
#include "schemas/json_schema/files.h"
#include "schemas/permit/algebra.h"
#include "schemas/rules/named_path.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxSeen = 5'000;     // limit of examined names
constexpr std::size_t kMaxComplaints = 20;  // links to parent directories can multiply them

Diagnostic problem(const std::string& file, std::string message, std::string hint) {
  return Diagnostic{file, 0, 0, std::move(message), std::move(hint)};
}

void load_source(const Tree& skill, const ScriptPlace& place, std::string& source, std::vector<Diagnostic>& errors) {
  const std::string path = "scripts/" + place.script + "/run.sh";
  const std::string shown = place.skill + "/" + path;
  const Tree::Found found = skill.resolve(path);
  if (found.kind == Tree::Kind::Outside)
    return errors.push_back(problem(shown, "is a link that points outside the skill", "replace it by the script"));
  if (found.kind != Tree::Kind::File)
    return errors.push_back(
        problem(shown, "is missing, or not a regular file", "write the script there; bash runs it"));
  int err = 0;
  auto file = skill.read(found.path, kMaxSourceBytes, err);
  if (!file)
    return errors.push_back(
        err == EFBIG
            ? problem(shown, "has more than 1 MiB", "move data into the workspace, assets or scripts/_lib")
            : problem(shown, Error{.code = Code::SkillInvalid, .doing = "cannot be read", .err = err}.message(),
                      "check its permissions"));
  if (file->content.find_first_not_of(" \t\r\n") == std::string::npos)
    return errors.push_back(
        problem(shown, "is empty", "write the script there; its result goes to \"$OUTPUT_PATH\" as JSON"));
  if (file->content.find('\0') != std::string::npos || !is_valid_utf8(file->content))
    return errors.push_back(
        problem(shown, "is not UTF-8 text", "save it as UTF-8; move binary parts to assets or scripts/_lib"));
  source = std::move(file->content);
}

// Loads the files below some directories of the skill that are sent together.
class FilesLoader {
 public:
  struct Bounds {
    const char* hint;  // the hint if a limit is exceeded
    std::size_t files, bytes;
  };
  FilesLoader(const Tree& skill, const std::string& skill_name, const Bounds& bounds, std::vector<Diagnostic>& errors)
      : skill_(skill), skill_name_(skill_name), bounds_(bounds), errors_(errors), before_(errors.size()) {}

  // Adds the files below `directory`, which may be missing, except the file `without`. Paths are relative to the skill.
  void add(const std::string& directory, const std::string& without = "") {
    without_ = without;
    visit(directory, 0);
  }

  // `place`: the directories to which the limits apply, for messages.
  std::vector<ShippedFile> release(const std::string& place) {
    if (files_.size() > bounds_.files)
      complain(place, "has more than " + std::to_string(bounds_.files) + " files", bounds_.hint);
    if (bytes_ > bounds_.bytes) complain(place, "has more than 8 MiB", bounds_.hint);
    if (seen_ > kMaxSeen) complain(place, "has more than " + std::to_string(kMaxSeen) + " names", bounds_.hint);
    return std::move(files_);
  }

 private:
  static_assert(kMaxLibBytes == 8u << 20 && kMaxSkillBytes == 8u << 20);  // the messages contain these values

  void complain(const std::string& path, std::string what, std::string hint) {
    errors_.push_back(problem(join_path(skill_name_, path), std::move(what), std::move(hint)));
  }

  bool is_enough() const {
    return files_.size() > bounds_.files || bytes_ > bounds_.bytes || seen_ > kMaxSeen ||
           errors_.size() - before_ >= kMaxComplaints;
  }

  void visit(const std::string& path, std::size_t depth) {
    if (is_enough() || path == without_) return;
    ++seen_;
    const Tree::Found found = skill_.resolve(path);
    if (found.kind == Tree::Kind::Missing && depth == 0) return;  // most skills have none
    if (found.kind == Tree::Kind::Directory) return list(path, found.path, depth);
    if (found.kind == Tree::Kind::Outside)
      return complain(path, "is a link that points outside the skill", "replace it by the file");
    if (found.kind != Tree::Kind::File) return complain(path, "is not a regular file", "remove it");
    if (depth == 0) return complain(path, "is not a directory", "replace it by a directory, or rename it");
    if (!is_safe_relative_path(path))
      return complain(path, "has a name that cannot be sent", "use UTF-8 without control characters");
    take(path, found.path);
  }

  void list(const std::string& path, const std::string& resolved, std::size_t depth) {
    if (depth > kMaxDepth)
      return complain(path, "is nested too deep, or is a link to a parent directory",
                      "use fewer levels of directories, or remove the link");
    int err = 0;
    const Fd directory = skill_.open_directory(resolved, err);
    const auto names = directory ? list_directory(directory.get(), err) : std::nullopt;
    if (!names) return complain(path, "cannot be listed", "check its permissions");
    // Names that begin with a dot are for the author only (.git, .env): a wildcard of `read` does not match them,
    // either.
    for (const std::string& name : *names)
      if (!name.starts_with('.')) visit(join_path(path, name), depth + 1);
  }

  void take(const std::string& path, const std::string& resolved) {
    int err = 0;
    auto file = skill_.read(resolved, bounds_.bytes, err);
    if (!file || file->is_closed_to_owner())
      return complain(path, err == EFBIG ? "has more than 8 MiB" : "cannot be read", "check its size and permissions");
    bytes_ += file->content.size();
    files_.push_back({path, file->mode, std::move(file->content)});
  }

  const Tree& skill_;
  const std::string& skill_name_;
  const Bounds bounds_;
  std::vector<Diagnostic>& errors_;
  const std::size_t before_;
  std::string without_;
  std::vector<ShippedFile> files_;
  std::size_t bytes_ = 0, seen_ = 0;
};

// Paths are relative to scripts/_lib.
std::vector<ShippedFile> load_lib(const Tree& skill, const ScriptPlace& place, std::vector<Diagnostic>& errors) {
  const std::string directory = "scripts/_lib";
  FilesLoader loader(skill, place.skill, {"keep in it only files that several scripts use", kMaxLibFiles, kMaxLibBytes},
                     errors);
  loader.add(directory);
  std::vector<ShippedFile> files = loader.release(directory);
  for (ShippedFile& file : files) file.path.erase(0, directory.size() + 1);
  return files;
}

// Loads the files next to run.sh, and the directories that Agent Skills use.
std::vector<ShippedFile> load_skill_files(const Tree& skill, const ScriptPlace& place,
                                          std::vector<Diagnostic>& errors) {
  const std::string own = "scripts/" + place.script;
  FilesLoader loader(
      skill, place.skill,
      {"keep only files that the script reads in them; move the others to another directory of the skill",
       kMaxSkillFiles, kMaxSkillBytes},
      errors);
  loader.add(own, own + "/run.sh");
  for (const char* directory : {"assets", "references"}) loader.add(directory);
  return loader.release(own + ", assets, references");
}

struct Schema {
  std::optional<InputSchema>& schema;
  std::string& file;
};

// Returns the error of a schema file, with line and column if it is not JSON.
Diagnostic schema_problem(const Tree& skill, const std::string& path, const std::string& shown, const Error& error) {
  int err = 0;
  const auto file = skill.read(path, kMaxSchemaBytes, err);
  if (const auto refusal = file ? why_not_json(file->content) : std::nullopt)
    return {shown, static_cast<int>(refusal->line), static_cast<int>(refusal->column), refusal->problem, refusal->hint};
  return problem(shown, error.message(), error.hint);
}

// `stated`: the band's `contract` entry (relative to the skill); `usual`: the default place of the schema.
void load_schema(const Tree& skill, const std::string& skill_name, const std::string& stated, const std::string& usual,
                 const Schema& into, std::vector<Diagnostic>& errors) {
  const std::string path = stated.empty() ? usual : stated, shown = join_path(skill_name, path);
  const Tree::Found found = skill.resolve(path);
  if (found.kind == Tree::Kind::Missing && stated.empty()) return;
  if (found.kind != Tree::Kind::File)
    return errors.push_back(
        problem(shown, "the schema is missing, or a link that points outside the skill", "write the schema there"));
  auto loaded = InputSchema::load(fs::path(skill.path()) / found.path, fs::path(skill.path()) / "schemas");
  if (!loaded.ok()) return errors.push_back(schema_problem(skill, found.path, shown, loaded.error()));
  into.schema = std::move(loaded).value();
  into.file = shown;
}

// Converts `contract.input`, which is relative to the band's file (shown as "SKILL/scripts/greet/BAND.md"), to a path
// relative to the skill.
std::string contract_path(const BandFile& band, const std::string& stated) {
  if (stated.empty()) return "";
  const std::size_t skill_end = band.file.find('/');
  const fs::path inside =
      skill_end == std::string::npos ? fs::path() : fs::path(band.file.substr(skill_end + 1)).parent_path();
  return (inside / stated).lexically_normal().string();
}

// A placeholder must name a property of the input that may be a text or a list.
void check_placeholders(const Script& script, std::vector<Diagnostic>& errors) {
  const std::vector<std::string> names = file_properties(script);
  for (const Rule& rule : placeholders(script.band.rules)) {
    const std::string name = *placeholder_of(rule.pattern);
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    const std::string near = nearest_word(name, names);
    errors.push_back(at_origin(
        rule.origin,
        rule.pattern + ": the input of " + script.place.name + " has no property of this name that can be a path",
        near.empty() ? "add to the input schema a property `" + name + "` of the type string"
                     : "did you mean {" + near + "}?"));
  }
}

}  // namespace

Json Script::input_schema() const {
  if (input) return input->bundled();
  return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}};
}

std::vector<std::string> file_properties(const Script& script) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_of(script.input_schema()))
    if (parameter.takes("string") || parameter.takes("array")) names.push_back(parameter.name);
  return names;
}

namespace {

bool has_closed_text(const Json& value) {
  if (value.is_string()) return is_closed_path(value.get<std::string>());
  return value.is_array() && std::any_of(value.begin(), value.end(), has_closed_text);
}

}  // namespace

std::vector<std::string> properties_with_closed_default(const Script& script) {
  std::vector<std::string> names;
  for (const Parameter& parameter : parameters_of(script.input_schema())) {
    const Json& schema = parameter.schema;
    if (schema.contains("default") && has_closed_text(schema["default"])) names.push_back(parameter.name);
  }
  return names;
}

std::string Script::description() const {
  // A band in the script's directory describes this script. A band further up describes the skill; the schema is then
  // more specific.
  if (band.band.file.ends_with("/scripts/" + place.script + "/BAND.md") && !band.band.description.empty())
    return band.band.description;
  const Json schema = input_schema();
  for (const char* key : {"description", "title"})
    if (schema.is_object() && schema.contains(key) && schema[key].is_string() && schema[key] != Json(""))
      return schema[key].get<std::string>();
  return band.band.description;
}

namespace {

// Without a band only the default places of schemas are read, because `contract` is unknown.
void load_schemas(const Tree& skill, LoadedScript& loaded, std::vector<Diagnostic>& errors) {
  Script& script = loaded.script;
  const BandFile& band = script.band.band;
  const auto load = [&](const std::string& stated, const char* side, const Schema& into) {
    const std::size_t before = errors.size();
    const std::string usual = std::string("schemas/") + side + "/" + script.place.script + ".json";
    load_schema(skill, script.place.skill, contract_path(band, stated), usual, into, errors);
    return errors.size() == before && (loaded.has_band || into.schema);
  };
  loaded.has_input = load(band.input_schema, "input", {script.input, script.input_file});
  loaded.has_output = load(band.output_schema, "output", {script.output, script.output_file});
  if (loaded.has_band && loaded.has_input) check_placeholders(script, errors);
}

}  // namespace

LoadedScript load_parts(const ScriptPlace& place, std::vector<Diagnostic>& errors) {
  LoadedScript loaded;
  Script& script = loaded.script;
  script.place = place;
  auto skill = Tree::open(place.skill_directory);
  if (!skill.ok()) {
    errors.push_back(problem(place.skill_directory, skill.error().message(), "check its permissions"));
    return loaded;
  }
  if (auto band = compose_band(place.skill_directory, place.script, errors)) {
    script.band = std::move(*band);
    loaded.has_band = true;
  }
  load_schemas(*skill, loaded, errors);
  std::size_t before = errors.size();
  load_source(*skill, place, script.source, errors);
  loaded.has_source = errors.size() == before;
  before = errors.size();
  script.lib = load_lib(*skill, place, errors);
  script.skill_files = load_skill_files(*skill, place, errors);
  loaded.has_files = errors.size() == before;
  return loaded;
}

std::optional<Script> load_script(const ScriptPlace& place, std::vector<Diagnostic>& errors) {
  const std::size_t before = errors.size();
  LoadedScript loaded = load_parts(place, errors);
  if (errors.size() > before) return std::nullopt;
  return std::move(loaded.script);
}

std::vector<Violation> check_input(const Script& script, Json& input) {
  if (script.input) {
    script.input->apply_defaults(input);
    return script.input->validate(input);
  }
  if (input.is_object() && input.empty()) return {};
  return {Violation{"", "additionalProperties",
                    "this script accepts no input, because it has no schemas/input/" + script.place.script + ".json"}};
}

std::optional<Error> check_output(const Script& script, const Json& output) {
  if (!script.output) return std::nullopt;
  const std::vector<Violation> violations = script.output->validate(output);
  if (violations.empty()) return std::nullopt;
  std::string text = "the output of " + script.place.name + " does not fit its schema:";
  Json details = Json::array();
  for (const Violation& violation : violations) {
    text += "\n  output" + violation.pointer + ": " + violation.message + " (rule `" + violation.rule + "`)";
    details.push_back({{"pointer", violation.pointer}, {"rule", violation.rule}, {"message", violation.message}});
  }
  return Error{.code = Code::OutputInvalid,
               .doing = text,
               .hint = "correct the script, or schemas/output/" + script.place.script + ".json",
               .details = dump_json(details)};
}

}  // namespace band::client
