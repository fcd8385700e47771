// Parses the text of a BAND.md into a BandFile. The schema checks the structure; this file makes the checks that a
// schema cannot express: patterns, units, names, and keys that exclude each other.
#include <algorithm>

#include "schemas/band/band.h"
#include "schemas/core/json.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/reader.h"
#include "schemas/yaml/frontmatter.h"
#include "schemas/yaml/yaml.h"

namespace band {
namespace {

// Returns the YAML between the two `---` lines, which begins on line 2.
std::optional<std::string_view> frontmatter(std::string_view text, const std::string& file,
                                            std::vector<Diagnostic>& errors) {
  if (text.size() > kMaxBandFileBytes) {
    errors.push_back({file, 1, 1, "larger than 64 KiB", "move the prose to SKILL.md"});
    return std::nullopt;
  }
  const auto split = split_frontmatter(text, file, "`band: NAME` and the rules", errors);
  return split ? std::optional(split->yaml) : std::nullopt;
}

const Json* member(const Json& value, const std::string& name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

class Extractor {
 public:
  Extractor(const YamlDocument& document, const std::string& file, std::vector<Diagnostic>& errors)
      : document_(document), file_(file), reader_(document, file, errors) {}

  BandFile extract() {
    BandFile band;
    band.file = file_;
    band.name = reader_.text("/band");
    band.icon = reader_.text("/icon");
    band.description = reader_.text("/description");
    band.version = reader_.text("/version");
    domains("/allow", band.allow_cli, band.allow_net, band.allow_read, band.allow_write);
    domains("/deny", band.deny_cli, band.deny_net, band.deny_read, band.deny_write);
    domains("/insist", band.insist_cli, band.insist_net, band.insist_read, band.insist_write);
    band.limit = reader_.limits("/limit");
    variables(band.env);
    band.path = reader_.text("/path");
    band.extends = reader_.strings("/extends");
    band.includes = reader_.strings("/includes");
    band.provides = reader_.strings("/provides");
    band.min_band_version = reader_.text("/requires/band");
    band.targets = reader_.strings("/execution/targets");
    band.input_schema = reader_.text("/contract/input");
    band.output_schema = reader_.text("/contract/output");
    check_files(band);
    check_path(band);
    for (const auto& [pointer, place] : document_.values) band.places[pointer] = {place.line, place.column};
    for (const auto& [pointer, place] : document_.keys) {
      const auto tokens = pointer_tokens(pointer);
      const Json* const value = tokens ? value_at(*document_.value, *tokens) : nullptr;
      band.keys[pointer] = {place.line, document_.flow.contains(pointer), value != nullptr && value->empty(),
                            value != nullptr && value->is_primitive() && !value->is_null()};
    }
    return band;
  }

 private:
  void domains(const std::string& section, RuleSet& cli, RuleSet& net, RuleSet& read, RuleSet& write) {
    cli = reader_.patterns(section, "cli");
    net = reader_.patterns(section, "net");
    read = reader_.patterns(section, "read");
    write = reader_.patterns(section, "write");
  }

  void variables(std::vector<EnvRule>& out) {
    const Json* env = reader_.find("/env");
    if (env == nullptr) return;
    if (env->is_array()) {
      for (std::size_t i = 0; i < env->size(); ++i)
        if ((*env)[i].is_string()) variable((*env)[i].get<std::string>(), join_pointer("/env", i), Json(nullptr), out);
    } else if (env->is_object()) {
      for (const auto& [name, settings] : env->items()) variable(name, join_pointer("/env", name), settings, out);
    }
  }

  void variable(const std::string& name, const std::string& at, const Json& settings, std::vector<EnvRule>& out) {
    EnvRule rule;
    rule.name = name;
    rule.origin = reader_.origin(at);
    if (Status status = check_env_name(name); !status.ok())
      return reader_.complain_at_key(at, "env: " + status.error().doing, status.error().hint);
    const auto same = [&](const EnvRule& other) { return other.name == name; };
    if (std::any_of(out.begin(), out.end(), same))
      return reader_.complain(at, "env: `" + name + "` appears twice", "remove one");
    if (const Json* fallback = member(settings, "default"); fallback != nullptr && fallback->is_string()) {
      rule.fallback = fallback->get<std::string>();
      rule.required = false;
    }
    if (const Json* required = member(settings, "required"); required != nullptr && required->is_boolean()) {
      rule.required = required->get<bool>();
      if (rule.required && rule.fallback)
        reader_.complain(at + "/required", "env." + name + " is required and has a default", "remove one of the two");
    }
    if (const Json* secret = member(settings, "secret"); secret != nullptr && secret->is_boolean())
      rule.secret = secret->get<bool>();
    if (const Json* description = member(settings, "description"); description != nullptr && description->is_string())
      rule.description = description->get<std::string>();
    out.push_back(std::move(rule));
  }

  void check_file(const std::string& pointer, const std::string& path) {
    if (!path.empty() && path[0] == '/')
      reader_.complain(pointer, "an absolute path", "write a path relative to this file, as in `../base/BAND.md`");
    if (path.find('\0') != std::string::npos) reader_.complain(pointer, "a path with a NUL byte", "remove it");
  }

  void check_files(const BandFile& band) {
    for (const char* list : {"/extends", "/includes"})
      reader_.each_string(list, [&](const std::string& path, const std::string& at) { check_file(at, path); });
    check_file("/path", band.path);
    check_file("/contract/input", band.input_schema);
    check_file("/contract/output", band.output_schema);
  }

  void check_path(const BandFile& band) {
    if (band.path.empty()) return;
    for (const auto& [key, ignored] : document_.value->items())
      if (key != "path" && key != "band" && key != "description")
        reader_.complain_at_key(join_pointer("", key), "`" + key + "` together with `path`",
                                "`path` replaces this BAND.md by another one: remove one of the two");
  }

  const YamlDocument& document_;
  const std::string& file_;
  RuleReader reader_;
};

constexpr std::string_view kKeys[] = {"band",     "icon",  "description", "version",  "allow",     "deny",
                                      "insist",   "limit", "env",         "requires", "execution", "extends",
                                      "includes", "path",  "contract",    "provides"};

// Removes the key with the band's name from the document, because the schema allows no unknown keys.
Json take_config(YamlDocument& document, const std::string& file, std::vector<Diagnostic>& errors) {
  const Json* band = member(document.value, "band");
  if (band == nullptr || !band->is_string()) return Json::object();
  const std::string name = band->get<std::string>();
  const auto complain = [&](const std::string& pointer, std::string message, std::string hint) {
    const YamlPlace at = document.place_of(pointer);
    errors.push_back({file, at.line, at.column, std::move(message), std::move(hint)});
  };
  if (std::find(std::begin(kKeys), std::end(kKeys), name) != std::end(kKeys)) {
    complain("/band", "`" + name + "` is a key of this format and cannot name a band", "choose another name");
    return Json::object();
  }
  const Json* config = member(document.value, name);
  if (config == nullptr) return Json::object();
  Json taken = *config;
  if (!taken.is_object() && !taken.is_null()) {
    complain(join_pointer("", name), "`" + name + "` is the configuration of this band and must be a map",
             "write `" + name + ": {key: value}`");
    taken = Json::object();
  }
  document.value->erase(name);
  return taken.is_null() ? Json::object() : taken;
}

}  // namespace

std::optional<BandFile> parse_band(std::string_view text, const std::string& file, std::vector<Diagnostic>& errors) {
  std::vector<Diagnostic> found;
  std::optional<BandFile> band;
  if (const auto yaml = frontmatter(text, file, found)) {
    if (auto document = parse_yaml(*yaml, file, 2, found)) {
      Json config = take_config(*document, file, found);
      band = Extractor(*document, file, found).extract();
      if (!band->path.empty() && !config.empty())
        found.push_back({file, band->places["/path"].first, band->places["/path"].second,
                         "`path` together with a configuration of the band",
                         "`path` replaces this BAND.md by another one: remove one of the two"});
      band->config = std::move(config);
      check_rest(*document, file, "band.schema.json", found);
    }
  }
  sort_by_place(found);
  const bool good = found.empty();
  errors.insert(errors.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
  if (!good) return std::nullopt;
  return band;
}

}  // namespace band
