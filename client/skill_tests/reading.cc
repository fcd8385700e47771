#include "client/skill_tests/reading.h"

#include <algorithm>

#include "client/terminal/command_line.h"
#include "client/terminal/nearest.h"
#include "schemas/core/join.h"
#include "schemas/core/json.h"
#include "schemas/core/json_pointer.h"
#include "schemas/core/json_text.h"
#include "schemas/yaml/yaml.h"

namespace band::client {
namespace {

const Json* member(const Json& map, const char* name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &*found;
}

std::string text(const Json& map, const char* name) {
  const Json* value = member(map, name);
  return value == nullptr ? "" : value->get<std::string>();
}

// A text, or a list of texts.
std::vector<std::string> texts(const Json* value) {
  if (value == nullptr) return {};
  if (value->is_string()) return {value->get<std::string>()};
  return value->get<std::vector<std::string>>();
}

std::optional<JsonValue> copy_of(const Json* value) {
  return value == nullptr ? std::nullopt : std::optional<JsonValue>(JsonValue(Json(*value)));
}

// Reads a document that matches the schema, so that all types are known.
class Reader {
 public:
  Reader(const YamlDocument& document, const std::string& file, const std::vector<std::string>& scripts,
         std::vector<Diagnostic>& errors)
      : document_(document), file_(file), scripts_(scripts), errors_(errors) {}

  std::vector<SkillCase> read() {
    const Json& root = document_.value;
    std::vector<SkillCase> cases;
    const Json& list = root.at("cases");
    for (std::size_t i = 0; i < list.size(); ++i)
      cases.push_back(read_case(list[i], join_pointer("/cases", i), text(root, "script")));
    return cases;
  }

 private:
  void complain(const std::string& pointer, std::string what, std::string hint) {
    const YamlPlace at = document_.place_of(pointer);
    errors_.push_back({file_, at.line, at.column, std::move(what), std::move(hint)});
  }

  // Reports an error at a key; `pointer` is that of its value.
  void complain_of_key(const std::string& pointer, std::string what, std::string hint) {
    const auto at = document_.keys.find(pointer);
    if (at == document_.keys.end()) return complain(pointer, std::move(what), std::move(hint));
    errors_.push_back({file_, at->second.line, at->second.column, std::move(what), std::move(hint)});
  }

  SkillCase read_case(const Json& given, const std::string& pointer, const std::string& script_of_file) {
    SkillCase one;
    one.file = file_;
    one.line = document_.place_of(pointer).line;
    one.name = text(given, "name");
    if (const auto [first, fresh] = lines_of_names_.emplace(one.name, one.line); !fresh)
      complain(pointer + "/name", "a second case with the name \"" + one.name + "\"",
               "the first one is on line " + std::to_string(first->second) + "; give this one another name");
    one.script = given.contains("script") ? text(given, "script") : script_of_file;
    check_script(one.script, given.contains("script") ? pointer + "/script" : pointer);
    one.input = copy_of(member(given, "input"));
    if (const Json* words = member(given, "arguments")) {
      one.arguments = words->get<std::vector<std::string>>();
      check_arguments(one.arguments, pointer + "/arguments");
    }
    one.input_at = at(given.contains("input") ? pointer + "/input" : pointer);
    one.arguments_at = at(given.contains("arguments") ? pointer + "/arguments" : pointer);
    if (const Json* config = member(given, "config")) one.configuration = Json(*config);
    if (const Json* env = member(given, "env"))
      for (const auto& [name, value] : env->items()) {
        one.variables[name] = value.get<std::string>();
        one.variable_lines[name] = document_.place_of(join_pointer(pointer + "/env", name)).line;
      }
    if (const Json* in = member(given, "stdin")) one.standard_input = in->get<std::string>();
    if (const Json* files = member(given, "workspace")) read_workspace(*files, pointer + "/workspace", one);
    if (const Json* expect = member(given, "expect")) read_expectation(*expect, pointer + "/expect", one.expect);
    return one;
  }

  SkillCase::At at(const std::string& pointer) const {
    const YamlPlace place = document_.place_of(pointer);
    return {place.line, place.column};
  }

  void check_script(const std::string& script, const std::string& pointer) {
    if (std::find(scripts_.begin(), scripts_.end(), script) != scripts_.end()) return;
    const std::string there_are = scripts_.empty() ? "the skill has no scripts: write scripts/NAME/run.sh"
                                                   : "scripts are: " + join(scripts_, ", ");
    if (script.empty())
      return complain(pointer, "no script is named",
                      "write `script: NAME` at the beginning of the file, or in the case; " + there_are);
    complain(pointer, "the skill has no script `" + script + "`", did_you_mean(script, scripts_, "", there_are));
  }

