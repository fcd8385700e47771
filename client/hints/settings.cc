#include <algorithm>
#include <array>
#include <set>

#include "client/hints/finders.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"
#include "schemas/core/words.h"
#include "schemas/rules/checks.h"

namespace band::client {
namespace {

constexpr std::size_t kMostVariables = 50;

bool is_declared(const Failure& failure, std::string_view name) {
  const auto& env = failure.script.band.rules.env;
  return std::any_of(env.begin(), env.end(), [&](const EnvRule& rule) { return rule.name == name; });
}

bool is_set(const Failure& failure, const std::string& name) {
  return failure.has_variable && failure.has_variable(name);
}

bool is_variable_name(std::string_view name) {
  // "[ERROR] X is not set"
  static constexpr std::array kLevels = {"DEBUG", "ERROR", "FAIL", "FAILED", "FATAL",
                                         "INFO",  "NOTE",  "WARN", "WARNING"};
  if (std::find(kLevels.begin(), kLevels.end(), name) != kLevels.end()) return false;
  const auto is_part = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return name.size() >= 3 && name.size() <= 64 && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_part) && check_env_name(std::string(name)).ok();
}

bool reports_variable(std::string_view line) {
  static constexpr std::array kMessages = {"KeyError: ", "not set", "not defined", "equired",    "issing", "ust be set",
                                           "is empty",   "unset",   "lease set",   "nvironment", ": line "};
  return std::any_of(kMessages.begin(), kMessages.end(), [&](const char* message) { return contains(line, message); });
}

// Returns the names of variables that the log reports as missing.
std::set<std::string> missing_variables(std::string_view log) {
  std::set<std::string> names;
  for (std::string& name : unset_variables(log)) names.insert(std::move(name));
  std::size_t examined = 0;
  for (const std::string_view line : lines_of(log)) {
    if (!reports_variable(line) || ++examined > kMostExamined) continue;
    for (const LogWord& word : words_of(line)) {
      std::string_view name = word.text;
      while (name.starts_with('$')) name.remove_prefix(1);
      while (name.ends_with('.') || name.ends_with(';') || name.ends_with('=')) name.remove_suffix(1);
      if (is_variable_name(name) && names.size() < kMostVariables) names.insert(std::string(name));
    }
  }
  return names;
}

// Whether the program reads a variable with this name: "$NAME" of a shell, process.env.NAME, environ["NAME"] or
// getenv("NAME").
bool reads_variable(const std::string& name, const Authored& authored) {
  if (!authored.names_program(name)) return false;
  for (const char* before : {"$", "${", "process.env.", "Deno.env.get(\""})
    if (authored.contains(before + name)) return true;
  const bool by_name = authored.contains("environ") || authored.contains("getenv") || authored.contains("process.env");
  return by_name && (authored.contains('"' + name + '"') || authored.contains('\'' + name + '\''));
}

std::string text_of(const std::string& variable, bool set, const std::string& mend) {
  if (set) return "your environment has the variable " + variable + ", and the script does not get it; " + mend;
  return "the script reads the variable " + variable + ", which your environment does not have: set it, and " + mend;
}

// Whether the script has set the variable for a command, and the command has not got it: find_unpassed().
bool is_unpassed(const Inquiry& inquiry, const std::string& name) {
  const auto& variables = inquiry.evidence.variables;
  return std::any_of(variables.begin(), variables.end(),
                     [&](const learn::UnpassedVariable& variable) { return variable.name == name; });
}

// Many scripts read their variables from `.env` if it is there.
void add_env_file(const Inquiry& inquiry, Hints& hints) {
  const auto missing = unsent(".env", inquiry.failure);
  if (missing && inquiry.authored.names_path(".env"))
    hints.add(Likelihood::Reported, unsent_text(*missing, kUnsent, inquiry), ".env");
}

void find_variables(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  for (const std::string& name : missing_variables(failure.log)) {
    if (is_declared(failure, name) || !reads_variable(name, inquiry.authored) || is_unpassed(inquiry, name)) continue;
    const std::string mend = inquiry.mend.variables({name});
    if (mend.empty()) continue;
    if (!is_set(failure, name)) add_env_file(inquiry, hints);
    hints.add(Likelihood::Reported, text_of(name, is_set(failure, name), mend), name);
  }
}

// `X=1 python3 t.py` in the script: python3 gets only variables that the band declares.
void find_unpassed(const Inquiry& inquiry, Hints& hints) {
  std::vector<std::string> names;
  for (const learn::UnpassedVariable& variable : inquiry.evidence.variables)
    if (names.size() < kMostOfKind && contains_word(inquiry.failure.log, variable.name) &&
        inquiry.authored.contains(variable.name + "=") && check_env_name(variable.name).ok() &&
        std::find(names.begin(), names.end(), variable.name) == names.end())
      names.push_back(variable.name);
  if (names.empty()) return;
  std::string line;
  for (const std::string& name : names)
    line.append(line.empty() ? "" : ", ").append(printable_line(name)).append(": {required: false, secret: false}");
  const bool exec = inquiry.failure.reader == Reader::CommandLine;
  hints.add(Likelihood::Reported,
            "the script sets " + listed(names) + " for a command, which gets only declared variables; " +
                (exec ? "add `--band FILE`, with a FILE of four lines: `---`, `band: run`, `env: {" + line + "}`, `---`"
                      : inquiry.mend.variables(names, true)),
            names.front());
}

// A program that takes its credentials or settings from the home directory, which is empty in a sandbox.
struct HomeUser {
  std::string_view message;    // in the log
  std::string_view program;    // it must be used by the run, or be named in the program's text
  std::string_view variables;  // all of them replace the files of the home directory
  std::string_view instead;    // another variable, which replaces all of these; ""
};
constexpr HomeUser kHomeUsers[] = {
    {"not logged into any GitHub hosts", "gh", "GH_TOKEN", "GITHUB_TOKEN"},
    {"gh auth login", "gh", "GH_TOKEN", "GITHUB_TOKEN"},
    {"populate the GH_TOKEN environment variable", "gh", "GH_TOKEN", "GITHUB_TOKEN"},
    {"glab auth login", "glab", "GITLAB_TOKEN", ""},
    {"Unable to locate credentials", "aws", "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY", ""},
    {"NoCredentialsError", "boto3", "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY", ""},
    {"Please tell me who you are", "git", "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL",
     ""},
    {"Author identity unknown", "git", "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL", ""},
};

std::string text_of(const HomeUser& user, const Inquiry& inquiry) {
  const Failure& failure = inquiry.failure;
  std::vector<std::string> names;
  const std::string instead(user.instead);
  const bool uses_instead = !instead.empty() && is_set(failure, instead);
  for (const LogWord& name : words_of(uses_instead ? user.instead : user.variables))
    if (!is_declared(failure, name.text)) names.push_back(name.text);
  if (!instead.empty() && is_declared(failure, instead)) return "";
  const std::string mend = inquiry.mend.variables(names);
  if (mend.empty()) return "";  // the variables are declared: the failure has another cause
  const bool all_set =
      std::all_of(names.begin(), names.end(), [&](const std::string& name) { return is_set(failure, name); });
  return "the home directory of a sandbox is empty, so " + std::string(user.program) +
         " finds no settings of yours; it reads " + (names.size() > 1 ? "variables" : "a variable") + " instead; " +
         (all_set ? "" : "set " + std::string(names.size() > 1 ? "them" : names.front()) + ", and ") + mend;
}

void find_home(const Inquiry& inquiry, Hints& hints) {
  for (const HomeUser& user : kHomeUsers)
    if (contains(inquiry.failure.log, user.message) &&
        (inquiry.uses_program(user.program) || inquiry.authored.names_program(user.program)))
      hints.add(Likelihood::Reported, text_of(user, inquiry), std::string(user.program) + " settings");
}

// Programs that report a wrong credential, or no cause, when they reach no server.
struct OfflineProgram {
  std::string_view message, program, host;
};
constexpr OfflineProgram kOffline[] = {
    {"token in GH_TOKEN is invalid", "gh", "api.github.com"},
    {"token in GITHUB_TOKEN is invalid", "gh", "api.github.com"},
    {"error connecting to api.github.com", "gh", "api.github.com"},
    {"npm error network", "npm", "registry.npmjs.org"},
    {"npm ERR! network", "npm", "registry.npmjs.org"},
};

bool reaches(const Inquiry& inquiry, std::string_view host) {
  const auto& contacts = inquiry.evidence.contacts;
  return std::any_of(contacts.begin(), contacts.end(), [&](const learn::Contact& contact) {
    return contact.host == host && contact.end == learn::Contact::End::Relayed;
  });
}

std::string text_of(const OfflineProgram& program, const Inquiry& inquiry) {
  const std::string host(program.host), mend = inquiry.mend.host(host, 0);
  if (mend.empty()) return "";
  return std::string(program.program) + " reached no server: " + std::string(inquiry.mend.does_not_allow()) +
         " the host " + host + "; " + mend;
}

void find_offline(const Inquiry& inquiry, Hints& hints) {
  for (const OfflineProgram& program : kOffline) {
    const std::string host(program.host);
    if (!contains(inquiry.failure.log, program.message) || !inquiry.uses_program(program.program) ||
        reaches(inquiry, host))
      continue;
    hints.add(Likelihood::Reported, text_of(program, inquiry), host);
  }
}

}  // namespace

void find_settings(const Inquiry& inquiry, Hints& hints) {
  find_unpassed(inquiry, hints);
  find_home(inquiry, hints);
  find_offline(inquiry, hints);
  find_variables(inquiry, hints);
}

}  // namespace band::client
