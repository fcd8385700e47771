#include "client/checks/schemas.h"

#include <algorithm>
#include <map>
#include <optional>

#include "client/host/files_below.h"
#include "client/host/tree.h"
#include "client/terminal/nearest.h"
#include "schemas/core/json.h"
#include "schemas/core/json_compare.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/json_schema/files.h"
#include "schemas/json_schema/input_schema.h"
#include "schemas/json_schema/keywords.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFiles = 1'000;  // for one skill
constexpr std::size_t kMaxFindings = 50;  // for one file
constexpr std::size_t kMaxUnknownKeys = 500;
constexpr std::size_t kMaxValues = 500'000;  // total size of the schemas that are compiled for one file
constexpr std::size_t kMaxParts = 500;       // schemas within one file that are compiled
constexpr int kMaxNesting = kMaxSchemaNesting;

// Returns the positions of the values of a JSON text. JSON is a subset of YAML, and the YAML parser records positions.
std::optional<YamlDocument> places_in(const std::string& text) {
  std::vector<Diagnostic> ignored;
  auto document = parse_yaml(text, "", 1, ignored);
  return ignored.empty() ? std::move(document) : std::nullopt;
}

// Returns the file below schemas/ to which a reference in `path` points.
std::string referred(const std::string& path, const std::string& reference) {
  const std::string file = reference.substr(0, reference.find('#'));
  if (file.empty()) return path;
  return (fs::path(path).parent_path() / file).lexically_normal().generic_string();
}

void collect_references(const Json& schema, const std::string& path, int depth, std::set<std::string>& found) {
  if (!schema.is_object() || depth > kMaxNesting) return;
  if (const auto reference = schema.find("$ref"); reference != schema.end() && reference->is_string())
    found.insert(referred(path, reference->get<std::string>()));
  for_each_subschema(schema, [&](const Keyword&, const std::string&, const Json& subschema) {
    collect_references(subschema, path, depth + 1, found);
  });
}

// Adds the file's name to references that point into the same file, so that a part of the schema can be compiled as a
// different file of the directory.
void name_file(Json& schema, const std::string& name, int depth) {
  if (!schema.is_object() || depth > kMaxNesting) return;
  if (const auto reference = schema.find("$ref"); reference != schema.end() && reference->is_string())
    if (const std::string text = reference->get<std::string>(); text.starts_with('#')) *reference = name + text;
  for_each_subschema(
      schema, [&](const Keyword&, const std::string&, Json& subschema) { name_file(subschema, name, depth + 1); });
}

std::string percent_encoded(const std::string& name) {
  std::string encoded;
  for (const char c : name) encoded += c == '%' ? "%25" : c == '#' ? "%23" : std::string(1, c);
  return encoded;
}

std::size_t count_values(const Json& value) {
  std::size_t count = 1;
  if (value.is_structured())
    for (const Json& part : value) count += count_values(part);
  return count;
}

class SchemaCheck {
 public:
  SchemaCheck(const std::string& skill, fs::path root, const SchemaFile& file, Findings& found)
      : shown_(skill + "/schemas/" + file.path), root_(std::move(root)), file_(file), found_(found) {}

  void check() { visit(file_.content, "", 0); }

 private:
  Diagnostic at(const std::string& pointer, std::string message, std::string hint, bool key = false) {
    ++findings_;
    if (!places_) places_ = places_in(file_.text).value_or(YamlDocument{});
    YamlPlace place;
    const auto exact = key ? places_->keys.find(pointer) : places_->keys.end();
    if (exact != places_->keys.end())
      place = exact->second;
    else if (!places_->values.empty())
      place = places_->place_of(pointer);
    return {shown_, place.line, place.column, std::move(message), std::move(hint)};
  }
  void error(const std::string& pointer, std::string message, std::string hint) {
    found_.errors.push_back(at(pointer, std::move(message), std::move(hint)));
  }

  void visit(const Json& schema, const std::string& pointer, int depth) {
    if (!schema.is_object() || depth > kMaxNesting || findings_ > kMaxFindings) return;
    check_keywords(schema, pointer);
    check_required(schema, pointer);
    check_bounds(schema, pointer);
    check_values(schema, pointer);
    check_examples(schema, pointer);
    for_each_subschema(schema, [&](const Keyword&, const std::string& below, const Json& subschema) {
      visit(subschema, pointer + below, depth + 1);
    });
  }

  void check_keywords(const Json& schema, const std::string& pointer) {
    for (auto it = schema.begin(); it != schema.end(); ++it) {
      if (find_keyword(it.key()) != nullptr || ++unknown_keys_ > kMaxUnknownKeys) continue;
      const std::string near = nearest_word(it.key(), keyword_names());
      if (near.empty() || schema.contains(near)) continue;
      found_.notes.push_back(at(join_pointer(pointer, it.key()),
                                "JSON Schema has no keyword `" + escaped(it.key()) + "`, so it has no effect",
                                "did you mean `" + near + "`?", true));
    }
  }

