// Commands (docs/architecture.md 6.4): declared commands run, denied ones do not, at every depth of calls.
#include <doctest/doctest.h>

#include <filesystem>
#include <iterator>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With allowing(std::vector<std::string> cli, std::vector<std::string> deny = {}) {
  With with;
  with.cli = std::move(cli);
  with.deny_cli = std::move(deny);
  return with;
}

With insisting(std::vector<std::string> cli, std::vector<std::string> allow = {}) {
  With with;
  with.cli = std::move(allow);
  with.insist_cli = std::move(cli);
  return with;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a declared command runs, and its output is part of the script's output") {
  const Ran ran = run("git --version", allowing({"git *"}));
  CHECK(ran.out == outside("git --version"));
  CHECK(ran.code == "OK");
  CHECK(ran.ledger == "command: git --version: exited 0\n");
}

TEST_CASE(
    "a denied command line exits with 126 and the message names the rule, regardless of how the script starts the "
    "command") {
  const std::string json = "echo '{\"a\":\"b\"}' > in.json\n";
  const std::string reach = "'\"b\"'";
  // The control: without the rule each of these ways works.
  const char* ways[] = {
      "jq -r .a in.json",
      "call() { jq -r .a in.json; }; call",
      "echo in.json | xargs jq -r .a",
      "find in.json -exec jq -r .a {} \\;",
      "env jq -r .a in.json",
      "timeout 20 jq -r .a in.json",
      "bash -c 'jq -r .a in.json'",
      "/usr/bin/jq -r .a in.json",
      "/bin/jq -r .a in.json",
      "command jq -r .a in.json",
      "PATH=/usr/bin jq -r .a in.json",
      "nice jq -r .a in.json",
      "( exec -a true jq -r .a in.json )",
      "cat in.json | jq -r .a",
  };
  for (const char* way : ways) {
    CAPTURE(way);
    CHECK(inside(json + way) == "b");
    const Ran ran = run(json + "said=$(" + way + " 2>&1); echo \"$? $said\"; true", allowing({}, {"jq -r *"}));
    CAPTURE(ran.message);
    CHECK(has(ran.out, "band: denied: jq -r .a"));
    CHECK(has(ran.out, "deny.cli \"jq -r *\""));
    CHECK(has(ran.out, "BAND.md:1"));
    CHECK_FALSE(has(ran.out, "\nb"));
    CHECK_FALSE(has(ran.out, "b\n"));
    // Calls that the rule does not match still run.
    CHECK(inside(json + "jq -c .a in.json", allowing({}, {"jq -r *"})) == "\"b\"");
  }
  CHECK(run(json + "jq -r .a in.json || exit", allowing({}, {"jq -r *"})).exit_status == 126);
}

TEST_CASE("a script cannot evade the rules for a shimmed essential by a copy of the program or by ld.so") {
  const With with = allowing({}, {"jq -r *"});
  // The controls: outside, both ways work.
  CHECK(outside("d=$(mktemp -d /var/tmp/band-XXXXXX); cp /usr/bin/jq $d/jq && echo '\"b\"' | $d/jq -r .; rm -r $d") ==
        "b");
  CHECK(outside("echo '\"b\"' | /lib64/ld-linux-x86-64.so.2 /usr/bin/jq -r .") == "b");
  // Inside, jq's path is the shim. A copy of it cannot be executed (noexec).
  const std::string copy = inside("cp /usr/bin/jq ./mine; try ./mine -r . <<< '\"b\"'", with);
  CHECK(has(copy, "refused"));
  const std::string linker = inside("echo '\"b\"' | /lib64/ld-linux-x86-64.so.2 /usr/bin/jq -r . 2>&1; true", with);
  CHECK_FALSE(has(linker, "b\n"));
  CHECK(linker != "b");
  CHECK(inside("try find / -xdev -path '*guarded*'; find / -path '*guarded*/jq' 2>/dev/null; true", with) == "did");
}

TEST_CASE("a script that fails after one of its command lines was denied is PERMISSION_DENIED") {
  const Ran denied = run("jq -r . <<< 1 || exit 3", allowing({}, {"jq -r *"}));
  CHECK(denied.code == "PERMISSION_DENIED");
  CHECK(has(denied.message, "jq -r"));
  CHECK(run("jq -c . <<< 1; exit 3", allowing({}, {"jq -r *"})).code == "SCRIPT_FAILED");  // the control
}

