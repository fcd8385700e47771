#include "schemas/rules/checks.h"

#include <algorithm>

#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/rules/placeholders.h"

namespace band {
namespace {

// Variables that the engine sets, because a value of the caller would replace the value of the engine; and variables
// that make bash or the dynamic linker run or read other files.
constexpr std::string_view kReserved[] = {
    "PATH",       "HOME",        "TMPDIR",   "PWD", "SHELL", "USER",      "LOGNAME",  "INPUT_PATH", "OUTPUT_PATH",
    "ERROR_PATH", "CONFIG_PATH", "BASH_ENV", "ENV", "IFS",   "SHELLOPTS", "BASHOPTS", "PS4",        "PROMPT_COMMAND"};
constexpr std::string_view kReservedPrefixes[] = {"BAND_", "LD_", "BASH_FUNC_"};

bool is_reserved(std::string_view name) {
  return std::any_of(std::begin(kReservedPrefixes), std::end(kReservedPrefixes),
                     [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
         std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
}

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

template <class Pattern>
Status status_of(const Result<Pattern>& result) {
  if (!result.ok()) return result.error();
  return done();
}

}  // namespace

Status check_env_name(std::string_view name) {
  const auto bad = [&](const std::string& what, const std::string& hint) {
    return Error{.code = Code::SkillInvalid, .doing = what, .hint = hint};
  };
  if (name.empty()) return bad("a variable without a name", "name it, as in `GITHUB_TOKEN`");
  if (name.size() > 128) return bad("a variable's name of more than 128 bytes", "shorten it");
  if (!std::all_of(name.begin(), name.end(), is_name_char) || (name[0] >= '0' && name[0] <= '9'))
    return bad("a variable's name has an invalid character",
               "use letters, digits and `_`, and no digit at the beginning, as in `GITHUB_TOKEN`");
  if (is_reserved(name))
    return bad("`" + std::string(name) + "` is a variable that band sets, or that controls bash or the dynamic linker",
               "choose another name");
  return done();
}

bool is_plain_absolute(std::string_view path) {
  const std::string framed = std::string(path) + "/";
  for (const char* odd : {"/../", "/./", "//"})
    if (framed.find(odd) != std::string::npos) return false;
  return path.size() > 1 && path.front() == '/';
}

Status check_pattern(std::string_view domain, std::string_view pattern) {
  if (domain == "cli") return status_of(CliPattern::parse(pattern));
  if (domain == "net") return status_of(NetPattern::parse(pattern));
  return status_of(PathPattern::parse(pattern));
}

Status check_optional(const Rule& rule, std::string_view domain, bool opens) {
  const auto bad = [&](const std::string& why) {
    return Error{.code = Code::SkillInvalid,
                 .doing = "`optional` of \"" + rule.pattern.substr(0, 80) + "\": " + why,
                 .hint = "write the pattern without `optional`"};
  };
  if (!rule.optional) return done();
  if (!opens) return bad("only a rule of `allow` can be optional");
  if (domain != "read" && domain != "write") return bad("only a path of `read` or `write` can be optional");
  if (domain == "write" && !rule.pattern.starts_with('/'))
    return bad("a script can create missing files in the workspace anyway");
  return done();
}

Status check_dot(const Rule& rule, std::string_view domain) {
  if (!rule.dot) return done();
  const auto bad = [&](const std::string& why) {
    return Error{.code = Code::SkillInvalid,
                 .doing = "`dot` of \"" + rule.pattern.substr(0, 80) + "\": " + why,
                 .hint = "write the pattern without `dot`"};
  };
  if (domain != "write") return bad("only a rule of `write` can have `dot`");
  if (placeholder_of(rule.pattern)) return done();
  const auto pattern = PathPattern::parse(rule.pattern);
  if (!pattern.ok() || !pattern->is_literal())
    return bad("only a placeholder such as `{output}` can have it; any other pattern spells the names that it allows");
  return done();
}

Status check_command(std::string_view section, const CliPattern& pattern) {
  const std::string name(pattern.base_name());
  const auto bad = [&](const std::string& why, const std::string& hint) {
    return Error{.code = Code::SkillInvalid,
                 .doing = "cli pattern \"" + pattern.text().substr(0, 80) + "\" " + why,
                 .hint = hint};
  };
  if (is_shell_own(name))
    return bad("names `" + name + "`, a builtin or keyword of bash, for which no program is started",
               "remove it; a script is restricted by read, write, net, and the rules for the programs that it starts");
  if (section != "allow" && is_shell(name))
    return bad("names `" + name + "`, which runs the script itself: rules for its arguments have no effect",
               "name the programs that the script starts instead");
  return done();
}

}  // namespace band
