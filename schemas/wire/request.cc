#include "schemas/wire/wire.h"

#include <algorithm>
#include <span>

#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"
#include "schemas/wire/files.h"

namespace band {

using namespace wire;

namespace {

// Reads the value of one variable of `env` or `secrets`; `where` names the list in messages.
Result<std::string> variable_from_json(const std::string& name, const Json& value, const std::string& where,
                                       const std::vector<EnvRule>& rules, bool secret) {
  const bool declared = std::any_of(rules.begin(), rules.end(),
                                    [&](const EnvRule& rule) { return rule.name == name && rule.secret == secret; });
  if (!declared)
    return bad(where + ": " + shown(name) + " is not " +
                   (secret ? "a secret variable" : "a variable with `secret: false`") + " of the rules",
               "send only variables that `env` in BAND.md names: variables with `secret: false` in the field `env` of "
               "the request, "
               "all others in the field `secrets`");
  if (!value.is_string()) return bad(wrong_type(where + "." + name, "a string", value));
  const auto& text = value.get_ref<const std::string&>();
  if (text.find('\0') != std::string::npos) return bad(where + "." + name + ": a variable cannot have a NUL byte");
  if (text.size() > kMaxEnvValueBytes)
    return bad(where + "." + name + ": " + std::to_string(text.size()) + " bytes, at most " +
               std::to_string(kMaxEnvValueBytes));
  return text;
}

// Reads the values of the rules' variables whose `secret` equals the argument; any other name is refused.
Result<std::map<std::string, std::string>> env_from_json(const Json* object, const std::string& where,
                                                         const std::vector<EnvRule>& rules, bool secret) {
  std::map<std::string, std::string> values;
  if (object == nullptr) return values;
  if (!object->is_object()) return bad(wrong_type(where, "an object", *object));
  for (const auto& [name, value] : object->items()) {
    BAND_TRY(std::string text, variable_from_json(name, value, where, rules, secret));
    values.emplace(name, std::move(text));
  }
  return values;
}

// The parts of a request's text that stay text, or are decoded without a copy.
using Parts = std::span<const std::string_view>;
constexpr std::string_view kWholeMembers[] = {"input", "config"}, kFileLists[] = {"lib", "skillFiles", "files"};

// Returns the member's value as text if it is a part, or else moves it.
Json taken(Json& member, Parts parts) {
  const auto part = json_part(member);
  return part && *part < parts.size() ? json_of_text(parts[*part]) : std::move(member);
}

// Error: the member is not an object.
Status check_object(const Json& member, const std::string& where, Parts parts) {
  const auto part = json_part(member);
  if (!part || *part >= parts.size())
    return member.is_object() ? done() : Status(bad(wrong_type(where, "an object", member)));
  const char first = parts[*part].front();
  if (first == '{') return done();
  if (first == '[') return bad(wrong_type(where, "an object", Json::array()));
  BAND_TRY(const Json scalar, parse_json(parts[*part], where));
  return bad(wrong_type(where, "an object", scalar));
}

Result<std::vector<ShippedFile>> bounded_files(const Json* list, const std::string& where, std::size_t max_files,
                                               std::size_t max_bytes, Parts parts) {
  BAND_TRY(std::vector<ShippedFile> files, files_from_json(list, From::Request, where, max_files, parts));
  std::size_t bytes = 0;
  for (const ShippedFile& file : files) {
    bytes += file.content.size();
    if (std::count(file.path.begin(), file.path.end(), '/') > kMaxSkillDepth)
      return bad(where + ": " + shown(file.path) + " is more than " + std::to_string(kMaxSkillDepth) +
                 " directories deep");
  }
  if (bytes > max_bytes)
    return bad(where + ": " + std::to_string(bytes) + " bytes, at most " + std::to_string(max_bytes));
  return files;
}

Result<TerminalRequest> terminal_from_json(const Json& value) {
  Reader reader(value, "request.terminal");
  reader.only({"columns", "rows", "type", "shell"});
  TerminalRequest terminal;
  (void)reader.find("columns", true);
  (void)reader.find("rows", true);
  terminal.size.columns = static_cast<std::uint16_t>(reader.integer("columns", 1, kMostTerminalSide));
  terminal.size.rows = static_cast<std::uint16_t>(reader.integer("rows", 1, kMostTerminalSide));
  terminal.type = reader.text("type", 64);
  terminal.shell = reader.boolean("shell", false);
  if (reader.failed()) return reader.error();
  if (!is_terminal_type(terminal.type))
    return bad("request.terminal.type: " + shown(terminal.type) + " is not the name of a terminal",
               "use 1 to 64 of the characters A-Z a-z 0-9 . _ + - (as in $TERM)");
  return terminal;
}

Status check_skill_files(const ExecRequest& request) {
  for (const ShippedFile& file : request.skill_files)
    if (!may_be_skill_file(file.path, request.script))
      return bad("request.skillFiles: " + shown(file.path) + " is not one of the files that this script may use",
                 "send the files of scripts/SCRIPT except run.sh, and those below assets and references");
  return done();
}

}  // namespace

bool is_terminal_type(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view("._+-").find(c) != std::string_view::npos;
  };
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), plain);
}

