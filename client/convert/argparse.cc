#include "client/convert/argparse.h"

#include <algorithm>
#include <map>
#include <utility>

#include "client/convert/argparse_argument.h"

namespace band::client {
namespace {

using Kind = PythonValue::Kind;

constexpr std::size_t kMostArguments = 200;  // per parser
constexpr std::size_t kMostCommands = 40;

struct Parser {
  bool is_root = false;
  std::string description;
  std::vector<Argument> arguments;
  std::vector<std::pair<std::string, std::size_t>> commands;
  bool has_subparsers = false;
};

// The object that a name of the program refers to.
struct Object {
  std::size_t parser = 0;
  bool exclusive = false;   // a group of which only one argument can be given
  bool subparsers = false;  // the result of add_subparsers()
};

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

  PythonKeywords keywords(std::size_t at, std::vector<PythonValue>* others = nullptr) const {
    return python_keywords(tokens_, at + 1, others);
  }

  // Returns the name to which the call's result is assigned: `p` for `p = x.add_parser(...)` and `p: X = ...`.
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
      give_up(at, "`" + tokens_[at].text + "` is not called on a parser that has a name");
      return nullptr;
    }
    return &found->second;
  }

  void new_parser(std::size_t at) {
    const std::string name = target(at);
    if (name.empty()) return give_up(at, "the parser that is created here is not assigned to a name");
    const auto named = keywords(at);
    parsers_.push_back({true, keyword_text(named, "description"), {}, {}, false});
    objects_[name] = {parsers_.size() - 1, false, false};
    inherit(at, named);
  }

  // parents=[common]: this parser also gets the arguments of its parents; a parent parses nothing itself.
  void inherit(std::size_t at, const PythonKeywords& named) {
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
    if (name.empty()) return give_up(at, "the group that is created here is not assigned to a name");
    objects_[name] = {on->parser, exclusive || on->exclusive, false};
  }

  void add_subparsers(std::size_t at) {
    const Object* on = receiver(at, false);
    if (on == nullptr) return;
    const std::string name = target(at);
    if (name.empty() || parsers_[on->parser].has_subparsers || !parsers_[on->parser].is_root)
      return give_up(at, "these subcommands do not belong to the only parser");
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
      return give_up(at, "the subcommand's name is computed at run time");
    if (parsers_[parent].commands.size() == kMostCommands)
      return give_up(at, "there are more than " + std::to_string(kMostCommands) + " subcommands");
    const std::string help = keyword_text(named, "help");
    parsers_.push_back({false, help.empty() ? keyword_text(named, "description") : help, {}, {}, false});
    parsers_[parent].commands.emplace_back(others[0].text, parsers_.size() - 1);
    if (const std::string name = target(at); !name.empty()) objects_[name] = {parsers_.size() - 1, false, false};
    inherit(at, named);
  }

  void add_argument(std::size_t at) {
    const Object* on = receiver(at, false);
    if (on == nullptr) return;
    if (parsers_[on->parser].arguments.size() >= kMostArguments)
      return give_up(at, "there are more than " + std::to_string(kMostArguments) + " arguments");
    AddedArgument added = read_add_argument(tokens_, at, on->exclusive);
    if (!added.why_not.empty()) return give_up(at, std::move(added.why_not));
    if (added.argument) parsers_[on->parser].arguments.push_back(std::move(*added.argument));
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
      return check_order(found_.forms.back());
    }
    const auto positional = [](const Argument& argument) { return argument.is_positional(); };
    if (std::any_of(root.arguments.begin(), root.arguments.end(), positional)) {
      found_.why_not = "there are positional arguments in addition to subcommands";
      return;
    }
    for (const auto& [command, parser] : root.commands)
      found_.forms.push_back({command, parsers_[parser].description, root.arguments, parsers_[parser].arguments, true});
    if (root.commands.empty()) found_.why_not = "the subcommands are computed at run time";
    for (const CallForm& form : found_.forms) check_order(form);
  }

  // Checks that some order of the words gives each argument its own values. words_filter() (script_text.cc) writes `--`
  // after an option that consumes all words up to the next option. argparse does not accept `--` before a subcommand.
  // It passes the `--` on to a REMAINDER argument that has no positional argument before it.
  void check_order(const CallForm& form) {
    const auto takes = [](const Argument& argument) { return argument.takes_words_behind(); };
    const auto ends = [](const Argument& argument) {
      return argument.form == Argument::Form::Value && argument.required;
    };
    const auto before = std::find_if(form.before.begin(), form.before.end(), takes);
    if (before != form.before.end() && std::none_of(form.before.begin(), form.before.end(), ends))
      return take_words(*before, "the subcommand");
    const auto option = std::find_if(form.arguments.begin(), form.arguments.end(), takes);
    if (option == form.arguments.end()) return;
    for (const Argument& argument : form.arguments) {
      if (argument.form == Argument::Form::Rest) return take_words(*option, "those of `" + argument.property + "`");
      if (argument.is_positional() && argument.required) return;
    }
  }

  void take_words(const Argument& option, const std::string& whose) {
    found_.why_not = "the option `" + option.option + "` consumes all words after it, including " + whose;
    found_.line = option.line;
    found_.column = option.column;
  }

  const std::vector<PythonToken>& tokens_;
  std::vector<Parser> parsers_;
  std::map<std::string, Object> objects_;
  ReadArguments found_;
};

}  // namespace

ReadArguments read_argparse(const std::vector<PythonToken>& tokens) { return Reader(tokens).read(); }

}  // namespace band::client
