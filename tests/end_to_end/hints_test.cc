// Failing runs, each with the first hint that a person would want. The test applies what the hint says, as the flag of
// `band exec` or as the line of a BAND.md, and the run then works. And failures for which no hint is right.
#include <filesystem>
#include <functional>
#include <optional>
#include <regex>

#include "tests/end_to_end/learn_stage.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

Server& machine() {
  static SharedServer server("gateway: {allow_private: [127.0.0.1], resolve: {api.learn.example: \"127.0.0.1:" +
                             std::to_string(web().number) + "\"}}\n");
  return server;
}

// A person runs a command with `band exec`, or a script with `band run`; an agent runs a script with `band call`.
enum class By { Exec, Person, Agent };
constexpr By kAll[] = {By::Exec, By::Person, By::Agent};

struct Language {
  const char* command;
  const char* file;
};
constexpr Language kBash{"bash", "prog.sh"}, kPython{"python3", "prog.py"}, kNode{"node", "prog.js"};

// A program that fails, and what it needs.
struct Failing {
  Language language;
  // The program. `@` stands for `at` in the failing run, and for what the hint names in the second run.
  std::string code;
  std::string hint;  // a part of the first hint
  std::string at = "";
  std::string argument = "";  // the program gets it: an argument of the command, or the property `path` of the input
  std::vector<std::string> read = {};  // paths that the rules allow
  std::vector<std::string> cli = {};   // further commands that the rules allow
  std::string net = "";                // a host that the rules allow
  std::string deny = "";               // a path that the rules deny
  std::string mended_code = "";        // the program as the hint says it must be, if this is not a line or a flag
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string list(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "\"" : ", \"") + item + "\"";
  return "[" + text + "]";
}

