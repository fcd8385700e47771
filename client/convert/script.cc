#include "client/convert/script.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "client/convert/argparse.h"
#include "client/convert/argv.h"
#include "client/convert/shell_arguments.h"
#include "client/convert/usage.h"
#include "schemas/core/json_text.h"
#include "schemas/core/utf8.h"

namespace band::client {
namespace {

using Form = Argument::Form;

bool is_word(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](unsigned char c) {
    return (c < 0x80 && std::isalnum(c) != 0) || more.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

// Returns true when the names are safe in run.sh, where they are in single quotes and in strings of jq.
bool is_safe(const std::string& option) {
  if (option.empty()) return true;
  const std::size_t begin = option.find_first_not_of('-');
  return option.size() <= 64 && begin != std::string::npos && begin >= 1 && begin <= 2 &&
         is_word(option.substr(begin), "_-.");
}

bool is_safe(const CallForm& form) {
  const auto safe = [](const Argument& argument) { return is_safe(argument.option) && is_safe(argument.off_option); };
  const bool command = form.command.empty() || (is_word(form.command, "_-.:") && form.command[0] != '-');
  return command && std::all_of(form.before.begin(), form.before.end(), safe) &&
         std::all_of(form.arguments.begin(), form.arguments.end(), safe);
}

ReadArguments by_usage(const Usage& usage) {
  ReadArguments found;
  if (!usage.readable) return found;
  found.source = "usage";
  found.forms.push_back({"", "", {}, usage.arguments, false});
  return found;
}

ReadArguments python_arguments_of(const std::vector<PythonToken>& tokens, const std::string& file) {
  ReadArguments found = read_argparse(tokens);
  if (!found.source.empty() || !found.why_not.empty()) return found;
  std::string texts;
  bool argv = false, others = false;
  for (const PythonToken& token : tokens) {
    if (token.kind == PythonToken::Kind::String && texts.size() < (64u << 10)) texts += token.text + "\n";
    argv = argv || token.is("argv");
    others = others || token.is("click") || token.is("typer") || token.is("fire") || token.is("docopt") ||
             token.is("optparse");
  }
  if (others) {
    found.why_not = "the program parses them with a library other than argparse";
    return found;
  }
  if (!argv) {
    found.source = "none";
    found.forms.push_back({"", "", {}, {}, false});
    return found;
  }
  ReadArguments by_text = by_usage(read_usage(texts, file));
  return by_text.forms.empty() ? read_argv(tokens) : by_text;
}

// Finds `> "$output"`: the script writes the file that the argument `output` names.
void note_writes(CallForm& form, const ShellReading& reading) {
  for (Argument& argument : form.arguments)
    for (const ShellRedirection& redirection : reading.redirections) {
      const bool writes = redirection.operation.find('>') != std::string::npos;
      const std::string& target = redirection.target.text;
      if (writes && (target == "$" + argument.property || target == "${" + argument.property + "}"))
        argument.path = PathUse::Writes;
    }
}

void name_properties(const std::vector<Argument*>& arguments, const std::set<std::string>& flags,
                     const std::string& file, std::vector<Diagnostic>& notes) {
  std::set<std::string> names{"stdin"};
  for (Argument* argument : arguments) {
    std::string kebab = argument->property;
    std::replace(kebab.begin(), kebab.end(), '_', '-');
    if (flags.contains(kebab) || argument->property == "stdin") {
      argument->property.insert(0, "script_");
      std::string what = "band itself has the flag --";
      what.append(kebab).append("; therefore the property is called `").append(argument->property).append("`");
      notes.push_back(
          {"scripts/" + file, argument->line, argument->column, std::move(what), "call it as --script-" + kebab});
    }
    const std::string base = argument->property;
    for (int number = 2; !names.insert(argument->property).second; ++number)
      argument->property = base + "_" + std::to_string(number);
  }
}

}  // namespace

std::optional<Interpreter> interpreter_of(const std::string& path, const std::string& content, std::string& why) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  const std::string ending = dot == std::string::npos || dot == 0 ? "" : name.substr(dot + 1);
  std::string first = content.starts_with("#!") ? content.substr(2, content.find('\n') - 2) : "";
  const auto has = [&](const char* word) { return first.find(word) != std::string::npos; };
  if (ending == "py" || (ending.empty() && has("python"))) {
    if (has("python2")) return why = "it is written for Python 2", std::nullopt;
    return Interpreter{Language::Python, "python3"};
  }
  if (ending == "sh" || ending == "bash" || (ending.empty() && has("sh"))) {
    for (const char* other : {"zsh", "fish", "ksh", "csh"})
      if (has(other)) return why = std::string("it is written for ") + other + ", which no sandbox has", std::nullopt;
    return Interpreter{Language::Shell, has("bash") || first.empty() ? "bash" : "sh"};
  }
  if (ending == "js" || ending == "mjs" || ending == "cjs" || (ending.empty() && has("node")))
    return Interpreter{Language::Node, "node"};
  if (ending == "rb" || (ending.empty() && has("ruby"))) return Interpreter{Language::Ruby, "ruby"};
  if (ending == "pl" || (ending.empty() && has("perl"))) return Interpreter{Language::Perl, "perl"};
  if (ending == "ts" || ending == "ps1" || ending == "go" || ending == "lua" || ending == "php" || ending == "R")
    why = "`band convert` does not support scripts with the extension ." + ending;
  return std::nullopt;
}

FoundScript read_script(const std::string& file, const std::string& content, const Interpreter& interpreter,
                        const std::set<std::string>& neighbours) {
  FoundScript found{file, interpreter, {}, {}};
  const std::string name = file.substr(file.rfind('/') + 1);
  if (interpreter.language == Language::Python) {
    const std::vector<PythonToken> tokens = python_tokens(content);
    std::set<std::string> modules;
    for (const std::string& neighbour : neighbours) {
      const bool python = neighbour.ends_with(".py");
      if (python || neighbour.find('.') == std::string::npos)
        modules.insert(python ? neighbour.substr(0, neighbour.size() - 3) : neighbour);
    }
    found.facts = python_facts(tokens, modules);
    found.arguments = python_arguments_of(tokens, name);
  } else if (interpreter.language == Language::Shell) {
    const std::vector<ShellToken> tokens = shell_tokens(content);
    const ShellReading reading = read_shell(content);
    found.facts = shell_facts(reading, tokens, neighbours);
    found.arguments = read_shell_arguments(tokens, reading.functions, read_usage(shell_help_text(tokens), name));
    for (CallForm& form : found.arguments.forms) note_writes(form, reading);
    const bool none = found.arguments.forms.empty() && found.arguments.why_not.empty();
    if (none && content.find("$@") == std::string::npos && content.find("$*") == std::string::npos) {
      found.arguments.source = "none";
      found.arguments.forms.push_back({"", "", {}, {}, false});
    }
  } else {
    found.facts = plain_facts(content, interpreter.language);
    found.arguments.why_not = "`band convert` cannot read the arguments of a script for " + interpreter.command;
    if (ReadArguments by_text = by_usage(read_usage(content, name)); !by_text.forms.empty())
      found.arguments = std::move(by_text);
  }
  for (const CallForm& form : found.arguments.forms) {
    if (is_safe(form)) continue;
    found.arguments = {{}, found.arguments.description, "", "an option or a subcommand has an unusual name", 0, 0};
    break;
  }
  return found;
}

std::vector<NewScript> new_scripts(const FoundScript& found, const std::string& name,
                                   const std::set<std::string>& flags, std::vector<Diagnostic>& notes) {
  std::vector<NewScript> scripts;
  std::vector<CallForm> forms = found.arguments.forms;
  const bool generic = forms.empty();
  if (generic) {
    Argument args;
    args.form = Form::Rest;
    args.property = "args";
    args.help = "the arguments of " + found.file + ", one by one";
    forms.push_back({"", "", {}, {std::move(args)}, false});
  }
  for (CallForm& form : forms) {
    NewScript script{
        name, std::move(form), generic, found.arguments.source == "usage", found.facts.reads_stdin || generic, &found};
    if (!script.form.command.empty()) script.name += "-" + script.form.command;
    std::vector<Argument*> all;
    for (Argument& argument : script.form.before) all.push_back(&argument);
    for (Argument& argument : script.form.arguments) all.push_back(&argument);
    name_properties(all, flags, found.file, notes);
    scripts.push_back(std::move(script));
  }
  return scripts;
}

std::string NewScript::description() const {
  for (const std::string* text : {&form.description, &found->arguments.description, &found->facts.description})
    if (std::string line = one_line(*text); !line.empty()) return line;
  return "Runs " + found->file;
}

std::vector<const Argument*> NewScript::arguments() const {
  std::vector<const Argument*> all;
  for (const Argument& argument : form.before) all.push_back(&argument);
  for (const Argument& argument : form.arguments) all.push_back(&argument);
  return all;
}

std::string workspace_path(std::string path) {
  if (path.starts_with("./")) path.erase(0, 2);
  const std::string segments = "/" + path + "/";  // a rule must not have an empty segment or `.`
  const bool odd = segments.find("//") != std::string::npos || segments.find("/./") != std::string::npos;
  return !odd && is_plain_path(path) ? "./" + path : "";
}

std::string default_path(const Argument& argument) {
  const std::string& json = argument.fallback;
  return json.size() < 2 || json[0] != '"' ? "" : workspace_path(json.substr(1, json.size() - 2));
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line;
  for (std::size_t at = 0; at < text.size() && line.size() < most;) {
    const Utf8Char character = utf8_at(text, at);
    const bool shown = character.valid && character.code > 0x20 &&
                       escaped(text.substr(at, character.bytes)) == text.substr(at, character.bytes);
    if (shown)
      line += text.substr(at, character.bytes);
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
    at += character.bytes;
  }
  while (!line.empty() && line.back() == ' ') line.pop_back();
  return line;
}

}  // namespace band::client
