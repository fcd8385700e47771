#include "client/commands/run_plan.h"

#include <unistd.h>

#include <algorithm>
#include <set>

#include "client/commands/call_workspace.h"
#include "client/host/environment.h"
#include "client/host/standard_input.h"
#include "client/skills/parameters.h"
#include "client/targets/targets.h"
#include "client/transport/request_text.h"
#include "client/workspace/opening.h"
#include "client/workspace/secrets_in_files.h"
#include "client/workspace/workspace_path.h"
#include "schemas/core/json.h"
#include "schemas/pattern/pattern.h"
#include "schemas/permit/compose.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

// Reads the JSON that --input names: `given` itself, a file (@FILE) or standard input (-).
Result<Json> read_input(const std::string& given, std::int64_t max_input, const std::string& verb) {
  const auto most = static_cast<std::size_t>(max_input);
  std::string text = given, what = "--input";
  if (given == "-") {
    BAND_TRY(auto read, read_standard_input(most));
    if (!read)
      return Error{.code = Code::LimitExceeded,
                   .doing = "the input on standard input has more than " + human_bytes(max_input),
                   .hint = "raise limit.maxInputBytes in BAND.md, or pass a file of the workspace"};
    text = std::move(*read);
    what = "standard input";
  } else if (given.starts_with('@')) {
    if (verb == "call")
      return Error{
          .code = Code::Usage,
          .doing = "`band call` does not accept --input @FILE: it reads only files that the script's rules allow",
          .hint = "write the JSON itself, or pass it on standard input with `--input -`"};
    what = given.substr(1);
    auto read = read_file(what, most, Code::Usage);
    if (!read.ok()) {
      Error error = std::move(read).error();
      error.doing = "--input " + given + ": " + error.doing;
      error.hint = "write --input @FILE with a file that contains JSON of at most " + human_bytes(max_input);
      return error;
    }
    text = std::move(read).value();
  }
  auto parsed = parse_json(text, what);
  if (parsed.ok()) return parsed;
  Error error = std::move(parsed).error();
  error.code = Code::InputInvalid;
  if (error.hint.empty()) error.hint = "write JSON, for example --input '{\"name\": \"World\"}'";
  if (what == "--input" && ::access(given.c_str(), R_OK) == 0)
    error.hint = "to read the file of that name, write --input @" + given;
  return error;
}

Result<Tree> open_workspace_of(const CommandLine& line) {
  if (line.verb != "call") return open_workspace(line.workspace);
  BAND_TRY(Tree here, Tree::open("."));
  BAND_CHECK(check_call_workspace(here));
  if (here.path() != "/") return here;
  return open_workspace(std::nullopt);  // an error
}

// The absolute path, or the path with `..`, and the relative path of the same file.
using MadeRelative = std::vector<std::pair<std::string, std::string>>;

void make_relative(Json& value, const Tree& workspace, Links links, std::map<std::string, std::string>& made) {
  if (value.is_array())
    for (Json& item : value) make_relative(item, workspace, links, made);
  if (!value.is_string()) return;
  const std::string path = value.get<std::string>();
  if (!path.starts_with('/') && path.find("..") == std::string::npos) return;
  const auto relative = path_in_workspace(path, workspace, links);
  if (!relative || relative->empty() || *relative == path) return;  // with_input() refuses a path outside
  value = *relative;
  made.emplace(path, *relative);
}

// Agents pass absolute paths. For a property that a placeholder names, such a path of the workspace becomes relative,
// in the rules, in the input of the script, and therefore in the ledger. Before the check against the schema, which can
// restrict the paths.
MadeRelative make_paths_relative(const CommandLine& line, const Rules& rules, Json& input) {
  std::map<std::string, std::string> made;
  std::optional<Result<Tree>> workspace;
  for (const Rule& rule : placeholders(rules)) {
    const auto property = input.is_object() ? input.find(*placeholder_of(rule.pattern)) : input.end();
    if (property == input.end()) continue;
    if (!workspace) workspace = open_workspace_of(line);
    if (!workspace->ok()) return {};  // reported when the workspace is opened for its files
    make_relative(*property, **workspace, line.verb == "call" ? Links::Ignored : Links::Followed, made);
  }
  return {made.begin(), made.end()};
}

