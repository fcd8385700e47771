#include "client/commands/exec_band.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>

#include "client/skills/secrets.h"
#include "client/terminal/nearest.h"
#include "client/terminal/terminal.h"
#include "client/workspace/workspace_path.h"
#include "schemas/core/json_text.h"
#include "schemas/core/usage.h"
#include "schemas/core/utf8.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/pattern/shell_text.h"
#include "schemas/programs/essentials.h"
#include "schemas/programs/interpreters.h"
#include "schemas/rules/checks.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

// "--limit maxFiles=x: REASON"
Error bad_flag(const char* flag, std::string_view value, std::string_view what, std::string hint) {
  std::string doing = flag;
  if (!value.empty()) doing.append(" ").append(value);
  return usage(doing.append(": ").append(what), std::move(hint));
}

std::string pattern_of(const std::vector<std::string>& command) {
  std::string pattern;
  for (const std::string& word : command) pattern += (pattern.empty() ? "" : " ") + quoted_word(word);
  return pattern;
}

bool is_file_here(const std::string& path, const CommandLine& line) {
  std::error_code none;
  if (path.find("..") != std::string::npos) return false;
  return std::filesystem::is_regular_file(line.workspace.value_or(".") + "/" + path, none);
}

// Returns the command that runs a file of the workspace: "band exec --read tool.py -- python3 tool.py".
std::string line_to_run(const std::string& file) {
  const std::string_view known = interpreter_of_name(file);
  return "band exec --read " + quoted_word(file) + " -- " + std::string(known.empty() ? "bash" : known) + " " +
         quoted_word(file);
}

// `band exec --read *.csv -- wc a.csv`: the caller's shell has made several words of the value of --read.
Status check_expanded(const CommandLine& line) {
  const auto& words = line.command;
  const bool more = std::find(words.begin() + 1, words.end(), "--") != words.end();
  if (!more || (line.read.empty() && line.write.empty()) || !is_file_here(words.front(), line)) return done();
  return usage(printable_line(words.front()) +
                   " is a file of the workspace, and `--` follows: the shell has replaced a "
                   "pattern after --read or --write by several names",
               "quote the pattern, as in --read '*.csv'");
}

Status check_command(const CommandLine& line) {
  const std::vector<std::string>& command = line.command;
  const std::string& name = command.front();
  if (name.empty()) return usage("the command has no name", "write `band exec -- COMMAND`");
  BAND_CHECK(check_expanded(line));
  if (name.find_first_of(" \t\n|&;<>()$`=") != std::string::npos)
    return usage(
        "the command " + shell_text(std::span(&name, 1)) + " contains a space or a character of the shell's syntax",
        "write each word as a separate argument: `band exec -- git log`; for shell syntax write `band exec -- "
        "bash -c '...'`; for a variable write --env NAME");
  const bool is_path = name.find('/') != std::string::npos;
  if (is_path && !name.starts_with('/') && is_file_here(name, line))
    return usage(printable_line(name) + " is a file of the workspace, which cannot be executed",
                 "`" + printable_line(line_to_run(name)) + "`");
  if (is_path)
    return usage("the command " + shell_text(std::span(&name, 1)) + " is a path, not a name",
                 "start a program of the server's machine by its name (`git`), and a script of the workspace by "
                 "`band exec --read FILE -- bash FILE`");
  if (!interpreter_of_name(name).empty() && is_file_here(name, line))
    return usage(printable_line(name) + " is a file of the workspace, and not a program of the server's machine",
                 "`" + printable_line(line_to_run(name)) + "`");
  for (const std::string& word : command)
    if (!is_valid_utf8(word))
      return usage("the command has the argument " + shell_text(std::span(&word, 1)) + ", which is not UTF-8",
                   "write it in a script of the workspace: `band exec --read FILE -- bash FILE`");
  return done();
}

// Returns the rule that allows the command line itself; "" when no rule is needed.
Result<std::string> own_rule(const CommandLine& line) {
  if (line.command.empty()) return std::string();
  BAND_CHECK(check_command(line));
  if (is_essential(line.command.front()) || is_shell_own(line.command.front())) return std::string();
  for (const std::string& pattern : line.cli)
    if (const auto parsed = CliPattern::parse(pattern); parsed.ok() && parsed->matches(line.command))
      return std::string();
  const std::string pattern = pattern_of(line.command);
  const auto parsed = CliPattern::parse(pattern);
  if (parsed.ok()) return pattern;
  return usage("no rule can name the command line: " + parsed.error().doing,
               "allow it with a pattern: --cli " + quoted_word(pattern_of({line.command.front()}) + " *"));
}