TEST_CASE("an undeclared command does not exist, and the ledger names the rule that would allow it") {
  CHECK(outside("git --version") != "");  // the control: the machine has it
  const Ran ran = run("git --version; echo $?; ls /usr/bin/git /usr/bin/gi[t]; true");
  CHECK(has(ran.out, "127"));
  CHECK(has(ran.err, "git"));
  CHECK(has(ran.err, "No such file"));
  CHECK(has(ran.ledger, "git"));
  CHECK(has(ran.ledger, "allow.cli"));
}

TEST_CASE(
    "if the machine lacks a declared command, the run ends before the script starts, and the error names the package") {
  const Ran ran = run("echo started >&2", allowing({"sqlite3-missing-here *"}));
  CHECK(ran.code == "SANDBOX_UNAVAILABLE");
  CHECK(ran.err == "");
  CHECK(has(ran.message, "sqlite3-missing-here"));
  CHECK(has(ran.message, "BAND.md:1"));
}

TEST_CASE("all declared commands that the machine lacks are named in one error, with one line that installs them") {
  const Ran ran = run("echo started >&2", allowing({"git *", "no-such-a *", "no-such-x *", "no-such-b", "no-such-y"}));
  CHECK(ran.code == "SANDBOX_UNAVAILABLE");
  CHECK(ran.err == "");
  CHECK(has(ran.message, "4 declared commands cannot be used:"));
  for (const char* name : {"no-such-a", "no-such-b", "no-such-x", "no-such-y"})
    CHECK(has(ran.message, "\n  test/BAND.md:1: the command " + std::string(name) + " is not on the machine"));
  CHECK(!has(ran.message, "command git"));
  CHECK(ran.hint ==
        "apt-get install package-of-no-such-a package-of-no-such-b; install the command, or name its directory in "
        "`commands.directories` of /etc/band/server.yaml");
  std::vector<std::string> many;
  for (int i = 0; i < 200; ++i) many.push_back("no-such-" + std::to_string(i));
  const Ran bounded = run("true", allowing(many));
  CHECK(has(bounded.message, "200 declared commands cannot be used:"));
  CHECK(has(bounded.message, "and 150 more commands"));
}

TEST_CASE("the script view has no file of a declared program") {
  CHECK(outside("try cat /usr/bin/git") == "did");  // the control
  const With with = allowing({"git *"});
  CHECK(has(inside("try cat /usr/bin/git", with), "refused"));
  CHECK(inside("find / -name 'git*' -not -path '/proc/*' -not -path '/band/bin/*' 2>/dev/null; true", with) == "");
}

TEST_CASE("the arguments of a command reach the program unchanged, with arbitrary bytes") {
  const std::string print = "python3 -c 'import os,sys; print([os.fsencode(a) for a in sys.argv[1:]])'";
  const std::string odd = R"( '' ' ' $'a\nb' $'\xff\xfe' '*' '"' "'" )";
  CHECK(inside(print + odd, allowing({"python3 *"})) == outside(print + odd));
  const std::string large =
      "a=$(head -c 120000 /dev/zero | tr '\\0' x); python3 -c 'import sys; print(sum(map(len,sys.argv)))'"
      " $a $a $a $a $a $a $a $a $a $a $a $a";
  CHECK(inside(large, allowing({"python3 *"})) == outside(large));
}

TEST_CASE("a shim passes signals to its command, and exits like its command, by a status or by a signal") {
  const With with = allowing({"python3 *"});
  CHECK(inside("python3 -c 'raise SystemExit(42)'; echo $?", with) == "42");
  const Ran killed = run("python3 -c 'import os; os.kill(os.getpid(), 9)'; echo $?", with);
  CHECK(killed.out == "137");
  CHECK(has(killed.ledger, "was killed by signal 9"));
  CHECK(inside("python3 -c 'import os; os.kill(os.getpid(), 15)'; echo $?", with) == "143");
  for (const char* name : {"TERM", "INT", "HUP", "WINCH"}) {
    CAPTURE(name);
    const std::string script =
        std::string("python3 -u -c '\nimport signal, time\nsignal.signal(signal.SIG") + name +
        ", lambda *_: (print(\"got it\"), exit(7)))\nprint(\"ready\", flush=True)\ntime.sleep(20)' > said &\n"
        "until grep -q ready said 2>/dev/null; do sleep 0.05; done; kill -" +
        name + " $!; wait $!; echo $?; cat said";
    // A background job of a shell ignores INT until it sets a handler.
    CHECK(inside(script, with) == "7\nready\ngot it");
  }
}

