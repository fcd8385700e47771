#include "client/answers/remedy.h"

#include <algorithm>
#include <filesystem>

#include "schemas/commands/plan.h"
#include "schemas/core/json_text.h"
#include "schemas/core/utf8.h"
#include "schemas/core/words.h"
#include "schemas/pattern/pattern.h"
#include "schemas/pattern/shell_text.h"

namespace band::client {
namespace {

namespace fs = std::filesystem;

std::string joined(const std::vector<std::string>& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + quoted_word(words[i]);
  return text;
}

bool opens(const std::string& text, const std::vector<std::string>& argv) {
  const auto pattern = CliPattern::parse(text);
  return pattern.ok() && pattern->matches(argv);
}

// `gh repo delete *` for `gh repo delete x`. `*` matches any number of words, because other calls may have more words
// than this one. (`band learn` compares several calls, and writes `''*` if all have one word there.)
std::string wider_command(const std::vector<std::string>& argv) {
  if (argv.size() < 2) return "";
  const std::string text = joined(argv, argv.size() - 1) + " *";
  return is_valid_utf8(text) && opens(text, argv) ? text : "";
}

// `./notes/*.md` for `./notes/today.md`.
std::string wider_path(const std::string& path, const std::string& exact) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string::npos || dot == 0 || name.front() == '.') return "";
  return exact.substr(0, exact.rfind('/') + 1) + "*" + escaped_path(name.substr(dot));
}

// Pattern and wider pattern; "" if none can be written.
std::pair<std::string, std::string> patterns(const Question& question) {
  if (question.kind == Question::Kind::Command && !can_be_declared(question.argv)) return {};
  if (question.kind == Question::Kind::Command)
    return {cli_pattern(question.argv).value_or(""), wider_command(question.argv)};
  if (question.is_path()) {
    const std::string exact = (question.absolute ? "/" : "./") + escaped_path(question.path);
    if (!is_valid_utf8(exact) || !PathPattern::parse(exact).ok()) return {};
    return {exact, wider_path(question.path, exact)};
  }
  const std::string host = question.host.text_with_port(question.port);
  const bool usual = question.port == 443 || question.port == 80;
  return {host, usual ? host.substr(0, host.rfind(':')) : ""};
}

// The file that `named` (an entry of extends or includes) refers to, as messages show it. The result is wrong if a
// parent directory is a link.
std::string shown_file(const BandFile& band, const std::string& named) {
  return (fs::path(band.file).parent_path() / named).lexically_normal().generic_string();
}

void add(std::vector<std::string>& files, const std::string& file) {
  if (!file.empty() && std::find(files.begin(), files.end(), file) == files.end()) files.push_back(file);
}

// Returns a file such that a rule which is added to this file becomes a rule of `layer`. Returns the file of the
// script's own band if the layer is the layer of this band, even if all rules of the layer are in included files.
std::string file_of_layer(const BandFile& band, const RuleSet& layer) {
  std::vector<std::string> own = {band.file};
  for (const std::string& named : band.includes) own.push_back(shown_file(band, named));
  const auto is_own = [&](const Rule& rule) { return std::find(own.begin(), own.end(), file_of(rule)) != own.end(); };
  if (layer.empty() || std::any_of(layer.begin(), layer.end(), is_own)) return band.file;
  return file_of(layer.front());
}

// The value of `read` can also be one pattern, or a map such as `{path: ./x, optional: true}`, in place of a list.
bool is_list(const Remedy& remedy) { return remedy.list.line > 0 && !remedy.list.single && !remedy.one; }

// Returns whether the key `allow` has no entry to which a comma could be added.
bool has_no_entry(const KeyPlace& allow) { return allow.line == 0 || (allow.flow && allow.empty); }

// Returns the text for the place of the remedies, which write the same key.
std::string text_of(const std::vector<RemedyLine>& lines) {
  const Remedy& first = lines.front().remedy;
  const bool block = first.list.line > 0 && is_list(first) && !first.list.flow;
  const std::string separator = block ? " and, on a line below,  - " : ", ";
  std::vector<std::pair<std::string, std::string>> keys;  // in the order of `lines`, each with its items
  for (const RemedyLine& line : lines) {
    const auto same =
        std::find_if(keys.begin(), keys.end(), [&](const auto& one) { return one.first == line.remedy.key; });
    const std::string pattern = json_string(line.pattern),
                      item = line.optional ? "{path: " + pattern + ", optional: true}" : pattern;
    if (same == keys.end())
      keys.emplace_back(line.remedy.key, item);
    else if (!contains(same->second, pattern))
      same->second += separator + item;
  }
  if (first.list.line > 0) return (block ? "- " : "") + keys.front().second;
  std::string text;
  for (const auto& [key, items] : keys) text.append(text.empty() ? "" : ", ").append(key + ": [").append(items + "]");
  if (first.allow.line == 0) return "allow: {" + text + "}";
  return (first.allow.flow && !first.allow.empty ? ", " : "") + text;
}

}  // namespace

