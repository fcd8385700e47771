// Descriptors of a command in addition to 0 to 2: those that its caller has open arrive under the same number.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

With allowing(const std::vector<std::string>& cli) {
  With with;
  with.cli = cli;
  return with;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

// Prints the numbers of all descriptors that it was started with.
const char* const kNumbers =
    "cat > numbers.py <<'P'\nimport os\nfor n in range(2000):\n  try: os.fstat(n)\n  except OSError: continue\n"
    "  print(n, end=' ')\nP\n";

// Runs the script outside, in a new directory.
std::string alone_outside(const std::string& script) {
  return outside("cd $(mktemp -d /var/tmp/band-XXXXXX); trap 'rm -rf $PWD' EXIT; " + script);
}

// Checks that the script prints the same inside, with these declared command lines, as outside, and nothing to stderr.
// Returns its output.
std::string same_as_outside(const std::string& script, const std::vector<std::string>& cli) {
  const std::string expected = alone_outside(script);
  const Ran ran = run(script, allowing(cli));
  CHECK(ran.out == expected);
  CHECK(ran.err == "");
  return expected;
}

// ask.py DIRECTORY COUNT FIRST: sends a request to the broker without a shim, for `git --version`, with COUNT
// descriptors from number FIRST on, each of them the file `kept`. Prints the status and the text that a shim would
// print.
const char* const kAsk =
    "cat > ask.py <<'P'\nimport os, socket, struct, sys\nat, count, first = sys.argv[1].encode() + b'\\0', "
    "int(sys.argv[2]), int(sys.argv[3])\nargv = b'git\\0--version\\0'\nnumbers = [0] * 20\n"
    "numbers[:count] = range(first, first + count)\nfd = os.open('kept', os.O_RDWR | os.O_CREAT)\n"
    "s = socket.socket(socket.AF_UNIX)\ns.connect('/band/broker')\n"
    "socket.send_fds(s, [struct.pack('<IIQIIIIII20I', 0x32687362, 1, 0, count, 18, 4, len(at), len(argv), 0, *numbers) "
    "+ b'git\\0' + at + argv], [fd] * count)\n"
    "answer = s.recv(4096)\nprint(struct.unpack('<I', answer[4:8])[0], answer[12:].decode())\nP\n";

}  // namespace

TEST_CASE("process substitution works for a declared command, for reading and for writing") {
  const With with = allowing({"python3 *"});
  const std::string read =
      "python3 -c 'import sys; print(*[open(name).read() for name in sys.argv[1:]])' <(echo one) <(seq 3) <(true)";
  CHECK(inside(read, with) == outside(read));
  CHECK(has(inside(read, with), "one\n 1\n2\n3"));
  const std::string write =
      "mkfifo done; python3 -c 'import sys; open(sys.argv[1], \"w\").write(\"abc\")' >(tr a-c x-z; echo > done); "
      "read < done";
  CHECK(inside(write, with) == "xyz");
  CHECK(alone_outside(write) == "xyz");
  // The output of one command is the input of another.
  CHECK(
      inside("python3 -c 'import sys; print(open(sys.argv[1]).read().upper().strip())' <(python3 -c 'print(\"deep\")')",
             with) == "DEEP");
}

TEST_CASE("a command has the descriptors of the process that called its shim, with the same numbers, and no others") {
  const With with = allowing({"python3 *"});
  const std::string show = std::string(kNumbers) + "python3 numbers.py";
  CHECK(inside(show, with) == "0 1 2 ");  // neither bash's 255 nor one of the sandbox's own
  CHECK(inside(show + " 3< numbers.py 7> g 200<> h", with) == "0 1 2 3 7 200 ");
  CHECK(alone_outside(show + " 3< numbers.py 7> g 200<> h") == "0 1 2 3 7 200 ");  // the control
  CHECK(inside("exec 5< /dev/null 1000< /dev/zero; " + show, with) == "0 1 2 5 1000 ");
  CHECK(inside("exec 5< /dev/null 6< /dev/null; " + show + " 5<&-", with) == "0 1 2 6 ");
  CHECK(inside(show + " <&- 9< numbers.py", with) == "1 2 9 ");
  // A program that a command starts gets the descriptors that the command has open.
  CHECK(inside(std::string(kNumbers) +
                   "python3 -c 'import subprocess; subprocess.run([\"python3\", \"numbers.py\"], pass_fds=[8])' "
                   "8< numbers.py 9< numbers.py",
               with) == "0 1 2 8 ");
}

TEST_CASE("each of sixteen descriptors has its number in the command, even if the sandbox itself uses this number") {
  // The process that starts the command uses some of the low numbers itself, and the received descriptors have others.
  const std::string act =
      "cat > each.py <<'P'\nimport os, sys\nfor n in map(int, sys.argv[1:]):\n"
      "  print(n, os.read(n, 9).decode(), end=' ')\nP\n"
      "for n in {3..40}; do printf '<%s>' $n > f$n; done\n"
      "for first in 3 4 5 11 20 24; do\n  numbers=(); what='python3 each.py'\n"
      "  for n in $(seq $first $((first + 15))); do what+=\" $n\"; numbers+=(\"$n< f$((43 - n))\"); done\n"
      "  eval \"$what ${numbers[*]}\" || echo failed\ndone";
  const std::string printed = same_as_outside(act, {"python3 *"});
  CHECK(has(printed, "3 <40> 4 <39> "));
  CHECK(has(printed, "39 <4> "));
  CHECK_FALSE(has(printed, "failed"));
}