  void check_required(const Json& schema, const std::string& pointer) {
    if (!schema.contains("required") || !schema["required"].is_array() || schema.contains("patternProperties")) return;
    if (!schema.contains("additionalProperties") || schema["additionalProperties"] != Json(false)) return;
    std::set<std::string> names;
    if (schema.contains("properties") && schema["properties"].is_object())
      for (auto it = schema["properties"].begin(); it != schema["properties"].end(); ++it) names.insert(it.key());
    for (std::size_t i = 0; i < schema["required"].size(); ++i) {
      const Json& name = schema["required"][i];
      if (!name.is_string() || names.contains(name.get<std::string>()) || findings_ > kMaxFindings) continue;
      error(join_pointer(pointer + "/required", i),
            (file_.path.starts_with("input/") ? "no input fits: `required` names `"
                                              : "no value fits: `required` names `") +
                escaped(name.get<std::string>()) +
                "`, which `properties` lacks and `additionalProperties: false` forbids",
            did_you_mean(name.get<std::string>(), {names.begin(), names.end()}, "",
                         "add it to `properties`, or remove it from `required`"));
    }
  }

  void check_bounds(const Json& schema, const std::string& pointer) {
    constexpr std::pair<const char*, const char*> kBounds[] = {{"minimum", "maximum"},
                                                               {"minLength", "maxLength"},
                                                               {"minItems", "maxItems"},
                                                               {"minProperties", "maxProperties"}};
    for (const auto& [least, most] : kBounds) {
      if (!schema.contains(least) || !schema.contains(most)) continue;
      const Json &low = schema[least], &high = schema[most];
      if (!low.is_number() || !high.is_number() || compare_json(low, high) <= 0) continue;
      found_.errors.push_back(at(join_pointer(pointer, least),
                                 "no value fits: `" + std::string(least) + "` is " + shown_value(low) + ", and `" +
                                     most + "` is " + shown_value(high),
                                 "change one of them", true));
    }
  }

  // Compiles `schema` without these keywords, in its own file; nothing if that fails or exceeds a limit.
  std::optional<InputSchema> part_of(const Json& schema, std::initializer_list<const char*> without) {
    if (++parts_ > kMaxParts || values_ > kMaxValues) return std::nullopt;
    Json part = schema;
    for (const char* key : without) part.erase(key);
    for (const char* key : {"default", "examples", "definitions", "$defs", "$id", "$schema"}) part.erase(key);
    name_file(part, percent_encoded(fs::path(file_.path).filename().string()), 0);
    auto compiled = InputSchema::from_json_in(part, fs::path(file_.path).parent_path().generic_string(), root_);
    if (!compiled.ok()) return std::nullopt;
    values_ += count_values(compiled->bundled());
    return std::move(compiled).value();
  }

  // Returns why `value` does not match `schema`; "" if it matches.
  static std::string misfit(const InputSchema& schema, const Json& value) {
    const auto violations = schema.validate(value);
    if (violations.empty()) return "";
    const Violation& first = violations.front();
    return (first.pointer.empty() ? "" : shown_pointer(first.pointer) + ": ") + first.message;
  }

  void check_values(const Json& schema, const std::string& pointer) {
    const bool has_const = schema.contains("const"), has_enum = schema.contains("enum") && schema["enum"].is_array();
    if (!has_const && !has_enum) return;
    const auto beside = part_of(schema, {"const", "enum"});
    if (!beside) return;
    if (has_const)
      if (const std::string why = misfit(*beside, schema["const"]); !why.empty())
        error(pointer + "/const",
              "no value fits: `const` is " + shown_with_type(schema["const"]) +
                  ", and the rest of the schema does not allow this value: " + why,
              "change one of them");
    if (!has_enum) return;
    std::vector<Diagnostic> wrong;
    std::size_t count = 0;
    for (std::size_t i = 0; i < schema["enum"].size(); ++i) {
      const Json& member = schema["enum"][i];
      const std::string why = misfit(*beside, member);
      if (why.empty() || ++count > kMaxFindings) continue;
      wrong.push_back(at(
          join_pointer(pointer + "/enum", i),
          "`enum` lists " + shown_with_type(member) + ", and the rest of the schema does not allow this value: " + why,
          "remove it, or change the schema"));
    }
    std::vector<Diagnostic>& into = count == schema["enum"].size() ? found_.errors : found_.notes;
    into.insert(into.end(), wrong.begin(), wrong.end());
  }