TEST_CASE("pipes, here-documents and files of the script are descriptors of the command") {
  const With with = allowing({"python3 *"});
  const std::string upper = "python3 -c 'import sys; sys.stdout.write(sys.stdin.read().upper())'";
  CHECK(inside("printf abc | " + upper + " | tr A x", with) == "xBC");
  CHECK(inside(upper + " <<< here", with) == "HERE");
  CHECK(inside("echo file > f; " + upper + " < f > g; cat g", with) == "FILE");
  // When the reader exits, the writer ends: no other process holds the pipe.
  CHECK(inside("python3 -c 'while True: print(1)' 2>/dev/null | head -1", with) == "1");
  CHECK(inside("python3 -c 'import sys; print(sys.stdin)' <&-", with) ==
        outside("python3 -c 'import sys; print(sys.stdin)' <&-"));
  CHECK(inside("head -c 50000000 /dev/zero | " +
                   std::string("python3 -c 'import sys; print(len(sys.stdin.buffer.read()))'"),
               with) == "50000000");
}

TEST_CASE("a directory is refused as a descriptor of a command") {
  CHECK(outside("stat -L -c %F /dev/stdin < /tmp") == "directory");  // the control
  const With with = allowing({"stat *"});
  CHECK(inside("stat -L -c %F /dev/stdin < /dev/null", with) == "character special file");
  const Ran ran = run("stat -L -c %F /dev/stdin < /tmp; true", with);
  CHECK(has(ran.err, "descriptor 0 is a directory"));
  CHECK(ran.out == "");
}

