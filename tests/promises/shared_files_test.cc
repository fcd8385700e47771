// Files that several slots and the machine use: the floor, programs, directories of programs, devices. An execution can
// neither observe the use of such a file by others, nor disturb it with a lock.
#include <doctest/doctest.h>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

struct Shared {
  std::string path, name;  // the entry `name` of the directory `path`; if `name` is "", the file or directory `path`
  std::string use() const { return name.empty() ? path : path + "/" + name; }
};

// `bash hold` waits until let_go(). It is a file, so that only one command line contains the words of kHold.
With holding(With with = {}) {
  with.read = {"./hold", "./act.py"};
  with.files = {{"hold", kHold + "\n"}, {"act.py", ""}};
  return with;
}

// For a command view, which does not have band-probe: the acts `watch` and `lock` of band-probe.
const char* const kActs =
    "import ctypes, errno, fcntl, os, struct, subprocess, sys\n"
    "act, path, name, command = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]\n"
    "def watch():\n"
    "  libc = ctypes.CDLL('libc.so.6')\n"
    "  fd = libc.inotify_init1(os.O_NONBLOCK)\n"
    "  assert libc.inotify_add_watch(fd, path.encode(), 0xfff) > 0\n"
    "  subprocess.run(command, check=True)\n"
    "  try: events = os.read(fd, 65536)\n"
    "  except BlockingIOError: return 'nothing'\n"
    "  while events:\n"
    "    size = struct.unpack_from('iIII', events)[3]\n"
    "    if events[16:16 + size].rstrip(b'\\0').decode() == name: return 'seen'\n"
    "    events = events[16 + size:]\n"
    "  return 'nothing'\n"
    "def lock():\n"
    "  fd = os.open(os.path.join(path, name) if name else path, os.O_RDONLY)\n"
    "  try: fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)\n"
    "  except OSError as e: return 'refused ' + errno.errorcode[e.errno]\n"
    "  if command: subprocess.run(command, check=True)\n"
    "  return 'did'\n"
    "print(watch() if act == 'watch' else lock())\n";

With interpreter() {
  With with;
  with.cli = {"python3 *"};
  with = holding(std::move(with));
  with.files.back().content = kActs;
  return with;
}

std::string quoted(const Shared& file) { return "'" + file.path + "' '" + file.name + "' "; }
std::string probe_watch(const Shared& file) { return "band-probe watch " + quoted(file); }
std::string probe_lock(const Shared& file) { return "band-probe lock '" + file.use() + "' "; }
std::string python_watch(const Shared& file) { return "python3 act.py watch " + quoted(file); }
std::string python_lock(const Shared& file) { return "python3 act.py lock " + quoted(file); }

// Returns what the holder of slot 0 prints, if the act of slot 1 and that of the machine happen while it holds.
std::string meanwhile(const std::string& holder, const std::string& other, const std::string& machine, const With& with,
                      std::string& others) {
  auto first = start(holder + "bash hold", with, 0);
  REQUIRE(held(0));
  const Ran second = start(other, with, 1).get();
  others = second.out + ", " + outside(machine);
  CHECK(second.code == "OK");
  let_go(0);
  const Ran ran = first.get();
  CHECK(ran.code == "OK");
  return ran.out;
}

// Where the machine has this file of the floor.
std::string in_floor(const Shared& file) { return scratch() + "/floor/????????????????" + file.use(); }

std::string library_of_python() { return outside("python3 -c 'import os; print(os.path.dirname(os.__file__))'"); }
std::string program_of_python() { return outside("readlink -f /usr/bin/python3"); }

const Shared kOfFloor[] = {
    {"/usr/bin/jq", ""}, {"/usr/bin", "jq"}, {"/etc/passwd", ""}, {"/etc", "passwd"}, {"/usr/lib/band/band-shim", ""}};

}  // namespace

TEST_CASE("a script does not see that another slot or the machine opens a file of the floor") {
  for (const Shared& file : kOfFloor) {
    CAPTURE(file.use());
    const std::string use = "cat " + file.use() + " > /dev/null; echo used";
    std::string others;
    // The controls: a watch reports the use by another process, outside and in the same sandbox.
    CHECK(outside("cp " + in_floor(file) + " " + scratch() + "/copy; " + probe_watch({scratch(), "copy"}) + "cat " +
                  scratch() + "/copy | tail -c 5") == "seen");
    CHECK(inside(probe_watch(file) + "cat " + file.use() + " | tail -c 5") == "seen");
    CHECK(meanwhile(probe_watch(file), use, "cat " + in_floor(file) + " > /dev/null; echo used", holding(), others) ==
          "nothing");
    CHECK(others == "used, used");
  }
}

