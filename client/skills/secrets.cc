#include "client/skills/secrets.h"

#include <sys/stat.h>

#include <algorithm>

#include "client/host/environment.h"
#include "schemas/core/json_text.h"
#include "schemas/core/letter_case.h"
#include "schemas/core/lines.h"
#include "schemas/wire/wire.h"

namespace band::client {
namespace {

constexpr std::size_t kMaxEnvFileBytes = 4u << 20;

bool is_variable_name(std::string_view name) {
  if (name.empty() || name.size() > 128 || (name[0] >= '0' && name[0] <= '9')) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  });
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

// Returns the value after `=`; nothing if a quote is not closed or text follows it.
std::optional<std::string> unquote(std::string_view text) {
  if (text.empty() || (text[0] != '\'' && text[0] != '"')) {
    if (const auto comment = text.find(" #"); comment != std::string_view::npos) text = trim(text.substr(0, comment));
    return std::string(text);
  }
  const char quote = text[0];
  std::string value;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != quote; ++at) {
    if (quote == '"' && text[at] == '\\' && at + 1 < text.size()) {
      const char c = text[++at];
      const std::string_view plain = "\"\\$`";
      if (c == 'n')
        value += '\n';
      else if (c == 't')
        value += '\t';
      else if (plain.find(c) != std::string_view::npos)
        value += c;
      else
        value += {'\\', c};
    } else {
      value += text[at];
    }
  }
  if (at >= text.size()) return std::nullopt;
  const std::string_view rest = trim(text.substr(at + 1));
  if (!rest.empty() && !rest.starts_with('#')) return std::nullopt;
  return value;
}

Error bad_line(const std::string& file, std::size_t line, std::string what, std::string hint) {
  return Error{.code = Code::Usage,
               .doing = file + ":" + std::to_string(line) + ": " + std::move(what),
               .hint = std::move(hint)};
}

}  // namespace

Result<std::map<std::string, std::string>> parse_env_file(std::string_view text, const std::string& file) {
  std::map<std::string, std::string> values;
  std::size_t line = 0;
  for (const std::string_view whole : lines_of(text)) {
    std::string_view row = trim(whole);
    ++line;
    if (row.empty() || row.starts_with('#')) continue;
    if (row.starts_with("export ")) row = trim(row.substr(7));
    const std::size_t equals = row.find('=');
    if (equals == std::string_view::npos)
      return bad_line(file, line, "is not of the form NAME=VALUE", "write NAME=VALUE, or # for a comment");
    const std::string_view name = trim(row.substr(0, equals));
    if (!is_variable_name(name))
      return bad_line(file, line, "the text before = is not a variable's name",
                      "use A-Z a-z 0-9 _, without a digit at the start");
    auto value = unquote(trim(row.substr(equals + 1)));
    if (value && value->find('\0') != std::string::npos)
      return bad_line(file, line, "the value of " + std::string(name) + " contains a NUL byte", "remove the byte");
    if (!value)
      return bad_line(file, line,
                      "the value of " + std::string(name) + " has an unclosed quote, or text after the quote",
                      "quote the whole value");
    if (value->size() > kMaxEnvValueBytes)
      return bad_line(
          file, line,
          "the value of " + std::string(name) + " has more than " + std::to_string(kMaxEnvValueBytes) + " bytes",
          "pass large values in a file of the workspace");
    values[std::string(name)] = std::move(*value);
  }
  return values;
}