std::size_t bytes_in_request(std::string_view path, std::size_t content_bytes) {
  // Without the brackets of the list, plus the comma between two files.
  static const std::size_t frame = [] {
    ShippedFile any;
    any.modified_us = kMostModifiedUs;  // has as many digits as the current time
    return json_size(files_to_json({any})) - 2 + 1;
  }();
  const std::size_t name = json_size(Json(path)) - 2;
  return frame + name + (content_bytes + 2) / 3 * 4;
}

Json request_to_json(const ExecRequest& request) {
  Json value = object_for(14);
  value["script"] = request.script;
  value["source"] = request.source;
  value["lib"] = files_to_json(request.lib);
  value["skillFiles"] = files_to_json(request.skill_files);
  value["input"] = request.input;
  value["config"] = request.config;
  value["rules"] = rules_to_json(request.rules);
  value["env"] = Json(request.env);
  value["secrets"] = Json(request.secrets);
  value["files"] = files_to_json(request.files);
  if (request.stdin_open) value["stdin"] = true;
  if (request.keep_partial) value["keepPartial"] = true;
  if (request.whole_files) value["wholeFiles"] = true;
  if (request.raw_logs) value["rawLogs"] = true;
  if (request.terminal)
    value["terminal"] = {{"columns", request.terminal->size.columns},
                         {"rows", request.terminal->size.rows},
                         {"type", request.terminal->type},
                         {"shell", request.terminal->shell}};
  return value;
}

namespace {

Result<ExecRequest> read_request(Json value, Parts parts) {
  Reader reader(value, "request");
  reader.only({"script", "source", "lib", "skillFiles", "input", "config", "rules", "env", "secrets", "files", "stdin",
               "keepPartial", "wholeFiles", "rawLogs", "terminal"});
  ExecRequest request;
  request.script = reader.text("script", 129);
  request.source = reader.text("source", kMaxSourceBytes);
  const Json* rules = reader.find("rules", true);
  (void)reader.find("input", true);
  const Json* config = reader.find("config", false);
  request.stdin_open = reader.boolean("stdin", false);
  request.keep_partial = reader.boolean("keepPartial", false);
  request.whole_files = reader.boolean("wholeFiles", false);
  request.raw_logs = reader.boolean("rawLogs", false);
  if (reader.failed()) return reader.error();
  if (!is_script_name(request.script))
    return bad("request.script: " + shown(request.script) + " is not of the form skill/script",
               "each part has 1 to 64 of the characters A-Z a-z 0-9 . _ - and begins with a letter or digit");
  if (request.source.find_first_not_of(" \t\r\n") == std::string::npos) return bad("request.source: is empty");
  if (request.source.find('\0') != std::string::npos)
    return bad("request.source: has a NUL byte and is therefore not text");
  if (config != nullptr) {
    BAND_CHECK(check_object(*config, "request.config", parts));
    request.config = taken(value.at("config"), parts);
  }
  if (const Json* terminal = reader.find("terminal", false)) {
    BAND_TRY(request.terminal, terminal_from_json(*terminal));
  }
  BAND_TRY(request.rules, rules_from_json(*rules));
  BAND_TRY(request.lib, bounded_files(reader.find("lib", false), "request.lib", kMaxLibFiles, kMaxLibBytes, parts));
  BAND_TRY(request.skill_files, bounded_files(reader.find("skillFiles", false), "request.skillFiles", kMaxSkillFiles,
                                              kMaxSkillBytes, parts));
  BAND_CHECK(check_skill_files(request));
  BAND_TRY(request.files,
           files_from_json(reader.find("files", false), From::Request, "request.files", kMaxWireFiles, parts));
  BAND_TRY(request.env, env_from_json(reader.find("env", false), "request.env", request.rules.env, false));
  BAND_TRY(request.secrets, env_from_json(reader.find("secrets", false), "request.secrets", request.rules.env, true));
  request.input = taken(value.at("input"), parts);  // moved, because it can have many megabytes
  return request;
}

}  // namespace

Result<ExecRequest> request_from_json(Json value) { return read_request(std::move(value), {}); }

Result<ExecRequest> request_from_text(std::string_view text) {
  BAND_TRY(JsonWithParts read,
           parse_json_parts(text, "request", message_bounds(1), {kWholeMembers, kFileLists, "content"}));
  return read_request(std::move(read.value), read.parts);
}

}  // namespace band
