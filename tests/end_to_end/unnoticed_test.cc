// Runs that exit with 0 and lack something: each prints what it lacks and what to write, and with this line the result
// is the right one. And runs that lack nothing: they print nothing.
#include <filesystem>
#include <regex>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

// A command of `band exec`.
struct Silent {
  const char* about;
  Words flags;
  Words command;
  std::string wrong, right;  // its output
  std::string note;          // a part of the message, which has a flag
};

// The flags of "add `--read ws/`": each word, without quotes.
Words flags_in(const std::string& message) {
  static const std::regex form("add `(--[a-z]+) '?([^`']*)'?`");
  std::smatch found;
  if (!std::regex_search(message, found, form)) return {};
  return {found[1], found[2]};
}

Words with_flags(const Silent& run, const Words& more) {
  Words words = {"exec"};
  words.insert(words.end(), run.flags.begin(), run.flags.end());
  words.insert(words.end(), more.begin(), more.end());
  words.emplace_back("--");
  words.insert(words.end(), run.command.begin(), run.command.end());
  return words;
}

void repository(const Caller& caller) {
  const std::string git = "git -C " + caller.work("") + " -c user.name=a -c user.email=a@example.com ";
  write_file(caller.work("a.txt"), "a\n");
  REQUIRE(std::system((git + "init -q -b main && " + git + "add a.txt && " + git + "commit -q -m one").c_str()) == 0);
}

}  // namespace