Result<Json> plan_input(const CommandLine& line, const Script& script, const EffectiveLimits& limits, Json& as_given,
                        MadeRelative& made_relative) {
  Json input = Json::object();
  if (line.input) {
    BAND_TRY(input, read_input(*line.input, limits.maxInputBytes, line.verb));
  }
  std::map<std::string, std::string> given;
  BAND_TRY(input, apply_parameters(std::move(input), script.input_schema(), line.parameters, given,
                                   line.verb.empty() ? "run" : line.verb));
  made_relative = make_paths_relative(line, script.band.rules, input);
  as_given = input;
  if (const auto violations = check_input(script, input); !violations.empty())
    return input_invalid(violations, given, script.place.name);
  const auto bytes = static_cast<std::int64_t>(json_size(input));
  if (bytes > limits.maxInputBytes)
    return Error{.code = Code::LimitExceeded,
                 .doing = "the input has " + human_bytes(bytes) + ", the limit is " + human_bytes(limits.maxInputBytes),
                 .hint = bytes > static_cast<std::int64_t>(kMaxBodyBytes)
                             ? "pass a file of the workspace instead, or a file of the machine that runs the script"
                             : "pass a file of the workspace instead, or raise limit.maxInputBytes in BAND.md"};
  return input;
}

// Drops from `unmatched` the patterns that a rule of `write` covers: such a file may be missing only because no run has
// written it yet.
void drop_expected(std::vector<Rule>& unmatched, const Domain& write) {
  std::erase_if(unmatched, [&](const Rule& rule) {
    const auto read = PathPattern::parse(rule.pattern);
    const auto covers = [&](const Rule& other) {
      const auto written = PathPattern::parse(other.pattern);
      return read.ok() && written.ok() && written->covers(*read);
    };
    return std::any_of(write.opened.begin(), write.opened.end(),
                       [&](const RuleSet& layer) { return std::any_of(layer.begin(), layer.end(), covers); });
  });
}

Result<Configuration> configuration_for(const Script& script, const CallerValues* values) {
  if (values == nullptr) return configuration_of(script);
  if (values->configuration->is_null()) return Configuration{script.band.band.config, ""};
  return configuration_with(script, values->configuration, values->source);
}

Result<std::vector<EnvSource>> variables_for(const std::vector<EnvRule>& rules, const CommandLine& line,
                                             const CallerValues* values) {
  if (values == nullptr) return env_sources(rules, line.env_file);
  return std::vector<EnvSource>{{values->source, values->variables}};
}

std::set<std::string> paths_of(const std::vector<PlannedFile>& files) {
  std::set<std::string> paths;
  for (const PlannedFile& file : files) paths.insert(file.path);
  return paths;
}

// Returns the size of the request in bytes, without the workspace's files.
Result<std::size_t> size_without_files(const RunPlan& plan) {
  const std::size_t bytes = RequestText(request_of(plan)).text().size();
  if (bytes <= kMaxBodyBytes) return bytes;
  return Error{.code = Code::LimitExceeded,
               .doing = "the request has " + human_bytes(static_cast<std::int64_t>(bytes)) +
                        " without any file of the workspace; the limit is 90 MiB",
               .hint = "pass less input; or pass the absolute path of a file on the machine that runs the script"};
}

// Returns whether a file that is written back may contain a secret which the server would mask.
bool returns_secrets(const RunPlan& plan) {
  return plan.workspace && !plan.script.band.rules.write.opens_nothing() && !SecretSearch(plan.env.secrets).empty();
}

}  // namespace

Status check_place(const BandFile& band, const std::string& target, const std::string& script) {
  if (band.targets.empty() ||
      std::find(band.targets.begin(), band.targets.end(), kind_of(target)) != band.targets.end())
    return done();
  std::string places;
  for (const std::string& place : band.targets) places += (places.empty() ? "" : ", ") + place;
  return Error{
      .code = Code::Usage,
      .doing = script + " runs on " + places + " only (execution.targets in " + band.file + "), not on " + target,
      .hint = "choose another target with --target"};
}

