// The arguments of a script, as far as they can be read from its text. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// How the script uses the path in an argument.
enum class PathUse { None, Reads, Writes, ReadsDirectory, WritesDirectory };

struct Argument {
  enum class Form {
    Flag,         // true: `option`
    Switch,       // true: `option`, false: `off_option`
    Count,        // 3: `option` three times
    Value,        // `option VALUE`
    Repeated,     // `option VALUE` for each item
    List,         // `option VALUE VALUE ...`
    Positional,   // VALUE
    Positionals,  // VALUE ...
    Rest,         // VALUE ..., options included: no `--` is written before them
  };
  Form form = Form::Positional;
  std::string property;              // its name in the input; unique after name_properties()
  std::string option, off_option;    // "--top"; "--no-top" of a Switch
  bool joined = false;               // written `--top=VALUE`, so that the value may begin with `-`
  bool attached = false;             // written `-nVALUE` if the value begins with `-`
  std::string type = "string";       // type of the value or of each item: "string", "integer", "number"
  std::vector<std::string> choices;  // JSON texts
  std::string fallback;              // JSON text of the default; "" for none, or for one that a caller cannot write
  bool required = false;
  int least_items = 0, most_items = 0;  // number of items of a list; most_items 0: any number
  std::string help;
  PathUse path = PathUse::None;
  int line = 0, column = 0;  // its place in the script

  bool is_positional() const { return form == Form::Positional || is_positional_list(); }
  bool is_positional_list() const { return form == Form::Positionals || form == Form::Rest; }
  bool is_list() const { return form == Form::Repeated || form == Form::List || is_positional_list(); }
  // Returns true for an option that consumes all words up to the next option or `--`.
  bool takes_words_behind() const { return form == Form::List && most_items == 0; }
  bool has_value() const { return form != Form::Flag && form != Form::Switch && form != Form::Count; }
  // Returns the default for the schema; "" for a path, and for a value that looks like a hidden file or a path of the
  // machine: otherwise band would send the file `.env` of a caller that named no file.
  std::string schema_default() const;
};

// One way to call a script, which becomes one script of the new skill.
struct CallForm {
  std::string command;           // a subcommand, "add"; "" when there is none
  std::string description;       // description of the subcommand
  std::vector<Argument> before;  // arguments before the subcommand
  std::vector<Argument> arguments;
  bool knows_end_of_options = false;  // supports `--`
};

struct ReadArguments {
  std::vector<CallForm> forms;  // empty: the arguments cannot be read
  std::string description;      // description of the whole script
  std::string source;           // where they were read: "argparse", "getopts", "usage"
  // Why they cannot be read, and the place; "" when they could be read, or when the text has no arguments of this kind.
  std::string why_not;
  int line = 0, column = 0;
};

std::string lower(std::string_view text);
// Returns "max_count" for "--max-count": only letters, digits and `_`, which are valid names in every language.
std::string property_name(const std::string& option);

// Guesses from usual names of paths: `output`, `--out-dir`, `file`, `src` ...; `help` may decide between the uses.
PathUse path_use_of(const Argument& argument);

}  // namespace band::client
