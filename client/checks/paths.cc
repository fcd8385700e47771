#include "client/checks/paths.h"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <optional>
#include <set>
#include <span>

#include "client/shell/builtins.h"
#include "client/shell/started.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_names.h"
#include "schemas/programs/essentials.h"
#include "schemas/rules/path_rules.h"
#include "schemas/rules/placeholders.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

// Limits, because each access is compared with each mention.
constexpr std::size_t kMaxAccesses = 500, kMaxMentions = 20'000;

struct Access {
  ShellWord word;
  bool writes = false;
  bool sources = false;
};

// Commands that read all their operands as files, and the letters of their options with a value.
struct Reader {
  std::string_view name, taking;
};
constexpr Reader kReaders[] = {{"cat", ""},     {"tac", "s"},         {"head", "nc"},    {"tail", "ncs"},
                               {"wc", ""},      {"nl", "bdfhilnsvw"}, {"sort", "koStT"}, {"cut", "bcdf"},
                               {"md5sum", ""},  {"sha1sum", ""},      {"sha256sum", ""}, {"sha512sum", ""},
                               {"base64", "w"}, {"od", "AjNtSw"},     {"cmp", "in"},     {"diff", "CUIFWx"},
                               {"comm", ""},    {"paste", "d"},       {"zcat", ""},      {"gunzip", "S"}};

void add(std::vector<Access>& found, const std::vector<ShellWord>& words, bool writes) {
  for (const ShellWord& word : words) found.push_back({word, writes});
}

// jq FILTER FILE..., including the files of its options.
void add_jq(std::span<const ShellWord> words, std::vector<Access>& found) {
  bool filter = false;
  for (std::size_t at = 1; at < words.size(); ++at) {
    const std::string& text = words[at].text;
    if (text == "--args" || text == "--jsonargs") return;
    if (text == "--arg" || text == "--argjson") {
      at += 2;
    } else if (text == "--slurpfile" || text == "--rawfile") {
      if ((at += 2) < words.size()) found.push_back({words[at]});
    } else if (text == "--indent" || text == "-L") {
      ++at;
    } else if (text == "--from-file" || (text.size() > 1 && text[0] == '-' && text[1] != '-' && text.ends_with('f'))) {
      filter = true;
      if (++at < words.size()) found.push_back({words[at]});
    } else if (!text.starts_with('-') || text.size() == 1) {
      if (std::exchange(filter, true)) found.push_back({words[at]});  // the first operand is the filter
    }
  }
}

void add_grep(std::span<const ShellWord> words, std::vector<Access>& found) {
  bool has_pattern = false;
  for (const ShellWord& word : words)
    has_pattern = has_pattern || word.text.starts_with("--regexp") || word.text.starts_with("--file") ||
                  (word.text.size() > 1 && word.text[0] == '-' && word.text[1] != '-' &&
                   (word.text.ends_with('e') || word.text.ends_with('f')));
  std::vector<ShellWord> operands = operands_of(words, "ABCDdefm");
  if (!has_pattern && !operands.empty()) operands.erase(operands.begin());
  add(found, operands, false);
}

void add_copies(std::span<const ShellWord> words, std::vector<Access>& found) {
  const std::vector<ShellWord> operands = operands_of(words, "tS");
  const bool has_directory = std::any_of(words.begin(), words.end(), [](const ShellWord& word) {
    return word.text.starts_with("-t") || word.text.starts_with("--target-directory");
  });
  if (operands.empty() || (operands.size() == 1 && !has_directory)) return;
  for (std::size_t i = 0; i < operands.size(); ++i)
    found.push_back({operands[i], !has_directory && i + 1 == operands.size()});
}

void add_accesses(const StartedProgram& program, std::vector<Access>& found) {
  const std::span<const ShellWord> words = program.words;
  const std::string& name = words.front().text;
  for (const Reader& reader : kReaders)
    if (name == reader.name) add(found, operands_of(words, reader.taking), false);
  if (name == "jq") add_jq(words, found);
  if (name == "grep" || name == "egrep" || name == "fgrep") add_grep(words, found);
  if (name == "cp" || name == "mv") add_copies(words, found);
  if (name == "tee") add(found, operands_of(words, ""), true);
  if (name == "touch") add(found, operands_of(words, "drt"), true);
  if ((name == "." || name == "source") && words.size() > 1) found.push_back({words[1], false, true});
}

