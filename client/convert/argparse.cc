#include "client/convert/argparse.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "schemas/core/json_text.h"

namespace band::client {
namespace {

using Kind = PythonValue::Kind;
using Form = Argument::Form;

constexpr std::size_t kMostArguments = 200;  // of one parser
constexpr std::size_t kMostCommands = 40;
constexpr std::size_t kMostTextBytes = 4096;  // of choices, and of a default

struct Parser {
  bool is_root = false;
  std::string description;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, std::size_t>> commands;
  bool has_subparsers = false;
};

// What a name of the program stands for.
struct Object {
  std::size_t parser = 0;
  bool exclusive = false;   // a group of which one argument can be given
  bool subparsers = false;  // what add_subparsers() returned
};

// JSON's text of a Python number, or "" for one that JSON writes otherwise (0x10, 1_000, 1j).
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

// argparse's own: `%(default)s` and `%%`.
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

class Reader {
 public:
  explicit Reader(const std::vector<PythonToken>& tokens) : tokens_(tokens) {}

  ReadArguments read() {
    for (std::size_t at = 0; at + 1 < tokens_.size() && found_.why_not.empty(); ++at)
      if (tokens_[at].is_name() && tokens_[at + 1].is("(")) call(at);
    if (found_.why_not.empty()) make_forms();
    if (!found_.why_not.empty()) found_.forms.clear();
    return std::move(found_);
  }

 private:
  void give_up(std::size_t at, std::string why) {
    if (!found_.why_not.empty()) return;
    found_.why_not = std::move(why);
    found_.line = tokens_[at].line;
    found_.column = tokens_[at].column;
  }

  // ---- one call
  // -------------------------------------------------------------------------------------------------------

  void call(std::size_t at) {
    const std::string& name = tokens_[at].text;
    const bool method = at > 0 && tokens_[at - 1].is(".");
    if (name == "ArgumentParser") return new_parser(at);
    if (!method) return;
    if (name == "add_argument") return add_argument(at);
    if (name == "add_argument_group" || name == "add_mutually_exclusive_group")
      return add_group(at, name == "add_mutually_exclusive_group");
    if (name == "add_subparsers") return add_subparsers(at);
    if (name == "add_parser") return add_parser(at);
  }

  std::map<std::string, PythonValue> keywords(std::size_t at, std::vector<PythonValue>* others = nullptr) const {
    std::map<std::string, PythonValue> named;
    for (const PythonArgument& argument : python_arguments(tokens_, at + 1)) {
      PythonValue value = python_value(tokens_, argument.begin, argument.end);
      if (!argument.keyword.empty())
        named[argument.keyword] = std::move(value);
      else if (others != nullptr)
        others->push_back(std::move(value));
    }
    return named;
  }

  static std::string text_of(const std::map<std::string, PythonValue>& named, const char* keyword) {
    const auto found = named.find(keyword);
    return found == named.end() || found->second.kind != Kind::String ? "" : found->second.text;
  }

  // The name that gets the value of the call: `p` of `p = x.add_parser(...)` and of `p: X = ...`.
  std::string target(std::size_t at) const {
    std::size_t first = at;
    (void)python_dotted(tokens_, at, first);
    if (first < 2 || !tokens_[first - 1].is("=") || !tokens_[first - 2].is_name()) return "";
    std::size_t begin = first - 2;
    std::string name = python_dotted(tokens_, first - 2, begin);
    if (begin >= 2 && tokens_[begin - 1].is(":") && tokens_[begin - 2].is_name())
      name = python_dotted(tokens_, begin - 2, begin);
    return name;
  }

  const Object* receiver(std::size_t at, bool subparsers) {
    std::size_t first = 0;
    const std::string name = at >= 2 && tokens_[at - 2].is_name() ? python_dotted(tokens_, at - 2, first) : "";
    const auto found = objects_.find(name);
    if (name.empty() || found == objects_.end() || found->second.subparsers != subparsers) {
      give_up(at, "`" + tokens_[at].text + "` is called on something else than a parser with a name");
      return nullptr;
    }
    return &found->second;
  }

  void new_parser(std::size_t at) {
    const std::string name = target(at);
    if (name.empty()) return give_up(at, "the parser that is made here gets no name");
    const auto named = keywords(at);
    parsers_.push_back({true, text_of(named, "description"), {}, {}, false});
    objects_[name] = {parsers_.size() - 1, false, false};
    inherit(at, named);
  }

