// The files of one script: run.sh and its schemas. Of the untrusted script, run.sh contains only names that is_safe(),
// is_plain_file() and is_plain_path() have accepted; its other texts are only in JSON strings.
#include <algorithm>
#include <cctype>

#include "client/convert/script.h"
#include "client/convert/templates.h"
#include "schemas/core/join.h"
#include "schemas/core/json_text.h"
#include "schemas/core/letter_case.h"

namespace band::client {
namespace {

using Form = Argument::Form;

// jq 1.6 reads numbers as doubles: outside these bounds the script would get another integer.
constexpr const char* kExactIntegers = R"("minimum": -9007199254740991, "maximum": 9007199254740991)";
// Rejects values that the script would read as an option. (RE2 has no look-ahead.)
constexpr const char* kNoOption = R"re("pattern": "^([^-]|$)")re";

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::string option_words(const Argument& argument) {
  const std::string name = "." + argument.property, option = "\"" + argument.option + "\"";
  switch (argument.form) {
    case Form::Flag:
      return "(if " + name + " then " + option + " else empty end)";
    case Form::Switch:
      return "(" + name + " | if . == true then " + option + " elif . == false then \"" + argument.off_option +
             "\" else empty end)";
    case Form::Count:
      return "(" + name + " | values | range(.) | " + option + ")";
    case Form::List:
      return "(" + name + " | values | " + option + ", .[])";
    default:
      break;
  }
  const std::string each = name + " | values" + (argument.form == Form::Repeated ? " | .[]" : "");
  if (argument.joined) return "(" + each + " | \"" + argument.option + "=\\(.)\")";
  if (argument.attached)
    return "(" + each + " | tostring | if startswith(\"-\") then \"" + argument.option + "\\(.)\" else " + option +
           ", . end)";
  return "(" + each + " | " + option + ", .)";
}

std::string positional_words(const Argument& argument) {
  return "(." + argument.property + " | values" + (argument.is_positional_list() ? " | .[]" : "") + ")";
}

bool may_begin_with_dash(const NewScript& script, const Argument& argument) {
  if (script.generic || argument.form == Form::Rest) return true;
  const std::string& source = script.found->arguments.source;  // scripts of these kinds have no options
  if (source == "sys.argv" || source == "$1") return true;
  if (argument.is_positional()) return script.form.knows_end_of_options;
  if (argument.form == Form::List) return false;
  return !script.strict;
}

// Returns the members of a value's schema, without braces.
std::string value_schema(const NewScript& script, const Argument& argument) {
  std::string text = "\"type\": \"" + argument.type + "\"";
  if (!argument.choices.empty()) return text + ", \"enum\": [" + join(argument.choices, ", ") + "]";
  if (argument.type == "integer") text += std::string(", ") + kExactIntegers;
  if (argument.type == "string" && !may_begin_with_dash(script, argument)) text += std::string(", ") + kNoOption;
  return text;
}

std::string property_schema(const NewScript& script, const Argument& argument) {
  std::string text;
  switch (argument.form) {
    case Form::Flag:
    case Form::Switch:
      text = R"("type": "boolean")";
      break;
    case Form::Count:
      text = R"("type": "integer", "minimum": 0, "maximum": 10)";
      break;
    default:
      text = value_schema(script, argument);
  }
  if (argument.is_list()) {
    text = R"("type": "array", "items": {)" + text + "}";
    if (argument.least_items > 0) text += ", \"minItems\": " + std::to_string(argument.least_items);
    text += ", \"maxItems\": " + std::to_string(argument.most_items > 0 ? argument.most_items : 1000);
  }
  std::string help = one_line(argument.help, 500);
  if (const std::string value = argument.schema_default(); !value.empty())
    text += ", \"default\": " + value;
  else if (!argument.fallback.empty())
    help += (help.empty() ? "" : "; ") + ("the script's default: " + one_line(argument.fallback));
  if (!help.empty()) text += ", \"description\": " + json_string(help);
  return "    " + json_string(argument.property) + ": {" + text + "}";
}

// An optional positional argument can only be given together with those before it.
std::string dependencies(const std::vector<const Argument*>& arguments) {
  std::vector<std::string> lines, optional;
  for (const Argument* argument : arguments) {
    if (!argument->is_positional()) continue;
    if (!optional.empty())
      lines.push_back("    " + json_string(argument->property) + ": [" + join(optional, ", ") + "]");
    if (!argument->required && !argument->is_positional_list() && argument->schema_default().empty())
      optional.push_back(json_string(argument->property));
  }
  return join(lines, ",\n");
}

// Returns a value that matches the schema; the property's name in capitals if that matches.
std::string example_value(const Argument& argument) {
  if (!argument.choices.empty()) {
    const std::string& first = argument.choices[0];
    std::string text = first.starts_with('"') ? first.substr(1, first.size() - 2) : first;
    const auto plain = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; };
    if (std::all_of(text.begin(), text.end(), plain)) return text;
  }
  if (argument.form == Form::Count || argument.type == "integer") return "1";
  if (argument.type == "number") return "1.5";
  return upper_case(argument.property);
}

// Writes `--` only if it is needed, because some scripts read the arguments themselves. It is needed before a value
// that begins with `-`, and after an option that consumes all words up to the next option.
std::string end_of_options(const NewScript& script, const std::vector<std::string>& positionals) {
  std::string needed = "(tostring | startswith(\"-\"))";
  for (const Argument& argument : script.form.arguments)
    if (argument.takes_words_behind()) needed += " or $input." + argument.property + " != null";
  return "(. as $input | if any(" + join(positionals, ", ") + "; " + needed + ") then \"--\" else empty end)";
}

constexpr const char* kSchemaBegin = "{\n  \"$schema\": \"http://json-schema.org/draft-07/schema#\",\n";

}  // namespace

