// What the texts of programs test (client/hints/tested.h).
#include "client/hints/tested.h"

#include <doctest/doctest.h>

#include <string>

using namespace band::client;

namespace {

using Names = std::set<std::string>;

Tested found_by(void (*find)(std::string_view, Tested&), std::string_view text) {
  Tested tested;
  find(text, tested);
  return tested;
}
Tested of_code(std::string_view text) { return found_by(find_tests_of_code, text); }
Tested of_shell(std::string_view text) { return found_by(find_tests_of_shell, text); }

}  // namespace

TEST_CASE("paths that a program in Python composes") {
  CHECK(of_code("if os.path.exists(\"conf/a.json\"): pass").paths == Names{"conf/a.json"});
  CHECK(of_code("p = base / \"data\" / 'x.json'").composed == Names{"data/x.json"});
  CHECK(of_code("T = \"legal\"\nprint((Path(\".\").resolve()/T).is_dir())").composed == Names{"legal"});
  CHECK(of_code("p = os.path.join(root, \"data\", \"x.json\")").composed == Names{"data/x.json"});
  CHECK(of_code("p = f\"{root}/data/x.json\"").composed == Names{"data/x.json"});
  CHECK(of_code("D = root / \"data\"\nf = D / \"x.json\"").composed == Names{"data", "data/x.json"});
  CHECK(of_code("p = root.joinpath(\"a\", \"b\")").composed == Names{"a/b"});
  CHECK(of_code("HERE = Path(__file__).parent\np = HERE.parent / \"data\"").beside == Names{"data"});
  CHECK(of_code("p = Path(__file__).resolve().parents[1] / \"data\" / \"c\"").beside == Names{"data/c"});
}

TEST_CASE("absolute literals and those above the current directory are not paths of the workspace") {
  for (const char* text : {"exists(\"/data\")", "exists('../conf.ini')", "p = Path(\"/etc\") / \"x\"",
                           "join('/srv', 'x')", "p = root / \"a/../../b\"", "(Path.home() / \"x/../../net\")"}) {
    CAPTURE(std::string(text));
    const Tested tested = of_code(text);
    CHECK(tested.paths.empty());
    CHECK(tested.composed.empty());
    CHECK(tested.of_home.empty());
  }
  CHECK(of_code("p = Path(\"data\") / \"x.json\"").paths == Names{"data", "data/x.json"});
  // Python with `subprocess.` and `process.` is not JavaScript.
  const std::string python =
      "import subprocess\n# reads data/*.json\nn = 7 // 2\nprint(os.path.exists(\"conf.ini\"))\n";
  CHECK(of_code(python + "process.wait()\n").paths == Names{"conf.ini"});
}

TEST_CASE("paths of the home directory, in Python and JavaScript") {
  CHECK(of_code("(Path.home() / \".tool\" / \"db\").exists()").of_home == Names{".tool/db"});
  CHECK(of_code("HOME = Path.home()\np = HOME / \".env\"").of_home == Names{".env"});
  CHECK(of_code("p = os.path.join(os.environ[\"HOME\"], \".tool\")").of_home == Names{".tool"});
  CHECK(of_code("const p = path.join(os.homedir(), '.claude', 'projects')").of_home == Names{".claude/projects"});
  CHECK(of_code("const home = os.homedir();\nconst p = path.join(home, \".x\");").of_home == Names{".x"});
}

TEST_CASE("paths, variables and programs of a program in JavaScript") {
  CHECK(of_code("fs.existsSync(path.join(process.argv[2] || process.cwd(), 'package.json'))").composed ==
        Names{"package.json"});
  CHECK(of_code("const a = [['pnpm-lock.yaml', 'pnpm'], ['a b.c', '/x.y']]").mentioned == Names{"pnpm-lock.yaml"});
  CHECK(of_code("const f = `${root}/data/x.json`;").composed == Names{"data/x.json"});
  CHECK(of_code("const d = process.env.TOOL_DIR || 'x'").variables == Names{"TOOL_DIR"});
  CHECK(of_code("const cp = require('child_process'); cp.execSync('git log -1')").started == Names{"git"});
  CHECK(of_code("// fs.existsSync('old.json')\n/* join(a, 'b') */ const x = 1;").paths.empty());
}