  // parents=[common]: their arguments are this parser's, too, and a parent parses nothing itself.
  void inherit(std::size_t at, const std::map<std::string, PythonValue>& named) {
    const auto parents = named.find("parents");
    if (parents == named.end()) return;
    if (parents->second.kind != Kind::List) return give_up(at, "`parents` is not a list of names");
    const std::size_t self = parsers_.size() - 1;
    for (const PythonValue& parent : parents->second.items) {
      const auto found = objects_.find(parent.text);
      if (parent.kind != Kind::Name || found == objects_.end() || found->second.parser == self)
        return give_up(at, "`parents` is not a list of names of parsers");
      parsers_[found->second.parser].is_root = false;
      const std::vector<Argument> inherited = parsers_[found->second.parser].arguments;
      if (inherited.size() + parsers_[self].arguments.size() > kMostArguments)
        return give_up(at, "there are more than " + std::to_string(kMostArguments) + " arguments");
      parsers_[self].arguments.insert(parsers_[self].arguments.end(), inherited.begin(), inherited.end());
    }
  }

  void add_group(std::size_t at, bool exclusive) {
    const Object* on = receiver(at, false);
    if (on == nullptr) return;
    const std::string name = target(at);
    if (name.empty()) return give_up(at, "the group that is made here gets no name");
    objects_[name] = {on->parser, exclusive || on->exclusive, false};
  }

  void add_subparsers(std::size_t at) {
    const Object* on = receiver(at, false);
    if (on == nullptr) return;
    const std::string name = target(at);
    if (name.empty() || parsers_[on->parser].has_subparsers || !parsers_[on->parser].is_root)
      return give_up(at, "these subcommands are not those of the one parser");
    parsers_[on->parser].has_subparsers = true;
    objects_[name] = {on->parser, false, true};
  }

  void add_parser(std::size_t at) {
    const Object* on = receiver(at, true);
    if (on == nullptr) return;
    const std::size_t parent = on->parser;
    std::vector<PythonValue> others;
    const auto named = keywords(at, &others);
    if (others.size() != 1 || others[0].kind != Kind::String || others[0].text.empty())
      return give_up(at, "the subcommand's name is made at run time");
    if (parsers_[parent].commands.size() == kMostCommands)
      return give_up(at, "there are more than " + std::to_string(kMostCommands) + " subcommands");
    const std::string help = text_of(named, "help");
    parsers_.push_back({false, help.empty() ? text_of(named, "description") : help, {}, {}, false});
    parsers_[parent].commands.emplace_back(others[0].text, parsers_.size() - 1);
    if (const std::string name = target(at); !name.empty()) objects_[name] = {parsers_.size() - 1, false, false};
    inherit(at, named);
  }

  // ---- add_argument
  // ---------------------------------------------------------------------------------------------------

  void add_argument(std::size_t at) {
    const Object* on = receiver(at, false);
    if (on == nullptr) return;
    if (parsers_[on->parser].arguments.size() >= kMostArguments)
      return give_up(at, "there are more than " + std::to_string(kMostArguments) + " arguments");
    std::vector<PythonValue> names;
    const auto named = keywords(at, &names);
    for (const PythonValue& name : names)
      if (name.kind != Kind::String || name.text.empty()) return give_up(at, "the argument's name is made at run time");
    if (names.empty() && !named.contains("dest")) return give_up(at, "the argument has no name");
    Argument argument;
    argument.line = tokens_[at].line;
    argument.column = tokens_[at].column;
    name_it(argument, names, named);
    const std::string why = shape(argument, named);
    if (why == "-") return;  // --help, --version: a caller needs neither
    if (!why.empty()) return give_up(at, why);
    describe(argument, named, on->exclusive, at);
    parsers_[on->parser].arguments.push_back(std::move(argument));
  }

  static void name_it(Argument& argument, const std::vector<PythonValue>& names,
                      const std::map<std::string, PythonValue>& named) {
    std::string best = names.empty() ? text_of(named, "dest") : names[0].text;
    for (const PythonValue& name : names)
      if (name.text.starts_with("--") && !best.starts_with("--")) best = name.text;
    argument.property = property_name(best);
    if (!best.starts_with('-')) return;
    argument.option = best;
    argument.form = Form::Value;
    argument.joined = best.starts_with("--");
    argument.attached = !argument.joined;
  }

  // Form and type; returns why they cannot be read, or "-" for an argument that only prints.
  static std::string shape(Argument& argument, const std::map<std::string, PythonValue>& named) {
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
      return "the action is one of the program's own";
    }
    if (!optional && !argument.has_value()) return "an action without an option";
    return count(argument, nargs, optional);
  }