std::string words_filter(const NewScript& script) {
  std::vector<std::string> parts, positionals;
  // Options that consume all words after them are first; a required option then ends them (check_order, argparse.cc).
  for (const bool takes : {true, false})
    for (const Argument& argument : script.form.before)
      if (argument.takes_words_behind() == takes) parts.push_back(option_words(argument));
  if (!script.form.command.empty()) parts.push_back("\"" + script.form.command + "\"");
  const Argument* rest = nullptr;
  for (const Argument& argument : script.form.arguments) {
    if (argument.form == Form::Rest)
      rest = &argument;
    else if (argument.is_positional())
      positionals.push_back(positional_words(argument));
    else
      parts.push_back(option_words(argument));
  }
  if (!positionals.empty() && script.form.knows_end_of_options) parts.push_back(end_of_options(script, positionals));
  parts.insert(parts.end(), positionals.begin(), positionals.end());
  if (rest != nullptr) parts.push_back(positional_words(*rest));
  return join(parts, ",\n  ");
}

std::string input_schema_text(const NewScript& script) {
  std::vector<std::string> properties, required;
  const std::vector<const Argument*> arguments = script.arguments();
  for (const Argument* argument : arguments) {
    properties.push_back(property_schema(script, *argument));
    if (argument->required) required.push_back(json_string(argument->property));
  }
  if (script.stdin_property)
    properties.emplace_back(
        R"(    "stdin": {"type": "string", "description": "the standard input of the script; with `--stdin`, band passes the caller's standard input"})");
  std::string text = kSchemaBegin + ("  \"title\": " + json_string(script.description())) +
                     ",\n  \"type\": \"object\",\n  \"additionalProperties\": false,\n";
  if (!required.empty()) text += "  \"required\": [" + join(required, ", ") + "],\n";
  if (const std::string needs = dependencies(arguments); !needs.empty())
    text += "  \"dependencies\": {\n" + needs + "\n  },\n";
  if (properties.empty()) return text + "  \"properties\": {}\n}\n";
  return text + "  \"properties\": {\n" + join(properties, ",\n") + "\n  }\n}\n";
}

std::string output_schema_text(const NewScript& script) {
  const std::string file = json_string("the text that " + script.found->file + " prints");
  if (script.found->facts.prints_json)
    return kSchemaBegin +
           ("  \"title\": " + json_string("The output of " + script.found->file +
                                          ": its JSON, or {\"text\": ...} if it prints something else")) +
           ",\n  \"type\": [\"object\", \"array\"]\n}\n";
  return kSchemaBegin +
         std::string(
             "  \"type\": \"object\",\n  \"additionalProperties\": false,\n  \"required\": [\"text\"],\n  "
             "\"properties\": {\n") +
         "    \"text\": {\"type\": \"string\", \"description\": " + file + "}\n  }\n}\n";
}

std::string run_text(const NewScript& script) {
  std::string text(convert_template("run.sh.in"));
  const std::string filter = words_filter(script);
  std::vector<std::string> written;
  for (const Argument* argument : script.arguments()) {
    if (argument->path != PathUse::Writes) continue;
    const std::string path = default_path(*argument);
    written.push_back("(." + argument->property + (path.empty() ? " | values" : " // \"" + path + "\"") +
                      (argument->is_list() ? " | .[]" : "") + ")");
  }
  replace_all(text, "@DIRECTORIES@", written.empty() ? "" : "directories_of '" + join(written, ", ") + "'\n");
  replace_all(text, "@ARGUMENTS@", filter.empty() && written.empty() ? "" : "words_of '\n  " + filter + "\n'\n");
  replace_all(text, "@STDIN@", script.stdin_property ? "stdin_of_input\n" : "");
  replace_all(text, "@CALL@", script.found->facts.prints_json ? "call_for_json" : "call_for_text");
  replace_all(text, "@INTERPRETER@", script.found->interpreter.command);
  replace_all(text, "@FILE@", script.found->file);
  return text;
}

std::string example_call(const NewScript& script, const std::string& skill) {
  std::string text = "band call " + skill + "/" + script.name;
  if (script.generic) return text + " --input '{\"args\": [\"...\"]}'";
  std::vector<const Argument*> all = script.arguments();
  std::stable_partition(all.begin(), all.end(), [](const Argument* argument) { return argument->required; });
  std::size_t shown = 0;
  for (const Argument* argument : all) {
    if (++shown > 8) return text + " ...";
    std::string flag = argument->property;
    std::replace(flag.begin(), flag.end(), '_', '-');
    const std::string value = example_value(*argument);
    flag.insert(0, "--");
    if (argument->has_value() || argument->form == Form::Count) flag.append(" ").append(value);
    text.append(argument->required ? " " : " [").append(flag).append(argument->required ? "" : "]");
  }
  return text;
}

}  // namespace band::client
