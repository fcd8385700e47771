// Reads shell scripts and usage texts without running them (client/convert).
#include <doctest/doctest.h>

#include <algorithm>

#include "client/convert/facts.h"
#include "client/convert/shell_arguments.h"
#include "client/convert/usage.h"

using namespace band::client;

namespace {

// Returns a text such as "--name=VALUE:s req" for each argument.
std::string shown(const std::vector<Argument>& arguments) {
  constexpr const char* kForms[] = {"flag", "switch",     "count",       "value", "repeated",
                                    "list", "positional", "positionals", "rest"};
  std::string text;
  for (const Argument& argument : arguments)
    text += (text.empty() ? "" : " ") + argument.property +
            (argument.option.empty() ? "" : "(" + argument.option + ")") + ":" +
            kForms[static_cast<int>(argument.form)] + (argument.type == "string" ? "" : ":" + argument.type) +
            (argument.required ? "!" : "");
  return text;
}

ReadArguments shell(const std::string& text) {
  const auto tokens = shell_tokens(text);
  return read_shell_arguments(tokens, read_shell(text).functions, read_usage(shell_help_text(tokens), "x.sh"));
}

std::string arguments(const std::string& text) {
  const ReadArguments found = shell(text);
  return found.forms.empty() ? "unread: " + found.why_not : shown(found.forms[0].arguments);
}

std::string usage(const std::string& text) {
  const Usage found = read_usage(text, "x.py");
  return found.readable ? shown(found.arguments) : "unreadable";
}

std::vector<std::string> names(const std::vector<Mention>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Mention& mention : list) names.push_back(mention.name);
  return names;
}

}  // namespace

TEST_CASE("tokens distinguish quotes, expansions, comments and here-documents") {
  std::string text;
  for (const ShellToken& token : shell_tokens("a 'b c'\"$d\" $(e \")\" f) # g\ncat <<-'E' >h\n\ti $j\n\tE\nk;;"))
    text += "<" + token.raw + "|" + token.plain + ">";
  CHECK(text ==
        "<a|a><'b c'\"$d\"|b c$d><$(e \")\" f)|$(e \")\" f)><# g|><\n|><cat|cat><<<-|><'E'|E><>|><h|h><\n|><i "
        "$j\n|><k|k><;;|>");
  CHECK(shell_tokens("a\n  b").back().line == 2);
  const auto numbers =
      shell_tokens("(( n = n << 2 ))\ncat <<E\nE\n((a); b <<E)\ni\nE\nfor ((i = 1; i < 1 << 3; ++i)); do\n");
  CHECK(numbers[2].raw == " n = n << 2 ");
  CHECK(std::count_if(numbers.begin(), numbers.end(),
                      [](const ShellToken& token) { return token.kind == ShellToken::Kind::HereDocument; }) == 2);
  CHECK(std::any_of(numbers.begin(), numbers.end(), [](const ShellToken& token) { return token.is_word("do"); }));
  CHECK(shell_tokens("a\n  b").back().column == 3);
  for (const char* odd : {"'", "\"", "$(", "${", "`", "<<", "<<E", "\\", "$(\"$(\"", "case", "case x in"})
    (void)shell(odd);
}

TEST_CASE("options are read from getopts, and positional arguments from the assignments after it") {
  CHECK(arguments(R"(
while getopts ":hvn:" o; do
  case "$o" in
    h) usage; exit ;;
    v) verbose=1 ;;
    n) count=$OPTARG ;;
    *) exit 2 ;;
  esac
done
shift $((OPTIND - 1))
file="$1" out="${2:-x}"
)") == "verbose(-v):flag count(-n):value file:positional out:positional");
  CHECK(shell("while getopts n: o; do case $o in n) x=$OPTARG;; esac; done").forms[0].knows_end_of_options);
}

TEST_CASE("options with values, repeated options and the rest are read from a case loop") {
  const std::string loop = R"(
main() {
  while (($#)); do
    case $1 in
      -t | --title) title="${2:?}"; shift 2 ;;
      --tag) tags+=("$2"); shift 2 ;;
      --size=*) size=${1#*=}; shift ;;
      -f | --force) force=true ;;
      --help) usage ;;
      --) shift; break ;;
      -*) die "unknown $1" ;;
      *) files+=("$1") ;;
    esac
  done
}
main "$@"
)";
  CHECK(arguments(loop) ==
        "title(--title):value tag(--tag):repeated size(--size):value force(--force):flag files:positionals");
  CHECK(shell(loop).forms[0].arguments[2].joined);
  CHECK(shell(loop).forms[0].knows_end_of_options);
  CHECK(arguments("case $1 in start) run ;; stop) halt ;; esac") ==
        "unread: not all of `$1`, `$2` ... are assigned to variables");
}