TEST_CASE("a command that ends with 0 and lacks something reports this with the flag that gives it") {
  const std::string count = "find \"$1\" -name '*.md' 2>/dev/null | wc -l\n",
                    tests = "if [ -f conf.ini ]; then echo conf; else echo none; fi\n",
                    assigned = "file=conf.ini\n[[ -e \"$file\" ]] && echo conf || echo none\n",
                    program = "command -v git > /dev/null && echo git || echo none\n",
                    variable = "echo \"${TOOL_PLACE:-none}\"\n",
                    describe = "git rev-parse --abbrev-ref HEAD 2> /dev/null || echo none\n",
                    status = "git status --porcelain\necho end\n";
  const auto script = [](const std::string& text, const std::string& argument = "y") {
    return Words{"bash", "-c", text, "x", argument};
  };
  const auto python = [](const std::string& text) { return Words{"python3", "-c", text}; };
  for (const Silent& run : std::vector<Silent>{
           {"a directory",
            {"--read", "count.sh"},
            {"bash", "count.sh", "docs"},
            "0\n",
            "1\n",
            "directory docs is not sent"},
           {"the workspace", {"--read", "count.sh"}, {"bash", "count.sh", "."}, "0\n", "1\n", "no other file is sent"},
           {"a file that it tests for", {}, script(tests), "none\n", "conf\n", "tests for conf.ini"},
           {"a file that is in a variable", {}, script(assigned), "none\n", "conf\n", "tests for conf.ini"},
           {"a file of which the text has the end",
            {},
            script("f=\"$1/conf.ini\"; [ -f \"$f\" ] && echo conf || echo none", "."),
            "none\n",
            "conf\n",
            "the script names conf.ini"},
           {"a directory that a function tests",
            {},
            script("count() { [ -d \"$1\" ] && echo yes || echo no; }; count docs"),
            "no\n",
            "yes\n",
            "tests for the directory docs"},
           {"a file that Python composes",
            {},
            python("import os; print(os.path.isfile(os.path.join(os.getcwd(), 'conf.ini')))"),
            "False\n",
            "True\n",
            "the script names conf.ini"},
           {"a file that a data file names",
            {"--read", "list.json"},
            python("import json, os; print(os.path.isfile(json.load(open('list.json'))['file']))"),
            "False\n",
            "True\n",
            "list.json names conf.ini"},
           {"a file that the output names",
            {"--read", "list.json"},
            python("import json; f = json.load(open('list.json'))['other']\ntry: open(f); print('read')\n"
                   "except OSError: print(f, 'not found')"),
            "docs/a.md not found\n",
            "read\n",
            "the script's output names docs/a.md"},
           {"a variable that Python reads",
            {},
            python("import os; print(os.environ.get('TOOL_PLACE', 'none'))"),
            "none\n",
            "here\n",
            "has the variable TOOL_PLACE"},
           {"the value of a variable",
            {"--env", "DATA_DIR"},
            script("[ -d \"$DATA_DIR\" ] && echo yes || echo no"),
            "no\n",
            "yes\n",
            "the variable DATA_DIR names the directory docs"},
           {"a program that Python starts",
            {},
            python("import subprocess\ntry: subprocess.run(['git', '--version'], stdout=subprocess.DEVNULL); "
                   "print('git')\n"
                   "except OSError: print('none')"),
            "none\n",
            "git\n",
            "the script starts the program git"},
           {"a program", {}, script(program), "none\n", "git\n", "tests for the program git"},
           {"a variable", {}, script(variable), "none\n", "here\n", "has the variable TOOL_PLACE"},
           {"a command whose failure it ignores", {}, script(describe), "none\n", "main\n", "not found: git rev-parse"},
           {"a repository",
            {"--cli", "git *"},
            script(describe),
            "none\n",
            "main\n",
            ".git of the workspace is not sent"},
           {"the working tree",
            {"--cli", "git *", "--read", ".git", "--read", ".git/**"},
            script(status),
            " D a.txt\n D conf.ini\n D docs/a.md\nend\n",
            "end\n",
            "not all files of the workspace are sent"},
       }) {
    CAPTURE(std::string(run.about));
    Caller caller(shared_server());
    caller.env["TOOL_PLACE"] = "here";
    caller.env["DATA_DIR"] = "docs";
    fs::create_directories(caller.work("docs"));
    write_file(caller.work("docs/a.md"), "a");
    write_file(caller.work("conf.ini"), "a");
    write_file(caller.work("count.sh"), count);
    if (run.flags == Words{"--read", "list.json"})
      write_file(caller.work("list.json"), R"({"file": "conf.ini", "other": "docs/a.md"})");
    repository(caller);
    if (contains(run.note, "not all files"))
      REQUIRE(std::system(("cd " + caller.work("") +
                           " && rm count.sh && git add -A && git -c user.name=a -c "
                           "user.email=a@example.com commit -q -m two")
                              .c_str()) == 0);
    const Ran silent = caller.band(with_flags(run, {}));
    CHECK_STATUS(silent, 0);
    CHECK(silent.out == run.wrong);
    CHECK_HAS(silent.err, run.note);
    Words more = flags_in(silent.err.substr(std::min(silent.err.find(run.note), silent.err.size())));
    CHECK_MESSAGE(!more.empty(), silent.text());
    if (contains(run.note, "not found: git")) more.insert(more.end(), {"--read", ".git/"});  // the second thing
    const Ran mended = caller.band(with_flags(run, more));
    CHECK_STATUS(mended, 0);
    CHECK(mended.out == run.right);
    CHECK_HAS(caller.band(with_flags(run, {"--quiet"})).out, run.wrong);
    CHECK_HAS_NOT(caller.band(with_flags(run, {"--quiet"})).err, "note:");
  }
}

