// One script of a skill as it was found, and as band calls it. Pure.
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

// By the ending of the file's name, else by its first line; nothing where it is no script that band can run. `why` gets
// the reason for a script in a language that no sandbox has.
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
  bool strict = false;   // no value may begin with `-`: how the script reads its arguments is not known
  bool stdin_property = false;
  const FoundScript* found = nullptr;

  std::string description() const;
  std::vector<const Argument*> arguments() const;  // those in front of the subcommand first
};

// One for each form. `name` is the script's. Properties get names that are theirs alone; a name of `flags` (band's own)
// gets `script_` in front, with a note.
std::vector<NewScript> new_scripts(const FoundScript& found, const std::string& name,
                                   const std::set<std::string>& flags, std::vector<Diagnostic>& notes);

// "data/x.csv" and "./data/x.csv" as a rule names them, "./data/x.csv"; "" where no rule can name the path as it is.
std::string workspace_path(std::string path);
// The script's default of a path, "./data/x.csv", where it is an ordinary one of the workspace; else "".
std::string default_path(const Argument& argument);

// The filter that makes the arguments, for jq.
std::string words_filter(const NewScript& script);
std::string input_schema_text(const NewScript& script);
std::string output_schema_text(const NewScript& script);
std::string run_text(const NewScript& script);
// `band call skill/foo --file FILE [--top TOP]`
std::string example_call(const NewScript& script, const std::string& skill);

// Text of a stranger's on one line: white space and control characters are blanks; at most `most` bytes.
std::string one_line(std::string_view text, std::size_t most = 200);

}  // namespace band::client
