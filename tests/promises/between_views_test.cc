// A script and a declared interpreter that cooperate: they share /tmp, a user id and Unix sockets, so they can pass
// descriptors to each other. A descriptor of the other view does not open files that Landlock denies to its receiver.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

struct Way {
  const char* given;    // the path and the flags with which it is opened: arguments of `give`
  const char* use;      // the act of the receiver
  const char* outside;  // the result outside; "nothing": a program was executed
  const char* inside;   // the result in the sandbox
};

With interpreter() {
  With with;
  with.cli = {"python3 *", "git *"};
  return with;
}

// give SOCKET PATH FLAGS: python3 opens the path and sends the descriptor to the listener; "self" is its own pidfd. It
// waits until the receiver has exited.
const char* const kGive =
    "give() { python3 - \"$@\" <<'P' &\nimport os, socket, sys, time\ns = socket.socket(socket.AF_UNIX)\n"
    "for _ in range(500):\n  try: s.connect(sys.argv[1]); break\n  except OSError: time.sleep(0.02)\n"
    "fd = os.pidfd_open(os.getpid()) if sys.argv[2] == 'self' else os.open(sys.argv[2], getattr(os, sys.argv[3]))\n"
    "socket.send_fds(s, [b'x'], [fd])\ns.recv(1)\nP\n}\n";

// take SOCKET DO: python3 receives a descriptor, `fd`, executes DO and prints the result.
const char* const kTake =
    "take() { python3 - \"$@\" <<'P'\nimport os, socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n"
    "s.listen()\n_, (fd,), _, _ = socket.recv_fds(s.accept()[0], 1, 1)\n"
    "def run(path):\n  if os.fork() == 0:\n    try: os.execv(path, ['x', '--version'])\n"
    "    except OSError as e: os._exit(e.errno)\n"
    "  status = os.waitstatus_to_exitcode(os.wait()[1])\n  if status: raise OSError(status, '')\n"
    "try: exec(sys.argv[2]); print('did')\nexcept OSError as e: print('refused', type(e).__name__)\nP\n}\n";

const char* const kSocket = "s=$(mktemp -u /tmp/band-probe-XXXXXX); trap 'rm -f $s' EXIT; ";

}  // namespace

TEST_CASE("with a descriptor that a command sends, the script can neither open nor start a file of the command view") {
  const Way ways[] = {
      // The controls: the descriptor arrives, and a file that was opened for reading can be read.
      {"/usr/bin/python3 O_RDONLY", "read", "did", "did"},
      {"/tmp O_PATH", "open .", "did", "did"},
      {"/usr/bin/python3 O_RDONLY", "reopen", "did", "refused EACCES"},
      {"/usr/bin/python3 O_RDONLY", "execute", "nothing", "refused EACCES"},
      {"/usr/bin/git O_PATH", "reopen", "did", "refused EACCES"},
      {"/usr/bin/git O_PATH", "execute", "nothing", "refused EACCES"},
      {"/usr/bin O_PATH", "open git", "did", "refused EACCES"},
      {"/usr/bin O_PATH", "execute git", "nothing", "refused EACCES"},
      {"/ O_RDONLY", "open usr/bin/git", "did", "refused EACCES"},
      {"/ O_PATH", "open etc/passwd", "did", "refused EACCES"},
      {"/ O_PATH", "execute usr/bin/git", "nothing", "refused EACCES"},
      {"/ O_PATH", "enter usr/bin/git", "did", "refused EACCES"},
      {"/proc O_PATH", "open 1/status", "did", "refused EACCES"},
      {"self", "signal", "did", "refused EINVAL"},
      // The existence of names can be queried (docs/security.md).
      {"/ O_PATH", "stat usr/bin/git", "did", "did"},
  };
  for (const Way& way : ways) {
    CAPTURE(way.given);
    CAPTURE(way.use);
    const std::string act = std::string(kSocket) + kGive + "give $s " + way.given + "; band-probe take-fd $s " +
                            way.use + " 2>/dev/null; wait";
    CHECK(outside(act) == way.outside);
    CHECK(inside(act, interpreter()) == way.inside);
  }
}

