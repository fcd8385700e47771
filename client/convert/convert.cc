#include "client/convert/convert.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <utility>

#include "client/convert/band_text.h"
#include "client/convert/script.h"
#include "client/convert/skill_text.h"
#include "client/convert/templates.h"
#include "schemas/core/json_text.h"
#include "schemas/core/largest.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

constexpr std::size_t kMostScripts = 100;     // per skill
constexpr std::size_t kMostDirectories = 50;  // directories of the skill that are searched for in its scripts
constexpr const char* kShared = "scripts/_lib/band-convert.sh";

Error invalid(std::string doing, std::string hint) {
  return Error{.code = Code::SkillInvalid, .doing = std::move(doing), .hint = std::move(hint)};
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// Returns true for a path that needs no quotes in run.sh and in a rule of `cli`.
bool is_plain_file(const std::string& path) {
  return std::all_of(path.begin(), path.end(),
                     [](unsigned char c) {
                       return (c < 0x80 && std::isalnum(c) != 0) || c == '_' || c == '-' || c == '.' || c == '/';
                     }) &&
         !path.starts_with('-');
}

// Returns the script's name: `tools-foo` for "tools/foo.py".
std::string script_name_of(const std::string& file, bool with_ending) {
  std::string name = file;
  const std::size_t dot = name.rfind('.');
  if (!with_ending && dot != std::string::npos && dot > name.rfind('/') + 1) name.resize(dot);
  std::replace(name.begin(), name.end(), '/', '-');
  if (with_ending) std::replace(name.begin(), name.end(), '.', '-');
  name.erase(0, name.find_first_not_of("_-."));
  return name.substr(0, 48);
}

class Converter {
 public:
  Converter(const std::vector<SkillFile>& files, const std::string& skill, const std::set<std::string>& flags,
            const std::string& source, const std::string& output)
      : files_(files), skill_(skill), flags_(flags), source_(source), output_(output) {}

  Result<Conversion> convert() {
    for (const SkillFile& file : files_) by_path_[file.path] = &file;
    BAND_CHECK(check_source());
    find_scripts();
    add_used();
    choose_scripts();
    if (new_.empty())
      return invalid(source_ + (made_.errors.empty() ? " has no script in scripts/"
                                                     : " has no script in scripts/ that band can run"),
                     made_.errors.empty() ? hint_without_scripts() : made_.errors[0].text());
    BAND_CHECK(copy_files());
    write_scripts();
    note_places();
    return std::move(made_);
  }

 private:
  std::string hint_without_scripts() const {
    static constexpr std::string_view kPrograms[] = {".sh", ".py", ".js", ".mjs", ".cjs"};
    for (const auto& entry : by_path_)
      if (std::any_of(std::begin(kPrograms), std::end(kPrograms),
                      [&](std::string_view ending) { return entry.first.ends_with(ending); }))
        return "move " + escaped(entry.first) + " and the other programs of the skill into scripts/, also in SKILL.md";
    return "band has nothing to run in it: an agent can use such a skill unchanged, and a BAND.md would protect "
           "nothing";
  }

  const SkillFile* at(const std::string& path) const {
    const auto found = by_path_.find(path);
    return found == by_path_.end() ? nullptr : found->second;
  }

  Status check_source() const {
    if (at("SKILL.md") == nullptr)
      return invalid(source_ + " has no SKILL.md", "name the directory of a skill: the one that contains SKILL.md");
    if (!is_valid_utf8(at("SKILL.md")->content))
      return invalid(source_ + "/SKILL.md is not UTF-8 text", "save it as UTF-8");
    for (const SkillFile& file : files_) {
      const bool run = file.path.starts_with("scripts/") && name_of(file.path) == "run.sh" &&
                       std::count(file.path.begin(), file.path.end(), '/') == 2;
      const bool schema = file.path.starts_with("schemas/input/") || file.path.starts_with("schemas/output/");
      if (name_of(file.path) == "BAND.md" || run || schema)
        return invalid(source_ + "/" + file.path + ": this file shows that the skill is already written for band",
                       "`band validate " + source_ + "` shows what is missing; write BAND.md and schemas by hand");
      if (file.path == "scripts/band-convert.sh" || file.path == "scripts")
        return invalid(source_ + "/" + file.path + ": `band convert` creates a file or directory of this name",
                       "give it another name");
    }
    return done();
  }

  void leave_out(const std::string& file, std::string why, std::string hint) {
    made_.errors.push_back({source_ + "/" + file, 0, 0, "was not converted: " + std::move(why), std::move(hint)});
  }

  // Finds every file of scripts/ that an interpreter could run, and reads its needs from its text.
  void find_scripts() {
    std::map<std::string, std::set<std::string>> names;  // by directory
    for (const SkillFile& file : files_) {
      if (!file.path.starts_with("scripts/")) continue;
      for (std::string path = file.path; path != "scripts"; path = directory_of(path))
        names[directory_of(path)].insert(name_of(path));
    }
    for (const SkillFile& file : files_) {
      std::string why;
      const auto interpreter = interpreter_of(file.path, file.content, why);
      if (!file.path.starts_with("scripts/")) {
        outside(file, interpreter.has_value());
        continue;
      }
      if (!why.empty()) leave_out(file.path, why, "rewrite it in Python or bash, or write a run.sh that calls it");
      if (!interpreter) continue;
      const std::string name = file.path.substr(8);
      if (!is_plain_file(name)) {
        leave_out(file.path, "its name has other characters than A-Z a-z 0-9 . _ - /", "give it another name");
      } else if (file.content.size() > kMaxSourceBytes || !is_valid_utf8(file.content)) {
        leave_out(file.path, "it is not UTF-8 text of at most 1 MiB", "save it as UTF-8");
      } else if (file.unreadable) {
        made_.errors.push_back({source_ + "/" + file.path, file.unreadable->line, 0,
                                "was not converted: " + file.unreadable->message, "correct it, and convert again"});
      } else if (file.content.find("$OUTPUT_PATH") != std::string::npos) {
        leave_out(file.path, "it uses $OUTPUT_PATH, so it is already a script for band",
                  "rename it to scripts/NAME/run.sh in a new skill (`band new skill NAME`)");
      } else if (found_.size() < kMostScripts) {
        std::set<std::string> neighbours = names[directory_of(file.path)];
        neighbours.erase(name_of(file.path));
        found_.push_back(read_script(name, file.content, *interpreter, neighbours));
      } else {
        leave_out(file.path, "there are more than " + std::to_string(kMostScripts) + " scripts", "split the skill");
      }
    }
  }

  void outside(const SkillFile& file, bool is_script) {
    const std::string top = file.path.substr(0, file.path.find('/'));
    if (is_script && top != "assets" && top != "references")
      made_.notes.push_back({source_ + "/" + file.path, 0, 0,
                             "is not in scripts/: it was copied, and band does not call it",
                             "move it to scripts/, and convert again"});
  }

  bool is_mentioned(const std::string& file) const {
    for (const SkillFile& text : files_)
      if (text.path.ends_with(".md") && text.content.find("scripts/" + file) != std::string::npos) return true;
    return false;
  }

  bool is_used(const FoundScript& script) const {
    const std::string name = name_of(script.file), directory = directory_of(script.file);
    const std::string stem = name.substr(0, name.rfind('.'));
    return std::any_of(found_.begin(), found_.end(), [&](const FoundScript& other) {
      const bool python = other.interpreter.language == Language::Python;
      return &other != &script && !is_test(other.file) && directory_of(other.file) == directory &&
             other.facts.uses.contains(python ? stem : name);
    });
  }

  // Returns the files in the same directory that `script` imports or starts, directly or through others.
  std::vector<const FoundScript*> used_by(const FoundScript& script) const {
    std::vector<const FoundScript*> used{&script};
    for (std::size_t i = 0; i < used.size(); ++i)
      for (const FoundScript& other : found_) {
        const bool python = used[i]->interpreter.language == Language::Python;
        const std::string name = name_of(other.file), stem = name.substr(0, name.rfind('.'));
        const bool uses =
            directory_of(other.file) == directory_of(script.file) && used[i]->facts.uses.contains(python ? stem : name);
        if (uses && std::find(used.begin(), used.end(), &other) == used.end()) used.push_back(&other);
      }
    used.erase(used.begin());
    return used;
  }

  void add_used() {
    std::vector<Facts> together;
    for (const FoundScript& script : found_) {
      Facts facts = script.facts;
      for (const FoundScript* used : used_by(script)) {
        add_facts(facts, used->facts, used->file);
        used_.insert(used->file);
      }
      drop_defined(facts);
      together.push_back(std::move(facts));
    }
    for (std::size_t i = 0; i < found_.size(); ++i) found_[i].facts = std::move(together[i]);
  }

  static bool is_test(const std::string& file) {
    const std::string name = name_of(file);
    return name == "__init__.py" || name == "conftest.py" || name == "setup.py" || name.starts_with("test_") ||
           name.find("_test.") != std::string::npos || name.find(".test.") != std::string::npos;
  }

  // Returns the scripts that an agent calls: those that SKILL.md names, and those directly in scripts/ that no other
  // script uses.
  void choose_scripts() {
    std::set<std::string> names, chosen;
    for (const FoundScript& found : found_) {
      const bool mentioned = is_mentioned(found.file);
      const bool nested = found.file.find('/') != std::string::npos;
      if (!mentioned && (nested || is_used(found) || is_test(found.file))) continue;
      std::string name = script_name_of(found.file, false);
      if (name.empty() || names.contains(name)) name = script_name_of(found.file, true);
      if (name.empty() || std::isalnum(static_cast<unsigned char>(name[0])) == 0 || !names.insert(name).second) {
        leave_out("scripts/" + found.file, "its name is not a valid name of a script",
                  "give it another name: 1 to 48 of A-Z a-z 0-9 . _ -, the first a letter or digit");
        continue;
      }
      std::vector<Diagnostic> notes;
      for (NewScript& script : new_scripts(found, name, flags_, notes)) {
        std::replace(script.name.begin(), script.name.end(), ':', '-');
        const bool free = script.name == name || names.insert(script.name).second;
        if (free && script.name.size() <= 64)
          new_.push_back(std::move(script));
        else
          leave_out("scripts/" + found.file, "two scripts would have the name `" + script.name.substr(0, 64) + "`",
                    "give one of them another name");
      }
      add_source_notes(std::move(notes));
      note_found(found);
      chosen.insert(found.file);
    }
    for (const FoundScript& found : found_) {
      if (!used_.contains(found.file) || chosen.contains(found.file)) continue;
      std::vector<Diagnostic> notes = found.facts.findings;
      for (Diagnostic& note : notes) note.file = "scripts/" + found.file;
      add_source_notes(std::move(notes));
    }
  }

  void add_notes(std::vector<Diagnostic> notes) {
    for (Diagnostic& note : notes) made_.notes.push_back(std::move(note));
  }

  void add_source_notes(std::vector<Diagnostic> notes) {
    for (Diagnostic& note : notes) note.file = source_ + "/" + note.file;
    add_notes(std::move(notes));
  }

  void note_found(const FoundScript& found) {
    std::vector<Diagnostic> notes = found.facts.findings;
    const ReadArguments& arguments = found.arguments;
    if (arguments.forms.empty())
      notes.push_back({"", arguments.line, arguments.column,
                       "its arguments cannot be read" + (arguments.why_not.empty() ? "" : ": " + arguments.why_not) +
                           "; the input of the new script is {args, stdin}",
                       "if arguments are files, allow these files in BAND.md; for named parameters, write "
                       "schemas/input and run.sh by hand"});
    else if (arguments.source != "argparse" && arguments.source != "none")
      notes.push_back({"", arguments.forms[0].arguments.empty() ? 0 : arguments.forms[0].arguments[0].line, 0,
                       "its arguments were read from " +
                           (arguments.source == "usage" ? "its usage text" : "`" + arguments.source + "`"),
                       "check schemas/input: names, types, and which are required"});
    for (Diagnostic& note : notes) note.file = "scripts/" + found.file;
    add_source_notes(std::move(notes));
  }

  Status copy_files() {
    std::size_t files = 0, bytes = 0, shared_files = 0, shared_bytes = 0;
    for (const SkillFile& file : files_) {
      SkillFile copy = file;
      if (file.path == "SKILL.md") {
        std::vector<Diagnostic> notes;
        copy.content = skill_text(file.content, output_ + "/SKILL.md", skill_, new_, notes);
        add_notes(std::move(notes));
      } else if (file.path.starts_with("scripts/")) {
        copy.path = "scripts/_lib/" + file.path.substr(8);
        ++files;
        bytes += file.content.size();
      } else if (file.path.starts_with("assets/") || file.path.starts_with("references/")) {
        ++shared_files;
        shared_bytes += file.content.size();
      }
      made_.files.push_back(std::move(copy));
    }
    if (files + 1 > kMaxLibFiles || bytes + (16u << 10) > kMaxLibBytes)
      return invalid(source_ + "/scripts has more than 200 files or 8 MiB",
                     "move what the scripts do not need out of it");
    if (shared_files > kMaxSkillFiles || shared_bytes > kMaxSkillBytes)
      return invalid(source_ + ": assets/ and references/ have more than 200 files or 8 MiB together",
                     "move what the scripts do not read to another directory of the skill");
    return done();
  }

  void write_scripts() {
    made_.files.push_back({kShared, std::string(convert_template("band-convert.sh")), false, true});
    for (const NewScript& script : new_) {
      std::vector<Diagnostic> notes;
      made_.files.push_back({"scripts/" + script.name + "/run.sh", run_text(script), true, true});
      made_.files.push_back({"scripts/" + script.name + "/BAND.md", band_text(script, skill_, notes), false, true});
      made_.files.push_back({"schemas/input/" + script.name + ".json", input_schema_text(script), false, true});
      made_.files.push_back({"schemas/output/" + script.name + ".json", output_schema_text(script), false, true});
      for (Diagnostic& note : notes) {
        note.file = output_ + "/" + note.file;
        made_.notes.push_back(std::move(note));
      }
      made_.scripts.push_back({script.name, "scripts/" + script.found->file,
                               script.generic ? "" : script.found->arguments.source, example_call(script, skill_)});
    }
  }

  // Adds a note for the first place of a script that names a directory of the skill which no sandbox has.
  void note_use_of(const std::string& directory) {
    for (const FoundScript& script : found_) {
      const SkillFile* text = at("scripts/" + script.file);
      const std::size_t quoted = text->content.find("\"" + directory + "\"");
      const std::size_t place =
          std::min(text->content.find(directory + "/"), quoted == std::string::npos ? quoted : quoted + 1);
      if (place == std::string::npos) continue;
      const std::string_view before = std::string_view(text->content).substr(0, place);
      const auto line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1;
      const auto column = static_cast<int>(place - (before.rfind('\n') + 1)) + 1;
      made_.notes.push_back(
          {source_ + "/" + text->path, line, column,
           "names `" + directory +
               "/`, but a sandbox contains only the directories scripts, assets and references of the skill",
           "move the directory to `assets/" + directory + "/`, and write this path here"});
      return;
    }
  }

  void note_places() {
    for (const SkillFile& file : made_.files) {
      if (!file.path.ends_with(".md") || file.path.starts_with("scripts/")) continue;
      std::vector<Diagnostic> notes;
      note_references(file.content, output_ + "/" + file.path, skill_, new_, notes);
      add_notes(std::move(notes));
    }
    std::set<std::string> seen;
    for (const SkillFile& file : files_) {
      const std::string top = file.path.substr(0, file.path.find('/'));
      if (top == file.path || top == "scripts" || top == "assets" || top == "references" || !seen.insert(top).second ||
          seen.size() > kMostDirectories)
        continue;
      note_use_of(top);
    }
    sort_by_place(made_.notes);
    sort_by_place(made_.errors);
  }

  const std::vector<SkillFile>& files_;
  const std::string& skill_;
  const std::set<std::string>& flags_;
  const std::string &source_, &output_;
  std::map<std::string, const SkillFile*> by_path_;
  std::vector<FoundScript> found_;  // must not change once `new_` points into it
  std::set<std::string> used_;      // files that another file imports or starts
  std::vector<NewScript> new_;
  Conversion made_;
};

}  // namespace

Result<Conversion> convert_skill(const std::vector<SkillFile>& files, const std::string& skill,
                                 const std::set<std::string>& flags, const std::string& source,
                                 const std::string& output) {
  return Converter(files, skill, flags, source, output).convert();
}

}  // namespace band::client
