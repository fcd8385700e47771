#include "client/shell/wrappers.h"

#include <algorithm>
#include <iterator>

#include "client/shell/options.h"

namespace band::client {
namespace {

struct Wrapper {
  std::string_view name;
  OptionSyntax options;
  std::size_t operands = 0;  // number of its own operands before the program
};

// Short options of newer versions are included: older versions exit with an error.
constexpr Wrapper kWrappers[] = {
    {"exec", {"cla:", "help"}},
    {"command", {"pvV", "help"}},
    {"nice", {"n:", "adjustment: help version", true}},
    {"nohup", {"", "help version"}},
    {"stdbuf", {"i:o:e:", "input: output: error: help version"}},
    {"timeout", {"fk:ps:v", "kill-after: signal: preserve-status foreground verbose help version"}, 1},
    {"env",
     {"a:C:iS:u:v0",
      "argv0: ignore-environment null unset: chdir: split-string: block-signal:: default-signal:: ignore-signal:: "
      "list-signal-handling debug help version"}},
    {"time", {"af:o:pqvhV", "append format: output: portability quiet verbose help version"}},
    {"xargs",
     {"0a:d:E:e::I:i::L:l::n:oP:prs:tx",
      "null arg-file: delimiter: eof:: replace:: max-lines:: max-args: open-tty max-procs: interactive "
      "process-slot-var: no-run-if-empty max-chars: show-limits verbose exit help version"}},
};

const Wrapper* find_wrapper(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kWrappers), std::end(kWrappers), [&](const Wrapper& w) { return w.name == name; });
  return found == std::end(kWrappers) ? nullptr : found;
}

// Options with which a wrapper starts no program.
bool ends_it(std::string_view wrapper, const std::string& option) {
  if (option == "--help" || option == "--version") return true;
  if (wrapper == "command") return option == "-v" || option == "-V";
  return wrapper == "time" && (option == "-h" || option == "-V");
}

// Skips `-` and NAME=VALUE ... env treats every word with a `=` as an assignment.
void env_operands(std::span<const ShellWord> words, Wrapped& found) {
  if (found.at < words.size() && words[found.at].text == "-") {
    found.path = SearchPath::Removed;
    ++found.at;
  }
  for (; found.at < words.size() && words[found.at].text.find('=') != std::string::npos; ++found.at)
    if (words[found.at].text.starts_with("PATH=")) found.path = SearchPath::Changed;
}

void apply(std::string_view wrapper, const GivenOption& option, Wrapped& found) {
  const std::string& name = option.name;
  if (wrapper == "command" && name == "-p") found.path = SearchPath::Removed;
  if (wrapper == "env") {
    if (name == "-i" || name == "--ignore-environment") found.path = SearchPath::Removed;
    if ((name == "-u" || name == "--unset") && option.value == "PATH") found.path = SearchPath::Removed;
  }
  if (wrapper == "xargs") {
    if (name == "-I" || name == "-i" || name == "--replace")
      found.replaced = option.value.empty() ? "{}" : option.value;
  }
}

// xargs uses the last of -I, -L and -n, except -n 1.
bool limits_arguments(const GivenOptions& given) {
  return std::any_of(given.all.begin(), given.all.end(), [](const GivenOption& option) {
    for (const std::string_view name : {"-L", "-l", "-n", "--max-lines", "--max-args"})
      if (option.name == name) return true;
    return false;
  });
}

}  // namespace

bool is_wrapper(std::string_view name) { return find_wrapper(name) != nullptr; }

Wrapped wrapped(std::string_view name, std::span<const ShellWord> words) {
  Wrapped found;
  const Wrapper* wrapper = find_wrapper(name);
  if (wrapper == nullptr) return found;
  const GivenOptions given = read_options(words, wrapper->options);
  for (const GivenOption& option : given.all) {
    if (ends_it(name, option.name)) return found;
    if (name == "env" && (option.name == "-S" || option.name == "--split-string")) {
      found.kind = Wrapped::Kind::Unread;
      found.unread = option.name;
      return found;
    }
    apply(name, option, found);
  }
  found.appends = name == "xargs" && (found.replaced.empty() || limits_arguments(given));
  if (!given.unread.empty()) {
    found.kind = Wrapped::Kind::Unread;
    found.unread = given.unread;
    return found;
  }
  found.at = given.behind + wrapper->operands;
  if (name == "env") env_operands(words, found);
  if (found.at < words.size()) found.kind = Wrapped::Kind::Program;
  return found;
}

}  // namespace band::client
