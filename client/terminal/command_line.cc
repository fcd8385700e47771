#include "client/terminal/command_line.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "client/terminal/nearest.h"
#include "client/terminal/verbs.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

Status set_once(std::optional<std::string>& slot, std::string_view flag, std::string value) {
  if (slot) return usage("--" + std::string(flag) + " is given twice", "write it once");
  slot = std::move(value);
  return done();
}

// Flags that can be repeated.
constexpr std::pair<std::string_view, std::vector<std::string> CommandLine::*> kLists[] = {
    {"skills", &CommandLine::skills}, {"cli", &CommandLine::cli},     {"net", &CommandLine::net},
    {"read", &CommandLine::read},     {"write", &CommandLine::write}, {"env", &CommandLine::env},
    {"limit", &CommandLine::limits},  {"with", &CommandLine::with}};

// Flags with one value.
constexpr std::pair<std::string_view, std::optional<std::string> CommandLine::*> kValues[] = {
    {"input", &CommandLine::input},
    {"workspace", &CommandLine::workspace},
    {"env-file", &CommandLine::env_file},
    {"keep-partial", &CommandLine::keep_partial},
    {"log", &CommandLine::log},
    {"target", &CommandLine::target},
    {"band", &CommandLine::band},
    {"name", &CommandLine::name},
    {"cpus", &CommandLine::cpus},
    {"memory", &CommandLine::memory},
    {"disk", &CommandLine::disk},
    {"drain", &CommandLine::drain},
    {"to", &CommandLine::to},
    {"filter", &CommandLine::filter},
    {"jobs", &CommandLine::jobs},
    {"junit", &CommandLine::junit},
    {"runs", &CommandLine::runs},
    {"output", &CommandLine::output}};

// Flags without a value.
constexpr std::pair<std::string_view, bool CommandLine::*> kSwitches[] = {{"tty", &CommandLine::tty},
                                                                          {"write-back", &CommandLine::write_back},
                                                                          {"replace", &CommandLine::replace},
                                                                          {"stdin", &CommandLine::standard_input},
                                                                          {"token-stdin", &CommandLine::token_stdin},
                                                                          {"force", &CommandLine::force},
                                                                          {"offline", &CommandLine::offline},
                                                                          {"apply", &CommandLine::apply},
                                                                          {"json", &CommandLine::json},
                                                                          {"dry-run", &CommandLine::dry_run},
                                                                          {"explain", &CommandLine::explain},
                                                                          {"purge", &CommandLine::purge},
                                                                          {"remove", &CommandLine::remove},
                                                                          {"help", &CommandLine::help},
                                                                          {"version", &CommandLine::version}};

bool gathers_inputs(std::string_view verb, std::string_view flag) { return verb == "learn" && flag == "input"; }

Status set_flag(CommandLine& line, std::string_view flag, std::string value) {
  if (gathers_inputs(line.verb, flag)) return line.inputs.push_back(std::move(value)), done();
  for (const auto& [name, slot] : kValues)
    if (flag == name) return set_once(line.*slot, flag, std::move(value));
  for (const auto& [name, list] : kLists)
    if (flag == name) return (line.*list).push_back(std::move(value)), done();
  for (const auto& [name, on] : kSwitches)
    if (flag == name) return line.*on = true, done();
  if (flag == "quiet") return line.verbosity = Verbosity::Quiet, done();
  if (flag == "verbose") return line.verbosity = Verbosity::Verbose, done();
  return Error{.code = Code::Internal, .doing = "--" + std::string(flag) + " is in the table of flags, but not parsed"};
}

Error unknown_verb(const std::string& word) {
  std::vector<std::string> names;
  for (const VerbInfo& verb : verbs())
    if (verb.group != VerbGroup::Hidden) names.emplace_back(verb.name);
  return usage("there is no command `band " + word + "`",
               did_you_mean(word, names, "band ", "`band --help` lists the commands"));
}

Error unknown_flag(const std::string& word, const VerbInfo* verb) {
  const std::vector<std::string> names = flags_of(verb == nullptr ? "" : verb->name);
  const std::string command = verb == nullptr ? "band" : "band " + std::string(verb->name);
  return usage("`" + command + "` has no flag " + word, did_you_mean(word.substr(word.find_first_not_of('-')), names,
                                                                     "--", "`" + command + " --help` lists its flags"));
}

