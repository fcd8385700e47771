// Reads Python without running it: tokens, argparse, and the needs of a script (client/convert).
#include <doctest/doctest.h>

#include <algorithm>

#include "client/convert/argparse.h"
#include "client/convert/argv.h"
#include "client/convert/facts.h"
#include "client/convert/python_modules.h"

using namespace band::client;

namespace {

std::string shown(const std::vector<PythonToken>& tokens) {
  std::string text;
  for (const PythonToken& token : tokens) {
    const char kind = token.kind == PythonToken::Kind::String    ? (token.literal ? 's' : 'f')
                      : token.kind == PythonToken::Kind::LineEnd ? ';'
                                                                 : ' ';
    text += kind + token.text;
  }
  return text;
}

ReadArguments argparse(const std::string& text) {
  return read_argparse(python_tokens("import argparse\np = argparse.ArgumentParser()\n" + text));
}

Argument one(const std::string& call) {
  const ReadArguments found = argparse("p.add_argument(" + call + ")\n");
  REQUIRE_MESSAGE(found.forms.size() == 1, found.why_not);
  REQUIRE(found.forms[0].arguments.size() == 1);
  return found.forms[0].arguments[0];
}

std::vector<std::string> names(const std::vector<Mention>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Mention& mention : list) names.push_back(mention.name);
  return names;
}

bool finds(const Facts& facts, const std::string& what, int line, int column) {
  return std::any_of(facts.findings.begin(), facts.findings.end(), [&](const band::Diagnostic& d) {
    return d.message.find(what) != std::string::npos && d.line == line && d.column == column && !d.hint.empty();
  });
}

}  // namespace