TEST_CASE(
    "a script cannot access the home directory of a command, even if a command sends it a descriptor of the "
    "directory") {
  const std::string act = std::string(kSocket) + kGive + "give $s /band/home O_PATH; band-probe take-fd $s ";
  CHECK(inside(act + "stat python3; wait", interpreter()) == "did");  // the control: it exists
  CHECK(inside(act + "open python3; wait", interpreter()) == "refused EACCES");
  CHECK(inside(act + "open git; wait", interpreter()) == "refused EACCES");
}

TEST_CASE("with a descriptor that the script sends, a command can neither open nor start a file of the script view") {
  const Way ways[] = {
      {"/tmp", "os.open('.', os.O_RDONLY, dir_fd=fd)", "did", "did"},  // the control: it arrives
      {"/", "os.stat('usr/bin/bash', dir_fd=fd)", "did", "did"},
      {"/", "os.open('usr/bin/bash', os.O_RDONLY, dir_fd=fd)", "did", "refused PermissionError"},
      {"/", "os.fchdir(fd); run('usr/bin/bash')", "did", "refused PermissionError"},
      {"/usr/bin/bash", "os.open(f'/proc/self/fd/{fd}', os.O_RDONLY)", "did", "refused PermissionError"},
      {"/usr/bin/bash", "run(f'/proc/self/fd/{fd}')", "did", "refused PermissionError"},
      {"/proc", "os.open('1/status', os.O_RDONLY, dir_fd=fd)", "did", "refused PermissionError"},
  };
  for (const Way& way : ways) {
    CAPTURE(way.given);
    CAPTURE(way.use);
    const std::string act = std::string(kSocket) + kTake + "band-probe give-fd $s " + way.given +
                            " >/dev/null & take $s \"" + way.use + "\" 2>&1 | tail -n 1; wait";
    CHECK(outside(act) == way.outside);
    CHECK(inside(act, interpreter()) == way.inside);
  }
}

TEST_CASE("a command cannot execute a program through a descriptor that the script opened") {
  const std::string act =
      "python3 -c '\nimport os\ntry: os.execve(0, [\"x\", \"--version\"], {})\n"
      "except OSError as e: print(type(e).__name__)' < /usr/bin/bash | head -c 8";
  CHECK(outside(act) == "GNU bash");
  CHECK(inside(act, interpreter()) == "Permissi");
}

TEST_CASE("a command cannot change another command's limits") {
  // Only processes of the same user: other tests also run python3.
  const std::string act =
      "python3 -c '\nimport os, time\nopen(\"ready\", \"w\").close()\nwhile not os.path.exists(\"go\"): "
      "time.sleep(0.01)\n"
      "print(open(\"/dev/null\").read() == \"\")' > said &\nuntil [ -e ready ]; do sleep 0.01; done\n"
      "python3 -c '\nimport os, resource\nfor pid in map(int, filter(str.isdigit, os.listdir(\"/proc\"))):\n"
      "  try:\n    if pid == os.getpid() or os.stat(f\"/proc/{pid}\").st_uid != os.getuid() or not "
      "open(f\"/proc/{pid}/cmdline\", \"rb\").read().startswith(b\"python3\"): continue\n"
      "  except OSError: continue\n"
      "  try: resource.prlimit(pid, resource.RLIMIT_NOFILE, (0, 0)); print(\"took\")\n"
      "  except OSError as e: print(type(e).__name__)'\ntouch go; wait; cat said";
  // The control: the other command then fails to open a file.
  CHECK(outside_as(slot_uid(), "cd $(mktemp -d /tmp/band-limits-XXXXXX); exec 2>/dev/null; " + act + "; rm -r $PWD") ==
        "took");
  CHECK(inside(act, interpreter()) == "PermissionError\nTrue");
}
