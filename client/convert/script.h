// One script of the source skill, and the scripts of the new skill made from it. Pure.
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

// Returns the interpreter by the file's extension, else by its first line; nullopt for a file that is not a script
// which band can run. `why` gets the reason for a script in a language that no sandbox has.
std::optional<Interpreter> interpreter_of(const std::string& path, const std::string& content, std::string& why);

struct FoundScript {
  std::string file;  // relative to scripts/: "foo.py", "tools/foo.py"
  Interpreter interpreter;
  Facts facts;
  ReadArguments arguments;
};
FoundScript read_script(const std::string& file, const std::string& content, const Interpreter& interpreter,
                        const std::set<std::string>& neighbours);

// A script of the new skill.
struct NewScript {
  std::string name;  // "foo", "foo-add"
  CallForm form;
  bool generic = false;  // the input is {args, stdin}
  bool strict = false;   // no value may begin with `-`, because it is not known how the script reads its arguments
  bool stdin_property = false;
  const FoundScript* found = nullptr;

  std::string description() const;
  std::vector<const Argument*> arguments() const;  // those before the subcommand first
};

// Returns one script for each form. `name`: the script's name. Properties get unique names; a name that is one of
// `flags` (flags of band) gets the prefix `script_`, with a note.
std::vector<NewScript> new_scripts(const FoundScript& found, const std::string& name,
                                   const std::set<std::string>& flags, std::vector<Diagnostic>& notes);

// Returns the form of a rule, "./data/x.csv", for "data/x.csv" and "./data/x.csv"; "" when no rule can name the path
// literally.
std::string workspace_path(std::string path);
// Returns the script's default of a path, "./data/x.csv", if it is a plain path of the workspace; else "".
std::string default_path(const Argument& argument);

// Returns the jq filter that makes the arguments from the input.
std::string words_filter(const NewScript& script);
std::string input_schema_text(const NewScript& script);
std::string output_schema_text(const NewScript& script);
std::string run_text(const NewScript& script);
// `band call skill/foo --file FILE [--top TOP]`
std::string example_call(const NewScript& script, const std::string& skill);

// Returns untrusted text as one line: white space and control characters become blanks; at most `most` bytes.
std::string one_line(std::string_view text, std::size_t most = 200);

}  // namespace band::client
