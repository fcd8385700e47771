#include "client/shell/git_programs.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <string_view>

#include "client/shell/naming.h"
#include "schemas/core/letter_case.h"

namespace band::client {
namespace {

// Prefixes of settings of git-config(1) that do not name a program.
constexpr std::string_view kHarmless[] = {"user.",
                                          "author.",
                                          "committer.",
                                          "color.",
                                          "advice.",
                                          "init.defaultbranch",
                                          "core.quotepath",
                                          "core.autocrlf",
                                          "core.abbrev",
                                          "core.longpaths",
                                          "core.filemode",
                                          "core.bare",
                                          "safe.directory",
                                          "http.sslverify",
                                          "column.",
                                          "status.",
                                          "i18n.",
                                          "core.ignorecase",
                                          "core.precomposeunicode"};

// Options after the subcommand, from `git SUBCOMMAND -h` and the manual of git 2.39.
using Value = Naming::Value;
constexpr std::string_view kHooks = "the hooks in that directory";
constexpr Naming kOptions[] = {
    {"git clone", "bcjou", "u", "upload-pack"},
    {"git clone", "bcjou", "", "template", Value::Directory, kHooks},
    {"git init", "b", "", "template", Value::Directory, kHooks},
    {"git fetch", "", "", "upload-pack"},
    {"git fetch-pack", "", "", "upload-pack"},
    {"git fetch-pack", "", "", "exec"},
    {"git pull", "", "", "upload-pack"},
    {"git ls-remote", "", "", "upload-pack"},
    {"git ls-remote", "", "", "exec"},
    {"git push", "", "", "receive-pack"},
    {"git push", "", "", "exec"},
    {"git send-pack", "", "", "receive-pack"},
    {"git send-pack", "", "", "exec"},
    {"git archive", "", "", "exec"},
    {"git rebase", "CSXsx", "x", "exec"},
    {"git grep", "ABCefm", "O", "open-files-in-pager", Value::InWord, "the pager"},
    {"git difftool", "OSGtx", "x", "extcmd"},
    {"git difftool", "OSGtx", "t", "tool"},
    {"git mergetool", "Ot", "t", "tool"},
    {"git filter-branch", "d", "", "setup"},
    {"git filter-branch", "d", "", "env-filter"},
    {"git filter-branch", "d", "", "tree-filter"},
    {"git filter-branch", "d", "", "index-filter"},
    {"git filter-branch", "d", "", "parent-filter"},
    {"git filter-branch", "d", "", "msg-filter"},
    {"git filter-branch", "d", "", "commit-filter"},
    {"git filter-branch", "d", "", "tag-name-filter"},
    {"git send-email", "", "", "sendmail-cmd"},
    {"git send-email", "", "", "to-cmd"},
    {"git send-email", "", "", "cc-cmd"},
    {"git send-email", "", "", "header-cmd"},
    {"git send-email", "", "", "smtp-server", Value::Program, {}, "/"},
    {"git instaweb", "bdmp", "d", "httpd"},
    {"git instaweb", "bdmp", "b", "browser"},
};
constexpr Naming kCloneSetting = {"git clone", "bcjou", "c", "config"};

// The words after these subcommands, and after their options, are a command.
struct Runner {
  std::string_view subcommand, action;
};
constexpr Runner kRunners[] = {{"bisect", "run"}, {"submodule", "foreach"}, {"remote-ext", ""}};

// These subcommands always start a program.
constexpr std::string_view kAlways[] = {"difftool", "mergetool"};

bool is_harmless(std::string_view name_of_key) {
  const std::string text = lower_case(name_of_key);
  return std::any_of(std::begin(kHarmless), std::end(kHarmless),
                     [&](std::string_view name) { return text.starts_with(name); });
}

// NAME=VALUE after `-c`. The value of an alias can be a command.
std::optional<NamedProgram> by_setting(const std::string& setting) {
  if (is_harmless(setting)) return std::nullopt;
  const std::size_t equals = setting.find('=');
  const bool command = setting.starts_with("alias.") && setting.find("=!") == equals && equals != std::string::npos;
  return NamedProgram{"-c " + setting.substr(0, equals), command ? setting.substr(equals + 2) : ""};
}

// Options before the subcommand. Sets `at` to the subcommand's index.
std::optional<NamedProgram> by_front_option(std::span<const ShellWord> words, std::size_t& at) {
  for (at = 1; at < words.size() && words[at].text.starts_with('-'); ++at) {
    const std::string& text = words[at].text;
    if (text == "-c" || text.starts_with("--config-env")) {
      const bool next = text == "-c" || text == "--config-env";
      const std::string setting = next ? next_word(words, at++) : text.substr(text.find('=') + 1);
      if (auto named = by_setting(setting)) return named;
    } else if (text.starts_with("--exec-path=")) {
      return NamedProgram{"--exec-path", "git's programs in that directory"};
    } else if (text == "-C" || text == "--git-dir" || text == "--work-tree" || text == "--namespace" ||
               text == "--super-prefix" || text == "--attr-source") {
      ++at;
    }
  }
  return std::nullopt;
}

// `words` begins with the subcommand.
std::optional<NamedProgram> by_clone_setting(std::span<const ShellWord> words) {
  for (std::size_t at = 1; at < words.size() && words[at].text != "--"; ++at)
    if (const auto setting = value_of(kCloneSetting, words, at))
      if (auto named = by_setting(*setting)) return named;
  return std::nullopt;
}

std::optional<NamedProgram> by_runner(std::span<const ShellWord> words) {
  for (const Runner& runner : kRunners) {
    if (words.front().text != runner.subcommand) continue;
    std::size_t at = 1;
    const auto skip_options = [&] {
      while (at < words.size() && words[at].text.starts_with('-')) ++at;
    };
    skip_options();
    if (!runner.action.empty() && (at >= words.size() || words[at++].text != runner.action)) return std::nullopt;
    skip_options();
    std::string text;
    for (; at < words.size(); ++at) text += (text.empty() ? "" : " ") + words[at].text;
    const std::string by = std::string(runner.subcommand) + (runner.action.empty() ? "" : " ");
    return NamedProgram{by + std::string(runner.action), text};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NamedProgram> program_of_git(std::span<const ShellWord> words) {
  std::size_t at = 0;
  if (auto named = by_front_option(words, at)) return named;
  if (at >= words.size()) return std::nullopt;
  const std::span<const ShellWord> behind = words.subspan(at);
  const std::string& subcommand = behind.front().text;
  if (auto named = by_runner(behind)) return named;
  if (auto named = named_by_option(kOptions, "git " + subcommand, behind)) return named;
  if (subcommand == "clone") return by_clone_setting(behind);
  if (std::find(std::begin(kAlways), std::end(kAlways), subcommand) != std::end(kAlways))
    return NamedProgram{subcommand, ""};
  return std::nullopt;
}

}  // namespace band::client