TEST_CASE("strings, comments, brackets and continued lines are read as Python reads them") {
  CHECK(shown(python_tokens("x = 'a\\'b' # it's\ny")) == " x =sa'b; y;");
  CHECK(shown(python_tokens("'''a\n\"b\"\\n'''")) == "sa\n\"b\"\n;");
  CHECK(shown(python_tokens(R"(r'\d' rb"\"" u'\u00e9\x41\101')")) ==
        "s\\ds\\\"sé"
        "AA;");
  CHECK(shown(python_tokens("f'{x!r}' F\"\"\"'\"\"\"")) == "f{x!r}f';");
  CHECK(shown(python_tokens("f(\n  1,\n)\\\n+2\nz")) == " f ( 1 , ) + 2; z;");
  CHECK(shown(python_tokens("'open\nnext")) == "sopen; next;");
  CHECK(shown(python_tokens("1e-5 0x_ff .5")) == " 1e-5 0x_ff .5;");
  const auto tokens = python_tokens("é = (a,\n [b])");
  CHECK(tokens[2].partner == 8);
  CHECK(tokens[5].line == 2);
  CHECK(tokens[5].column == 2);
  CHECK(python_tokens("((]").size() == 4);
}

TEST_CASE("an argument's name, type, choices, default and help are read from add_argument") {
  Argument argument =
      one("'-t', '--top-n', type=int, default=3, choices=[1, 3], help='how ' 'many (%(default)s, 5%%)'");
  CHECK(argument.property == "top_n");
  CHECK(argument.option == "--top-n");
  CHECK(argument.joined);
  CHECK(argument.type == "integer");
  CHECK(argument.fallback == "3");
  CHECK(argument.choices == std::vector<std::string>{"1", "3"});
  CHECK(argument.help == "how many (3, 5%)");
  CHECK(!argument.required);
  CHECK(one("'--rate', type=float, default=0.5").fallback == "0.5");
  CHECK(one("'--rate', type=float, default=0x10").fallback == "");
  CHECK(one("'--name', required=True").required);
  CHECK(one("'--name', default='-'").fallback == "");
  CHECK(one("'--name', default=os.getcwd()").fallback == "");
  CHECK(one("'--kind', choices=('a', \"b\"), default='a'").choices == std::vector<std::string>{"\"a\"", "\"b\""});
  CHECK(one("'--kind', choices=['a'], default='b'").fallback == "");
  CHECK(one("'--kind', choices=KINDS").choices.empty());
  CHECK(one("'-n'").attached);
}

TEST_CASE("an action and nargs decide how values become words") {
  using Form = Argument::Form;
  CHECK(one("'file'").form == Form::Positional);
  CHECK(one("'file'").required);
  CHECK(!one("'file', nargs='?'").required);
  CHECK(one("'files', nargs='*'").form == Form::Positionals);
  CHECK(one("'files', nargs='+'").least_items == 1);
  CHECK(one("'pair', nargs=2").most_items == 2);
  CHECK(one("'rest', nargs=argparse.REMAINDER").form == Form::Rest);
  CHECK(one("'--all', action='store_true'").form == Form::Flag);
  CHECK(one("'-v', '--verbose', action='count'").form == Form::Count);
  CHECK(one("'--tag', action='append'").form == Form::Repeated);
  CHECK(one("'--tags', nargs='+'").form == Form::List);
  const Argument cache = one("'--cache', action=argparse.BooleanOptionalAction");
  CHECK(cache.form == Form::Switch);
  CHECK(cache.off_option == "--no-cache");
  CHECK(argparse("p.add_argument('--version', action='version', version='1')\n").forms[0].arguments.empty());
}

TEST_CASE("a path is recognised by its type or its name") {
  CHECK(one("'x', type=argparse.FileType('w')").path == PathUse::Writes);
  CHECK(one("'x', type=argparse.FileType()").path == PathUse::Reads);
  CHECK(one("'--thing', type=Path").path == PathUse::Reads);
  CHECK(one("'--out-dir'").path == PathUse::WritesDirectory);
  CHECK(one("'--output'").path == PathUse::Writes);
  CHECK(one("'input_file'").path == PathUse::Reads);
  CHECK(one("'--output-format'").path == PathUse::None);
  CHECK(one("'--name'").path == PathUse::None);
}

TEST_CASE("groups, parents and subcommands are followed") {
  const ReadArguments found = read_argparse(python_tokens(R"(
import argparse
common = argparse.ArgumentParser(add_help=False)
common.add_argument("--root")
def main():
    parser: argparse.ArgumentParser = argparse.ArgumentParser(prog="x", description="Does x")
    g = parser.add_argument_group("more")
    one = g.add_mutually_exclusive_group(required=True)
    one.add_argument("--a", default="1")
    self.sub = parser.add_subparsers(dest="cmd")
    add = self.sub.add_parser("add", help="adds", parents=[common])
    add.add_argument("name")
    self.sub.add_parser("list")
)"));
  REQUIRE_MESSAGE(found.forms.size() == 2, found.why_not);
  CHECK(found.description == "Does x");
  CHECK(found.forms[0].command == "add");
  CHECK(found.forms[0].description == "adds");
  REQUIRE(found.forms[0].before.size() == 1);
  CHECK(found.forms[0].before[0].fallback == "");  // belongs to a group of which one can be given
  REQUIRE(found.forms[0].arguments.size() == 2);
  CHECK(found.forms[0].arguments[1].property == "name");
  CHECK(found.forms[1].command == "list");
}

TEST_CASE("a parser that cannot be read completely is not read partially") {
  for (const char* text :
       {"for n in NAMES:\n  p.add_argument(n)\n", "p.add_argument('--' + n)\n",
        "add_common(p)\ndef add_common(q):\n  q.add_argument('--x')\n", "p.add_argument('--x', action=Mine)\n",
        "p.add_argument('--x', nargs=N)\n", "q = argparse.ArgumentParser()\n",
        "p.add_argument_group('x').add_argument('--y')\n", "p.add_argument(*names)\n"}) {
    CAPTURE(text);
    const ReadArguments found = argparse(text);
    CHECK(found.forms.empty());
    CHECK(!found.why_not.empty());
  }
  CHECK(argparse("x = 1\np.add_argument(\n  n)\n").line == 4);
  CHECK(read_argparse(python_tokens("print('add_argument(1)')")).why_not == "");
}

TEST_CASE("sys.argv is read if each argument is assigned to a name") {
  const auto read = [](const std::string& text) { return read_argv(python_tokens("import sys\n" + text)); };
  const ReadArguments found = read(
      "if len(sys.argv) < 2: exit(sys.argv[0])\nfile = sys.argv[1]\nn = int(sys.argv[2]) if len(sys.argv) > 2 else 3\n"
      "print(sys.argv[1])\nwhere = Path(sys.argv[3])\n");
  REQUIRE_MESSAGE(found.forms.size() == 1, found.why_not);
  const std::vector<Argument>& arguments = found.forms[0].arguments;
  REQUIRE(arguments.size() == 3);
  CHECK(arguments[0].required);
  CHECK(arguments[0].path == PathUse::Reads);
  CHECK(arguments[1].type == "integer");
  CHECK(!arguments[1].required);
  CHECK(arguments[2].path == PathUse::Reads);
  for (const char* text :
       {"x = sys.argv[2]\n", "for a in sys.argv[1:]: pass\n", "print(sys.argv[1])\n", "a, b = sys.argv[1:3]\n",
        "x = lower(sys.argv[1])\n", "sys.argv", "x = sys.argv[", "main(sys.argv)\n"}) {
    CAPTURE(text);
    CHECK(read(text).forms.empty());
    CHECK(read(text).line == 2);
  }
}

TEST_CASE("each need of a Python script has its place") {
  const Facts facts = python_facts(python_tokens(R"("""Does things.

More."""
import os, json, numpy as np
from store import load
from . import helper
import subprocess, tkinter
token = os.environ["API_TOKEN"]
other = os.getenv('REGION', "eu"), os.environ.get("HOME")
url = f"https://api.example.com/v1/{x}"
subprocess.run(["git", "log"]); os.system("pandoc x")
subprocess.run(["pip", "install", "x"])
data = sys.stdin.read()
name = input("name? ")
open("out/report.html", "w").write("x")
here = os.path.dirname(__file__)
cache = os.path.join(here, "cache")
with open(cache, mode="w") as f: pass
print(json.dumps(data))
x = "/home/ann/x", "~/y"
)"),
                                   {"store", "helper"});
  CHECK(facts.description == "Does things.");
  CHECK(names(facts.variables) == std::vector<std::string>{"API_TOKEN", "REGION"});
  CHECK(facts.variables[0].line == 8);
  CHECK(names(facts.hosts) == std::vector<std::string>{"api.example.com"});
  CHECK(names(facts.programs) == std::vector<std::string>{"git", "pandoc"});
  CHECK(names(facts.writes) == std::vector<std::string>{"out/report.html"});
  CHECK(facts.uses == std::set<std::string>{"store", "helper"});
  CHECK(facts.reads_stdin);
  CHECK(facts.prints_json);
  CHECK(finds(facts, "imports `numpy`", 4, 1));
  CHECK(finds(facts, "imports `tkinter`", 7, 1));
  CHECK(finds(facts, "starts `pip`", 12, 17));
  CHECK(finds(facts, "prompts for an answer (`input`)", 14, 8));
  CHECK(finds(facts, "writes into the script's directory", 18, 6));
  CHECK(finds(facts, "/home/ann/x", 20, 5));
  CHECK(finds(facts, "~/y", 20, 20));
  CHECK(facts.findings.size() == 7);
}

TEST_CASE("usual Python code gives no finding") {
  const Facts facts = python_facts(python_tokens(R"(
from __future__ import annotations
import argparse, collections.abc, xml.etree.ElementTree as ET
text = (Path(__file__).parent / "x.txt").read_text()
path = "/tmp/x", "/api/v1", "a/b", "https://"
json.dump(x, f)
# import requests; input()
'''subprocess.run(["git"])'''
)"),
                                   {});
  CHECK(facts.findings.empty());
  CHECK(facts.programs.empty());
  CHECK(!facts.prints_json);
  CHECK(!facts.reads_stdin);
  CHECK(is_python_module("os.path"));
  CHECK(!is_python_module("yaml"));
  CHECK(debian_package_of("PIL") == "python3-pil");
  CHECK(debian_package_of("no_such_module") == "");
}
