// How a script is called: its arguments, as far as its text says. Plain data.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace band::client {

// What the script does with the path that a caller gives.
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
    Rest,         // VALUE ..., options included: nothing is written in front of them
  };
  Form form = Form::Positional;
  std::string property;              // its name in the input; unique after name_properties()
  std::string option, off_option;    // "--top"; "--no-top" of a Switch
  bool joined = false;               // `--top=VALUE`: such a value may begin with `-`
  bool attached = false;             // `-nVALUE` where the value begins with `-`
  std::string type = "string";       // of the value, or of each item: "string", "integer", "number"
  std::vector<std::string> choices;  // JSON texts
  std::string fallback;              // JSON text of the default; "" when there is none that a caller could write
  bool required = false;
  int least_items = 0, most_items = 0;  // of a list; most_items 0: any number
  std::string help;
  PathUse path = PathUse::None;
  int line = 0, column = 0;  // where the script's text says so

  bool is_positional() const { return form == Form::Positional || is_positional_list(); }
  bool is_positional_list() const { return form == Form::Positionals || form == Form::Rest; }
  bool is_list() const { return form == Form::Repeated || form == Form::List || is_positional_list(); }
  // Any number of words: those behind it are its own up to the next option or `--`.
  bool takes_words_behind() const { return form == Form::List && most_items == 0; }
  bool has_value() const { return form != Form::Flag && form != Form::Switch && form != Form::Count; }
  // A path has none, nor has what looks like a hidden file or a path of the machine, whatever its name is: band would
  // send the file `.env` of a caller who named no file.
  std::string schema_default() const;
};

// One way to call a script, which becomes one script of the new skill.
struct CallForm {
  std::string command;           // a subcommand, "add"; "" when there is none
  std::string description;       // of the subcommand
  std::vector<Argument> before;  // in front of the subcommand
  std::vector<Argument> arguments;
  bool knows_end_of_options = false;  // `--`
};

struct ReadArguments {
  std::vector<CallForm> forms;  // empty: the arguments cannot be read
  std::string description;      // of the whole script
  std::string source;           // what said so: "argparse", "getopts", "usage"
  // Why they cannot be read, and where; "" when they could, or when the text has nothing of the kind.
  std::string why_not;
  int line = 0, column = 0;
};

std::string lower(std::string_view text);
// "max-count" of "--max-count" becomes "max_count": letters, digits and `_`, which every reader of the input can write.
std::string property_name(const std::string& option);

// By the names that people give to paths: `output`, `--out-dir`, `file`, `src` ...; `help` may decide between them.
PathUse path_use_of(const Argument& argument);

}  // namespace band::client
