#include "schemas/programs/programs.h"

#include <cstdlib>

#include "schemas/core/embedded.h"
#include "schemas/core/json.h"
#include "schemas/rules/checks.h"
#include "schemas/yaml/yaml.h"

namespace band {
namespace {

// Checks that a path is absolute and normalised, so that patterns and bind mounts cannot interpret it differently.
void check_path(RuleReader& reader, const std::string& pointer, const std::string& path) {
  if (!is_plain_absolute(path))
    reader.complain(pointer, readable_pointer(pointer) + ": \"" + path + "\" is not a plain absolute path",
                    "write it without `.`, `..`, double slashes and a slash at its end, as in `/opt/tool/bin`");
}

std::vector<std::string> paths(RuleReader& reader, const std::string& pointer) {
  std::vector<std::string> out;
  reader.each_string(pointer, [&](const std::string& path, const std::string& at) {
    check_path(reader, at, path);
    out.push_back(path);
  });
  return out;
}

void append(std::vector<std::string>& list, const std::vector<std::string>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

void take_flag(const RuleReader& reader, const std::string& pointer, bool& out) {
  const Json* value = reader.find(pointer);
  if (value != nullptr && value->is_boolean()) out = value->get<bool>();
}

void add_program(RuleReader& reader, const std::string& pointer, ProgramNeeds& needs) {
  if (const std::string package = reader.text(pointer + "/package"); !package.empty()) needs.package = package;
  if (const std::string starts = reader.text(pointer + "/starts"); !starts.empty())
    needs.starts =
        starts == "nothing" ? Starts::Nothing : Starts::Essentials;  // the schema allows only these two values
  take_flag(reader, pointer + "/certificates", needs.certificates);
  take_flag(reader, pointer + "/interpreter", needs.interpreter);
  take_flag(reader, pointer + "/reexec", needs.reexec);
  append(needs.read, paths(reader, pointer + "/read"));
  append(needs.load, paths(reader, pointer + "/load"));
  append(needs.run, paths(reader, pointer + "/run"));
  const Json* env = reader.find(pointer + "/env");
  if (env == nullptr || !env->is_object()) return;
  for (const auto& [name, value] : env->items())
    if (value.is_string()) needs.env[name] = value.get<std::string>();
}

KnownPrograms read_built_in() {
  constexpr const char* kFile = "programs.yaml";
  std::vector<Diagnostic> errors;
  KnownPrograms known;
  if (const auto document = parse_yaml(schema_text(kFile), kFile, 1, errors)) {
    RuleReader reader(*document, kFile, errors);
    add_programs(reader, known);
    check_rest(*document, kFile, "server.schema.json", errors);
  }
  if (!errors.empty()) std::abort();  // compiled into the program, and read by every test
  return known;
}

}  // namespace

const ProgramNeeds* KnownPrograms::find(std::string_view name) const {
  if (const auto known = programs.find(name); known != programs.end()) return &known->second;
  while (!name.empty() && (name.back() == '.' || (name.back() >= '0' && name.back() <= '9'))) {
    name.remove_suffix(1);
    if (const auto known = programs.find(name); known != programs.end() && known->second.interpreter)
      return &known->second;
  }
  return nullptr;
}

const KnownPrograms& built_in_programs() {
  static const KnownPrograms known = read_built_in();
  return known;
}

void add_programs(RuleReader& reader, KnownPrograms& known) {
  std::vector<std::string> directories = paths(reader, "/commands/directories");
  append(directories, known.directories);
  known.directories = std::move(directories);
  append(known.certificates, paths(reader, "/commands/certificates"));
  const Json* programs = reader.find("/commands/programs");
  if (programs == nullptr || !programs->is_object()) return;
  for (const auto& [name, needs] : programs->items())
    add_program(reader, join_pointer("/commands/programs", name), known.programs[name]);
}

}  // namespace band
