#include "client/convert/argument.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "schemas/core/letter_case.h"
#include "schemas/rules/named_path.h"

namespace band::client {
namespace {

std::set<std::string> words_of(const std::string& property) {
  std::set<std::string> words;
  std::string word;
  for (const char c : lower_case(property) + "_") {
    if (c != '_') {
      word += c;
    } else if (!word.empty()) {
      words.insert(std::exchange(word, ""));
    }
  }
  return words;
}

bool has_any(const std::set<std::string>& words, std::initializer_list<const char*> of) {
  return std::any_of(of.begin(), of.end(), [&](const char* word) { return words.contains(word); });
}

}  // namespace

std::string Argument::schema_default() const {
  // Checks the text without its quotes. An escape at the beginning cannot be a dot or a slash.
  const std::string_view text = fallback;
  const bool is_text = text.size() >= 2 && text.front() == '"';
  const bool is_closed = is_closed_path(is_text ? text.substr(1, text.size() - 2) : text);
  return path == PathUse::None && !is_closed ? fallback : "";
}

std::string property_name(const std::string& option) {
  std::string name;
  for (const char c : option.substr(std::min(option.find_first_not_of('-'), option.size()))) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 && static_cast<unsigned char>(c) < 0x80;
    name += plain ? c : '_';
  }
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "arg_");
  return name.substr(0, 64);
}

PathUse path_use_of(const Argument& argument) {
  if (!argument.has_value() || argument.type != "string" || !argument.choices.empty()) return PathUse::None;
  const std::set<std::string> words = words_of(argument.property);
  const bool directory = has_any(words, {"dir", "directory", "directories", "dirs", "folder", "folders", "root",
                                         "outdir", "indir", "workdir", "srcdir"});
  const bool writes = has_any(
      words, {"out", "output", "outputs", "outfile", "outdir", "dest", "destination", "target", "save", "report"});
  const bool file =
      has_any(words, {"file",    "files",    "filename", "filenames", "path", "paths", "infile", "input",
                      "inputs",  "src",      "source",   "sources",   "csv",  "json",  "yaml",   "log",
                      "logfile", "document", "image",    "pdf",       "xlsx", "docx",  "config", "template"});
  // `--format json`, `--input-format csv` and `--log-level debug` are not paths.
  if (has_any(words, {"format", "type", "level", "mode", "name", "delimiter", "encoding", "pattern", "ext", "extension",
                      "url", "key", "column", "columns", "field", "fields"}))
    return PathUse::None;
  if (directory) return writes ? PathUse::WritesDirectory : PathUse::ReadsDirectory;
  if (writes) return PathUse::Writes;
  return file ? PathUse::Reads : PathUse::None;
}

}  // namespace band::client