TEST_CASE("files that are not written back are named with the flag that writes them back") {
  const Caller caller(shared_server());
  const auto run = [&](const std::string& code, const Words& flags = {}) {
    return caller.band(with_flags({"", flags, {"bash", "-c", code}, "", "", ""}, {}));
  };
  const Ran file = run("echo 1 > out.txt");
  CHECK_STATUS(file, 0);
  CHECK_HAS(file.err, "hint: out.txt was not written back; if it is a result, add `--write out.txt`\n");
  CHECK_STATUS(run("echo 1 > out.txt", flags_in(file.err)), 0);
  CHECK(read_file(caller.work("out.txt")) == "1\n");
  const std::string several = "mkdir -p site/a; echo 1 > site/a/1; echo 2 > site/2";
  const Ran files = run(several);
  CHECK_HAS(files.err, "hint: 2 files below site were not written back; if they are results, add `--write site/`\n");
  CHECK_STATUS(run(several, flags_in(files.err)), 0);
  CHECK(read_file(caller.work("site/a/1")) == "1\n");
  CHECK_HAS(run("mkdir logs; echo 1 > logs/run-20261129-1.txt").err, "add `--write logs/`\n");
  // A file that exists: the script has not got it.
  const Ran anew = run("[ -f out.txt ] || echo new > out.txt");
  CHECK_HAS(anew.err,
            "the out.txt of the workspace was not sent to the sandbox, so the script has made a new one; add "
            "`--read out.txt`; for writing it back, add `--write out.txt`\n");
  // Names that begin with a dot or that programs execute get a line only if the command contains them.
  CHECK_HAS_NOT(run("n=pro; echo x > .${n}file; mkdir .${n}d; echo x > .${n}d/a; mkdir -p .g${n}t/hooks").err, "hint:");
  CHECK_HAS(run("echo x > .profile").err,
            ".profile was not written back, because `.profile` is executed by shells when");
  CHECK_HAS(run("mkdir .made; echo x > .made/a").err, "add `--write .made/a`\n");
  CHECK_HAS_NOT(run("mkdir -p .git/hooks; echo x > .git/hooks/pre-commit").err, "hint:");
}

TEST_CASE("files in the home directory are named as lost, also with --quiet") {
  const Caller caller(shared_server());
  const std::string code = "mkdir -p \"$HOME/.notes\"; echo x > \"$HOME/.notes/db\"; echo x > /tmp/temporary";
  const Ran run = caller.band({"exec", "--", "bash", "-c", code});
  CHECK_STATUS(run, 0);
  CHECK_HAS(run.err, "note: the script wrote into the home directory of the sandbox, which is removed after the run");
  CHECK_HAS(run.err, "~/.notes/db\n");
  CHECK_HAS_NOT(run.err, "temporary");
  const Ran quiet = caller.band({"exec", "--quiet", "--", "bash", "-c", code});
  CHECK(quiet.err == "band: 1 change was not written back: ~/.notes/db\n");
  // A command has a home directory of its own.
  const Ran command = caller.band({"exec", "--cli", "python3 *", "--", "python3", "-c",
                                   "import pathlib; (pathlib.Path.home() / '.db').write_text('x')"});
  CHECK_STATUS(command, 0);
  CHECK_HAS(command.err, ": ~/.db\n");
  CHECK_HAS_NOT(caller.band({"exec", "--", "bash", "-c", "mkdir ~/.cache; echo > ~/.cache/x; echo > /tmp/y"}).err,
                "home");
}

TEST_CASE("an agent gets the line of the BAND.md for its user, and --json has the notes") {
  Caller caller(shared_server());
  caller.env.erase("BAND_SKILLS");
  fs::create_directories(caller.home(".band"));
  fs::create_directory_symlink(caller.skills(), caller.home(".band/skills"));
  write_file(caller.work("conf.ini"), "a");
  const std::string source = "[ -f conf.ini ] && echo found >&2; echo 1 > out.txt\n" + std::string(kEmptyOutput);
  caller.script("tool/go", source);
  const Ran run = caller.band({"call", "tool/go"});
  CHECK_STATUS(run, 0);
  CHECK_HAS(run.err,
            "the script tests for conf.ini, which is in the workspace and is not sent to the sandbox; ask your "
            "user to write in tool/scripts/go/BAND.md:  allow: {read: [\"./conf.ini\"]}\n");
  // A second key `allow` would be an error.
  const std::string both =
      "allow: {read: [\"./conf.ini\", {path: \"./out.txt\", optional: true}], write: [\"./out.txt\"]}";
  CHECK_HAS(run.err, "if it is a result, ask your user to write in tool/scripts/go/BAND.md:  " + both);
  const Ran json = caller.band({"call", "tool/go", "--json"});
  CHECK_HAS(json.out, "the script tests for conf.ini");
  CHECK_HAS(json.out, "hint: out.txt was not written back");
  caller.script("tool/go", source, both);
  const Ran mended = caller.band({"call", "tool/go"});
  CHECK_STATUS(mended, 0);
  CHECK_HAS_NOT(mended.err, "hint:");
  CHECK(read_file(caller.work("out.txt")) == "1\n");
}

