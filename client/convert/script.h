// A script of the source skill, which `band convert` converts (FoundScript), and the scripts of the new skill that are
// made from it (NewScript). Pure.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/convert/argument.h"
#include "client/convert/facts.h"

namespace band::client {

struct Interpreter {
  Language language = Language::Shell;
  std::string command;  // "python3", "bash"
};

// Finds the interpreter by the file's extension, or by the `#!` in its first line. Returns nullopt for a file that is
// not a script. Also returns nullopt, and sets `why`, for a script that cannot be converted: one in a language that
// `band convert` does not support, or for a shell or a Python version that no sandbox has.
std::optional<Interpreter> interpreter_of(const std::string& path, const std::string& content, std::string& why);

struct FoundScript {
  std::string file;  // relative to scripts/: "foo.py", "tools/foo.py"
  Interpreter interpreter;
  Facts facts;
  ReadArguments arguments;
};
// Finds in `content` what the script needs when it runs (facts.h), and the arguments that it accepts. `file`:
// FoundScript::file. `neighbours`: names of the other files in the directory of `file`.
FoundScript read_script(const std::string& file, const std::string& content, const Interpreter& interpreter,
                        const std::set<std::string>& neighbours);

// A script of the new skill.
struct NewScript {
  std::string name;  // "foo", "foo-add"
  CallForm form;
  bool generic = false;  // the input is {args, stdin}, because the script's arguments are not known
  bool strict = false;   // no value may begin with `-`, because it is not known how the script parses its arguments
  bool stdin_property = false;  // the input has a property for the script's standard input
  const FoundScript* found = nullptr;

  std::string description() const;
  std::vector<const Argument*> arguments() const;  // form.before, then form.arguments
};

// Returns one script for each form of `found.arguments`; if there is no form, one script with `generic`. `found` must
// outlive the result. `name`: the name of the script; a subcommand is appended to it ("foo-add"). Properties get unique
// names. A property that has the name of a flag of band (`flags`) gets the prefix `script_`, and a note is added.
std::vector<NewScript> new_scripts(const FoundScript& found, const std::string& name,
                                   const std::set<std::string>& flags, std::vector<Diagnostic>& notes);

// Returns the path as a pattern of a rule: "./data/x.csv" for "data/x.csv" and for "./data/x.csv"; "" when no pattern
// without wildcards can name the path.
std::string workspace_path(std::string path);
// Returns the default of an argument that is a path, as a pattern ("./data/x.csv"), if the default is a plain path of
// the workspace; else "".
std::string default_path(const Argument& argument);

// Returns the jq filter with which run.sh makes the arguments from the input.
std::string words_filter(const NewScript& script);
// Return the texts of schemas/input/NAME.json, schemas/output/NAME.json and run.sh.
std::string input_schema_text(const NewScript& script);
std::string output_schema_text(const NewScript& script);
std::string run_text(const NewScript& script);
// `band call skill/foo --file FILE [--top TOP]`
std::string example_call(const NewScript& script, const std::string& skill);

// Returns untrusted text as one line: white space and control characters become blanks; at most `most` bytes.
std::string one_line(std::string_view text, std::size_t most = 200);

}  // namespace band::client
