#include "schemas/core/obeyed_names.h"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "schemas/core/file_names.h"

namespace band {
namespace {

using enum OpenedBy;

// Reasons that several rows have.
constexpr std::string_view kShell = "is executed by shells when they start or end";
constexpr std::string_view kSession = "is executed when its user logs in";
constexpr std::string_view kHook = "names commands that hooks of git run at each commit";
constexpr std::string_view kAgent = "has settings, instructions or commands that a coding agent obeys";
constexpr std::string_view kEditor = "has tasks or settings that an editor runs in a trusted folder";
constexpr std::string_view kVim = "is executed by vim in this directory if the option exrc is set";
constexpr std::string_view kEclipse = "names commands or code that Eclipse runs when it builds or indexes the project";
constexpr std::string_view kReads = "is executed by its program when the program starts in this directory";
constexpr std::string_view kLinter = "can be code, or name plugins, that editors and hooks of git load";
constexpr std::string_view kOptions =
    "is code, or names code, that a tool for tests or documentation loads when it starts";
constexpr std::string_view kPackages = "selects where a package manager gets code, or which code it runs itself";
constexpr std::string_view kGradle =
    "selects the program that `gradlew`, and an editor that opens the project, downloads and runs";
constexpr std::string_view kCi = "is run by the CI service after the next push, with the secrets of the repository";
constexpr std::string_view kLogin = "has keys or logins, or selects the server to which they are sent";
constexpr std::string_view kVariables = "sets variables for programs that start in this directory";
constexpr std::string_view kBuild = "is executed when a person builds, tests or starts the project";

// docs/security.md explains the choice of the names, and names without a row. `.git` includes `.git/hooks` and
// `.git/config`.
constexpr ObeyedName kNames[] = {
    {".git", "has settings and hooks with commands that git runs, or names a directory that has them", NoRule},
    {"_darcs", "has settings with commands that darcs runs", NoRule},
    {"_FOSSIL_", "names a repository whose settings have a script that fossil runs", NoRule},
    {"_MTN", "has a program in Lua that monotone runs", NoRule},

    // version control, and its hooks
    {".hg", "has settings with hooks and extensions that Mercurial runs at each command", Spelling},
    {".jj", "has settings with commands that Jujutsu runs", Spelling},
    {".sl", "has settings with hooks and extensions that Sapling runs at each command", Spelling},
    {".fslckout", "is the checkout of fossil, like `_FOSSIL_`", Spelling},
    {".gitconfig", "names commands that git runs", Spelling},
    {".gitmodules", "selects the repositories that git gets for submodules", Spelling},
    {".gitattributes", "selects filters and drivers of git's configuration that run on files", Spelling},
    {".lfsconfig", "selects the server to which git-lfs sends requests with the user's login", Spelling},
    {".hgrc", "names commands that Mercurial runs", Spelling},
    {".hgsub", "selects the repositories that Mercurial gets for subrepositories", Spelling},
    {".githooks", kHook, Spelling},
    {".husky", kHook, Spelling},
    {".huskyrc*", kHook, Spelling},
    {".lefthook*", kHook, Spelling},
    {"lefthook.*", kHook, Spelling},
    {"lefthook-local.*", kHook, Spelling},
    {".lintstagedrc*", kHook, Spelling},
    {".commitlintrc*", kHook, Spelling},
    {".overcommit.yml", kHook, Spelling},
    {".pre-commit-config.yaml", kHook, Spelling},

    // coding agents
    {".claude/settings*.json", "has hooks that Claude Code runs; `claude -p` runs them without a question", Spelling},
    {".claude", kAgent, Spelling},
    {".claude.json", kAgent, Spelling},
    {".mcp.json", "names servers that coding agents start", Spelling},
    {".agents", kAgent, Spelling},
    {".aider*", kAgent, Spelling},
    {".amazonq", kAgent, Spelling},
    {".clinerules", kAgent, Spelling},
    {".codex", kAgent, Spelling},
    {".continue", kAgent, Spelling},
    {".cursor", kAgent, Spelling},
    {".cursorrules", kAgent, Spelling},
    {".gemini", kAgent, Spelling},
    {".github/agents", kAgent, Spelling},
    {".github/copilot-instructions.md", kAgent, Spelling},
    {".github/hooks", kAgent, Spelling},
    {".github/instructions", kAgent, Spelling},
    {".github/prompts", kAgent, Spelling},
    {".goosehints", kAgent, Spelling},
    {".junie", kAgent, Spelling},
    {".kiro", kAgent, Spelling},
    {".opencode", kAgent, Spelling},
    {"opencode.json", kAgent, Spelling},
    {"opencode.jsonc", kAgent, Spelling},
    {".roo", kAgent, Spelling},
    {".rules", kAgent, Spelling},
    {".trae", kAgent, Spelling},
    {".windsurf", kAgent, Spelling},
    {".windsurfrules", kAgent, Spelling},
    {".band", "is the directory of band's skills and state", Spelling},
    {".config/band", "is the configuration of band", Spelling},

    // editors
    {".vscode", kEditor, Spelling},
    {".idea", kEditor, Spelling},
    {".run", kEditor, Spelling},
    {".zed", kEditor, Spelling},
    {".fleet", kEditor, Spelling},
    {".vs", kEditor, Spelling},
    {".nova", kEditor, Spelling},
    {".helix", kEditor, Spelling},
    {".theia", kEditor, Spelling},
    {".project", kEclipse, Spelling},
    {".cproject", kEclipse, Spelling},
    {".factorypath", kEclipse, Spelling},
    {".externalToolBuilders", kEclipse, Spelling},
    {".settings", kEclipse, Spelling},
    {".bsp", "names the command that editors run as the build server", Spelling},
    {".devcontainer", "describes a container that editors build and start, with commands on the machine", Spelling},
    {".devcontainer.json", "describes a container that editors build and start, with commands on the machine",
     Spelling},
    {".exrc", kVim, Spelling},
    {".vimrc", kVim, Spelling},
    {".gvimrc", kVim, Spelling},
    {".nvimrc", kVim, Spelling},
    {".nvim.lua", kVim, Spelling},
    {".lvimrc", kVim, Spelling},
    {".vim", "has plugins that vim runs", Spelling},
    {".emacs", "is executed by emacs when it starts", Spelling},
    {".emacs.d", "is executed by emacs when it starts", Spelling},
    {".dir-locals*.el", "sets variables of emacs, and can have code", Spelling},
    {".ycm_extra_conf.py", "is executed by the completion of an editor", Spelling},
    {".config/nvim", "is executed by Neovim when it starts", Spelling},

    // what shells and other programs read when they start
    {".envrc", "is executed by direnv at `cd`", Spelling},
    {".autoenv*", "is executed by autoenv at `cd`", Spelling},
    {".direnv", "has the environment that direnv sets at `cd`", Spelling},
    {".rvmrc", "is executed by rvm at `cd`", Spelling},
    {".mise*", "is evaluated by mise at `cd`", Spelling},
    {".config/mise", "is evaluated by mise at `cd`", Spelling},
    {".tool-versions", "selects the programs that asdf and mise run", Spelling},
    {".env", kVariables, Spelling},
    {".env.*", kVariables, Spelling},
    {".flaskenv", kVariables, Spelling},
    {".config/environment.d", kVariables, Spelling},
    {".pam_environment", kVariables, Spelling},
    {".bashrc", kShell, Spelling},
    {".bash_profile", kShell, Spelling},
    {".bash_login", kShell, Spelling},
    {".bash_logout", kShell, Spelling},
    {".bash_aliases", kShell, Spelling},
    {".profile", kShell, Spelling},
    {".zshrc", kShell, Spelling},
    {".zshenv", kShell, Spelling},
    {".zprofile", kShell, Spelling},
    {".zlogin", kShell, Spelling},
    {".zlogout", kShell, Spelling},
    {".oh-my-zsh", kShell, Spelling},
    {".kshrc", kShell, Spelling},
    {".mkshrc", kShell, Spelling},
    {".cshrc", kShell, Spelling},
    {".tcshrc", kShell, Spelling},
    {".login", kShell, Spelling},
    {".logout", kShell, Spelling},
    {".xonshrc", kShell, Spelling},
    {".config/fish", kShell, Spelling},
    {".config/nushell", kShell, Spelling},
    {".config/powershell", kShell, Spelling},
    {".inputrc", "binds keys of shells to commands", Spelling},
    {".tmux.conf", "names commands that tmux runs", Spelling},
    {".screenrc", "names commands that screen runs", Spelling},
    {".xprofile", kSession, Spelling},
    {".xinitrc", kSession, Spelling},
    {".xsession", kSession, Spelling},
    {".xsessionrc", kSession, Spelling},
    {".config/autostart", kSession, Spelling},
    {".config/systemd", kSession, Spelling},
    {".config/git", "names commands that git runs", Spelling},
    {".local/bin", "has programs that shells find by their name", Spelling},
    {".local/share/applications", "has entries that a desktop starts", Spelling},
    {".ssh", kLogin, Spelling},
    {".gnupg", kLogin, Spelling},
    {".netrc", kLogin, Spelling},
    {".aws", kLogin, Spelling},
    {".kube", "has logins, and names commands that kubectl runs", Spelling},
    {".docker", "has logins, and names helpers and plugins that docker runs", Spelling},
    {".curlrc", "sets options of each call of curl", Spelling},
    {".wgetrc", "sets options of each call of wget", Spelling},
    {".lessfilter", "is executed by less", Spelling},
    {".gdbinit", kReads, Spelling},
    {".lldbinit", kReads, Spelling},
    {".pdbrc", kReads, Spelling},
    {".pdbrc.py", kReads, Spelling},
    {".irbrc", kReads, Spelling},
    {".pryrc", kReads, Spelling},
    {".iex.exs", kReads, Spelling},
    {".erlang", kReads, Spelling},
    {".ghci", kReads, Spelling},
    {".ocamlinit", kReads, Spelling},
    {".octaverc", kReads, Spelling},
    {".Rprofile", kReads, Spelling},
    {".Renviron", kVariables, Spelling},
    {".psqlrc", kReads, Spelling},
    {".sqliterc", kReads, Spelling},
    {".forward", "names commands that the mail server runs", Spelling},
    {".procmailrc", "names commands that procmail runs for each mail", Spelling},

    // package managers and linters, which editors and hooks start
    {".npmrc", kPackages, Spelling},
    {".yarnrc", kPackages, Spelling},
    {".yarnrc.yml", kPackages, Spelling},
    {".yarn", kPackages, Spelling},
    {".pnpmfile.*", kPackages, Spelling},
    {".pnp.*", "is loaded by each start of node through yarn", Spelling},
    {".cargo/config", "names programs that cargo runs", Spelling},
    {".cargo/config.toml", "names programs that cargo runs", Spelling},
    {".mvn", "names extensions and options with code that Maven loads", Spelling},
    {".gradle", kGradle, Spelling},
    {"gradle-wrapper.*", kGradle, Spelling},
    {".bazelrc", "sets options of bazel, some of which name programs", Spelling},
    {".bazeliskrc", kPackages, Spelling},
    {".bundle", kPackages, Spelling},
    {".gemrc", kPackages, Spelling},
    {".condarc", kPackages, Spelling},
    {".pydistutils.cfg", kPackages, Spelling},
    {".config/pip", kPackages, Spelling},
    {".config/dotnet-tools.json", kPackages, Spelling},
    {".sbtopts", "sets options of the Java machine that sbt starts", Spelling},
    {".jvmopts", "sets options of the Java machine that sbt starts", Spelling},
    {".terraformrc", kPackages, Spelling},
    {".terraform", "has programs that terraform runs", Spelling},
    {".rspec", kOptions, Spelling},
    {".simplecov", kOptions, Spelling},
    {".coveragerc", kOptions, Spelling},
    {".proverc", kOptions, Spelling},
    {".yardopts", kOptions, Spelling},
    {".babelrc*", kLinter, Spelling},
    {".credo.exs", kLinter, Spelling},
    {".eslintrc*", kLinter, Spelling},
    {".flake8", kLinter, Spelling},
    {".formatter.exs", kLinter, Spelling},
    {".luacheckrc", kLinter, Spelling},
    {".mocharc*", kLinter, Spelling},
    {".postcssrc*", kLinter, Spelling},
    {".prettierrc*", kLinter, Spelling},
    {".pylintrc", kLinter, Spelling},
    {".rubocop.yml", kLinter, Spelling},
    {".stylelintrc*", kLinter, Spelling},

    // CI
    {".github/workflows", kCi, Spelling},
    {".github/actions", kCi, Spelling},
    {".forgejo", kCi, Spelling},
    {".gitea", kCi, Spelling},
    {".gitlab-ci.yml", kCi, Spelling},
    {".circleci", kCi, Spelling},
    {".travis.yml", kCi, Spelling},
    {".drone.yml", kCi, Spelling},
    {".woodpecker*", kCi, Spelling},
    {".buildkite", kCi, Spelling},
    {".azure-pipelines", kCi, Spelling},
    {".appveyor.yml", kCi, Spelling},
    {".cirrus.yml", kCi, Spelling},
    {".builds", kCi, Spelling},
    {".semaphore", kCi, Spelling},
    {".teamcity", kCi, Spelling},
    {".tekton", kCi, Spelling},

    // executed only after a person has started something
    {"Makefile", kBuild, AnyRule},
    {"GNUmakefile", kBuild, AnyRule},
    {"CMakeLists.txt", kBuild, AnyRule},
    {"build.rs", kBuild, AnyRule},
    {"build.gradle*", kBuild, AnyRule},
    {"gradlew", kBuild, AnyRule},
    {"pom.xml", kBuild, AnyRule},
    {"package.json", kBuild, AnyRule},
    {"setup.py", kBuild, AnyRule},
    {"pyproject.toml", kBuild, AnyRule},
    {"conftest.py", kBuild, AnyRule},
    {"tox.ini", kBuild, AnyRule},
    {"manage.py", kBuild, AnyRule},
    {"Rakefile", kBuild, AnyRule},
    {"Gemfile", kBuild, AnyRule},
    {"mix.exs", kBuild, AnyRule},
    {"Justfile", kBuild, AnyRule},
    {"Taskfile.yml", kBuild, AnyRule},
    {"Dockerfile", kBuild, AnyRule},
    {"docker-compose.yml", kBuild, AnyRule},
    {"Vagrantfile", kBuild, AnyRule},
    {"flake.nix", kBuild, AnyRule},
    {"shell.nix", kBuild, AnyRule},
    {"ansible.cfg", kBuild, AnyRule},
    {"latexmkrc", kBuild, AnyRule},
    {"deno.json", kBuild, AnyRule},
    {"bunfig.toml", kBuild, AnyRule},
    {"mise.toml", "is evaluated by mise at `cd`, after the user has trusted it", AnyRule},
    {"rust-toolchain.toml", "selects the toolchain that rustup runs", AnyRule},
    {"Jenkinsfile", kCi, AnyRule},
    {"azure-pipelines.yml", kCi, AnyRule},
    {"bitbucket-pipelines.yml", kCi, AnyRule},
};

// The characters of a name that its NTFS short name keeps: at most six, without dots and without the part after the
// last dot (`GITATT~1` for `.gitattributes`). If many names are similar, the file system chooses other characters;
// those are not recognised.
std::u32string stem_of(std::u32string_view key) {
  constexpr std::size_t kKept = 6;
  if (key.starts_with(U'.')) key.remove_prefix(1);
  std::u32string stem;
  for (const char32_t c : key.substr(0, key.rfind(U'.'))) {
    if (stem.size() == kKept) break;
    if (c != U'.') stem += c;
  }
  return stem;
}

// A piece of a path that some system could treat as one name, and the segment of the path that contains it.
struct Piece {
  std::u32string key;
  std::size_t segment;
  std::size_t tilde;  // the place of the `~` of a short name in `key`; npos: it is not a short name