std::vector<std::string> files_to_write(const BandFile& band, const Domain& domain,
                                        const std::vector<std::size_t>& layers) {
  std::vector<std::string> files;
  if (domain.opened.empty()) {
    add(files, band.file);
    for (const std::string& named : band.extends) add(files, shown_file(band, named));
  }
  for (const std::size_t layer : layers) add(files, file_of_layer(band, domain.opened.at(layer)));
  return files;
}

std::string file_of(const Rule& rule) { return rule.origin.substr(0, rule.origin.rfind(':')); }

std::string Remedy::yaml(const std::string& text) const { return "allow: {" + key + ": [" + json_string(text) + "]}"; }

std::string Remedy::place() const {
  const auto at = [&](const char* where, const std::string& name, int line) {
    return "in " + file + ", " + where + name + " (line " + std::to_string(line) + ")";
  };
  if (is_list(*this)) return at(list.flow ? "to " : "below ", "allow." + key, list.line);
  if (list.line > 0) return at("to ", "allow." + key, list.line) + ", as a list with its present value";
  if (allow.line > 0) return at(allow.flow ? "before the } of " : "below ", "allow", allow.line);
  return "in " + file;
}

std::string Remedy::text(const std::string& of) const { return text_of({{*this, of}}); }

std::string Remedy::instruction(const std::string& of) const { return joined_instruction({{*this, of}}); }

bool Remedy::writes_key_of(const Remedy& other) const {
  if (file != other.file || list.line > 0 || other.list.line > 0) return false;
  return has_no_entry(allow) || key == other.key;
}

std::string joined_instruction(const std::vector<RemedyLine>& lines) {
  return "write " + escaped(lines.front().remedy.place()) + ":  " + text_of(lines);
}

std::string Remedy::instruction() const {
  return pattern.empty() ? "wider than requested: " + instruction(wider) : instruction(pattern);
}

std::optional<std::string> cli_pattern(const std::vector<std::string>& argv) {
  const std::string text = joined(argv, argv.size());
  if (!is_valid_utf8(text) || !opens(text, argv)) return std::nullopt;
  return text;
}

std::string why_no_cli_pattern(const std::vector<std::string>& argv) {
  if (cli_pattern(argv)) return "";
  const bool is_text = is_valid_utf8(joined(argv, argv.size()));
  return std::string("no rule can match only this line: ") +
         (is_text ? "it is longer than the longest valid pattern" : "it has bytes that are not UTF-8");
}

KeyPlace place_of_key(const BandFile& band, const std::string& pointer) {
  const auto found = band.keys.find(pointer);
  return found == band.keys.end() ? KeyPlace{} : found->second;
}

bool can_be_declared(const std::vector<std::string>& argv) {
  const std::string text = quoted_word(argv.front());
  return is_valid_utf8(text) && plan_commands({{{{text, ""}}}, {}, {}}).ok();
}

Remedy own_remedy(const BandFile& band, const std::string& key, const std::string& pattern, const std::string& wider) {
  Remedy remedy{band.file, key, pattern, wider};
  remedy.list = place_of_key(band, "/allow/" + key);
  remedy.allow = place_of_key(band, "/allow");
  remedy.one = band.keys.contains("/allow/" + key + "/path");
  return remedy;
}

std::vector<Remedy> remedies(const Question& question, const BandFile& band, const Domain& domain,
                             const std::vector<std::size_t>& layers) {
  const auto [pattern, wider] = patterns(question);
  std::vector<Remedy> all;
  if (pattern.empty() && wider.empty()) return all;
  for (const std::string& file : files_to_write(band, domain, layers)) {
    Remedy remedy{file, question.domain(), pattern, wider == pattern ? "" : wider};
    if (file == band.file) remedy = own_remedy(band, question.domain(), pattern, remedy.wider);
    all.push_back(std::move(remedy));
  }
  return all;
}

}  // namespace band::client