// Parses the words of one command line, from left to right.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& words) : words_(words) {}

  Result<CommandLine> parse() {
    for (; at_ < words_.size() && line_.command.empty(); ++at_) BAND_CHECK(word(words_[at_]));
    BAND_CHECK(flag_before_script());
    return std::move(line_);
  }

 private:
  Status word(const std::string& word) {
    if (word == "-h") return set_flag(line_, "help", "");
    if (is_exec() && word == "-t") return set_flag(line_, "tty", "");
    if (is_exec() && (word == "-it" || word == "-ti" || word == "-i" || word == "--stdin"))
      return usage("`band exec` has no flag " + word,
                   "standard input is always passed; with -t, the command has a terminal");
    if (is_exec() && (word == "--" || !word.starts_with('-'))) return command(word);
    if (word == "--" && verb_ != nullptr && verb_->name == "why") return question();
    if (word == "--" && verb_ != nullptr && verb_->name == "complete") return command(word);
    if (word == "-V" && verb_ == nullptr) return set_flag(line_, "version", "");
    if (word.starts_with("--") && word.size() > 2) return flag(word);
    const bool of_a_script = is_run() && !line_.arguments.empty();  // then `-5` may be a parameter's value
    if (word.starts_with("-") && word.size() > 1 && !of_a_script) return unknown_flag(word, verb_);
    return plain(word);
  }

  // `band run --dryrun hello/greet`: an unknown flag before the script's name is probably mistyped.
  Status flag_before_script() const {
    if (!is_run() || !line_.arguments.empty() || line_.parameters.empty() || line_.help) return done();
    const std::string& first = line_.parameters.front();
    const std::string name = first.substr(2, std::min(first.find('='), first.size()) - 2);
    if (nearest(name, flags_of(verb_->name)).empty()) return done();
    return unknown_flag("--" + name, verb_);
  }

  // Verbs with a script and its parameters.
  bool is_run() const { return verb_ != nullptr && takes_script(verb_->name); }
  bool is_exec() const { return verb_ != nullptr && verb_->name == "exec"; }

  // The command begins; all further words belong to it.
  Status command(const std::string& word) {
    const std::size_t from = at_ + (word == "--" ? 1 : 0);
    line_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(from), words_.end());
    at_ = words_.size();
    return done();
  }

  // For `why`: the words after `--` are the command line in question.
  Status question() {
    BAND_CHECK(command("--"));
    if (line_.command.empty()) return usage("no command follows `--`", "write it, as in -- gh repo delete x");
    return done();
  }

  Status flag(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
    const FlagInfo* info = find_flag(verb_, name);
    if (info == nullptr) {
      if (!is_run()) return unknown_flag("--" + name, verb_);
      line_.parameters.push_back(word);
      return done();
    }
    if (info->value.empty()) {
      if (equals == std::string::npos) return set_flag(line_, name, "");
      return usage(
          "--" + name + " does not accept a value",
          is_run() ? "band's own flags have precedence over parameters of the same name; set the parameter with --input"
                   : "write --" + name + " alone");
    }
    if (equals != std::string::npos) return set_flag(line_, name, word.substr(equals + 1));
    if (at_ + 1 >= words_.size())
      return usage("--" + name + " needs a value", "write --" + name + " " + std::string(info->value));
    return set_flag(line_, name, words_[++at_]);
  }

  Status plain(const std::string& word) {
    if (verb_ == nullptr) {
      verb_ = find_verb(word);
      if (verb_ == nullptr) return unknown_verb(word);
      line_.verb = word;
    } else if (is_run() && !(line_.arguments.empty() && line_.parameters.empty())) {
      // After the script's name; in `band run --name World hello/greet` it may be a parameter's value.
      line_.parameters.push_back(word);
    } else if (verb_->name == "login") {  // the message does not quote the word, which may be a token
      return usage(
          "`band login` reads the token from standard input",
          "run `band login < FILE`, or run `band login` and paste the token; a token that was passed as an argument is "
          "in the shell's history, and was visible to every user: create a new token with `band token add`");
    } else if (verb_->arguments.empty()) {
      return usage("`band " + line_.verb + "` does not accept `" + word + "`",
                   "`band " + line_.verb + " --help` shows its arguments");
    } else {
      line_.arguments.push_back(word);
    }
    return done();
  }

  const std::vector<std::string>& words_;
  std::size_t at_ = 0;
  const VerbInfo* verb_ = nullptr;
  CommandLine line_;
};

}  // namespace

Result<int> number_of_flag(std::string_view flag, std::string_view given, int least, int most, std::string_view unit) {
  int number = 0;
  const auto [end, wrong] = std::from_chars(given.data(), given.data() + given.size(), number);
  if (wrong == std::errc() && end == given.data() + given.size() && number >= least && number <= most) return number;
  std::string doing = "--";
  doing.append(flag).append(" ").append(given).append(" is not a whole number");
  if (!unit.empty()) doing.append(" of ").append(unit);
  doing.append(" from " + std::to_string(least) + " to " + std::to_string(most));
  return usage(doing, "for example: --" + std::string(flag) + " " + std::to_string(least));
}

bool can_repeat(std::string_view verb, std::string_view flag) {
  return gathers_inputs(verb, flag) ||
         std::any_of(std::begin(kLists), std::end(kLists), [&](const auto& list) { return list.first == flag; });
}

Result<CommandLine> parse_command_line(const std::vector<std::string>& words) { return Parser(words).parse(); }

}  // namespace band::client