// Returns a path relative to the workspace, or absolute; nothing if the word is not a file name or points outside.
std::optional<std::string> path_of(const ShellWord& word) {
  const std::string& text = word.text;
  if (!word.literal || text.empty() || text == "-" || text.starts_with('~') || text.ends_with('/')) return std::nullopt;
  if (text.find_first_of("\n{}$") != std::string::npos) return std::nullopt;
  const std::string path = fs::path(text).lexically_normal().generic_string();
  if (path == "." || path == ".." || path.starts_with("../") || path == "/") return std::nullopt;
  return path;
}

// Paths that every sandbox has (docs/skills.md): directories of the root, and files of /etc.
bool is_of_sandbox(const std::string& path) {
  constexpr std::string_view kTop[] = {"dev", "proc", "tmp", "usr", "bin", "lib", "lib64", "sbin"};
  constexpr std::string_view kFiles[] = {"passwd", "group", "hosts", "hostname", "resolv.conf", "nsswitch.conf"};
  const std::string_view top = std::string_view(path).substr(1, path.find('/', 1) - 1);
  if (std::find(std::begin(kTop), std::end(kTop), top) != std::end(kTop)) return true;
  if (top != "etc" || path.size() < 5) return false;
  const std::string_view file = std::string_view(path).substr(5);
  return file.starts_with("ssl/") || std::find(std::begin(kFiles), std::end(kFiles), file) != std::end(kFiles);
}

// Compiles the rules without the placeholders of the input.
std::optional<PathRules> rules_of(Domain domain, PathRules::Use use) {
  for (RuleSet& layer : domain.opened)
    std::erase_if(layer, [](const Rule& rule) { return placeholder_of(rule.pattern).has_value(); });
  auto rules = PathRules::compile(domain, use);
  return rules.ok() ? std::optional(std::move(rules).value()) : std::nullopt;
}

class PathCheck {
 public:
  PathCheck(const ShellScope& scope, std::vector<Diagnostic>& notes) : scope_(scope), notes_(notes) {
    functions_ = scope.functions();
    for (const ShellFile* file : scope.files) collect(*file);
    for (const Script* script : scope.scripts) {
      reads_.push_back(rules_of(script->band.rules.read, PathRules::Use::Read));
      writes_.push_back(rules_of(script->band.rules.write, PathRules::Use::Write));
    }
  }

  void check() {
    std::set<std::pair<std::string, bool>> noted;
    std::size_t looked_at = 0;
    for (const Access& access : accesses_of(*scope_.file)) {
      if (++looked_at > kMaxAccesses) return;
      const auto path = path_of(access.word);
      if (!path || is_opened(*path, access.writes) || !is_missed(*path, access)) continue;
      if (noted.insert({*path, access.writes}).second) note(*path, access);
    }
  }

 private:
  struct Mention {
    const ShellFile* file;
    int line, column;
    std::string text;
    bool is_read = false;   // only read
    bool is_asked = false;  // `[ -f FILE ]`
  };

  static std::vector<Access> accesses_of(const ShellFile& file) {
    std::vector<Access> found;
    for (const ShellCommand& command : file.reading.commands)
      for (const StartedProgram& program : started_programs(command)) add_accesses(program, found);
    for (const ShellRedirection& redirection : file.reading.redirections)
      found.push_back(
          {redirection.target, redirection.operation.find('>') != std::string::npos && redirection.operation != "<>"});
    return found;
  }

