#include <algorithm>
#include <array>
#include <set>

#include "client/hints/finders.h"
#include "client/logs/reading.h"
#include "client/terminal/terminal.h"
#include "schemas/core/lines.h"

namespace band::client {
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

bool is_declared(const Failure& failure, std::string_view name) {
  const auto& env = failure.script.band.rules.env;
  return std::any_of(env.begin(), env.end(), [&](const EnvRule& rule) { return rule.name == name; });
}

bool is_variable_name(std::string_view name) {
  const auto is_part = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return name.size() >= 3 && name.size() <= 64 && !(name[0] >= '0' && name[0] <= '9') &&
         std::all_of(name.begin(), name.end(), is_part);
}

// Returns the names of variables that the log reports as missing. A name that only looks like a variable is left out
// later, because the caller's environment does not have it.
std::set<std::string> missing_variables(std::string_view log) {
  std::set<std::string> names;
  for (std::string& name : unset_variables(log)) names.insert(std::move(name));
  for (const std::string_view line : lines_of(log)) {
    const bool reports = contains(line, "KeyError: ") || contains(line, "not set") || contains(line, "not defined") ||
                         contains(line, "equired") || contains(line, "issing") || contains(line, "ust be set") ||
                         contains(line, "is empty") || contains(line, "unset") || contains(line, "nvironment");
    if (!reports) continue;
    for (const LogWord& word : words_of(line)) {
      std::string_view name = word.text;
      while (name.starts_with('$')) name.remove_prefix(1);
      while (name.ends_with('.') || name.ends_with(';') || name.ends_with('=')) name.remove_suffix(1);
      if (is_variable_name(name) && names.size() < 50) names.insert(std::string(name));
    }
  }
  return names;
}

void find_variables(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  for (const std::string& name : missing_variables(failure.log)) {
    if (is_declared(failure, name) || !failure.has_variable || !failure.has_variable(name)) continue;
    const std::string mend = inquiry.mend.variables({name});
    hints.add(Likelihood::Reported, "your environment has the variable " + name + ", and the script does not get it" +
                                        (mend.empty() ? "" : "; " + mend));
  }
}

// A program that takes its credentials or settings from the home directory, which is empty in a sandbox.
struct HomeUser {
  std::string_view message;    // in the log
  std::string_view program;    // for the text
  std::string_view variables;  // that replace the files of the home directory, the first one is the usual one
};
constexpr HomeUser kHomeUsers[] = {
    {"not logged into any GitHub hosts", "gh", "GH_TOKEN"},
    {"gh auth login", "gh", "GH_TOKEN"},
    {"populate the GH_TOKEN environment variable", "gh", "GH_TOKEN"},
    {"glab auth login", "glab", "GITLAB_TOKEN"},
    {"Unable to locate credentials", "aws", "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY"},
    {"NoCredentialsError", "boto3", "AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY"},
    {"DefaultCredentialsError", "Google's client", "GOOGLE_APPLICATION_CREDENTIALS"},
    {"Please tell me who you are", "git", "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL"},
    {"Author identity unknown", "git", "GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL"},
    {"npm error code ENEEDAUTH", "npm", "NPM_CONFIG_USERCONFIG"},
    {"npm ERR! code ENEEDAUTH", "npm", "NPM_CONFIG_USERCONFIG"},
};

void find_home(const Inquiry& inquiry, Hints& hints) {
  const Failure& failure = inquiry.failure;
  for (const HomeUser& user : kHomeUsers) {
    if (!contains(failure.log, user.message)) continue;
    std::vector<std::string> names;
    for (const LogWord& name : words_of(user.variables))
      if (!is_declared(failure, name.text)) names.push_back(name.text);
    const std::string mend = inquiry.mend.variables(names);
    if (mend.empty()) continue;  // the variables are declared: the failure has another cause
    hints.add(Likelihood::Reported, "the home directory of a sandbox is empty, so " + std::string(user.program) +
                                        " finds no settings of yours; it reads " +
                                        (contains(user.variables, " ") ? "variables" : "a variable") + " instead; " +
                                        mend);
  }
}

// Programs that report a wrong credential, or nothing of use, when they reach no server.
struct OfflineProgram {
  std::string_view message, program, host;
};
constexpr OfflineProgram kOffline[] = {
    {"token in GH_TOKEN is invalid", "gh", "api.github.com"},
    {"token in GITHUB_TOKEN is invalid", "gh", "api.github.com"},
    {"error connecting to api.github.com", "gh", "api.github.com"},
    {"npm error network", "npm", "registry.npmjs.org"},
    {"npm ERR! network", "npm", "registry.npmjs.org"},
    {"npm error code EACCES", "npm", "registry.npmjs.org"},
};

bool reaches(const Inquiry& inquiry, std::string_view host) {
  const auto& contacts = inquiry.evidence.contacts;
  return std::any_of(contacts.begin(), contacts.end(), [&](const learn::Contact& contact) {
    return contact.host == host && contact.end == learn::Contact::End::Relayed;
  });
}

void find_offline(const Inquiry& inquiry, Hints& hints) {
  for (const OfflineProgram& program : kOffline) {
    if (!contains(inquiry.failure.log, program.message) || reaches(inquiry, program.host)) continue;
    const std::string mend = inquiry.mend.host(std::string(program.host), 0);
    if (mend.empty()) continue;
    hints.add(Likelihood::Reported, std::string(program.program) +
                                        " reached no server: the band does not allow the host " +
                                        std::string(program.host) + "; " + mend);
  }
}

}  // namespace

void find_settings(const Inquiry& inquiry, Hints& hints) {
  find_home(inquiry, hints);
  find_offline(inquiry, hints);
  find_variables(inquiry, hints);
}

}  // namespace band::client