  // Words that `band run` parses as its own flags are not parameters of the script here, either.
  void check_arguments(const std::vector<std::string>& arguments, const std::string& pointer) {
    std::vector<std::string> words{"run", "skill/script"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const auto line = parse_command_line(words);
    if (!line.ok()) return complain(pointer, line.error().message(), line.error().hint);
    if (line->parameters == arguments) return;
    std::size_t at = 0;
    while (at < line->parameters.size() && line->parameters[at] == arguments[at]) ++at;
    complain(join_pointer(pointer, at),
             "`" + arguments[at] + "` is a flag of `band run`, not a parameter of the script",
             "remove it; a property of that name can be set in `input`");
  }

  // Checks that a path is relative, below the workspace, and has a name that can be sent.
  bool check_path(const std::string& path, const std::string& pointer) {
    if (is_safe_relative_path(path)) return true;
    complain_of_key(pointer, "\"" + path + "\" is not a path below the workspace",
                    "write it relative, without `..`, `.` and empty parts, as in `notes/a.txt`");
    return false;
  }

  void read_workspace(const Json& given, const std::string& pointer, SkillCase& one) {
    one.workspace_line = document_.place_of(pointer).line;
    if (given.is_string()) {
      one.workspace_directory = given.get<std::string>();
      while (one.workspace_directory.ends_with('/')) one.workspace_directory.pop_back();
      if (!is_safe_relative_path(one.workspace_directory))
        complain(pointer, "\"" + given.get<std::string>() + "\" is not a directory below tests/",
                 "write its path relative to tests/, without `..` and `.`, as in `workspace: files/small`");
      return;
    }
    auto files = std::make_shared<WorkspaceFiles>();
    for (const auto& [path, content] : given.items()) {
      const std::string at = join_pointer(pointer, path);
      if (!check_path(path, at)) continue;
      if (const std::string above = file_above(*files, path); !above.empty())
        complain_of_key(at, shown_string(path) + " and " + shown_string(above) + " cannot both be files",
                        "rename one of them");
      files->push_back({.path = path, .content = content_of(content, at)});
    }
    one.workspace = std::move(files);
  }

  static bool is_above(const std::string& directory, const std::string& path) {
    return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
  }

  // Returns a file whose path is a parent directory of `path`, or that would be below `path`.
  static std::string file_above(const WorkspaceFiles& files, const std::string& path) {
    for (const ShippedFile& file : files)
      if (is_above(file.path, path) || is_above(path, file.path)) return file.path;
    return "";
  }

  std::string content_of(const Json& content, const std::string& pointer) {
    if (content.is_string()) return content.get<std::string>();
    auto bytes = base64_decode(text(content, "base64"));
    if (bytes.ok()) return std::move(bytes).value();
    complain(pointer + "/base64", "is not base64: " + bytes.error().message(), "write what `base64 -w 0 FILE` prints");
    return "";
  }

  void read_expectation(const Json& given, const std::string& pointer, Expectation& expect) {
    expect.output = copy_of(member(given, "output"));
    expect.contains = copy_of(member(given, "contains"));
    if (const std::string name = text(given, "code"); !name.empty() && name != "SUCCESS")
      if (Code code = Code::Internal; code_from_name(name, code)) expect.code = code;
    if (const Json* status = member(given, "exit")) expect.exit_status = status->get<int>();
    expect.message = texts(member(given, "message"));
    expect.hint = texts(member(given, "hint"));
    expect.stdout_log = texts(member(given, "stdout"));
    expect.stderr_log = texts(member(given, "stderr"));
    expect.refused = texts(member(given, "refused"));
    if (const Json* files = member(given, "files"))
      for (const auto& [path, want] : files->items())
        if (check_path(path, join_pointer(pointer + "/files", path))) expect.files.push_back(expected_file(path, want));
    if (const Json* no_other = member(given, "noOtherFiles")) expect.no_other_files = no_other->get<bool>();
    check_consistency(given, expect, pointer);
  }

  static ExpectedFile expected_file(const std::string& path, const Json& want) {
    using Want = ExpectedFile::Want;
    if (want.is_string()) return {path, Want::Content, {want.get<std::string>()}};
    if (const Json* parts = member(want, "contains")) return {path, Want::Parts, texts(parts)};
    return {path, Want::Absent, {}};
  }

  // Reports expectations that no run can meet.
  void check_consistency(const Json& given, const Expectation& expect, const std::string& pointer) {
    if (expect.output && expect.contains)
      complain(pointer + "/contains", "`contains` together with `output`", "keep one of them");
    if (!expect.code) {
      for (const char* key : {"message", "hint"})
        if (given.contains(key))
          complain(pointer + "/" + key,
                   std::string("`") + key + "` is possible only for a failed run, and this case expects success",
                   "also write `code:`, as in `code: SCRIPT_FAILED`");
      if (expect.exit_status.value_or(0) != 0)
        complain(
            pointer + "/exit",
            "a script that exits with " + std::to_string(*expect.exit_status) + " fails, and this case expects success",
            "also write `code:`, as in `code: SCRIPT_FAILED`");
      return;
    }
    for (const char* key : {"output", "contains"})
      if (given.contains(key))
        complain(pointer + "/" + key, "a run that fails has no output", std::string("remove `") + key + "`, or `code`");
  }

  const YamlDocument& document_;
  const std::string& file_;
  const std::vector<std::string>& scripts_;
  std::vector<Diagnostic>& errors_;
  std::map<std::string, int> lines_of_names_;
};

}  // namespace

std::vector<SkillCase> read_cases(std::string_view text, const std::string& file,
                                  const std::vector<std::string>& scripts, std::vector<Diagnostic>& errors) {
  const std::size_t before = errors.size();
  const auto document = parse_yaml(text, file, 1, errors);
  if (!document) return {};
  check_yaml(*document, file, "skill_test.schema.json", errors);
  if (errors.size() > before) return {};
  std::vector<SkillCase> cases = Reader(*document, file, scripts, errors).read();
  if (errors.size() > before) cases.clear();
  return cases;
}

}  // namespace band::client