TEST_CASE("a command with more than sixteen descriptors in addition to 0 to 2 is refused with a reason") {
  const std::string open = "for n in {3..19}; do eval \"exec $n< /dev/null\"; done; ";
  const std::string show = std::string(kNumbers) + open + "python3 numbers.py";
  CHECK(alone_outside(show) == "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 ");  // the control
  const Ran ran = run(show + "; echo $?", allowing({"python3 *"}));
  CHECK(ran.out == "126");
  CHECK(has(ran.err, "band: more than 16 descriptors besides 0 to 2 are open"));
  CHECK(inside(show + " 10<&-", allowing({"python3 *"})) == "0 1 2 3 4 5 6 7 8 9 11 12 13 14 15 16 17 18 19 ");
}

TEST_CASE(
    "directories and files of kernel file systems are refused as descriptors of a command, and the error has the "
    "number of the descriptor") {
  const With with = allowing({"python3 *"});
  struct Row {
    std::string opened, says;
  };
  const Row rows[] = {
      {"4< /tmp", "descriptor 4 is a directory"},
      {"63< /proc/self/status", "descriptor 63 is a file of /proc"},
      {"5< /proc/self/ns/net", "descriptor 5 is a file of /proc"},
      {"< /proc/self/status", "descriptor 0 is a file of /proc"},
      {"1< /proc/self/status", "descriptor 1 is a file of /proc"},
      {"2< /proc/self/status", ""},  // the reason cannot be printed
  };
  for (const Row& row : rows) {
    CAPTURE(row.opened);
    const std::string act = "python3 -c 'open(\"ran\", \"w\")' " + row.opened;
    CHECK(alone_outside(act + "; ls") == "ran");  // the control
    const Ran ran = run(act + "; echo $?; ls", with);
    CHECK(ran.out == "126");
    CHECK(has(ran.err, row.says));
  }
  // The controls: an essential can read such a file and pipe it to a command; a closed descriptor is not sent.
  CHECK(inside("cat /proc/self/status | python3 -c 'import sys; print(sys.stdin.read()[:5])'", with) == "Name:");
  CHECK(inside("exec 4< /tmp; python3 -c 'print(1)' 4<&-", with) == "1");
}

TEST_CASE(
    "after a command has closed a pipe, readers of the pipe get EOF, because the shim has no descriptor of the pipe") {
  const std::string act =
      "mkfifo p; (cat p > /dev/null; touch ended) &\n"
      "python3 -c '\nimport os, time\nos.write(9, b\"x\")\nos.close(9)\nfor _ in range(200):\n"
      "  if os.path.exists(\"ended\"): print(\"ended\"); break\n  time.sleep(0.05)\n' 9> p; wait";
  CHECK(same_as_outside(act, {"python3 *"}) == "ended");
}

TEST_CASE("in the usual ways to start a declared command, no descriptor is passed that the broker refuses") {
  const std::string ways =
      "echo x > in; tar cf a.tar in\n"
      "find . -name in -exec git --version \\;\nfind . -name in -execdir git --version \\;\n"
      "find . -name in -exec git --version {} + 2>&1 | head -n 1\n"
      "echo --version | xargs git\nenv git --version\ntimeout 20 git --version\nnice git --version\n"
      "bash -c 'git --version'\nsh -c 'git --version'\n"
      "tar xf a.tar --to-command='git --version'\nsplit --filter='git --version' in\n"
      "awk 'BEGIN { system(\"git --version\") }'\nawk 'BEGIN { \"git --version\" | getline x; print x }'\n"
      "sed '1e git --version' in | head -n 1\n"
      "while read -r line <&3; do git --version; done 3< in\n"
      "coproc { read -r; git --version; }; echo >&${COPROC[1]}; cat <&${COPROC[0]}; wait\n"
      "(exec 8> lock; git --version)\n";
  CHECK(has(same_as_outside(ways, {"git *"}), "git version"));
}

TEST_CASE(
    "a request that a script sends to the broker without a shim cannot replace descriptors of the process that starts "
    "the command") {
  const With with = allowing({"python3 *", "git *"});
  const std::string version = outside("git --version");
  CHECK(inside(std::string(kAsk) + "python3 ask.py /work 0 0", with) == "0 ");  // the control
  CHECK(inside(std::string(kAsk) + "python3 ask.py /work 2 1; cat kept", with) == "0 \n" + version);
  for (const char* first : {"3", "4", "7", "10", "16", "1008"}) {
    CAPTURE(first);
    const std::string ask = "python3 ask.py ";
    // A failure before the program's start is still reported, and only to its caller.
    const Ran ran = run(std::string(kAsk) + ask + "/work 16 " + first + "; " + ask + "/band/home/git 16 " + first +
                            "; cat kept; python3 -c 'print(\"after\")'",
                        with);
    CHECK(ran.out ==
          "0 \n126 band: cannot start git: cannot use the working directory /band/home/git: this directory is in the "
          "home of git\n\nafter");
    CHECK(ran.code == "OK");
    CHECK(ran.slot_usable);
  }
  const Ran beyond = run(std::string(kAsk) + "python3 ask.py /work 1 1024; python3 ask.py /work 1 1048575; " +
                             "python3 ask.py /work 1 1048576",
                         with);
  CHECK(has(beyond.out,
            "126 band: cannot start git: cannot place descriptor 1024: its number is not below limit.maxOpenFiles\n"));
  CHECK(has(beyond.out, "place descriptor 1048575: its number is not below limit.maxOpenFiles\n"));
  CHECK(has(beyond.out, "a descriptor number that no process can have\n"));
  CHECK(beyond.slot_usable);
}