  Piece(std::string_view name, std::size_t at) : key(loose_key(name)), segment(at), tilde(key.find(U'~')) {
    if (tilde == 0 || tilde + 1 == key.size()) tilde = std::u32string::npos;
  }
};

// One part of a name, folded as loose_key() folds a segment of a path.
struct Part {
  std::u32string before, after;  // around the `*`; `before` is the whole part if there is none
  bool star = false;
  std::u32string stem = stem_of(before);

  bool matches(const Piece& piece) const {
    const std::u32string_view key = piece.key;
    if (piece.tilde != std::u32string::npos && (star ? key.starts_with(stem) : key.substr(0, piece.tilde) == stem))
      return true;
    if (!star) return key == before;
    return key.size() >= before.size() + after.size() && key.starts_with(before) && key.ends_with(after);
  }
};

struct Row {
  const ObeyedName* name;
  std::vector<Part> parts;
};

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
    parts.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

Part part_of(std::string_view text) {
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos) return {loose_key(text), {}, false};
  // The text around the `*` is folded without loose_key(), which removes a dot at the end of a whole name.
  const auto folded = [](std::string_view piece) {
    const std::u32string key = loose_key(std::string(piece) + "x");
    return key.substr(0, key.size() - 1);
  };
  return {folded(text.substr(0, star)), star + 1 == text.size() ? U"" : loose_key(text.substr(star + 1)), true};
}

struct Hash : std::hash<std::u32string_view> {
  using is_transparent = void;  // find() accepts a view
};
using RowsByStem = std::unordered_map<std::u32string, std::vector<Row>, Hash, std::equal_to<>>;

// Returns the rows by the stem of their first part. If a piece of a path matches a part, the stem of the piece begins
// with the stem of the part, whether or not the piece is a short name. Therefore a piece is compared only with the rows
// of the (at most six) beginnings of its stem: a script chooses the paths, and a path can have thousands of pieces.
const RowsByStem& rows_by_stem() {
  static const RowsByStem all = [] {
    RowsByStem made;
    for (const ObeyedName& name : kNames) {
      Row row{&name, {}};
      for (const std::string_view part : split(name.name, "/")) row.parts.push_back(part_of(part));
      made[row.parts.front().stem].push_back(std::move(row));
    }
    return made;
  }();
  return all;
}

std::vector<Piece> pieces_of(std::string_view path) {
  std::vector<Piece> pieces;
  const std::vector<std::string_view> segments = split(path, "/");
  for (std::size_t at = 0; at < segments.size(); ++at)
    for (const std::string_view piece : split(segments[at], "\\")) pieces.emplace_back(piece, at);
  return pieces;
}

bool matches_at(const Row& row, const std::vector<Piece>& pieces, std::size_t at) {
  if (at + row.parts.size() > pieces.size()) return false;
  for (std::size_t i = 0; i < row.parts.size(); ++i)
    if (!row.parts[i].matches(pieces[at + i])) return false;
  return true;
}

}  // namespace

std::span<const ObeyedName> obeyed_names() { return kNames; }

std::vector<ObeyedPart> obeyed_parts(std::string_view path) {
  std::vector<ObeyedPart> found;
  const std::vector<Piece> pieces = pieces_of(path);
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const std::u32string stem = stem_of(pieces[at].key);
    for (std::size_t size = 1; size <= stem.size(); ++size) {
      const auto rows = rows_by_stem().find(std::u32string_view(stem).substr(0, size));
      if (rows == rows_by_stem().end()) continue;
      for (const Row& row : rows->second)
        if (matches_at(row, pieces, at))
          found.push_back({row.name, pieces[at].segment, pieces[at + row.parts.size() - 1].segment + 1});
    }
  }
  return found;
}

const ObeyedName* obeyed_name(std::string_view path) {
  const std::vector<ObeyedPart> parts = obeyed_parts(path);
  // Not std::ranges::min_element(): libc++ 14 does not have it. The rows of the table are in one array.
  const auto first = std::min_element(parts.begin(), parts.end(), [](const ObeyedPart& a, const ObeyedPart& b) {
    return std::less<>()(a.name, b.name);
  });
  return first == parts.end() ? nullptr : first->name;
}

}  // namespace band