  void check_examples(const Json& schema, const std::string& pointer) {
    if (!schema.contains("examples") || !schema["examples"].is_array() || schema["examples"].empty()) return;
    const auto part = part_of(schema, {});
    if (!part) return;
    for (std::size_t i = 0; i < schema["examples"].size() && findings_ <= kMaxFindings; ++i) {
      const Json& example = schema["examples"][i];
      const std::string why = misfit(*part, example);
      if (why.empty()) continue;
      error(join_pointer(pointer + "/examples", i),
            "the example " + shown_value(example) + " does not fit its own schema: " + why,
            "change the example, or the schema");
    }
  }

  const std::string shown_;
  const fs::path root_;
  const SchemaFile& file_;
  Findings& found_;
  std::optional<YamlDocument> places_;
  std::size_t parts_ = 0, values_ = 0, findings_ = 0, unknown_keys_ = 0;
};

bool is_of_script(const std::string& path, const std::vector<std::string>& scripts,
                  const std::set<std::string>& stated) {
  if (stated.contains(fs::path(path).filename().string())) return true;
  const bool has_side = path.starts_with("input/") || path.starts_with("output/");
  return has_side && std::find(scripts.begin(), scripts.end(), fs::path(path).stem().string()) != scripts.end();
}

// Adds a note for each file that is not the schema of a script, and to which no schema of a script refers, directly or
// indirectly.
void note_lost(const std::string& skill, const std::vector<SchemaFile>& files, const std::vector<std::string>& scripts,
               const std::set<std::string>& stated, std::vector<Diagnostic>& notes) {
  std::map<std::string, std::set<std::string>> references;
  std::vector<std::string> ahead;
  for (const SchemaFile& file : files) {
    collect_references(file.content, file.path, 0, references[file.path]);
    if (is_of_script(file.path, scripts, stated)) ahead.push_back(file.path);
  }
  std::set<std::string> reached(ahead.begin(), ahead.end());
  while (!ahead.empty()) {
    const std::string path = ahead.back();
    ahead.pop_back();
    for (const std::string& next : references[path])
      if (reached.insert(next).second) ahead.push_back(next);
  }
  for (const SchemaFile& file : files) {
    if (reached.contains(file.path)) continue;
    const std::string shown = skill + "/schemas/" + file.path, name = fs::path(file.path).stem().string();
    const std::string side = fs::path(file.path).begin()->string();
    if (side == "input" || side == "output") {
      std::string mend = "rename it to schemas/" + side + "/";
      mend.append(scripts.empty() ? "SCRIPT" : scripts.front()).append(".json, or move it to schemas/defs and write ");
      mend.append("{\"$ref\": \"../defs/").append(name).append(".json\"} where it is used");
      notes.push_back({shown, 0, 0, "no script is called `" + name + "`", did_you_mean(name, scripts, "", mend)});
    } else {
      notes.push_back({shown, 0, 0, "no schema refers to it",
                       "write {\"$ref\": \"../" + file.path + "\"} where it is used, or remove it"});
    }
  }
}

}  // namespace

SchemaFiles read_schemas(const std::string& directory) {
  SchemaFiles schemas;
  const auto tree = Tree::open(directory);
  if (!tree.ok()) return schemas;
  schemas.root = fs::path(tree->path()) / "schemas";
  for (const std::string& path : files_below(*tree, "schemas", ".json", kMaxFiles)) {
    int err = 0;
    const auto read = tree->read(tree->resolve(path).path, kMaxSchemaBytes, err);
    if (!read) continue;
    auto content = parse_json(read->content, path);
    if (content.ok()) schemas.files.push_back({path.substr(8), read->content, std::move(content).value()});
  }
  return schemas;
}

void check_schemas(const std::string& skill, const SchemaFiles& schemas, const SchemaOwners& owners, Findings& found) {
  for (const SchemaFile& file : schemas.files) SchemaCheck(skill, schemas.root, file, found).check();
  if (owners.all_known) note_lost(skill, schemas.files, owners.scripts, owners.stated, found.notes);
}

void locate_in_schemas(const std::string& skill, const SchemaFiles& schemas, std::vector<Diagnostic>& errors) {
  for (Diagnostic& error : errors) {
    if (error.line > 0 || !error.file.starts_with(skill + "/schemas/")) continue;
    for (const SchemaFile& file : schemas.files) {
      const std::size_t name = error.message.find(file.path + "#");
      if (name == std::string::npos) continue;
      const std::size_t begin = name + file.path.size() + 1;
      const auto document = places_in(file.text);
      const std::size_t end = error.message.find(": ", begin);
      if (!document || document->values.empty() || end == std::string::npos) continue;
      const YamlPlace place = document->place_of(error.message.substr(begin, end - begin));
      error.file = skill + "/schemas/" + file.path;
      error.line = place.line;
      error.column = place.column;
      break;
    }
  }
}

}  // namespace band::client