  void collect(const ShellFile& file) {
    std::set<std::pair<int, int>> reads;
    for (const Access& access : accesses_of(file))
      if (!access.writes) reads.emplace(access.word.line, access.word.column);
    const auto mention = [&](const ShellWord& word) {
      mentions_.push_back({&file, word.line, word.column, word.text, reads.contains({word.line, word.column})});
    };
    for (const ShellWord& word : file.reading.conditions)
      mentions_.push_back({&file, word.line, word.column, word.text, false, true});
    for (const ShellCommand& command : file.reading.commands) {
      const bool asks = command.words.front().text == "[" || command.words.front().text == "test";
      for (std::size_t i = 1; i < command.words.size(); ++i) {
        mention(command.words[i]);
        mentions_.back().is_asked = asks;
      }
      for (const ShellWord& word : command.assignments) mention(word);
      for (const StartedProgram& program : started_programs(command)) {
        const std::string& name = program.words.front().text;
        changes_directory_ = changes_directory_ || name == "cd" || name == "pushd" || name == "popd";
        if (makes_any_file(name))
          first_maker_ = &file == scope_.file ? std::min(first_maker_, program.words.front().line) : 0;
      }
    }
    for (const ShellRedirection& redirection : file.reading.redirections) mention(redirection.target);
  }

  bool makes_any_file(const std::string& name) const {
    for (const std::string_view maker :
         {"tar", "split", "csplit", "cp", "mv", "install", "ln", "link", "eval", "bash", "sh"})
      if (name == maker) return true;
    return !is_essential(name) && !is_shell_own(name) && !functions_.contains(name);
  }

  // Returns whether all layers of one script's band open the path, or a path below it.
  bool is_opened(const std::string& path, bool writes) const {
    const bool absolute = path.starts_with('/');
    const std::string_view bare = std::string_view(path).substr(absolute ? 1 : 0);
    for (const std::optional<PathRules>& rules : writes ? writes_ : reads_)
      if (!rules || rules->opens(bare, absolute) || rules->may_open_below(bare, absolute)) return true;
    return false;
  }

  // Returns false if the script may work without the rule.
  bool is_missed(const std::string& path, const Access& access) const {
    if (mentions_.size() > kMaxMentions) return false;
    if (path.starts_with('/'))
      return !is_of_sandbox(path) && std::none_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
        return mention.is_asked && mention.text == path;
      });
    if (changes_directory_) return false;
    if (!access.writes && access.word.line >= first_maker_) return false;
    return std::none_of(mentions_.begin(), mentions_.end(), [&](const Mention& mention) {
      const bool itself =
          mention.file == scope_.file && mention.line == access.word.line && mention.column == access.word.column;
      const bool only_reads = mention.is_read && !access.writes;  // reading a file does not create it
      return !itself && !only_reads && mention.text.find(path) != std::string::npos;
    });
  }

  void note(const std::string& path, const Access& access) {
    const std::string shown = escaped(path), pattern = (path.starts_with('/') ? "" : "./") + escaped_path(path);
    const ShellWord& word = access.word;
    std::string hint = rule_to_write(scope_, access.writes ? "write" : "read", pattern);
    if (access.writes && !path.starts_with('/'))  // an existing file that was not shipped cannot be written back
      hint = "write allow: {read: [{path: " + json_string(pattern) + ", optional: true}], write: [" +
             json_string(pattern) + "]} in " + scope_.band_file();
    if (access.sources)
      for (const ShellFile* file : scope_.files)
        if (file->shown.ends_with("/_lib/" + path)) hint = "write . \"$BAND_LIB/" + shown + "\"";
    notes_.push_back({scope_.file->shown, word.line, word.column,
                      (access.writes ? "writes " : "reads ") + shown + ", which the band does not allow" +
                          (access.writes && !path.starts_with('/') ? ": the file is not written back" : ""),
                      std::move(hint)});
  }

  const ShellScope& scope_;
  std::vector<Diagnostic>& notes_;
  std::vector<Mention> mentions_;
  std::set<std::string> functions_;
  std::vector<std::optional<PathRules>> reads_, writes_;
  bool changes_directory_ = false;
  int first_maker_ = INT_MAX;  // line of the first command that can create any file
};

}  // namespace

void note_paths(const ShellSkill& skill, std::vector<Diagnostic>& notes) {
  for_each_scope(skill, [&](const ShellScope& scope) { PathCheck(scope, notes).check(); });
}

}  // namespace band::client
