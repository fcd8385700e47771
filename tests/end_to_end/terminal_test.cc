// `band exec -t` and `band shell`, on a real pseudo-terminal.
#include "tests/end_to_end/pty.h"
#include "tests/end_to_end/raw_request.h"

using namespace band::test;

namespace {

struct AtTerminal : Pty {
  AtTerminal(const Caller& caller, Words words, unsigned short columns = 80, unsigned short rows = 24)
      : Pty(command(std::move(words)), environment(caller), caller.work(""), columns, rows) {}

  // Waits until bash reads a line: it has enabled bracketed paste and drawn the prompt.
  void at_prompt() { SEES(*this, "\x1b[?2004h"); }
  // Types a line at the prompt, and returns when bash has read it.
  void enter(const std::string& line) {
    type(line + "\r");
    SEES(*this, "\x1b[?2004l");
  }
  // Starts a command that runs until a key ends or stops it.
  void enter_long_command() {
    enter("bash -c 'trap \"echo continued\" CONT; echo begin; read -r line'");
    SEES(*this, "begin\r\n");  // before that, the shell would handle the key
  }
  // Types ctrl-C, which kills the command.
  void interrupt() {
    type("\x03");
    SEES(*this, "^C");
    at_prompt();
    enter("echo \"was $?\"");
    SEES(*this, "was 130\r\n");
    at_prompt();
  }
  // Types ctrl-Z.
  void stop() {
    type("\x1a");
    SEES(*this, "Stopped");
    at_prompt();
  }

