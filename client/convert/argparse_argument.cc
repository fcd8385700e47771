#include "client/convert/argparse_argument.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "schemas/core/json_text.h"

namespace band::client {
namespace {

using Kind = PythonValue::Kind;
using Form = Argument::Form;

constexpr std::size_t kMostTextBytes = 4096;  // bytes of choices, and of a default

// Returns a Python number as JSON, or "" for one that is not valid in JSON (0x10, 1_000, 1j).
std::string json_number(const std::string& text, bool& integer) {
  const std::size_t digits = text.starts_with('-') ? 1 : 0;
  integer = text.size() > digits && text.find_first_not_of("0123456789", digits) == std::string::npos;
  const bool leading_zero = text.size() > digits + 1 && text[digits] == '0' && integer;
  if (integer) return leading_zero || text.size() > 15 ? "" : text;
  const std::size_t dot = text.find('.');
  const bool decimal = dot != std::string::npos && dot > digits && dot + 1 < text.size() && text.size() <= 20 &&
                       text.find_first_not_of("0123456789.", digits) == std::string::npos &&
                       text.find('.', dot + 1) == std::string::npos && (text[digits] != '0' || dot == digits + 1);
  return decimal ? text : "";
}

std::string shown(const PythonValue& value) {
  if (value.kind == Kind::True) return "True";
  if (value.kind == Kind::False) return "False";
  return value.text;
}

// Replaces the escapes of argparse: `%(default)s` and `%%`.
std::string help_text(std::string help, const std::string& fallback) {
  for (std::size_t at = help.find('%'); at != std::string::npos; at = help.find('%', at)) {
    const std::size_t close = help.find(')', at);
    if (help.compare(at, 2, "%%") == 0) {
      help.erase(at++, 1);
    } else if (help.compare(at, 10, "%(default)") == 0 && close + 1 < help.size()) {
      help.replace(at, close + 2 - at, fallback);
      at += fallback.size();
    } else {
      ++at;
    }
  }
  return help;
}

void name_it(Argument& argument, const std::vector<PythonValue>& names, const PythonKeywords& named) {
  std::string best = names.empty() ? keyword_text(named, "dest") : names[0].text;
  for (const PythonValue& name : names)
    if (name.text.starts_with("--") && !best.starts_with("--")) best = name.text;
  argument.property = property_name(best);
  if (!best.starts_with('-')) return;
  argument.option = best;
  argument.form = Form::Value;
  argument.joined = best.starts_with("--");
  argument.attached = !argument.joined;
}

// Reads `nargs`, the number of values.
std::string count(Argument& argument, const PythonValue& nargs, bool optional) {
  const Form many = optional ? Form::List : Form::Positionals;
  argument.required = !optional;
  const bool one_each = nargs.kind == Kind::None || (nargs.kind == Kind::String && nargs.text == "?");
  if (one_each && argument.form == Form::List) argument.form = Form::Repeated;  // for the action `extend`
  if (nargs.kind == Kind::None) return "";
  if (argument.form == Form::Repeated && !one_each) return "`append` with `nargs` results in a list of lists";
  if (nargs.kind == Kind::Number) {
    int number = 0;
    const auto [end, wrong] = std::from_chars(nargs.text.data(), nargs.text.data() + nargs.text.size(), number);
    if (wrong != std::errc() || *end != '\0' || number < 1 || number > 100)
      return "`nargs` is not a number from 1 to 100";
    argument.least_items = argument.most_items = number;
    argument.form = many;
  } else if (nargs.kind == Kind::String && nargs.text == "?") {
    argument.required = false;
  } else if (nargs.kind == Kind::String && (nargs.text == "*" || nargs.text == "+")) {
    argument.form = many;
    argument.least_items = nargs.text == "+" ? 1 : 0;
    argument.required = argument.required && nargs.text == "+";
  } else if (nargs.text == "..." || nargs.text.ends_with("REMAINDER")) {
    if (optional) return "an option consumes the rest of the line";
    argument.form = Form::Rest;
    argument.required = false;
  } else {
    return "`nargs` is computed at run time";
  }
  return "";
}

// Reads form and type. Returns why they cannot be read, or "-" for an argument that only prints.
std::string shape(Argument& argument, const PythonKeywords& named) {
  const auto value_of = [&](const char* keyword) {
    const auto found = named.find(keyword);
    return found == named.end() ? PythonValue{Kind::None, "", {}} : found->second;
  };
  const PythonValue action = value_of("action"), nargs = value_of("nargs");
  const bool optional = !argument.option.empty();
  if (action.kind == Kind::String) {
    if (action.text == "help" || action.text == "version") return "-";
    if (action.text == "count") {
      argument.form = Form::Count;
    } else if (action.text == "append" || action.text == "extend") {
      argument.form = action.text == "append" ? Form::Repeated : Form::List;
    } else if (action.text.starts_with("store_") || action.text == "append_const") {
      argument.form = Form::Flag;
    } else if (action.text != "store") {
      return "the action `" + action.text.substr(0, 40) + "` is unknown";
    }
  } else if (action.kind == Kind::Name && action.text.ends_with("BooleanOptionalAction") &&
             argument.option.starts_with("--")) {
    argument.form = Form::Switch;
    argument.off_option = "--no-" + argument.option.substr(2);
  } else if (action.kind != Kind::None) {
    return "the program defines the action itself";
  }
  if (!optional && argument.form != Form::Positional) return "an action without an option";
  return count(argument, nargs, optional);
}

// Reads type=Path, and type=argparse.FileType('w'), which is not a literal.
void file_type(Argument& argument, const std::vector<PythonToken>& tokens, std::size_t at) {
  for (std::size_t end = std::min(at + 4, tokens.size()); at < end; ++at) {
    if (tokens[at].is("Path") && argument.path == PathUse::None) argument.path = PathUse::Reads;
    if (!tokens[at].is("FileType")) continue;
    argument.path = PathUse::Reads;
    if (at + 1 >= tokens.size() || !tokens[at + 1].is("(")) return;
    for (const PythonArgument& part : python_arguments(tokens, at + 1)) {
      const PythonValue mode = python_value(tokens, part.begin, part.end);
      const bool is_mode = part.keyword.empty() || part.keyword == "mode";
      if (is_mode && mode.kind == Kind::String && mode.text.find_first_of("wax+") != std::string::npos)
        argument.path = PathUse::Writes;
    }
    return;
  }
}

void read_choices(Argument& argument, const PythonValue& choices) {
  if (choices.kind != Kind::List || choices.items.size() > 100) return;
  std::vector<std::string> texts;
  std::size_t bytes = 0;
  for (const PythonValue& choice : choices.items) {
    if ((bytes += choice.text.size()) > kMostTextBytes) return;
    bool integer = false;
    const std::string number = choice.kind == Kind::Number ? json_number(choice.text, integer) : "";
    if (choice.kind == Kind::String && argument.type == "string")
      texts.push_back(json_string(choice.text));
    else if (!number.empty() && argument.type != "string")
      texts.push_back(number);
    else
      return;  // the caller would write another value
  }
  argument.choices = std::move(texts);
}

// Uses a default for the schema only if a caller could write the same value.
void read_fallback(Argument& argument, const PythonValue& value) {
  if ((argument.form != Form::Value && argument.form != Form::Positional) || value.text.size() > kMostTextBytes) return;
  bool integer = false;
  const std::string number = value.kind == Kind::Number ? json_number(value.text, integer) : "";
  if (argument.type == "string" && value.kind == Kind::String && !value.text.empty() && value.text != "-" &&
      !value.text.starts_with('/') && !value.text.starts_with('~') && value.text != ".")
    argument.fallback = json_string(value.text);
  else if (!number.empty() && (argument.type == "number" || (argument.type == "integer" && integer)))
    argument.fallback = number;
  else
    return;
  const bool offered = argument.choices.empty() || std::find(argument.choices.begin(), argument.choices.end(),
                                                             argument.fallback) != argument.choices.end();
  if (!offered) argument.fallback.clear();
}

void describe(Argument& argument, const PythonKeywords& named, bool exclusive, const std::vector<PythonToken>& tokens,
              std::size_t at) {
  if (const auto required = named.find("required"); required != named.end() && !argument.option.empty())
    argument.required = required->second.kind == Kind::True;
  if (exclusive) argument.required = false;  // only the group requires one; the caller chooses which
  const auto type = named.find("type");
  if (type != named.end() && type->second.kind == Kind::Name && argument.has_value()) {
    if (type->second.text == "int") argument.type = "integer";
    if (type->second.text == "float") argument.type = "number";
  }
  const auto fallback = named.find("default");
  argument.help = help_text(keyword_text(named, "help"), fallback == named.end() ? "None" : shown(fallback->second));
  if (const auto choices = named.find("choices"); choices != named.end() && argument.has_value())
    read_choices(argument, choices->second);
  if (fallback != named.end() && !exclusive) read_fallback(argument, fallback->second);
  argument.path = path_use_of(argument);
  if (type == named.end()) return;
  for (const PythonArgument& part : python_arguments(tokens, at + 1))
    if (part.keyword == "type") file_type(argument, tokens, part.begin);
}

}  // namespace

PythonKeywords python_keywords(const std::vector<PythonToken>& tokens, std::size_t open,
                               std::vector<PythonValue>* others) {
  PythonKeywords named;
  for (const PythonArgument& argument : python_arguments(tokens, open)) {
    PythonValue value = python_value(tokens, argument.begin, argument.end);
    if (!argument.keyword.empty())
      named[argument.keyword] = std::move(value);
    else if (others != nullptr)
      others->push_back(std::move(value));
  }
  return named;
}

std::string keyword_text(const PythonKeywords& named, const char* keyword) {
  const auto found = named.find(keyword);
  return found == named.end() || found->second.kind != Kind::String ? "" : found->second.text;
}

AddedArgument read_add_argument(const std::vector<PythonToken>& tokens, std::size_t at, bool exclusive) {
  std::vector<PythonValue> names;
  const PythonKeywords named = python_keywords(tokens, at + 1, &names);
  for (const PythonValue& name : names)
    if (name.kind != Kind::String || name.text.empty()) return {{}, "the argument's name is computed at run time"};
  if (names.empty() && !named.contains("dest")) return {{}, "the argument has no name"};
  Argument argument;
  argument.line = tokens[at].line;
  argument.column = tokens[at].column;
  name_it(argument, names, named);
  std::string why = shape(argument, named);
  if (why == "-") return {};
  if (!why.empty()) return {{}, std::move(why)};
  describe(argument, named, exclusive, tokens, at);
  return {std::move(argument), ""};
}

}  // namespace band::client