TEST_CASE("a file that is in the way is named with the line that sends it, and with this line it is replaced") {
  const Caller caller(shared_server());
  const std::string source = "mkdir -p out; echo new > out/b.txt\n" + std::string(kEmptyOutput);
  caller.script("tool/write", source, "allow: {write: [\"./out/*\"]}");
  fs::create_directories(caller.work("out"));
  write_file(caller.work("out/b.txt"), "old\n");
  const Ran run = caller.band({"run", "tool/write"});
  CHECK_STATUS(run, 5);
  CHECK_HAS(run.err,
            "hint: the script has written out/b.txt, which is in the workspace and is not sent to the sandbox");
  const std::string line = ", read: [\"./out/b.txt\"]";
  CHECK_HAS(run.err, "write in tool/scripts/write/BAND.md, before the } of allow");
  CHECK_HAS(run.err, ":  " + line + "\n");
  CHECK(read_file(caller.work("out/b.txt")) == "old\n");
  caller.script("tool/write", source, "allow: {write: [\"./out/*\"]" + line + "}");
  CHECK_STATUS(caller.band({"run", "tool/write"}), 0);
  CHECK(read_file(caller.work("out/b.txt")) == "new\n");
}

TEST_CASE("an execute bit that a command tests for, and the name of its directory, are not those of the workspace") {
  const Caller caller(shared_server());
  fs::create_directories(caller.work("project"));
  write_file(caller.work("project/go.sh"), "echo gone\n");
  fs::permissions(caller.work("project/go.sh"), fs::perms::owner_all);
  const std::string code = "if [ -x ./go.sh ]; then echo yes; else echo no; fi; basename \"$PWD\"";
  const std::string outside = "cd " + caller.work("project") + " && bash -c '" + code + "' > ../out.txt";
  REQUIRE(std::system(outside.c_str()) == 0);
  CHECK(read_file(caller.work("out.txt")) == "yes\nproject\n");
  const Ran run =
      caller.band({"exec", "--workspace", caller.work("project"), "--read", "go.sh", "--", "bash", "-c", code});
  CHECK_STATUS(run, 0);
  CHECK(run.out == "no\nwork\n");
  CHECK_HAS(run.err, "the script tests whether go.sh is executable, and in the sandbox no file of the workspace");
  CHECK_HAS(run.err,
            "the script uses the name of the current directory, which is `work` in the sandbox and `project` here");
}

TEST_CASE("a path of the sandbox in a result is explained, and a path of the caller in an argument") {
  const Caller caller(shared_server());
  const Ran file = caller.band({"exec", "--write", "out.txt", "--", "bash", "-c", "echo \"$PWD/a\" > out.txt"});
  CHECK_STATUS(file, 0);
  CHECK_HAS(file.err, "note: out.txt has a path below /work: in the sandbox /work is the workspace, /");
  caller.script("tool/where", "echo \"{\\\"at\\\": \\\"$PWD/a\\\"}\" > \"$OUTPUT_PATH\"\n");
  CHECK_HAS(caller.band({"run", "tool/where"}).err,
            "note: the output has the path /work/a: in the sandbox /work is the");
  const Ran plain = caller.band({"exec", "--", "bash", "-c", "pwd; echo https://a.example/work/b"});
  CHECK_HAS_NOT(plain.err, "note:");
  write_file(caller.work("conf.ini"), "a");
  const Words command = {"exec", "--read", "conf.ini", "--", "bash", "-c", "cat \"$1\" 2> /dev/null || echo none", "x"};
  Words whole = command, relative = command;
  whole.push_back(caller.work("conf.ini"));
  relative.emplace_back("./conf.ini");
  const Ran absolute = caller.band(whole);
  CHECK(absolute.out == "none\n");
  CHECK_HAS(absolute.err, "is in the workspace: in the sandbox it is ./conf.ini; pass this path");
  const Ran mended = caller.band(relative);
  CHECK(mended.out == "a");
  CHECK(mended.err.empty());
}

