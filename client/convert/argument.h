// The arguments of a script of the source skill (the skill that `band convert` converts), as read from the script's
// text. A converted script has one property in its input for each argument, and its run.sh makes the arguments from
// these properties. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// How the script uses the path in an argument.
enum class PathUse { None, Reads, Writes, ReadsDirectory, WritesDirectory };

struct Argument {
  enum class Form {  // how the value of the property is written as arguments
    Flag,            // true: `option`
    Switch,          // true: `option`, false: `off_option`
    Count,           // 3: `option` three times
    Value,           // `option VALUE`
    Repeated,        // `option VALUE` for each item
    List,            // `option VALUE VALUE ...`
    Positional,      // VALUE
    Positionals,     // VALUE ...
    Rest,            // VALUE ..., which may be options: no `--` is written before them
  };
  Form form = Form::Positional;
  std::string property;              // the name of the property in the input; unique after new_scripts() (script.h)
  std::string option, off_option;    // "--top"; "--no-top" of a Switch
  bool joined = false;               // write `--top=VALUE`, so that the value may begin with `-`
  bool attached = false;             // write `-nVALUE` if the value begins with `-`
  std::string type = "string";       // type of the value or of each item: "string", "integer", "number"
  std::vector<std::string> choices;  // JSON texts
  std::string fallback;  // JSON text of the default; "" without a default, or if the input cannot contain this default
  bool required = false;
  int least_items = 0, most_items = 0;  // number of items of a list; most_items 0: any number
  std::string help;
  PathUse path = PathUse::None;
  int line = 0, column = 0;  // the position of its definition in the script

  bool is_positional() const { return form == Form::Positional || is_positional_list(); }
  bool is_positional_list() const { return form == Form::Positionals || form == Form::Rest; }
  bool is_list() const { return form == Form::Repeated || form == Form::List || is_positional_list(); }
  // Returns true for an option that consumes all words up to the next option or `--`.
  bool takes_words_behind() const { return form == Form::List && most_items == 0; }
  bool has_value() const { return form != Form::Flag && form != Form::Switch && form != Form::Count; }
  // Returns the default for the input schema. Returns "" if the argument is a path, or if the default looks like a
  // hidden file (a name with a dot at the beginning) or a path of the machine. With such a default in the schema, band
  // would send, for example, the file `.env` of a caller who has not named this file.
  std::string schema_default() const;
};

// One way to call a script of the source skill. Each CallForm becomes one script of the new skill.
struct CallForm {
  std::string command;           // a subcommand, "add"; "" when there is none
  std::string description;       // the subcommand's description
  std::vector<Argument> before;  // arguments before the subcommand
  std::vector<Argument> arguments;
  bool knows_end_of_options = false;  // the script accepts `--` as the end of its options
};

struct ReadArguments {
  std::vector<CallForm> forms;  // empty: the arguments cannot be read
  std::string description;      // description of the whole script
  // Where the arguments were read: "argparse", "sys.argv", "getopts", "case", "$1", "usage" (the usage text). "none":
  // the script accepts no arguments.
  std::string source;
  // Why the arguments cannot be read, and the position in the script. `why_not` is "" when the arguments could be read.
  // It is also "" when the script does not use the way of reading arguments (argparse, getopts ...) that this reader
  // supports.
  std::string why_not;
  int line = 0, column = 0;
};

// Returns "max_count" for "--max-count". The result has only letters, digits and `_`, at most 64, so that it is a valid
// name in every language; a name that would begin with a digit gets the prefix `arg_`.
std::string property_name(const std::string& option);

// Guesses from the argument's name (`output`, `--out-dir`, `file`, `src` ...) whether it is a path, and how the script
// uses it. Returns PathUse::None for an argument without a value, with choices, or with a type other than "string".
PathUse path_use_of(const Argument& argument);

}  // namespace band::client