TEST_CASE("positional parameters are read if each is assigned to a name") {
  CHECK(arguments("file=\"$1\"\ncount=${2:-10}\n") == "file:positional count:positional");
  CHECK(arguments("f() { local x=$1; echo \"$2\"; }\nfile=$1\n") == "file:positional");
  CHECK(arguments("file=$1\necho $2\n") == "unread: not all of `$1`, `$2` ... are assigned to variables");
  CHECK(arguments("pattern=$1\nshift\ngrep \"$pattern\" \"$@\"\n") ==
        "unread: not all of `$1`, `$2` ... are assigned to variables");
  CHECK(arguments("# Usage: x.sh PATTERN FILE...\ngrep -- \"$1\" \"${@:2}\"\n") ==
        "pattern:positional! file:positionals!");
  CHECK(arguments("echo '$1'\n") == "unread: ");
  CHECK(arguments("((n = n << 2))\nfile=$1\n((k = $2))\n") ==
        "unread: not all of `$1`, `$2` ... are assigned to variables");
  CHECK(arguments("(( n = n << 2 ))\nfile=$1\n") == "file:positional");
}

TEST_CASE("a usage text is read if it names all arguments") {
  CHECK(usage("usage: x.py [-h] --name NAME [--count N] [-v] file [file ...]") ==
        "name(--name):value! count(--count):value:integer v(-v):flag file:positionals!");
  CHECK(usage("Usage:\n  python3 scripts/x.py <input file> [output]\n") == "input_file:positional! output:positional");
  CHECK(usage("usage: x.py [-n|--name NAME] [--size=N]") == "name(--name):value size(--size):value:integer");
  for (const char* text : {"usage: x.py [options] FILE", "usage: x.py (a | b)", "usage: x.py [a", "usage: y.py FILE",
                           "x.py FILE", "usage: x.py a | b", "usage: x.py ..."}) {
    CAPTURE(text);
    CHECK(usage(text) == "unreadable");
  }
  const Usage lines = read_usage("  -n, --name NAME  the name\n  --all\tall\n", "x.py");
  CHECK(lines.options.at("-n").help == "the name");
  CHECK(lines.options.at("--name").metavar == "NAME");
  CHECK(lines.options.at("--all").help == "all");
}

TEST_CASE("each need of a shell script has its place") {
  const std::string text = R"(#!/bin/bash
# Fetches things
. "$(dirname "$0")/lib.sh"
curl -H "Authorization: $API_TOKEN" https://api.example.com:8443/x > out/data.json
sudo pip install x
read -p "sure? " answer
cp ~/x /etc/passwd
x=$HOME
exec env A=b timeout 5s claude -p x
curl "https://eu.$REGION.example.com" "https://api.example.org$path" "https://$HOST"
)";
  Facts facts = shell_facts(read_shell(text), shell_tokens(text), {"lib.sh"});
  drop_defined(facts);
  CHECK(facts.description == "Fetches things");
  CHECK(facts.uses == std::set<std::string>{"lib.sh"});
  CHECK(names(facts.programs) == std::vector<std::string>{"curl", "claude"});
  CHECK(names(facts.hosts) == std::vector<std::string>{"api.example.com:8443", "api.example.org"});
  CHECK(names(facts.variables) == std::vector<std::string>{"API_TOKEN", "REGION", "HOST"});
  CHECK(names(facts.writes) == std::vector<std::string>{"out/data.json"});
  std::string found;
  for (const band::Diagnostic& finding : facts.findings) found += std::to_string(finding.line) + " ";
  CHECK(found == "5 6 7 7 ");
}

TEST_CASE("a variable that bash or band sets, or that no band may declare, is not needed") {
  const std::string text = "echo $COPROC $TIMEFORMAT $HISTFILE $LD_PRELOAD $COMPANY_TOKEN $SHELL_TOKEN $FUNC_URL\n";
  CHECK(names(shell_facts(read_shell(text), shell_tokens(text), {}).variables) ==
        std::vector<std::string>{"COMPANY_TOKEN", "SHELL_TOKEN", "FUNC_URL"});
}

TEST_CASE("programs that another program starts count as needs") {
  const auto programs = [](const std::string& text) {
    return names(shell_facts(read_shell(text), shell_tokens(text), {}).programs);
  };
  using Names = std::vector<std::string>;
  CHECK(programs("ls | xargs -I X curl X") == Names{"curl"});
  CHECK(programs("find . -name '*.json' -exec gh api {} \\;") == Names{"gh"});
  CHECK(programs("env -u A B=c nice -n 5 timeout -k 1 5 claude -p x") == Names{"claude"});
  CHECK(programs("command -v node") == Names{});
}