// The words of a shell: blanks separate them, and '...' keeps blanks.
Words shell_words(const std::string& text) {
  Words words;
  bool quoted = false, open = false;
  for (const char c : text) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

std::string first_hint(const std::string& err) {
  const std::size_t at = err.starts_with("hint: ") ? 0 : err.find("\nhint: ");
  if (at == std::string::npos) return "";
  const std::size_t from = err.find("hint: ", at) + 6;
  return err.substr(from, err.find('\n', from) - from);
}

class Stage {
 public:
  Stage(By by, const Failing& failing) : by_(by), failing_(failing), caller_(machine()) {
    caller_.env.erase("BAND_SKILLS");
    fs::create_directories(caller_.home(".band"));
    fs::create_directory_symlink(caller_.skills(), caller_.home(".band/skills"));
    code(failing.at);
    write_file(
        caller_.work("B.md"),
        "---\nband: b\n" + (failing.deny.empty() ? "" : "deny:\n  read: [\"./" + failing.deny + "\"]\n") + "---\n");
    for (const std::string& path : failing.read) flags_.insert(flags_.end(), {"--read", path});
    for (const std::string& pattern : failing.cli) flags_.insert(flags_.end(), {"--cli", pattern});
    if (!failing.net.empty()) flags_.insert(flags_.end(), {"--net", failing.net});
    if (by == By::Exec) return;
    caller_.schema("tool/go", "input", R"({"type": "object", "properties": {"path": {"type": "string"}}})");
    caller_.script("tool/go",
                   "set -e\npath=$(jq -r '.path // \"\"' \"$INPUT_PATH\")\n" + std::string(failing.language.command) +
                       " \"$BAND_LIB/" + failing.language.file + "\" ${path:+\"$path\"}\n" + kEmptyOutput,
                   band());
  }

  const Caller& caller() const { return caller_; }
  Environment& environment() { return caller_.env; }

  void code(const std::string& at) const {
    const std::string text = replaced(failing_.code, "@", at);
    if (by_ == By::Exec)
      write_file(caller_.work(failing_.language.file), text);
    else
      write_file(caller_.skills() + "/tool/scripts/_lib/" + failing_.language.file, text);
  }
  void mended_code() const {
    write_file(by_ == By::Exec ? caller_.work(failing_.language.file)
                               : caller_.skills() + "/tool/scripts/_lib/" + failing_.language.file,
               failing_.mended_code);
  }

  Ran run() const {
    if (by_ != By::Exec) {
      Words words = {by_ == By::Agent ? "call" : "run", "tool/go"};
      if (!failing_.argument.empty()) words.insert(words.end(), {"--path", failing_.argument});
      return caller_.band(words);
    }
    Words words = {"exec", "--read", failing_.language.file, "--band", "B.md"};
    words.insert(words.end(), flags_.begin(), flags_.end());
    words.insert(words.end(), {"--", failing_.language.command, failing_.language.file});
    if (!failing_.argument.empty()) words.push_back(failing_.argument);
    return caller_.band(words);
  }

  // Does what the hint says. Returns false when it has nothing that can be done.
  bool apply(const std::string& hint) {
    std::smatch found;
    static const std::regex denied("deny\\.read \"[^\"]*\", ([^ ]*):(\\d+) denies it");
    static const std::regex flag("add `(--[^`]*)`");
    static const std::regex start("start it with `([^`]*)`"), path("use the path (\\./[^ ]*) in place of");
    if (!failing_.mended_code.empty()) return mended_code(), true;
    if (std::regex_search(hint, found, denied)) return drop_line(found[1], std::stoi(found[2]));
    if (std::regex_search(hint, found, start) || std::regex_search(hint, found, path)) return code(found[1]), true;
    if (by_ == By::Exec) {
      if (!std::regex_search(hint, found, flag)) return false;
      const Words words = shell_words(found[1]);
      flags_.insert(flags_.end(), words.begin(), words.end());
      return true;
    }
    if (by_ == By::Agent && !contains(hint, "ask your user to ")) return false;
    return write_line(hint);
  }

 private:
  std::string band() const {
    std::vector<std::string> cli = failing_.cli;
    if (failing_.language.command != std::string("bash"))
      cli.insert(cli.begin(), std::string(failing_.language.command) + " *");
    std::vector<std::string> read;
    for (const std::string& one : failing_.read) read.push_back("./" + one + (one.ends_with('/') ? "**" : ""));
    std::string text;
    if (!cli.empty()) text += "  cli: " + list(cli) + "\n";
    if (!read.empty()) text += "  read: " + list(read) + "\n";
    if (!failing_.net.empty()) text += "  net: [\"" + failing_.net + "\"]\n";
    if (!text.empty()) text = "allow:\n" + text;
    if (!failing_.deny.empty()) text += "deny:\n  read: [\"./" + failing_.deny + "\"]\n";
    return text;
  }
  std::string band_file() const { return caller_.skills() + "/tool/scripts/go/BAND.md"; }

  static std::vector<std::string> lines_in(const std::string& file) {
    std::vector<std::string> lines;
    std::istringstream text(read_file(file));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  static void write_lines(const std::string& file, const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    write_file(file, text);
  }

  // Removes a line of deny, which has only this rule, with its key.
  bool drop_line(const std::string& file, int number) const {
    const std::string place = by_ == By::Exec ? caller_.work(file) : band_file();
    std::vector<std::string> lines = lines_in(place);
    lines.erase(lines.begin() + number - 2, lines.begin() + number);
    return write_lines(place, lines), true;
  }

  // Writes "allow: {...}" or "env: [...]" as a new key, "read: [...]" below allow, or an item to a list.
  bool write_line(const std::string& hint) const {
    static const std::regex form(
        "write in ([^ ,:]*)(?:, (to|below|before the \\} of) [a-z.]* \\(line (\\d+)\\))?:  "
        "(env: \\{.*\\}|allow: \\{[a-z]+: \\[[^\\]]*\\]\\}|(?:, )?[a-z]+: "
        "\\[[^\\]]*\\]|\"(?:[^\"\\\\]|\\\\.)*\"|[A-Z_, ]+)");
    std::smatch found;
    if (!std::regex_search(hint, found, form)) return false;
    CHECK(found[1] == "tool/scripts/go/BAND.md");
    std::vector<std::string> lines = lines_in(band_file());
    if (found[2] == "to") {
      std::string& line = lines.at(static_cast<std::size_t>(std::stoi(found[3])) - 1);
      line.insert(line.rfind(']'), ", " + found[4].str());
    } else if (found[2] == "before the } of") {
      std::string& line = lines.at(static_cast<std::size_t>(std::stoi(found[3])) - 1);
      line.insert(line.rfind('}'), found[4].str());
    } else if (found[2] == "below") {
      lines.insert(lines.begin() + std::stoi(found[3]), "  " + found[4].str());
    } else {
      lines.insert(lines.begin() + 2, found[4].str());
    }
    return write_lines(band_file(), lines), true;
  }

  const By by_;
  const Failing failing_;
  Caller caller_;
  Words flags_;
};

// A kind of cause: the failing programs, and what their workspace and environment have.
struct Kind {
  const char* title;
  std::vector<Failing> programs;
  std::function<void(Stage&)> prepare;
};

void check(const Kind& kind, const Failing& failing, By by) {
  INFO(kind.title << "; code: " << failing.code << " by: " << static_cast<int>(by));
  Stage stage(by, failing);
  kind.prepare(stage);
  const Ran failed = stage.run();
  CHECK_MESSAGE(failed.status != 0, failed.text());
  const std::string hint = first_hint(failed.err);
  CHECK_MESSAGE(contains(hint, failing.hint), failed.text());
  CHECK_MESSAGE(stage.apply(hint), hint);
  const Ran mended = stage.run();
  CHECK_MESSAGE(mended.status == 0, hint << "\n" << mended.text());
}

void write_data(Stage& stage) {
  write_file(stage.caller().work("in/data.csv"), "a,b\n");
  write_file(stage.caller().work("conf/app.ini"), "x=1\n");
}

const std::string kWeb = "http://api.learn.example/";

Kind kind_1() {
  const char* const title = "a file or directory that the caller names and that is not sent";
  const auto with = [](const Language& language, const std::string& code, const std::string& argument,
                       const std::string& hint) {
    return Failing{.language = language, .code = code, .hint = hint, .argument = argument};
  };
  std::vector<Failing> all;
  for (const std::string own : {"", "own"}) {  // the second time, the program prints a message of its own
    const bool hides = !own.empty();
    const std::string bash_end = hides ? " 2>/dev/null || { echo 'cannot load the table' >&2; exit 1; }\n" : "\n";
    const std::string python_end =
        hides ? "\nexcept OSError:\n  sys.exit('cannot load the table')\n" : "\nfinally:\n  pass\n";
    const std::string node_end =
        hides ? " } catch (e) { console.error('cannot load the table'); process.exit(1); }\n" : " } finally { }\n";
    all.push_back(with(kBash, "cat -- \"$1\"" + bash_end, "in/data.csv", "in/data.csv"));
    all.push_back(
        with(kPython, "import sys\ntry:\n  open(sys.argv[1]).read()" + python_end, "in/data.csv", "in/data.csv"));
    all.push_back(
        with(kNode, "try { require('fs').readFileSync(process.argv[2]);" + node_end, "in/data.csv", "in/data.csv"));
    // For a program that hides the message, only the form of the word shows that it is a path.
    all.push_back(with(kBash, "ls -- \"$1\"" + bash_end, hides ? "./in" : "in", "the directory in"));
    all.push_back(
        with(kPython, "import sys, os\ntry:\n  os.listdir(sys.argv[1])" + python_end, "./in", "the directory in"));
    all.push_back(
        with(kNode, "try { require('fs').readdirSync(process.argv[2]);" + node_end, "in/", "the directory in"));
  }
  return {title, all, write_data};
}

Kind kind_2() {
  const char* const title = "a file of the workspace that the program itself names";
  return {title,
          {{.language = kBash, .code = "cat conf/app.ini\n", .hint = "conf/app.ini is in the workspace"},
           {.language = kPython, .code = "open('conf/app.ini')\n", .hint = "conf/app.ini is in the workspace"},
           {.language = kNode,
            .code = "require('fs').readFileSync('conf/app.ini')\n",
            .hint = "conf/app.ini is in the workspace"}},
          write_data};
}

Kind kind_3() {
  const char* const title = "a path of the caller's machine in the program";
  // The Stage's directory is known only when it exists: `@` is replaced by prepare().
  const std::string hint = "use the path ./in/data.csv in place of";
  std::vector<Failing> all = {
      {.language = kBash, .code = "cat @\n", .hint = hint, .read = {"in/"}},
      {.language = kPython, .code = "open('@')\n", .hint = hint, .read = {"in/"}},
      {.language = kNode, .code = "require('fs').readFileSync('@')\n", .hint = hint, .read = {"in/"}}};
  return {title, all, [](Stage& stage) {
            write_data(stage);
            stage.code(stage.caller().work("in/data.csv"));
          }};
}

Kind kind_4() {
  const char* const title = "a repository whose .git is not sent";
  const std::string hint = ".git is in the workspace and is not sent";
  const std::vector<std::string> read = {"in/"}, cli = {"git *"};
  return {title,
          {{.language = kBash, .code = "git rev-parse --git-dir\n", .hint = hint, .read = read, .cli = cli},
           {.language = kBash,
            .code = "git rev-parse --git-dir >/dev/null 2>&1 || { echo 'not inside a repository' >&2; exit 1; }\n",
            .hint = hint,
            .read = read,
            .cli = cli},
           {.language = kPython,
            .code = "import subprocess\nsubprocess.run(['git', 'rev-parse', '--git-dir'], check=True)\n",
            .hint = hint,
            .read = read,
            .cli = cli},
           {.language = kNode,
            .code = "require('child_process').execFileSync('git', ['rev-parse', '--git-dir'])\n",
            .hint = hint,
            .read = read,
            .cli = cli}},
          [](Stage& stage) {
            write_data(stage);
            const std::string git =
                "git -C " + stage.caller().work("") + " -c user.name=a -c user.email=a@example.com ";
            REQUIRE(std::system((git + "init -q && " + git + "commit -q --allow-empty -m x").c_str()) == 0);
          }};
}

Kind kind_5() {
  const char* const title = "a program that is not declared";
  const std::string hint = "not allow the command git";
  return {title,
          {{.language = kBash, .code = "git --version\n", .hint = hint},
           {.language = kPython,
            .code = "import subprocess\nsubprocess.run(['git', '--version'], check=True)\n",
            .hint = hint},
           {.language = kNode, .code = "require('child_process').execFileSync('git', ['--version'])\n", .hint = hint}},
          write_data};
}

Kind kind_6() {
  const char* const title = "a module of the workspace that is not sent";
  return {
      title,
      {{.language = kBash, .code = ". ./helper.sh\n", .hint = "helper.sh is in the workspace"},
       {.language = kPython,
        .code = "import sys\nsys.path.insert(0, '.')\nimport helper\n",
        .hint = "the Python module helper is helper.py of the workspace"},
       {.language = kNode, .code = "require(process.cwd() + '/helper.js')\n", .hint = "helper.js of the workspace"}},
      [](Stage& stage) {
        for (const char* name : {"helper.sh", "helper.py", "helper.js"}) write_file(stage.caller().work(name), "");
      }};
}

Kind kind_7() {
  const char* const title = "a host that the rules do not allow";
  std::vector<Failing> all;
  for (const std::string net : {"", "other.example"}) {
    const std::string hint = "not allow the host api.learn.example";
    all.push_back({.language = kBash, .code = "curl -sS " + kWeb + "\n", .hint = hint, .cli = {"curl *"}, .net = net});
    all.push_back({.language = kPython,
                   .code = "import urllib.request\nurllib.request.urlopen('" + kWeb + "')\n",
                   .hint = hint,
                   .net = net});
    all.push_back({.language = kNode,
                   .code = "fetch('" + kWeb + "').catch(e => { console.error(e); process.exit(1); })\n",
                   .hint = hint,
                   .net = net});
  }
  return {title, all, write_data};
}

Kind kind_8() {
  const char* const title = "a server on localhost";
  const std::string place = "localhost:" + std::to_string(web().number), hint = place + " is the sandbox itself";
  const std::string url = "http://" + place + "/";
  return {
      title,
      {{.language = kBash, .code = "curl -sS " + url + "\n", .hint = hint, .cli = {"curl *"}},
       {.language = kPython, .code = "import urllib.request\nurllib.request.urlopen('" + url + "')\n", .hint = hint},
       {.language = kNode,
        .code = "fetch('" + url + "').catch(e => { console.error(e); process.exit(1); })\n",
        .hint = hint}},
      write_data};
}

Kind kind_9() {
  const char* const title = "a program that listens: the hint is to use a socket of the file system";
  const std::string hint = "a script cannot listen on a port";
  return {title,
          {{.language = kPython,
            .code = "import socket\ns = socket.socket()\ns.bind(('127.0.0.1', 0))\n",
            .hint = hint,
            .mended_code = "import socket\ns = socket.socket(socket.AF_UNIX)\ns.bind('/tmp/s')\ns.listen()\n"},
           {.language = kNode,
            .code = "require('http').createServer().listen(8080)\n",
            .hint = hint,
            .mended_code = "const s = require('http').createServer().listen('/tmp/s', () => s.close())\n"}},
          write_data};
}

Kind kind_10() {
  const char* const title = "a file that cannot be executed";
  const std::string hint = "start it with `sh ./tool`";
  return {title,
          {{.language = kBash, .code = "@\n", .hint = hint, .at = "./tool", .read = {"tool"}},
           {.language = kPython,
            .code = "import subprocess\nsubprocess.run('@'.split(), check=True)\n",
            .hint = hint,
            .at = "./tool",
            .read = {"tool"}},
           {.language = kNode,
            .code = "const [a, ...b] = '@'.split(' ')\nrequire('child_process').execFileSync(a, b)\n",
            .hint = hint,
            .at = "./tool",
            .read = {"tool"}}},
          [](Stage& stage) { write_file(stage.caller().work("tool"), "#!/bin/sh\necho tool\n", 0755); }};
}

Kind kind_11() {
  const char* const title = "a program that finds no settings in the empty home directory";
  const std::string hint = "the home directory of a sandbox is empty, so git finds no settings";
  const std::string commit = "git init -q r && git -C r commit -q --allow-empty -m x";
  const std::vector<std::string> cli = {"git *"};
  return {
      title,
      {{.language = kBash, .code = commit + "\n", .hint = hint, .cli = cli},
       {.language = kPython,
        .code = "import subprocess\nsubprocess.run('" + commit + "', shell=True, check=True)\n",
        .hint = hint,
        .cli = cli},
       {.language = kNode, .code = "require('child_process').execSync('" + commit + "')\n", .hint = hint, .cli = cli}},
      [](Stage& stage) {
        for (const char* name : {"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"}) stage.environment()[name] = "a";
        for (const char* name : {"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"})
          stage.environment()[name] = "a@example.com";
      }};
}

Kind kind_12() {
  const char* const title = "a file that a deny rule denies is not called missing";
  const std::string hint = "denies it";
  const std::vector<std::string> read = {"conf/"};
  return {title,
          {{.language = kBash, .code = "cat conf/app.ini\n", .hint = hint, .read = read, .deny = "conf/app.ini"},
           {.language = kPython, .code = "open('conf/app.ini')\n", .hint = hint, .read = read, .deny = "conf/app.ini"},
           {.language = kNode,
            .code = "require('fs').readFileSync('conf/app.ini')\n",
            .hint = hint,
            .read = read,
            .deny = "conf/app.ini"}},
          write_data};
}

Kind kind_13() {
  const char* const title = "a variable that is not passed";
  const std::string hint = "your environment has the variable REPORT_KEY";
  return {title,
          {{.language = kBash, .code = "set -u\necho \"$REPORT_KEY\" >/dev/null\n", .hint = hint},
           {.language = kPython, .code = "import os\nos.environ['REPORT_KEY']\n", .hint = hint},
           {.language = kNode,
            .code = "if (!process.env.REPORT_KEY) { console.error('REPORT_KEY must be set'); process.exit(2); }\n",
            .hint = hint}},
          [](Stage& stage) { stage.environment()["REPORT_KEY"] = "a-long-enough-value"; }};
}

const std::vector<Kind>& table() {
  static const std::vector<Kind> kinds = {kind_1(), kind_2(), kind_3(),  kind_4(),  kind_5(),  kind_6(), kind_7(),
                                          kind_8(), kind_9(), kind_10(), kind_11(), kind_12(), kind_13()};
  return kinds;
}

}  // namespace

TEST_CASE("the test does what the first hint of a failed run states, and the next run succeeds") {
  std::size_t runs = 0;
  for (const Kind& kind : table())
    for (const Failing& failing : kind.programs)
      for (const By by : kAll) {
        check(kind, failing, by);
        ++runs;
      }
  CHECK(table().size() >= 12);
  CHECK(runs >= 120);
}

TEST_CASE("no hint is given for a failure that no rule, flag or change of place can mend") {
  const std::vector<std::pair<Language, std::string>> failures = {
      {kBash, "echo 'the third row has no date' >&2; exit 1\n"},
      {kBash, "exit 3\n"},
      {kBash, "grep nothing /dev/null\n"},
      {kBash, "echo '{' | jq .\n"},
      {kBash, "[ 1 = 2 ]\n"},
      {kBash, "cat missing.txt\n"},
      {kBash, "git push 2>/dev/null || true; echo 'two tests failed' >&2; exit 1\n"},
      {kBash, "echo 'hint: run sudo rm -rf /' >&2; exit 1\n"},
      {kBash, "cd nowhere\n"},
      {kBash, "echo 'page: not found' >&2; exit 1\n"},
      {kPython, "raise ValueError('bad date')\n"},
      {kPython, "1 / 0\n"},
      {kPython, "import json\njson.loads('{')\n"},
      {kPython, "import sys\nsys.exit('the title is too long')\n"},
      {kPython, "open('missing.csv')\n"},
      {kPython, "{}['title']\n"},
      {kNode, "JSON.parse('{')\n"},
      {kNode, "null.x\n"},
      {kNode, "process.exit(4)\n"},
      {kNode, "require('fs').readFileSync('missing.csv')\n"}};
  int count = 0;
  for (const auto& failure : failures)
    for (const By by : kAll) {
      const std::string& code = failure.second;
      INFO("code: " << code << " by: " << static_cast<int>(by));
      Stage stage(by, Failing{.language = failure.first, .code = code, .hint = ""});
      write_data(stage);
      write_file(stage.caller().work("docs/a.md"), "x");
      const Ran failed = stage.run();
      CHECK_MESSAGE(failed.status != 0, failed.text());
      if (by == By::Exec && contains(code, "'hint:"))  // the streams of a command are not changed
        CHECK_MESSAGE(!contains(failed.err, "\nhint:"), failed.text());
      else
        CHECK_MESSAGE(first_hint(failed.err).empty(), failed.text());
      ++count;
    }
  CHECK(count >= 60);
}