// Returns the path relative to the workspace ("" for the workspace itself), for an absolute path of the workspace and
// for a path with `..`. Returns nullopt for any other path.
std::optional<std::string> relative_path(const std::string& path, const std::string& workspace) {
  if (!path.starts_with('/') && path.find("..") == std::string::npos) return std::nullopt;
  const auto tree = Tree::open(workspace);
  if (!tree.ok() || tree->path() == "/") return std::nullopt;
  auto relative = path_in_workspace(path, *tree);
  // A socket can be shown in the sandbox only as a path of the machine.
  if (relative && path.starts_with('/') && tree->resolve(*relative).kind == Tree::Kind::Other) return std::nullopt;
  return relative;
}

// Returns the pattern of a path: `./src/**` for `src` if it is a directory of the workspace; `./src/**` for `src/` and
// `/srv/src/**` for `/srv/src/` always.
std::string path_pattern(const std::string& written, const std::string& workspace) {
  std::string given = written;
  if (const auto relative = relative_path(written, workspace))
    given = "./" + *relative + (written.ends_with('/') ? "/" : "");
  if (given.starts_with('/')) return given + (given.ends_with('/') ? "**" : "");
  std::string path = given;
  while (path.starts_with("./")) path.erase(0, path.find_first_not_of('/', 1));
  const bool named = path.ends_with('/');
  while (path.ends_with('/')) path.pop_back();
  if (path.empty() || path == ".") return "./**";
  std::error_code none;
  const bool directory = named || std::filesystem::is_directory(workspace + "/" + path, none);
  return "./" + path + (directory ? "/**" : "");
}

std::vector<std::string> path_patterns(const CommandLine& line, const std::vector<std::string>& given) {
  std::vector<std::string> patterns;
  patterns.reserve(given.size());
  for (const std::string& path : given) patterns.push_back(path_pattern(path, line.workspace.value_or(".")));
  return patterns;
}

// Errors: an empty path, because an unset shell variable must not open the whole workspace; a path that looks like a
// flag, because if the value of --read is missing, the next flag is parsed as this value.
Status check_paths(const char* flag, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (path.empty()) return bad_flag(flag, "", "the path is empty", "write `.` for the whole workspace");
    if (path.starts_with("--"))
      return bad_flag(flag, path, "the value looks like a flag", "prefix it with ./ if it is a file's name");
  }
  return done();
}

Status check_flags(const CommandLine& line) {
  const auto check = [](const char* flag, const char* domain, const std::vector<std::string>& patterns) -> Status {
    for (const std::string& pattern : patterns)
      if (const Status status = check_pattern(domain, pattern); !status.ok())
        return usage(std::string("--") + flag + ": " + status.error().doing, status.error().hint);
    return done();
  };
  BAND_CHECK(check("cli", "cli", line.cli));
  BAND_CHECK(check("net", "net", line.net));
  BAND_CHECK(check_paths("--read", line.read));
  BAND_CHECK(check_paths("--write", line.write));
  BAND_CHECK(check("read", "read", path_patterns(line, line.read)));
  BAND_CHECK(check("write", "write", path_patterns(line, line.write)));
  for (const std::string& name : line.env)
    if (const std::size_t equals = name.find('='); equals != std::string::npos && equals > 0)
      return usage("--env takes the name of a variable, without a value",
                   "set it for band: `" + printable_line(name.substr(0, equals)) + "=... band exec --env " +
                       printable_line(name.substr(0, equals)) + " ...`");
  for (const std::string& name : line.env)
    if (const Status status = check_env_name(name); !status.ok())
      return usage("--env " + name + ": " + status.error().doing, status.error().hint);
  return done();
}

// The value of a variable for a directory is not a secret: the server would mask it in the names of files.
std::string yaml_env(const std::vector<std::string>& given) {
  const std::set<std::string> names(given.begin(), given.end());
  if (names.empty()) return "";
  const bool map = std::any_of(names.begin(), names.end(), is_directory_name);
  std::string env;
  for (const std::string& name : names)
    env.append(env.empty() ? "" : ", ")
        .append(name)
        .append(!map                      ? ""
                : is_directory_name(name) ? ": {secret: false}"
                                          : ": {}");
  return std::string("env: ") + (map ? "{" : "[") + env + (map ? "}" : "]") + "\n";
}

