#include "client/skills/configuration.h"

#include <sys/stat.h>

#include <cerrno>

#include "client/host/environment.h"
#include "schemas/core/json.h"
#include "schemas/permit/narrow.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

// Returns the map below the band's name.
Result<Json> read_configuration(const std::string& file, const std::string& name) {
  BAND_TRY(const std::string text, read_file(file, kMaxYamlBytes, Code::Usage));
  std::vector<Diagnostic> errors;
  const auto document = parse_yaml(text, file, 1, errors);
  const auto refuse = [&](const std::string& pointer, const std::string& what) {
    const YamlPlace at = document->place_of(pointer);
    errors.push_back({file, at.line, at.column, what,
                      "write `" + name + ":`, and below it the keys that SKILL.md of " + name + " describes"});
  };
  if (document && errors.empty()) {
    const Json& all = document->value;
    if (all.is_null()) return Json::object();
    if (!all.is_object() || !all.contains(name)) {
      refuse("", "the configuration of " + name + " is a map with the key `" + name + "`");
    } else {
      for (const auto& [key, value] : all.items())
        if (key != name)
          refuse(join_pointer("", key), std::string("unknown key `")
                                            .append(key)
                                            .append("`: the file may have only the key `")
                                            .append(name)
                                            .append("`"));
      if (!all[name].is_object() && !all[name].is_null()) refuse(join_pointer("", name), "`" + name + "` is not a map");
      if (errors.empty()) return all[name].is_null() ? Json::object() : all[name];
    }
  }
  Error error = skill_invalid(errors);
  error.code = Code::Usage;
  return error;
}

}  // namespace

Result<Configuration> configuration_of(const Script& script) {
  const BandFile& band = script.band.band;
  Configuration configuration{band.config, ""};
  const std::string file = config_directory() + "/skills/" + script.place.skill + ".yaml";
  struct ::stat info = {};
  if (::lstat(file.c_str(), &info) != 0 && errno == ENOENT) return configuration;  // other errors are reported below
  BAND_TRY(const Json own, read_configuration(file, band.name));
  return configuration_with(script, own, file);
}

Result<Configuration> configuration_with(const Script& script, const Json& own, const std::string& file) {
  const BandFile& band = script.band.band;
  auto narrowed = narrow(band.config, own, band.name);
  if (!narrowed.ok()) {
    Error error = narrowed.error();
    error.doing = file + ": " + error.doing;
    return error;
  }
  return Configuration{std::move(narrowed).value(), file};
}

}  // namespace band::client
