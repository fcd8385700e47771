// Splits the text of a Python program into tokens, without running it. Pure.
//
// Implements the lexical rules of Python 3.11 (https://docs.python.org/3.11/reference/lexical_analysis.html), but only
// as far as they are needed to read names, strings and calls: returns no tokens for indentation, and no error for an
// invalid text. Linear in the size of the text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace band::client {

struct PythonToken {
  enum class Kind { Name, Number, String, Operator, LineEnd };  // LineEnd: the end of a logical line
  Kind kind = Kind::Name;
  std::string text;          // for a String, its value: without quotes, and with escapes replaced
  bool literal = true;       // for a String: false for an f-string
  int line = 0, column = 0;  // from 1; columns in bytes
  int indent = 0;            // column of the logical line's first token
  // For an opening bracket: the index of the closing bracket, or the number of tokens if the bracket is not closed.
  std::size_t partner = 0;

  bool is(std::string_view what) const { return kind != Kind::String && text == what; }
  bool is_name() const { return kind == Kind::Name; }
};

std::vector<PythonToken> python_tokens(std::string_view text);

// ---- calls and literals in them -------------------------------------------------------------------------------------

struct PythonArgument {
  std::string keyword;             // "" for a positional argument
  std::size_t begin = 0, end = 0;  // the tokens of the value, from `begin` to before `end`
};
// Returns the arguments of the call whose `(` is the token `open`.
std::vector<PythonArgument> python_arguments(const std::vector<PythonToken>& tokens, std::size_t open);

struct PythonValue {
  enum class Kind { None, True, False, Number, String, List, Name, Other };
  Kind kind = Kind::Other;
  std::string text;  // for a Number, a String (adjacent ones joined) and a Name (`argparse.REMAINDER`)
  std::vector<PythonValue> items;
};
// Returns the value of the tokens from `begin` to before `end`; Kind::Other if they are not a literal or a dotted name.
// A tuple or a set is also Kind::List. Callers leave out `depth`, the nesting depth of the value.
PythonValue python_value(const std::vector<PythonToken>& tokens, std::size_t begin, std::size_t end, int depth = 0);

// Returns the dotted name that ends with the token `last`, such as "self.parser"; `first` is set to the index of the
// name's first token. Returns "" when one of the dots follows something other than a name (`f().x`).
std::string python_dotted(const std::vector<PythonToken>& tokens, std::size_t last, std::size_t& first);

}  // namespace band::client