  // nargs: how many values.
  static std::string count(Argument& argument, const PythonValue& nargs, bool optional) {
    const Form many = optional ? Form::List : Form::Positionals;
    argument.required = !optional;
    if (nargs.kind == Kind::None) return "";
    if (argument.form == Form::Repeated) return "`append` with `nargs`: a list of lists";
    if (nargs.kind == Kind::Number) {
      int number = 0;
      const auto [end, wrong] = std::from_chars(nargs.text.data(), nargs.text.data() + nargs.text.size(), number);
      if (wrong != std::errc() || *end != '\0' || number < 1 || number > 100) return "`nargs` is no number up to 100";
      argument.least_items = argument.most_items = number;
      argument.form = many;
    } else if (nargs.kind == Kind::String && nargs.text == "?") {
      argument.required = false;
    } else if (nargs.kind == Kind::String && (nargs.text == "*" || nargs.text == "+")) {
      argument.form = many;
      argument.least_items = nargs.text == "+" ? 1 : 0;
      argument.required = argument.required && nargs.text == "+";
    } else if (nargs.text == "..." || nargs.text.ends_with("REMAINDER")) {
      if (optional) return "an option that takes the rest of the line";
      argument.form = Form::Rest;
      argument.required = false;
    } else {
      return "`nargs` is made at run time";
    }
    return "";
  }

  void describe(Argument& argument, const std::map<std::string, PythonValue>& named, bool exclusive,
                std::size_t at) const {
    if (const auto required = named.find("required"); required != named.end() && !argument.option.empty())
      argument.required = required->second.kind == Kind::True;
    if (exclusive) argument.required = false;  // of a group one is; which one is the caller's choice
    const auto type = named.find("type");
    if (type != named.end() && type->second.kind == Kind::Name && argument.has_value()) {
      if (type->second.text == "int") argument.type = "integer";
      if (type->second.text == "float") argument.type = "number";
    }
    const auto fallback = named.find("default");
    argument.help = help_text(text_of(named, "help"), fallback == named.end() ? "None" : shown(fallback->second));
    if (const auto choices = named.find("choices"); choices != named.end() && argument.has_value())
      read_choices(argument, choices->second);
    if (fallback != named.end() && !exclusive) read_fallback(argument, fallback->second);
    argument.path = path_use_of(argument);
    if (type == named.end()) return;
    for (const PythonArgument& part : python_arguments(tokens_, at + 1))
      if (part.keyword == "type") file_type(argument, part.begin);
  }

  // type=Path, and type=argparse.FileType('w'), which is no literal.
  void file_type(Argument& argument, std::size_t at) const {
    for (std::size_t end = std::min(at + 4, tokens_.size()); at < end; ++at) {
      if (tokens_[at].is("Path") && argument.path == PathUse::None) argument.path = PathUse::Reads;
      if (!tokens_[at].is("FileType")) continue;
      argument.path = PathUse::Reads;
      if (at + 1 >= tokens_.size() || !tokens_[at + 1].is("(")) return;
      for (const PythonArgument& part : python_arguments(tokens_, at + 1)) {
        const PythonValue mode = python_value(tokens_, part.begin, part.end);
        const bool is_mode = part.keyword.empty() || part.keyword == "mode";
        if (is_mode && mode.kind == Kind::String && mode.text.find_first_of("wax+") != std::string::npos)
          argument.path = PathUse::Writes;
      }
      return;
    }
  }

  static void read_choices(Argument& argument, const PythonValue& choices) {
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
        return;  // not what the caller would write
    }
    argument.choices = std::move(texts);
  }

  // What a caller could write as well: then the schema has it as its default.
  static void read_fallback(Argument& argument, const PythonValue& value) {
    if ((argument.form != Form::Value && argument.form != Form::Positional) || value.text.size() > kMostTextBytes)
      return;
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

  // ---- the whole
  // ------------------------------------------------------------------------------------------------------

  void make_forms() {
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < parsers_.size(); ++i)
      if (parsers_[i].is_root) roots.push_back(i);
    if (roots.empty()) return;
    found_.source = "argparse";
    if (roots.size() > 1) {
      found_.why_not = "there is more than one parser";
      return;
    }
    const Parser& root = parsers_[roots[0]];
    found_.description = root.description;
    if (!root.has_subparsers) {
      found_.forms.push_back({"", "", {}, root.arguments, true});
      return;
    }
    const auto positional = [](const Argument& argument) { return argument.is_positional(); };
    if (std::any_of(root.arguments.begin(), root.arguments.end(), positional)) {
      found_.why_not = "there are positional arguments beside subcommands";
      return;
    }
    for (const auto& [command, parser] : root.commands)
      found_.forms.push_back({command, parsers_[parser].description, root.arguments, parsers_[parser].arguments, true});
    if (root.commands.empty()) found_.why_not = "the subcommands are made at run time";
  }

  const std::vector<PythonToken>& tokens_;
  std::vector<Parser> parsers_;
  std::map<std::string, Object> objects_;
  ReadArguments found_;
};

}  // namespace

ReadArguments read_argparse(const std::vector<PythonToken>& tokens) { return Reader(tokens).read(); }

}  // namespace band::client