TEST_CASE("the value of a variable for a path is not masked in the names of files") {
  Caller caller(shared_server());
  caller.env["DATA_DIR"] = caller.env["DATA_TOKEN"] = "perfdata";
  const std::string code = "mkdir -p \"$DATA_DIR\"; echo 1 > \"$DATA_DIR/x\"; echo \"$DATA_DIR\"";
  const Ran run = caller.band({"exec", "--env", "DATA_DIR", "--write", "perfdata/", "--", "bash", "-c", code});
  CHECK_STATUS(run, 0);
  CHECK(run.out == "perfdata\n");
  CHECK(read_file(caller.work("perfdata/x")) == "1\n");
  CHECK(caller.band({"exec", "--env", "DATA_TOKEN", "--", "bash", "-c", "echo \"$DATA_TOKEN\""}).out == "[masked]\n");
}

TEST_CASE("a file with facts about the machine is named, also for a script that tests for nothing else") {
  const Caller caller(shared_server());
  caller.script("tool/memory", "awk '/MemTotal/' /proc/meminfo 2> /dev/null || true\n" + std::string(kEmptyOutput));
  const Ran run = caller.band({"run", "tool/memory"});
  CHECK_STATUS(run, 0);
  CHECK_HAS(run.err, "note: the script names /proc/meminfo, which a sandbox does not have");
  caller.script("tool/memory", std::string(kEmptyOutput));  // the control
  CHECK_HAS_NOT(caller.band({"run", "tool/memory"}).err, "note:");
}

TEST_CASE("a failed run has the notes for which its hints leave room") {
  const Caller caller(shared_server());
  write_file(caller.work("conf.ini"), "a");
  write_file(caller.work("data.csv"), "a");
  const Ran run =
      caller.band({"exec", "--", "python3", "-c", "import os\nif not os.path.exists('conf.ini'): open('data.csv')"});
  CHECK_STATUS(run, 1);
  CHECK_HAS(run.err, "hint: data.csv is not sent to the sandbox; add `--read data.csv`\n");
  CHECK_HAS(run.err, "note: the script tests for conf.ini, which is in the workspace");
  CHECK_HAS_NOT(run.err, "note: the script tests for data.csv");
}

TEST_CASE("a run that lacks nothing prints nothing") {
  Caller caller(shared_server());
  caller.env["TOOL_PLACE"] = "here";
  fs::create_directories(caller.work("build"));
  write_file(caller.work("build/a"), "a");
  write_file(caller.work("docs.md"), "a");
  repository(caller);
  for (const Words& command : std::vector<Words>{
           {"bash", "-c", "echo build"},
           {"bash", "-c", "[ -f missing.ini ] || echo none"},
           {"bash", "-c", "command -v jq; command -v no-such-program; echo \"${HOME:-x} ${TERM:-x} ${NO_PLACE:-x}\""},
           {"bash", "-c", "x=$(mktemp); echo 1 > $x; echo 1 > /tmp/y"},
           {"echo", "build", "docs"},
           {"jq", "-n", "1"},
           {"jq", ".", "--null-input"}}) {
    CAPTURE(command.back());
    const Ran run = caller.band(with_flags({"", {}, command, "", "", ""}, {}));
    CHECK_STATUS(run, 0);
    CHECK(run.err.empty());
  }
  // What the script makes, and an empty directory that it uses.
  fs::create_directories(caller.work("out"));
  const Ran made =
      caller.band({"exec", "--write", "dist/", "--", "bash", "-c",
                   "[ -d dist ] || mkdir dist; echo x > dist/a; mkdir -p out; echo wrote to out", "x", "out"});
  CHECK_STATUS(made, 0);
  CHECK_HAS_NOT(made.err, "note: the script");
  CHECK_HAS_NOT(made.err, "mkdir -p");
  for (const char* git : {"--version", "config --list", "init -q x"}) {
    Words words = {"exec", "--cli", "git *", "--", "bash", "-c", std::string("git ") + git + " > /dev/null"};
    CHECK_HAS_NOT(caller.band(words).err, "git was started");
  }
}