Result<JsonValue> input_of(const CommandLine& line, const Script& script, const EffectiveLimits& limits) {
  Json given;
  MadeRelative made_relative;
  BAND_TRY(Json input, plan_input(line, script, limits, given, made_relative));
  return JsonValue(std::move(input));
}

ExecRequest request_of(const RunPlan& plan) {
  ExecRequest request;
  request.script = plan.script.place.name;
  request.source = plan.script.source;
  request.lib = plan.script.lib;
  request.skill_files = plan.script.skill_files;
  request.input = plan.input;
  request.config = plan.configuration.value;
  request.rules = plan.script.band.rules;
  request.env = plan.env.env;
  request.secrets = plan.env.secrets;
  request.stdin_open = plan.standard_input;
  request.whole_files = returns_secrets(plan);
  request.keep_partial = plan.keep_partial.has_value() || plan.failures_write;
  request.raw_logs = plan.raw_logs;
  request.terminal = plan.terminal;
  return request;
}

Result<RunPlan> plan_run(const CommandLine& line, const Script& script, const CallerValues* values) {
  RunPlan plan;
  plan.script = script;
  plan.limits = limits_of(script.band);
  BAND_TRY(plan.target, target_name(line.target));
  BAND_CHECK(check_place(script.band.band, plan.target, script.place.name));
  BAND_TRY(plan.input, plan_input(line, script, plan.limits, plan.given, plan.made_relative));
  BAND_TRY(plan.script.band.rules, compose_input(script.band.rules, plan.input));
  const Rules& rules = plan.script.band.rules;
  BAND_TRY(plan.configuration, configuration_for(script, values));
  plan.standard_input = line.standard_input;
  if (line.standard_input && line.input == "-")
    return Error{.code = Code::Usage,
                 .doing = "--stdin and `--input -` cannot both read standard input",
                 .hint = line.verb == "call" ? "give the input as parameters, or as --input JSON"
                                             : "write the input into a file: --input @FILE --stdin"};
  plan.keep_partial = line.keep_partial;
  plan.replaces = line.replace;
  plan.by_call = line.verb == "call";
  BAND_TRY(const auto sources, variables_for(rules.env, line, values));
  plan.env = resolve_env(rules.env, sources);
  if (!plan.env.missing.empty() && !line.dry_run) return secret_missing(plan.env, rules.env);
  BAND_TRY(const std::size_t other_bytes, size_without_files(plan));
  BAND_TRY(const Opening reads, Opening::of(rules.read, false, PathRules::Use::Read));
  BAND_TRY(const Opening writes, Opening::of(rules.write, false, PathRules::Use::Write));
  if (line.workspace || !reads.nothing() || !writes.nothing()) {
    BAND_TRY(plan.workspace, open_workspace_of(line));
    // Before the run, so that no result is lost. `band learn` and most uses of `band shell` write no file back.
    const bool writes_back = !writes.nothing() && line.verb != "learn" && line.verb != "shell";
    if (writes_back) BAND_CHECK(check_not_own(*plan.workspace));
    BAND_TRY(plan.shipment, plan_shipment(*plan.workspace, rules.read, plan.limits, other_bytes));
    drop_expected(plan.shipment.unmatched, rules.write);
    const Search search = line.dry_run ? Search::All : Search::Some;
    if (!plan.replaces) {
      BAND_TRY(plan.unshipped, unshipped_targets(*plan.workspace, rules.write, paths_of(plan.shipment.files), search));
    }
  }
  return plan;
}

std::vector<PlannedMount> planned_mounts(const Rules& rules) {
  std::vector<PlannedMount> mounts;
  const auto add = [&](const Domain& domain, const char* access) {
    for (const RuleSet& layer : domain.opened)
      for (const Rule& rule : layer)
        if (rule.pattern.starts_with('/')) mounts.push_back({rule.pattern, access, rule.origin, rule.optional});
  };
  add(rules.read, "read");
  add(rules.write, "write");
  return mounts;
}

}  // namespace band::client