bool is_credential_name(std::string_view given) {
  static constexpr std::string_view kWords[] = {"APIKEY",      "AUTH",  "CONNECTION", "COOKIE", "COOKIES", "CREDENTIAL",
                                                "CREDENTIALS", "CREDS", "DSN",        "KEY",    "KEYS",    "OAUTH",
                                                "KEYSTORE",    "PASS",  "PAT",        "PWD",    "SECRETS", "SIGNED",
                                                "TOKENS",      "URI",   "WEBHOOK"};
  static constexpr std::string_view kEnds[] = {"PASSWORD", "PASSWD",       "PASSPHRASE", "PRIVATEKEY", "SECRET",
                                               "TOKEN",    "DATABASE_URL", "REDIS_URL",  "MONGO_URL",  "AMQP_URL"};
  const std::string upper = upper_case(given);
  std::string_view name = upper;
  if (std::any_of(std::begin(kEnds), std::end(kEnds), [&](std::string_view end) { return name.ends_with(end); }))
    return true;
  while (!name.empty()) {  // API_KEY, but not PATH
    const std::string_view word = name.substr(0, name.find('_'));
    if (std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords) ||
        std::find(std::begin(kEnds), std::end(kEnds), word) != std::end(kEnds))
      return true;
    name.remove_prefix(std::min(word.size() + 1, name.size()));
  }
  return false;
}

bool is_directory_name(std::string_view name) {
  static constexpr std::string_view kWords[] = {"DIR", "DIRECTORY", "FOLDER", "WORKSPACE"};
  const std::string upper = upper_case(name);
  const std::string_view last = std::string_view(upper).substr(upper.rfind('_') + 1);
  return !is_credential_name(name) && std::find(std::begin(kWords), std::end(kWords), last) != std::end(kWords);
}

Result<std::vector<EnvSource>> env_sources(const std::vector<EnvRule>& rules,
                                           const std::optional<std::string>& env_file) {
  std::vector<EnvSource> sources;
  if (env_file) {
    BAND_TRY(const std::string text, read_file(*env_file, kMaxEnvFileBytes, Code::Usage));
    BAND_TRY(auto values, parse_env_file(text, *env_file));
    sources.push_back({"--env-file " + *env_file, std::move(values)});
  }
  EnvSource process{"environment", {}};
  for (const EnvRule& rule : rules)
    if (auto value = environment(rule.name.c_str())) process.values[rule.name] = std::move(*value);
  sources.push_back(std::move(process));
  // The file with secrets is opened only if the band declares variables.
  const std::string standing = config_directory() + "/env";
  struct ::stat status = {};
  if (!rules.empty() && ::stat(standing.c_str(), &status) == 0) {
    BAND_TRY(const std::string text, read_private_file(standing, kMaxEnvFileBytes, Code::Usage));
    BAND_TRY(auto values, parse_env_file(text, standing));
    sources.push_back({standing, std::move(values)});
  }
  return sources;
}

ResolvedEnv resolve_env(const std::vector<EnvRule>& rules, const std::vector<EnvSource>& sources) {
  ResolvedEnv resolved;
  for (const EnvRule& rule : rules) {
    std::optional<std::string> value;
    for (const EnvSource& source : sources) {
      const auto it = source.values.find(rule.name);
      if (it == source.values.end() || (it->second.empty() && rule.required)) continue;
      value = it->second;
      resolved.found_in[rule.name] = source.label;
      break;
    }
    if (!value && rule.fallback) {
      value = rule.fallback;
      resolved.found_in[rule.name] = "default";
    }
    if (value)
      (rule.secret ? resolved.secrets : resolved.env)[rule.name] = std::move(*value);
    else if (rule.required)
      resolved.missing.push_back(rule.name);
  }
  return resolved;
}

Error secret_missing(const ResolvedEnv& resolved, const std::vector<EnvRule>& rules) {
  std::string text = resolved.missing.size() == 1 ? "the script needs a variable that is not set:"
                                                  : "the script needs variables that are not set:";
  for (const std::string& name : resolved.missing) {
    text += "\n  " + name;
    for (const EnvRule& rule : rules)
      if (rule.name == name)
        text += (rule.description.empty() ? "" : ": " + rule.description) + " (" + rule.origin + ")";
  }
  return Error{.code = Code::SecretMissing,
               .doing = text,
               .hint = "export " + resolved.missing.front() + "=..., write it to a file for --env-file, or to " +
                       config_directory() + "/env (mode 600)",
               .details = json_list(resolved.missing)};
}

}  // namespace band::client