std::string yaml_list(const char* key, const std::vector<std::string>& patterns) {
  if (patterns.empty()) return "";
  return std::string("  ").append(key).append(": ").append(json_list(patterns)).append("\n");
}

Result<std::string> yaml_limits(const std::vector<std::string>& limits) {
  std::string text;
  std::set<std::string> seen;
  std::vector<std::string> names;
  names.reserve(kLimitKeys.size());
  for (const LimitKey& key : kLimitKeys) names.emplace_back(key.name);
  for (const std::string& limit : limits) {
    const std::size_t equals = limit.find('=');
    if (equals == std::string::npos)
      return bad_flag("--limit", limit, "it has no `=`", "write --limit NAME=VALUE, as in maxRuntimeMs=10m");
    const std::string name = limit.substr(0, equals), value = limit.substr(equals + 1);
    if (std::find(names.begin(), names.end(), name) == names.end())
      return bad_flag("--limit", limit, "there is no such limit",
                      did_you_mean(name, names, "", "docs/usage.md lists the limits"));
    if (!seen.insert(name).second) return bad_flag("--limit", limit, "this limit is given twice", "give it once");
    const bool number = !value.empty() && value.find_first_not_of("0123456789") == std::string::npos;
    std::string line = "  ";
    const std::string quoted_value = json_list({value});  // in brackets
    line.append(name).append(": ");
    line.append(number ? value : quoted_value.substr(1, quoted_value.size() - 2)).append("\n");
    std::vector<Diagnostic> errors;
    if (!parse_band("---\nband: exec\nlimit:\n" + line + "---\n", "--limit", errors) && !errors.empty())
      return bad_flag("--limit", limit, errors.front().message, errors.front().hint);
    text += line;
  }
  return text.empty() ? text : "limit:\n" + text;
}

void name_origins(BandFile& band) {
  const auto name = [](RuleSet& rules, const char* flag) {
    for (Rule& rule : rules) rule.origin = flag;
  };
  name(band.allow_cli, "--cli");
  name(band.allow_net, "--net");
  name(band.allow_read, "--read");
  name(band.allow_write, "--write");
  for (EnvRule& rule : band.env) rule.origin = "--env";
}

}  // namespace

Result<std::string> exec_band_text(const CommandLine& line) {
  BAND_CHECK(check_flags(line));
  BAND_TRY(const std::string own, own_rule(line));
  BAND_TRY(const std::string limits, yaml_limits(line.limits));
  std::vector<std::string> cli = line.cli;
  if (!own.empty()) cli.insert(cli.begin(), own);
  const std::string allow = yaml_list("cli", cli) + yaml_list("net", line.net) +
                            yaml_list("read", path_patterns(line, line.read)) +
                            yaml_list("write", path_patterns(line, line.write));
  return "---\nband: exec\n" + (allow.empty() ? "" : "allow:\n" + allow) + yaml_env(line.env) + limits + "---\n";
}

Result<ComposedBand> exec_band(const CommandLine& line, const std::string& text) {
  std::vector<Diagnostic> errors;
  auto flags = parse_band(text, "flags", errors);
  if (!flags) return skill_invalid(errors);
  name_origins(*flags);
  ComposedBand band;
  if (line.band) {
    auto composed = compose_file(*line.band, errors);
    if (!composed) return skill_invalid(errors);
    for (const Rule& rule : placeholders(composed->rules))
      return usage(rule.pattern + " (" + rule.origin +
                       ") stands for a file that is named in the JSON input of a script, and `band exec` runs a "
                       "command without such an input",
                   "allow the file with --read or --write, and remove this rule from the file of --band");
    band = std::move(*composed);
  } else {
    band.band = *flags;
    band.files = {"the command line"};
  }
  add_rules(band, *flags);
  return band;
}

std::string exec_source(const std::vector<std::string>& command) {
  return "set -- " + shell_text(command, std::numeric_limits<std::size_t>::max()) +
         "\necho null >\"$OUTPUT_PATH\"\ntype -P -- \"$1\" >/dev/null && exec -- \"$@\"\n\"$@\"\n";
}

}  // namespace band::client
