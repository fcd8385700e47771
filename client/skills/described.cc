#include "client/skills/described.h"

#include <algorithm>
#include <vector>

#include "client/skills/schema_view.h"
#include "client/terminal/terminal.h"
#include "client/terminal/verbs.h"
#include "schemas/core/json.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

std::string description_of(const Json& schema) {
  const bool described = schema.contains("description") && schema["description"].is_string();
  return described ? schema["description"].get<std::string>() : "";
}

Json parameter_to_json(const Json& root, const Parameter& parameter) {
  Json value = {{"name", parameter.name},
                {"flag", "--" + kebab_case(parameter.name)},
                {"type", type_label(root, parameter)},
                {"required", parameter.required && !parameter.schema->contains("default")}};
  if (parameter.schema->contains("default")) value["default"] = (*parameter.schema)["default"];
  if (const std::string about = description_of(parameter.schema); !about.empty()) value["description"] = about;
  return value;
}

Json parameters(const Json& root) {
  Json list = Json::array();
  for (const Parameter& parameter : parameters_of(root)) list.push_back(parameter_to_json(root, parameter));
  return list;
}

Json files_to_json(const std::vector<ShippedFile>& files) {
  Json list = Json::array();
  for (const ShippedFile& file : files) list.push_back({{"path", file.path}, {"bytes", file.content.size()}});
  return list;
}

Json bands_to_json(const ComposedBand& band) {
  Json list = Json::array();
  for (const std::string& file : band.files) {
    const auto named = band.named_by.find(file);
    list.push_back({{"file", file}, {"by", named == band.named_by.end() ? Json(nullptr) : Json(named->second)}});
  }
  return list;
}

Json limits_to_json(const ComposedBand& band) {
  Json values = limits_to_json(limits_of(band)), limits = Json::object();
  for (const auto& [name, value] : values.items()) {
    const auto origin = band.limit_origins.find(name);
    limits[name] = {{"value", value},
                    {"origin", origin == band.limit_origins.end() ? Json(nullptr) : Json(origin->second)}};
  }
  return limits;
}

Json schema_to_json(const std::optional<InputSchema>& schema, const std::string& file) {
  if (!schema) return {{"file", nullptr}, {"schema", nullptr}};
  return {{"file", file}, {"schema", schema->bundled()}};
}

std::string parameter_lines(const Json& root, const Parameter& parameter, const std::string& verb) {
  const Json& schema = parameter.schema;
  const std::string flag = printable_line(kebab_case(parameter.name));
  std::string text = "  --" + flag;
  const bool only_boolean = parameter.types.size() == 1 && parameter.takes("boolean");
  text += only_boolean ? ", --no-" + flag : " <" + type_label(root, parameter) + ">";
  if (parameter.required && !schema.contains("default")) text += "  (required)";
  for (const std::string& own : flags_of(verb))
    if (own == kebab_case(parameter.name)) text += "  (band has a flag of this name: set the parameter with --input)";
  text += "\n";
  if (schema.contains("description") && schema["description"].is_string())
    text += "      " + first_paragraph(schema["description"].get<std::string>()) + "\n";
  if (schema.contains("default")) text += "      default: " + printable_line(dump_json(schema["default"])) + "\n";
  if (schema.contains("enum") && schema["enum"].is_array()) {
    std::string values;
    for (const Json& value : schema["enum"]) values += (values.empty() ? "" : ", ") + dump_json(value);
    text += "      one of: " + printable_line(values) + "\n";
  }
  std::string bounds;
  for (const char* key : {"minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength",
                          "maxLength", "pattern", "format", "minItems", "maxItems"})
    if (schema.contains(key)) bounds += (bounds.empty() ? "" : ", ") + std::string(key) + " " + dump_json(schema[key]);
  if (!bounds.empty()) text += "      " + printable_line(bounds) + "\n";
  return text;
}

}  // namespace

std::string first_paragraph(const std::string& text) {
  return printable(text.substr(0, std::min(text.find("\n\n"), text.size())));
}

std::string required_flags(const Script& script) {
  const Json root = script.input_schema();
  std::string text;
  for (const Parameter& parameter : parameters_of(root))
    if (parameter.required && !parameter.schema->contains("default"))
      text += " --" + printable_line(kebab_case(parameter.name)) + " <" + type_label(root, parameter) + ">";
  return text;
}

std::string parameters_help(const Script& script, const std::string& verb) {
  const Json root = script.input_schema();
  std::string text;
  for (const Parameter& parameter : parameters_of(root)) text += parameter_lines(root, parameter, verb);
  return text;
}

std::string parameters_in_short(const Script& script, const std::string& indent) {
  const Json root = script.input_schema();
  std::string text;
  for (const Parameter& parameter : parameters_of(root)) {
    text += indent + "--" + printable_line(kebab_case(parameter.name)) + " <" + type_label(root, parameter) + ">";
    if (parameter.required && !parameter.schema->contains("default")) text += "  (required)";
    if (const std::string about = description_of(parameter.schema); !about.empty())
      text += "  " + printable_line(first_line(about));
    if (parameter.schema->contains("default"))
      text += "  (default " + printable_line(dump_json((*parameter.schema)["default"])) + ")";
    text += "\n";
  }
  return text;
}

std::string output_in_short(const Script& script, const std::string& indent) {
  if (!script.output) return "";
  const Json& root = script.output->bundled();
  std::string text;
  for (const Parameter& parameter : parameters_of(root)) {
    text += indent + printable_line(parameter.name) + ": " + type_label(root, parameter);
    if (const std::string about = description_of(parameter.schema); !about.empty())
      text += "  " + printable_line(first_line(about));
    text += "\n";
  }
  return text;
}

std::string parameters_to_json(const Script& script) { return dump_json(parameters(script.input_schema())); }

std::string script_to_json(const Shown& shown) {
  const Script& script = shown.script;
  const ComposedBand& band = script.band;
  Json value = Json::object();
  value["script"] = script.place.name;
  value["skill"] = script.place.skill_directory;
  value["description"] = script.description();
  value["valid"] = true;
  value["bands"] = bands_to_json(band);
  Json rules = rules_to_json(band.rules);
  value["env"] = rules["env"];
  rules.erase("env");
  rules.erase("limit");
  value["rules"] = std::move(rules);
  value["limits"] = limits_to_json(band);
  value["config"] = shown.configuration ? *shown.configuration->value : Json(nullptr);
  value["configFile"] =
      shown.configuration && !shown.configuration->file.empty() ? Json(shown.configuration->file) : Json(nullptr);
  if (!shown.configuration) value["configError"] = shown.wrong;
  value["targets"] = band.band.targets;
  value["parameters"] = parameters(script.input_schema());
  value["input"] = schema_to_json(script.input, script.input_file);
  value["output"] = schema_to_json(script.output, script.output_file);
  value["lib"] = files_to_json(script.lib);
  value["skillFiles"] = files_to_json(script.skill_files);
  return dump_json(value);
}

}  // namespace band::client