TEST_CASE("variables and programs of a program in Python") {
  CHECK(of_code("a = os.environ.get(\"TOOL_DIR\", \"x\")").variables == Names{"TOOL_DIR"});
  CHECK(of_code("a = os.getenv('TOOL_DIR') or 'x'").variables == Names{"TOOL_DIR"});
  CHECK(of_code("subprocess.run([\"git\", \"log\"], check=False)").started == Names{"git"});
  CHECK(of_code("subprocess.check_output(\"git log\", shell=True)").started == Names{"git"});
  CHECK(of_code("sh([\"git\", \"log\"])\nx = [\"title\"]").started == Names{"git"});
  CHECK(of_code("shutil.which(\"gh\")").programs == Names{"gh"});
  CHECK(of_code("# os.environ.get(\"OLD\")\n\"\"\"exists(\"doc.md\")\"\"\"\n").variables.empty());
  CHECK(of_code("glob.glob(\"*.txt\")").lists_directory);
  CHECK(of_code("Path(\".\").rglob(\"*\")").lists_directory);
  CHECK_FALSE(of_code("base.glob(\"*.txt\")").lists_directory);
  CHECK(of_code("glob.glob(\"data/*.txt\")").looped == Names{"data"});
}

TEST_CASE("paths and programs that a shell text tests with a variable") {
  const std::string function = "count() { [[ -d \"$1\" ]] || return; }\necho \"$(count hooks)\"\n";
  CHECK(of_shell(function).paths == Names{"hooks"});
  CHECK(of_shell("c() { [ -d \"$1/data\" ]; }; c sub").paths == Names{"sub/data"});
  CHECK(of_shell("C=(tools \"other\")\nfor c in \"${C[@]}\"; do [ -f \"$c/one.sh\" ] && echo; done").paths ==
        Names{"other/one.sh", "tools/one.sh"});
  CHECK(of_shell("C=(\n  tools\n  'other'\n)\nfor c in \"${C[@]}\"; do [ -d \"$c\" ] && echo; done").paths ==
        Names{"other", "tools"});
  CHECK(of_shell("F=\"$ROOT/CLAUDE.md\"\n[ -f \"$F\" ]").composed == Names{"CLAUDE.md"});
  CHECK(of_shell("D=\"$(cd \"$(dirname \"$0\")/..\" && pwd)/data/c\"\n[[ -d \"$D\" ]]").beside == Names{"data/c"});
  CHECK(of_shell("D=\"${VAR:-${1:-$PWD/.x/y}}\"\n[[ -d \"$D\" ]]").paths == Names{".x/y"});
  CHECK(of_shell("M=\"${WS:-.}/memory\"; F=\"$M/$(date +%F).md\"; [ -f \"$F\" ]").paths == Names{"memory"});
  CHECK(of_shell("D=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"; H=\"$D/help.sh\"; [ -x \"$H\" ]")
            .executables == Names{"help.sh"});
  CHECK(of_shell("check() { command -v \"$1\"; }; check gh").programs == Names{"gh"});
  CHECK(of_shell("echo \"${TOOL:-x} ${OTHER:+y}\"").variables == Names{"TOOL"});
  CHECK(of_shell("[ -x tools/lint.sh ]").executables == Names{"tools/lint.sh"});
}

TEST_CASE("texts of any form are read in bounded time") {
  std::string quotes, chains = "p = a", calls, nested;
  for (int i = 0; i < 20'000; ++i) quotes += "\"", chains += " / \"x\"", calls += "join(", nested += "$(";
  for (const std::string& text :
       {quotes, chains, calls, nested, std::string(1 << 18, '('), std::string(1 << 18, '\'')}) {
    (void)of_code(text);
    (void)of_shell("[ -f \"" + text + "\" ]");
  }
  CHECK(of_code("").paths.empty());
  std::string doubled = "A = \"aaaaaaaaaa\"\n";
  for (int i = 0; i < 10; ++i) doubled += "A = join(\"a\",A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A,A)\n";
  (void)of_code(doubled);
  std::string arrays, uses;
  for (int i = 0; i < 40'000; ++i) arrays += "a=($x ", uses += "${A+x} ";
  (void)of_shell(arrays);
  (void)of_shell("echo " + uses);
  for (const char* cut : {"[\"x\"]", "([\"x\"", "[\n \"x\"", "\"x\"", "=\"x\"", "/\"x\"", "+\"/x\"", "join(", "x = \"",
                          "a / ", "`${", "Path(", "=(", "process.env."})
    (void)of_code(cut);
  for (const char* cut : {"[ -f \"$(", "A=(", "A=\"$(", "for c in", "[ -f \"${"}) (void)of_shell(cut);
}