TEST_CASE("a script does not see that another slot executes a program of the floor") {
  std::string others;
  const Shared jq{"/usr/bin/jq", ""};
  CHECK(inside(probe_watch(jq) + "jq -n 1 | tail -c 5") == "seen");
  CHECK(meanwhile(probe_watch(jq), "jq -n 1", "true", holding(), others) == "nothing");
  CHECK(others == "1, ");
}

TEST_CASE("a lock on a file of the floor has no effect in another slot and on the machine") {
  for (const Shared& file : kOfFloor) {
    CAPTURE(file.use());
    std::string others;
    const std::string on_machine = "band-probe lock " + in_floor(file);
    CHECK(outside("cp " + in_floor(file) + " " + scratch() + "/copy; band-probe lock " + scratch() +
                  "/copy band-probe lock " + scratch() + "/copy") == "refused EAGAIN\ndid");
    CHECK(inside(probe_lock(file) + probe_lock(file)) == "refused EAGAIN\ndid");
    CHECK(meanwhile(probe_lock(file), probe_lock(file), on_machine, holding(), others) == "did");
    CHECK(others == "did, did");
    // The other way round.
    CHECK(outside(on_machine + " true") == "did");
  }
}

TEST_CASE("a lock ends with its execution, although the next one in the slot uses the same inodes") {
  const Shared jq{"/usr/bin/jq", ""};
  CHECK(inside(probe_lock(jq) +
               "bash -c 'touch locked; sleep 100' > /dev/null 2>&1 & until [[ -e locked ]]; do sleep 0.1; "
               "done; " +
               probe_lock(jq)) == "refused EAGAIN");
  CHECK(inside(probe_lock(jq)) == "did");
}

TEST_CASE("a declared interpreter does not see that another slot or the machine uses its files") {
  const std::string library = library_of_python(), program = program_of_python();
  for (const Shared& file : {Shared{library, "os.py"}, Shared{library + "/os.py", ""}, Shared{program, ""},
                             Shared{"/usr/bin", program.substr(program.rfind('/') + 1)}, Shared{"/etc/passwd", ""}}) {
    CAPTURE(file.path);
    CAPTURE(file.name);
    std::string others;
    const std::string use = "open('" + file.use() + "', 'rb').read()";
    CHECK(inside(python_watch(file) + "python3 -c \"" + use + "\"", interpreter()) == "seen");  // the control
    CHECK(meanwhile(python_watch(file), "python3 -c \"" + use + "; print('used')\"",
                    "cat " + file.use() + " > /dev/null; echo used", interpreter(), others) == "nothing");
    CHECK(others == "used, used");
  }
}

TEST_CASE("a lock of a declared interpreter on its files has no effect in another slot and on the machine") {
  const std::string library = library_of_python(), program = program_of_python();
  for (const Shared& file : {Shared{library, "os.py"}, Shared{library, ""}, Shared{program, ""}}) {
    CAPTURE(file.use());
    std::string others;
    CHECK(inside(python_lock(file) + "bash -c \"" + python_lock(file) + "\"", interpreter()) == "refused EAGAIN\ndid");
    CHECK(meanwhile(python_lock(file), python_lock(file), probe_lock(file), interpreter(), others) == "did");
    CHECK(others == "did, did");
  }
}

TEST_CASE("neither a watch nor a lock on a device reaches another slot or the machine") {
  for (const char* device : {"/dev/null", "/dev/zero", "/dev/urandom"}) {
    CAPTURE(device);
    const Shared file{device, ""};
    std::string others;
    CHECK(outside(probe_watch(file) + "head -c 0 " + device) == "seen");
    CHECK(inside(probe_watch(file) + "head -c 0 " + device) == "seen");
    const std::string use = std::string("head -c 0 ") + device + "; echo used";
    CHECK(meanwhile(probe_watch(file), use, use, holding(), others) == "nothing");
    CHECK(others == "used, used");
    CHECK(inside(probe_lock(file) + probe_lock(file)) == "refused EAGAIN\ndid");
    CHECK(meanwhile(probe_lock(file), probe_lock(file), probe_lock(file), holding(), others) == "did");
    CHECK(others == "did, did");
  }
}

TEST_CASE("a script cannot change the times of a device, which other slots and the machine could see") {
  CHECK(outside_as(slot_uid(), "try touch /dev/zero") == "did");
  CHECK(inside("try touch /dev/zero") == "refused: Read-only file system");
}