  static Words command(Words words) {
    words.insert(words.begin(), BAND_BIN_DIR "/band");
    return words;
  }
  static Environment environment(const Caller& caller) {
    Environment env = caller.env;
    env.emplace("TERM", "xterm-256color");
    return env;
  }
};

// Returns true if the terminal has the modes that it had before the program was started.
bool has_modes_before(const Pty& terminal) {
  const termios a = terminal.modes(), b = terminal.modes_before();
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_lflag == b.c_lflag && a.c_cflag == b.c_cflag;
}

bool script_runs() { return !shared_server().idle(); }
bool script_ends() {
  return within(10'000, [] { return !script_runs(); });
}

}  // namespace

TEST_CASE("a bash at a terminal: echo, the size and its changes, ctrl-C, ctrl-D, the status") {
  const Caller caller(shared_server());
  AtTerminal terminal(caller, {"exec", "-t"}, 91, 33);
  terminal.at_prompt();
  CHECK_FALSE(has_modes_before(terminal));  // raw: keys are sent to the sandbox
  terminal.enter("stty size; echo \"$TERM $(id -un)\"; ls /dev/pts; pwd");
  SEES(terminal, "33 91\r\n");
  SEES(terminal, "xterm-256color band-runner\r\n");
  SEES(terminal, "cannot access '/dev/pts'");
  SEES(terminal, "/work\r\n");
  terminal.at_prompt();
  terminal.resize(100, 40);
  // The client may send the keys before the new size.
  terminal.enter("until stty size | grep '40 100'; do sleep 0.05; done; read -r line < /dev/tty; echo \"read $line\"");
  SEES(terminal, "40 100\r\n");
  terminal.type("a line\r");
  SEES(terminal, "read a line\r\n");
  terminal.at_prompt();
  terminal.enter_long_command();
  terminal.interrupt();
  terminal.enter(
      "echo to-stdout > /dev/stdout; echo to-stderr > /dev/stderr; read -r line < /dev/stdin; echo \"got $line\"");
  SEES(terminal, "to-stdout\r\n");
  SEES(terminal, "to-stderr\r\n");
  terminal.type("x\r");
  SEES(terminal, "got x\r\n");
  terminal.at_prompt();
  terminal.enter("(exit 42)");
  terminal.at_prompt();
  terminal.type("\x04");
  CHECK(terminal.wait() == 42);
  CHECK(has_modes_before(terminal));
}

TEST_CASE("job control works for essentials and for a declared command") {
  const Caller caller(shared_server());
  AtTerminal terminal(caller, {"exec", "--cli", "python3 -q", "-t"});
  terminal.at_prompt();
  terminal.enter_long_command();
  terminal.stop();
  terminal.enter("fg");
  SEES(terminal, "continued\r\n");  // the shell prints the command line before it makes the command the foreground job
  terminal.interrupt();
  terminal.enter("python3 -q");
  SEES(terminal, ">>> ");
  terminal.type("6 * 7\r");
  SEES(terminal, "42\r\n");
  terminal.type("import sys; sys.stdin.isatty(), sys.stdout.isatty()\r");
  SEES(terminal, "(True, True)\r\n");
  SEES(terminal, ">>> ");
  terminal.stop();
  terminal.enter("echo \"shell $((3 * 5))\"");  // input goes to bash, not to python
  SEES(terminal, "shell 15\r\n");
  terminal.at_prompt();
  terminal.enter("fg");
  SEES(terminal, "python3 -q\r\n");
  terminal.type("7 * 7\r");
  SEES(terminal, "49\r\n");
  SEES(terminal, ">>> ");
  terminal.type("import time; print('begin'); time.sleep(100)\r");
  SEES(terminal, "begin\r\n");
  terminal.type("\x03");
  SEES(terminal, "KeyboardInterrupt");
  SEES(terminal, ">>> ");
  terminal.type("\x04");
  terminal.at_prompt();
  terminal.type("exit 3\r");
  CHECK(terminal.wait() == 3);
}

TEST_CASE("colours pass, and sequences with an effect beyond the screen do not") {
  const Caller caller(shared_server());
  AtTerminal terminal(caller, {"exec", "-t", "--", "bash", "-c",
                               R"(printf '\e[31mred\e[0m|\e]52;c;aGVsbG8=\a|\e]0;title\a|\e[21t|\x05|end\n')"});
  SEES(terminal, "\x1b[31mred\x1b[0m");
  SEES(terminal, "end\r\n");
  CHECK(terminal.wait() == 0);
  CHECK_HAS_NOT(terminal.screen(), "52;c");
  CHECK_HAS_NOT(terminal.screen(), "title");
  CHECK_HAS_NOT(terminal.screen(), "[21t");
  CHECK_HAS_NOT(terminal.screen(), "\x05");
}

TEST_CASE("a program that exits without restoring the terminal leaves it usable") {
  const Caller caller(shared_server());
  AtTerminal terminal(
      caller, {"exec", "-t", "--", "bash", "-c", R"(stty raw -echo; printf '\e[?1049h\e[?1000h\e[?25l\e[31mfull')"});
  CHECK(terminal.wait() == 0);
  CHECK_HAS(terminal.screen(), "full");
  CHECK_HAS(terminal.screen(), "\x1b[?1049l");
  CHECK_HAS(terminal.screen(), "\x1b[?1000l");
  CHECK_HAS(terminal.screen(), "\x1b[?25h");
  CHECK(has_modes_before(terminal));
}

TEST_CASE("late answers of the terminal to an exited program are not input of the shell that follows") {
  const Caller caller(shared_server());
  const std::string program = R"(bash -c 'stty raw -echo; printf ready; head -c 1 >/dev/null; sleep 0.3; stty sane')";
  for (const bool sandboxed : {true, false}) {
    CAPTURE(sandboxed);
    Pty terminal({"/bin/bash", "--norc", "-i"}, AtTerminal::environment(caller), caller.work(""));
    SEES(terminal, "\x1b[?2004h");
    terminal.type((sandboxed ? BAND_BIN_DIR "/band exec -t -- " : "") + program + "\r");
    SEES(terminal, "\x1b[?2004l");
    SEES(terminal, "ready");
    terminal.type("xa late answer");  // `head` reads the x, the rest is discarded
    SEES(terminal, "\x1b[?2004h");
    terminal.type(" \x15 echo $((40 + 2))\r");
    SEES(terminal, "42");
    CHECK(contains(terminal.screen(), "late answer") == !sandboxed);
  }
}

TEST_CASE("Enter ~ . disconnects, and the execution ends") {
  const Caller caller(shared_server());
  AtTerminal terminal(caller, {"exec", "-t", "--", "bash", "-c", "trap '' INT TERM HUP; echo deaf; sleep 300"});
  SEES(terminal, "deaf");
  CHECK(script_runs());
  terminal.type("\x03\x03\r~.");
  CHECK(terminal.wait() == 125);
  CHECK_HAS(terminal.screen(), "disconnected");
  CHECK(script_ends());
}

TEST_CASE("a hangup of the terminal ends the execution") {
  const Caller caller(shared_server());
  {
    AtTerminal terminal(caller, {"exec", "-t", "--", "bash", "-c", "echo here; sleep 300"});
    SEES(terminal, "here");
    CHECK(script_runs());
    terminal.hang_up();
    CHECK(terminal.wait() == 128 + SIGHUP);
  }
  CHECK(script_ends());
}

TEST_CASE("a signal to band ends the execution, and the modes of the terminal are restored") {
  const Caller caller(shared_server());
  AtTerminal terminal(caller, {"exec", "-t", "--", "bash", "-c", "echo here; sleep 300"});
  SEES(terminal, "here");
  CHECK_FALSE(has_modes_before(terminal));
  ::kill(terminal.pid(), SIGTERM);
  CHECK(terminal.wait() == 128 + SIGTERM);
  CHECK(has_modes_before(terminal));
  CHECK(script_ends());
}

TEST_CASE("a shell in the sandbox of a script: its input, its rules, its files") {
  const Caller caller(shared_server());
  caller.script("tool/go", "jq -c .name \"$INPUT_PATH\"",
                "allow: {read: [./a.txt], write: ['./*.txt'], cli: ['python3 -V']}");
  caller.schema("tool/go", "input", R"({"type": "object", "properties": {"name": {"type": "string"}}})");
  write_file(caller.work("a.txt"), "alpha\n");
  write_file(caller.work("b.txt"), "beta\n");
  for (const bool back : {false, true}) {
    CAPTURE(back);
    Words words = {"shell", "tool/go", "--name", "World"};
    if (back) words.emplace_back("--write-back");
    AtTerminal terminal(caller, words);
    SEES(terminal, "tool/go:/work$ ");
    terminal.enter("cat a.txt b.txt; bash /band/skill/scripts/go/run.sh | cat");
    SEES(terminal, "alpha\r\n");
    SEES(terminal, "b.txt: No such file");
    SEES(terminal, "\"World\"\r\n");
    terminal.at_prompt();
    terminal.enter("python3 -V; python3 -c 'print(1)'; nosuchprogram");
    SEES(terminal, "Python 3");
    SEES(terminal, "denied: python3 -c");
    SEES(terminal, "nosuchprogram: command not found");
    terminal.at_prompt();
    terminal.type("echo written > c.txt; exit\r");
    CHECK(terminal.wait() == 0);
    CHECK(exists(caller.work("c.txt")) == back);
    CHECK_HAS(terminal.screen(), back ? "wrote 1 file: c.txt" : "--write-back");
  }
}

TEST_CASE("insist does not apply to a shell; and a shell needs a terminal") {
  const Caller caller(shared_server());
  caller.script("tool/go", kEmptyOutput, "insist: {cli: ['python3 -V']}");
  AtTerminal terminal(caller, {"shell", "tool/go"});
  SEES(terminal, "$ ");
  terminal.type("exit 5\r");
  CHECK(terminal.wait() == 5);
  const Ran piped = caller.band({"shell", "tool/go"}, "exit\n");
  CHECK_STATUS(piped, 2);
  CHECK_HAS(piped.err, "terminal");
}

TEST_CASE("a secret is masked on a terminal, too, and the prompt is not delayed by masking") {
  Caller caller(shared_server());
  caller.env["TEST_KEY"] = "$ correct-horse-battery";  // the prompt is a prefix of it
  AtTerminal terminal(caller, {"exec", "--env", "TEST_KEY", "-t"});
  terminal.type("echo \"=$TEST_KEY=\"\r");
  SEES(terminal, "=[masked]=\r\n");
  terminal.type("exit\r");
  CHECK(terminal.wait() == 0);
}

TEST_CASE("input without terminal frames and sizes out of range end the execution, and are answered with 400") {
  const std::string token = shared_server().token("laptop");
  for (const std::string& frames : {std::string("ls\r"), std::string("s\0\0\0\1", 5), std::string("k\0\0", 3)}) {
    CAPTURE(frames.size());
    const std::string body =
        request({{"source", R"("echo ready; sleep 100")"}, {"terminal", R"({"columns":80,"rows":24,"type":"dumb"})"}});
    const Socket run;
    run.send(streamed(body, token));
    const std::string path = "/v1/exec/" + id_of(run.receive("\"started\"")) + "/input";
    const Socket input;
    input.send(post(path, token,
                    "Content-Type: application/octet-stream\r\nContent-Length: " + std::to_string(frames.size() + 10)) +
               frames);
    CHECK_HAS(run.receive("\"result\""), "the terminal's input has");
    const std::string answer = input.receive("the terminal's input has");
    CHECK_HAS(answer, "HTTP/1.1 400 ");
    CHECK_HAS(answer, "BAD_REQUEST");
  }
}