TEST_CASE("when the shim of a command is killed, all processes of the command are killed") {
  const With with = allowing({"python3 *"});
  // The control: outside, a child in its own session outlives its parent.
  const std::string leaves =
      "python3 -c '\nimport os, time\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    time.sleep(2)\n"
      "    open(os.environ.get(\"MARK\", \"/work/mark\"), \"w\").write(\"alive\")\n  os._exit(0)\nos.wait()'";
  CHECK(outside("export MARK=$(mktemp /var/tmp/band-XXXXXX); " + leaves +
                "; for i in {1..1000}; do [ -s $MARK ] && break; sleep 0.01; done; cat $MARK; rm $MARK") == "alive");
  // Inside, it is dead before it can write.
  const auto alive = [] { return processes_of(slot_uid(), "python3 -c").size(); };
  auto ended = start(leaves + "; " + kHold + "cat mark 2>/dev/null; true", with);
  CHECK(held());
  CHECK(wait_until(1'500, [&] { return alive() == 0; }));
  let_go();
  CHECK(ended.get().out == "");
  // The script can kill only the shim; the command dies with it.
  auto killed = start(
      "python3 -c 'import time; open(\"ready\", \"w\"); time.sleep(99)' & until [ -e ready ]; do "
      "sleep 0.01; done; " +
          kHold + "kill -9 $!; " + kHold,
      with);
  CHECK(held());
  CHECK(alive() == 2);  // the control: the shim and the program
  let_go();
  CHECK(held());
  CHECK(wait_until(5'000, [&] { return alive() == 0; }));
  let_go();
  CHECK(killed.get().code == "OK");
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE("a script can neither see nor signal a command") {
  const With with = allowing({"python3 *"});
  const Ran ran =
      run("python3 -c '\nimport os, time\nprint(1, flush=True)\nopen(\"ready\", \"w\")\n"
          "while not os.path.exists(\"go\"): time.sleep(0.01)\nprint(2)' & until [ -e ready ]; do sleep 0.01; done; "
          "grep -al 'time[.]sleep' /proc/[0-9]*/cmdline | wc -l; touch go; wait; true",
          with);
  // Only its own shim is visible, which has the same command line.
  CHECK(ran.out == "1\n1\n2");
  CHECK(has(run("python3 -c 'import os; print(os.listdir(\"/proc\"))'", with).out, "'1'"));
  CHECK(ran.slot_usable);
}

TEST_CASE("in the command view no other program can be executed or read") {
  CHECK(outside("python3 -c 'import os; os.execv(\"/usr/bin/git\", [\"git\", \"--version\"])'") != "");  // the control
  const With with = allowing({"python3 *", "git *"});
  const std::string tried = inside(
      "python3 -c '\nimport os, subprocess\n"
      "for act in (lambda: open(\"/usr/bin/git\", \"rb\").read(1), lambda: os.execv(\"/usr/bin/git\", [\"git\", "
      "\"--version\"])):\n"
      "  try: act(); print(\"did\")\n"
      "  except OSError as e: print(type(e).__name__)'",
      with);
  CHECK(tried == "PermissionError\nPermissionError");
  // Through its shim the program can be started, within the rules.
  CHECK(has(inside("python3 -c 'import subprocess; print(subprocess.run([\"git\", \"--version\"], capture_output=True, "
                   "text=True).stdout)'",
                   with),
            "git version"));
  const std::string nested = inside(
      "python3 -c 'import subprocess; p = subprocess.run([\"git\", \"status\"], capture_output=True, text=True); "
      "print(p.returncode, p.stderr)'",
      allowing({"python3 *", "git --version"}));
  CHECK(has(nested, "126"));
  CHECK(has(nested, "denied"));
}

TEST_CASE("a script cannot make a command run other code by setting variables such as LD_PRELOAD") {
  With with = allowing({"python3 *"});
  const std::string show = "python3 -c 'import os; print(sorted(os.environ))'";
  const std::string set =
      "export LD_PRELOAD=/x LD_LIBRARY_PATH=/x PYTHONPATH=/work PYTHONSTARTUP=/x BASH_ENV=/x ENV=/x GIT_DIR=/x "
      "NODE_OPTIONS=x PERL5OPT=x FOO=x HOME=/work TMPDIR=/work PATH=/work:$PATH; ";
  const std::string seen = inside(set + show, with);
  for (const char* name : {"LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONSTARTUP", "BASH_ENV", "'ENV'",
                           "GIT_DIR", "NODE_OPTIONS", "PERL5OPT", "FOO"}) {
    CAPTURE(name);
    CHECK_FALSE(has(seen, name));
  }
  CHECK(inside(set + "python3 -c 'import os; print(os.environ[\"HOME\"], os.environ[\"PATH\"])'", with) ==
        "/band/home/python3 /band/bin:/usr/bin");
  with.env["FOO"] = "sent";
  with.secrets["TOKEN"] = "a-secret-of-the-request";
  CHECK(inside("FOO=changed TOKEN=forged python3 -c 'import os; print(os.environ[\"FOO\"], os.environ[\"TOKEN\"] == "
               "\"forged\")'",
               with) == "changed False");
}

TEST_CASE(
    "if a script sets a variable that is not passed to a command, the ledger names the variable and the line that "
    "would declare it") {
  const std::string print = " python3 -c 'import os; print(os.environ.get(\"TITLE\"))'\n";
  CHECK(outside("TITLE=x" + print) == "x");  // the control
  const Ran ran = run("TITLE=x" + print + "export TITLE=y\n" + print + "GIT_DIR=x git --version >/dev/null",
                      allowing({"python3 *", "git *"}));
  CHECK(ran.out == "None\nNone");
  CHECK(has(
      ran.ledger,
      "env: TITLE is set by the caller of python3, but not passed to python3: the band does not declare the variable "
      "(a declared variable is also taken from the environment of `band`); write env: {TITLE: "
      "{secret: false, required: false}}\n"));
  CHECK(ran.ledger.find("env: TITLE") == ran.ledger.rfind("env: TITLE"));
  CHECK(has(
      ran.ledger,
      "env: GIT_DIR is set by the caller of git, but not passed to git: the variable selects the code that a program "
      "runs"));
  // With this line the command gets the variable, and the ledger has no such entry.
  With with = allowing({"python3 *"});
  with.env = {{"TITLE", ""}};
  const Ran mended = run("cd /tmp; TITLE=x" + print, with);
  CHECK(mended.out == "x");
  CHECK(!has(mended.ledger, "env:"));
  // No entry for essentials, for commands that do not exist, and for variables that are not exported.
  CHECK(!has(run("TITLE=x; OTHER=y jq -n 1; TITLE=x nothing-such" + print, allowing({"python3 *"})).ledger, "env:"));
}

TEST_CASE("ledger entries about variables show neither values nor secrets, and there are at most fifty of them") {
  With with = allowing({"git *"});
  with.secrets = {{"TOKEN", "abcdefgh_secret"}};
  const Ran ran = run("export abcdefgh_secret=1 PLAIN=value-of-plain TOKEN=other-value\ngit --version", with);
  CHECK(has(ran.ledger, "env: [masked] is set by the caller of git"));
  CHECK(has(ran.ledger, "env: PLAIN is set"));
  CHECK(has(
      ran.ledger,
      "env: TOKEN is set by the caller of git, but not passed to git: commands get the value that `band` has sent"));
  for (const char* value : {"abcdefgh_secret", "value-of-plain", "other-value"}) CHECK(!has(ran.ledger, value));
  const Ran many = run("for i in {1..300}; do export V$i=x; done; git --version; git --version", with);
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = many.ledger.find("env: ", at)) != std::string::npos; ++at)
    lines += many.ledger.compare(at + 5, 1, "V") == 0 ? 1 : 0;
  CHECK(lines == 50);
  CHECK(has(many.ledger, "env: other variables of the script (not listed here) are not passed to commands\n"));
}

TEST_CASE("neither the script nor another command can write into the home directory of a command") {
  const With with = allowing({"python3 *", "cp *"});
  CHECK(inside("ls /band/home; true", with) == "");
  CHECK(inside("python3 -c 'import os; open(os.path.expanduser(\"~/.x\"), \"w\").write(\"mine\")'; python3 -c 'import "
               "os; print(open(os.path.expanduser(\"~/.x\")).read())'",
               with) == "mine");
  CHECK(has(inside("echo evil > rc; cp rc /band/home/python3/.x 2>&1; true", with), "Permission denied"));
  CHECK(inside("echo good > rc; cp rc rc2; cat rc2", with) == "good");  // the control
}

TEST_CASE(
    "a rule for a builtin of bash that is also a program applies to every call, because the builtin is disabled") {
  const Ran ran = run("echo no; echo yes", allowing({}, {"echo no"}));
  CHECK(ran.out == "yes");
  CHECK(has(ran.err, "denied"));
  CHECK(run("bash -c 'echo no'", allowing({}, {"echo no"})).out == "");
  CHECK(run("enable echo; echo word", insisting({"echo word"})).code == "INSIST_NOT_SATISFIED");
  CHECK(run("echo word", insisting({"echo word"})).code == "OK");
}

TEST_CASE("a command can access the declared directories of the machine exactly as the script can") {
  const Directory dir;
  dir.put("data", "host data");
  With with = allowing({"python3 *"});
  with.read = {dir.path() + "/**"};
  const std::string file = dir.path() + "/data";
  CHECK(inside("cat " + file + "; python3 -c 'print(open(\"" + file + "\").read())'", with) == "host datahost data");
  const std::string write =
      "python3 -c '\ntry: open(\"" + file + "\", \"w\")\nexcept OSError as e: print(type(e).__name__)'";
  CHECK(outside(write) == "");  // the control
  dir.put("data", "host data");
  CHECK(inside(write, with) != "");
  CHECK(inside("cat " + file, with) == "host data");
}

TEST_CASE("an insist rule of cli is met only by a matching command line that exited with 0") {
  CHECK(run("git --version", insisting({"git --version"})).code == "OK");
  const Ran missing = run("git --exec-path", insisting({"git --version"}, {"git *"}));
  CHECK(missing.code == "INSIST_NOT_SATISFIED");
  CHECK(has(missing.message + missing.hint, "git --version"));
  CHECK(has(missing.message + missing.hint, "git --exec-path"));
  CHECK(missing.data == "null");
  CHECK(run("git status || true", insisting({"git status"})).code == "INSIST_NOT_SATISFIED");
  CHECK(run("git 'status --version' || true", insisting({"git status --version"}, {"git *"})).code ==
        "INSIST_NOT_SATISFIED");
  CHECK(run("true", insisting({"git --version"})).code == "INSIST_NOT_SATISFIED");
}

TEST_CASE("after 200 parallel commands, no process of them is left") {
  With with = allowing({"true"});
  with.limits = {{"maxProcesses", 1024}};
  const Ran many = run("seq 200 | xargs -P 200 -n 1 true && echo fine", with);
  CAPTURE(many.err);
  CAPTURE(many.message);
  CHECK(many.out == "fine");
  CHECK(many.slot_usable);
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE("if a limit prevents the start of an allowed command, the ledger names the command, and no insist is met") {
  With with = insisting({"sleep 0 *"});
  const std::string large =
      "a=$(head -c 120000 /dev/zero | tr '\\0' 0); call() { sleep \"$1\" $a $a $a $a $a $a $a $a $a $a $a $a $a "
      "$a; }; ";
  CHECK(run(large + "call 0", with).code == "OK");  // the control
  // 1.7 MB each: 39 of them fit into 64 MiB. The others create a file; the started ones run until the script ends.
  const Ran ran = run(large +
                          "for i in {1..45}; do (call 300 2> /dev/null || touch $TMPDIR/full) & done; "
                          "until [ -e $TMPDIR/full ]; do sleep 0.1; done; call 0 2>&1; true",
                      with);
  CHECK(ran.out == "band: sleep: the arguments of all running commands have too many bytes");
  CHECK(has(ran.ledger, "did not start: the arguments of all running commands have too many bytes"));
  CHECK(ran.code == "INSIST_NOT_SATISFIED");
  CHECK(has(ran.message + ran.hint, "too many bytes"));
}

TEST_CASE("after 10,000 successive commands, no process and no descriptor of them is left") {
  With with = allowing({"true"});
  with.limits = {{"maxRuntimeMs", 1'800'000}};  // an emulated processor (tools/test-vm) needs minutes
  const auto descriptors = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(std::filesystem::begin(all), std::filesystem::end(all));
  };
  CHECK(run("true && echo fine", with).out == "fine");  // the first run creates what is kept for later ones
  const auto before = descriptors();
  const Ran many = run("for ((i = 0; i < 10000; i++)); do true || exit 9; done; echo fine", with);
  CHECK(many.out == "fine");
  CHECK(many.slot_usable);
  CHECK(descriptors() == before);
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE("background processes of a command are killed although they fork faster than they are killed") {
  With with = allowing({"python3 *"});
  with.limits = {{"maxProcesses", 128}};
  const std::string bomb =
      "python3 -c '\nimport os, time\nif os.fork() == 0:\n  os.setsid()\n  try:\n    while True: os.fork()\n"
      "  except OSError: open(\"full\", \"w\").close()\n  while True:\n    try: os.fork()\n    except OSError: pass\n"
      "while not os.path.exists(\"full\"): time.sleep(0.01)'; echo ended";
  const Ran ran = run(bomb, with);
  CAPTURE(ran.message);
  CHECK(ran.out == "ended");
  CHECK(ran.code == "OK");
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE(
    "a command does not run with its home as working directory, where files that it writes could configure its next "
    "run") {
  // A forged request may name any directory; a shim names its own.
  const std::string ask =
      "cat > ask.py <<'P'\nimport socket, struct, sys\nat, argv = sys.argv[1].encode() + b'\\0', "
      "b'git\\0init\\0-q\\0'\n"
      "s = socket.socket(socket.AF_UNIX)\ns.connect('/band/broker')\n"
      "s.sendall(struct.pack('<IIQIIIIII80x', 0x32687362, 1, 0, 0, 18, 4, len(at), len(argv), 0) + b'git\\0' + at + "
      "argv)\n"
      "answer = s.makefile('rb').read()\nprint(struct.unpack('<I', answer[4:8])[0], answer[12:].decode())\nP\n";
  const With with = allowing({"python3 *", "git init *"});
  CHECK(inside(ask + "python3 ask.py /work; ls -d .git", with) == "0 \n.git");  // the control
  CHECK(inside(ask + "python3 ask.py /band/home/git/tmp", with) == "0 ");  // programs read no configuration from there
  const Ran at_home = run(ask + "python3 ask.py /band/home/git", with);
  CHECK(has(at_home.out, "126 band: cannot start git: cannot use the working directory /band/home/git"));
  CHECK(has(at_home.ledger,
            "command: git init -q: did not start: cannot use the working directory /band/home/git: this directory is "
            "in the home of git\n"));
  CHECK(has(inside(ask + "ln -s /band/home/git l; python3 ask.py /work/l", with), "126 band: cannot start git"));
}

TEST_CASE("a secret in a refused command line is masked before quoting and truncation") {
  With with = allowing({"git status"});
  with.secrets["TOKEN"] = "it's a secret of some length";
  const std::string filler(290, 'a');
  const Ran ran = run("git \"$TOKEN\"; git " + filler + " \"$TOKEN\"; \"$TOKEN\"; true", with);
  CHECK_FALSE(has(ran.err + ran.ledger + ran.streamed, "a secret"));
  CHECK_FALSE(has(ran.err + ran.ledger + ran.streamed, "it'"));
  CHECK(has(ran.err, "denied: git '[masked]'"));
}
