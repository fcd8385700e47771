// The resources that a script may use.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>

#include "tests/promises/sandbox.h"

using namespace band::test;

namespace {

double seconds_of(const std::function<void()>& act) {
  const auto began = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

With limited(const std::string& name, std::int64_t value) {
  With with;
  with.limits[name] = value;
  return with;
}

constexpr std::int64_t kMiB = 1 << 20;

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a script that uses more memory than its limit ends with LIMIT_EXCEEDED") {
  const With with = limited("maxMemoryBytes", 64 * kMiB);
  CHECK(inside("band-probe eat-heap 32", with) == "did");  // the control
  const Ran ran = run("band-probe eat-heap 200 || exit 1", with);
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(ran.message.find("maxMemoryBytes (67108864)") != std::string::npos);
  CHECK(ran.max_memory_bytes <= 64 * kMiB);
}

TEST_CASE("maxMemoryBytes limits the memory of all processes of a script together") {
  const With with = limited("maxMemoryBytes", 96 * kMiB);
  CHECK(inside("band-probe eat-heap 64", with) == "did");
  // Each holds 64 MiB while the other allocates its own.
  const Ran ran = run("band-probe eat-heap 64 5 & band-probe eat-heap 64 5 & wait -n; exit 1", with);
  CHECK(ran.code == "LIMIT_EXCEEDED");
}

TEST_CASE(
    "memfds count as memory; kernels before Linux 6.3, which cannot seal a memfd against execution, refuse them") {
  const With with = limited("maxMemoryBytes", 64 * kMiB);
  const bool sealing = kernel_has("band-probe memfd-sealed");
  const std::string able = sealing ? "did" : "refused EINVAL";
  CHECK(outside("band-probe eat-memfds 16") == able);
  CHECK(inside("band-probe eat-memfds 32", with) == able);
  if (sealing)
    CHECK(run("band-probe eat-memfds 256 || exit 1", with).code == "LIMIT_EXCEEDED");
  else
    CHECK(inside("band-probe eat-memfds 256", with) == able);
}

TEST_CASE("files in /tmp count as memory") {
  With with = limited("maxMemoryBytes", 64 * kMiB);
  with.limits["maxDiskBytes"] = 512 * kMiB;
  CHECK(inside("head -c 32M /dev/zero >/tmp/x; stat -c %s /tmp/x", with) == "33554432");
  CHECK(run("cat /dev/zero >/tmp/x || exit 1", with).code == "LIMIT_EXCEEDED");
}

TEST_CASE("a slot whose script ran out of memory runs the next execution") {
  run("band-probe eat-heap 200 || exit 1", limited("maxMemoryBytes", 64 * kMiB));
  CHECK(inside("band-probe eat-heap 200") == "did");
}

TEST_CASE("the work directory and /tmp together are limited to maxDiskBytes") {
  const With with = limited("maxDiskBytes", 8 * kMiB);
  CHECK(inside("try dd if=/dev/zero of=/tmp/x bs=1M count=3; try dd if=/dev/zero of=/work/x bs=1M count=3", with) ==
        "did\ndid");
  CHECK(inside("try dd if=/dev/zero of=/tmp/x bs=1M count=6 status=none; try dd if=/dev/zero of=/work/x bs=1M count=6 "
               "status=none; rm /tmp/x /work/x",
               with) == "did\nrefused: No space left on device");
}

TEST_CASE("maxFiles limits the number of files in the work directory and /tmp") {
  CHECK(outside("mkdir " + scratch() + "/many; band-probe make-files " + scratch() + "/many 1500") == "1500");
  const std::string make = "cd /tmp; band-probe make-files /tmp 200000; rm -r /tmp/f*";
  With with = limited("maxFiles", 100);
  CHECK(inside(make, with) == "100");
  // Directories that the server makes, and files that were sent, are not counted.
  with.cli = {"python3 -c *", "git log"};
  with.read = {"./**"};
  with.files = {{"a/b/c/one", "1"}, {"a/b/two", "2"}, {"three", "3"}};
  CHECK(inside(make, with) == "100");
}

TEST_CASE("a band that sets no limit has the documented default, also if the operator permits more") {
  With with, more;
  with.ceiling_limits = more.ceiling_limits = {{"maxMemoryBytes", 2048 * kMiB}, {"maxProcesses", 1000}};
  more.limits = {{"maxMemoryBytes", 1024 * kMiB}, {"maxProcesses", 600}};
  const std::string memory = "band-probe eat-heap 700 || exit 1";
  const std::string processes = "for i in {1..400}; do sleep 30 & done; kill $(jobs -p)";
  CHECK(run(memory, more).code == "OK");  // the controls
  CHECK(run(processes, more).code == "OK");
  CHECK(run(memory, with).code == "LIMIT_EXCEEDED");
  CHECK(run(processes, with).code == "LIMIT_EXCEEDED");
}

TEST_CASE("a ceiling lowers a limit, also if the band sets none") {
  With with;
  CHECK(run("sleep 1", with).code == "OK");  // the control
  with.ceiling_limits = {{"maxRuntimeMs", 300}};
  CHECK(run("sleep 20", with).code == "TIMEOUT");
  with.limits = {{"maxRuntimeMs", 40'000}};
  CHECK(run("sleep 20", with).code == "TIMEOUT");
}

TEST_CASE("more files than maxFiles are not accepted, whether the band or the ceiling sets the limit") {
  With with = limited("maxFiles", 11);
  with.read = {"./**"};
  for (int i = 0; i < 11; ++i) with.files.push_back({"f" + std::to_string(i), "x"});
  CHECK(inside("ls | wc -l", with) == "11");  // the control
  with.ceiling_limits = {{"maxFiles", 10}};
  const Ran ran = run("true", with);
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(has(ran.message, "11 files of the workspace were sent; limit.maxFiles is 10"));
  CHECK(has(ran.hint, "ceiling.limit.maxFiles"));
  with.ceiling_limits.clear();
  with.limits["maxFiles"] = 10;
  CHECK(run("true", with).code == "LIMIT_EXCEEDED");
  // Directories above sent files are limited, too: a short request can name very many.
  with.files = {{"a/b/c/d/e/f/g/h/i/j/file", "x"}};
  CHECK(inside("cat a/b/c/d/e/f/g/h/i/j/file", with) == "x");  // ten directories: the control
  with.files = {{"a/b/c/d/e/f/g/h/i/j/k/file", "x"}};
  const Ran deep = run("true", with);
  CHECK(deep.code == "LIMIT_EXCEEDED");
  CHECK(has(deep.message, "more than 10 directories"));
}

TEST_CASE("a script that has used up maxFiles and maxDiskBytes can still write its output or its error file") {
  const std::string use_up =
      "band-probe make-files /tmp 200000 >/dev/null; try touch /tmp/more /work/more\n"
      "try dd if=/dev/zero of=/tmp/f1 bs=1M count=8 status=none; try bash -c 'echo x >/tmp/f2'\n";
  With with = limited("maxDiskBytes", 8 * kMiB);
  with.output = false;
  const Ran ran =
      run(use_up + "echo '{\"a\":1}' >\"$OUTPUT_PATH.new\"; mv \"$OUTPUT_PATH.new\" \"$OUTPUT_PATH\"", with);
  CHECK(ran.out == "refused: No space left on device\ndid\nrefused: No space left on device");
  CHECK(ran.data == "{\"a\":1}");
  CHECK(run(use_up + "echo '{\"message\":\"full\"}' >\"$ERROR_PATH\"; exit 1", with).message == "full");
}

TEST_CASE("a script that fails with a full workspace, too many files or a file that is too long is LIMIT_EXCEEDED") {
  const auto message_of = [](const std::string& source, const With& with) {
    const Ran ran = run(source + " || exit 1", with);
    return ran.code + " " + ran.message + " " + ran.hint;
  };
  const With small = limited("maxDiskBytes", 8 * kMiB), few = limited("maxFiles", 100);
  const std::string fill = "echo >y; cp /dev/zero x";  // without `y`, x would also reach the limit of a file's size
  const std::string full = message_of(fill, small), many = message_of("for i in {1..200}; do >$i; done", few);
  CHECK(has(full, "LIMIT_EXCEEDED"));
  CHECK(has(full, "limit.maxDiskBytes (8388608)"));
  CHECK(has(many, "LIMIT_EXCEEDED"));
  CHECK(has(many, "limit.maxFiles (100)"));
  CHECK(has(message_of("trap '' XFSZ; truncate -s 1T x", small), "LIMIT_EXCEEDED"));
  // The file was removed before the end: a hint names the limits.
  CHECK(has(message_of(fill + " || ! rm x", small), "limit.maxDiskBytes and limit.maxFiles"));
  CHECK(has(message_of("false", small), "SCRIPT_FAILED the script exited with 1 "));
}

TEST_CASE("the directory of the output has a maximum size, by maxOutputBytes, and a maximum number of files") {
  const With with = limited("maxOutputBytes", 1 * kMiB);
  const std::string fill = "try dd if=/dev/zero of=/band/out/x bs=1M status=none count=";
  CHECK(inside(fill + "1; rm /band/out/x", with) == "did");
  CHECK(inside(fill + "3; rm /band/out/x", with) == "refused: No space left on device");
  CHECK(std::stoi(inside("band-probe make-files /band/out 1000; rm /band/out/f*", with)) < 16);
}

TEST_CASE("a file cannot be longer than maxDiskBytes, even a sparse one") {
  CHECK(outside("cd " + scratch() + "; truncate -s 1T x; stat -c %s x; rm x") == "1099511627776");
  const With with = limited("maxDiskBytes", 8 * kMiB);
  CHECK(inside("try truncate -s 4M x; rm x", with) == "did");
  CHECK(inside("trap '' XFSZ; truncate -s 1T x 2>&1 | grep -o 'too large'", with) == "too large");
}

TEST_CASE("a file or an output that grows too long ends the script with LIMIT_EXCEEDED, which names the limit") {
  With with = limited("maxDiskBytes", 8 * kMiB);
  with.output = false;
  const std::string whole = "echo '{}' >\"$OUTPUT_PATH\"";
  CHECK(run("truncate -s 4M x; rm x; " + whole, with).code == "OK");  // the control
  for (const char* script :
       {"truncate -s 9M x", "truncate -s 9M /tmp/x || exit", "exec truncate -s 9M \"$OUTPUT_PATH\"",
        "printf x | dd of=\"$OUTPUT_PATH\" bs=1 seek=8M"}) {
    CAPTURE(std::string(script));
    const Ran ran = run(script, with);
    CHECK(ran.code == "LIMIT_EXCEEDED");
    CHECK(ran.message.find("limit.maxDiskBytes (8388608)") != std::string::npos);
    CHECK(ran.hint.find("raise limit.maxDiskBytes") == 0);
  }
  const Ran long_output = run("head -c 2M /dev/zero >\"$OUTPUT_PATH\"", [] {
    With small = limited("maxOutputBytes", kMiB);
    small.output = false;
    return small;
  }());
  CHECK(long_output.code == "LIMIT_EXCEEDED");
  CHECK((long_output.message + long_output.hint).find("limit.maxOutputBytes") != std::string::npos);
}

TEST_CASE("no process leaves a core dump") {
  CHECK(inside("ulimit -c; ulimit -Hc; sleep 9 & kill -SEGV $!; wait; ls") == "0\n0");
}

TEST_CASE("a crash starts no core-dump program of the machine, because the limit of core files is 1 byte and not 0") {
  // core(5): with a core_pattern that is a pipe, cores are written in spite of a limit of 0; with 1 the kernel does not
  // start the program. The pattern applies to the whole machine, so this test checks the limit.
  CHECK(outside("ulimit -c unlimited; grep -i 'core file' /proc/self/limits").find("unlimited") != std::string::npos);
  CHECK(inside("grep -i 'core file' /proc/self/limits | tr -s ' '") == "Max core file size 1 1 bytes ");
}

TEST_CASE("a script cannot have more processes than maxProcesses") {
  CHECK(outside("band-probe count-children 200") == "200");
  const int count = std::stoi(inside("band-probe count-children 200", limited("maxProcesses", 20)));
  CHECK(count >= 15);
  CHECK(count < 20);
}

TEST_CASE(
    "a script that needs more processes than maxProcesses, and fails, ends with LIMIT_EXCEEDED, which names the "
    "limit") {
  const With with = limited("maxProcesses", 20);
  const std::string fork = "count() { test \"$(band-probe count-children $1)\" = $1; }\n";
  CHECK(run(fork + "count 10 || exit 3", with).code == "OK");  // the control
  CHECK(run(fork + "count 30 || exit 3", limited("maxProcesses", 60)).code == "OK");
  CHECK(run(fork + "count 10 && exit 3", with).code == "SCRIPT_FAILED");  // it fails for another reason
  // A script that works with fewer processes succeeds.
  CHECK(run(fork + "count 30 || echo fewer", with).out == "fewer");
  for (const char* script : {"count 30 || exit 3", "count 30 || kill -KILL $$",
                             "exec sh -c 'for i in $(seq 30); do sleep 2 & done; wait'"}) {
    CAPTURE(std::string(script));
    const Ran ran = run(fork + script, with);
    CHECK(ran.code == "LIMIT_EXCEEDED");
    CHECK(ran.message.find("limit.maxProcesses (20)") != std::string::npos);
    CHECK(ran.hint.find("raise limit.maxProcesses") == 0);
  }
  // A script that failed for another reason reports it itself.
  const Ran with_message = run(
      fork + "count 30; echo '{\"message\":\"the service said 429\",\"hint\":\"try later\"}' >\"$ERROR_PATH\"; exit 3",
      with);
  CHECK(with_message.code == "SCRIPT_FAILED");
  CHECK(with_message.message == "the service said 429");
  CHECK(with_message.hint == "try later; the script also needed more processes than limit.maxProcesses (20)");
  // The next one in the slot is not affected.
  CHECK(run("exit 3", with).code == "SCRIPT_FAILED");
}

TEST_CASE("threads count as processes, and a script that fails after a thread was refused is LIMIT_EXCEEDED") {
  const With with = limited("maxProcesses", 20);
  const std::string count = "count() { test \"$(band-probe count-threads $1)\" = $1; }\n";
  CHECK(outside(count + "count 30 && echo all") == "all");
  CHECK(run(count + "count 10 || exit 3", with).code == "OK");  // the control
  CHECK(run(count + "count 30 || exit 3", limited("maxProcesses", 60)).code == "OK");
  CHECK(run(count + "count 30 || exit 3", with).code == "LIMIT_EXCEEDED");
}

TEST_CASE("declared commands count as processes, and a script that fails after one was refused is LIMIT_EXCEEDED") {
  const std::string many = "seq 30 | xargs -P 30 -n 1 sh -c 'sleep 1' || exit 3";
  With with = limited("maxProcesses", 128);
  with.cli = {"sleep *"};
  CHECK(run(many, with).code == "OK");  // the control: 30 of sh, of shims and of programs
  with.limits["maxProcesses"] = 40;
  const Ran ran = run(many, with);
  CHECK(ran.code == "LIMIT_EXCEEDED");
  CHECK(ran.message.find("limit.maxProcesses (40)") != std::string::npos);
  CHECK(ran.slot_usable);
}

TEST_CASE("a process cannot have more open files than maxOpenFiles") {
  CHECK(inside("band-probe count-files 500", limited("maxOpenFiles", 1000)) == "500");
  CHECK(inside("band-probe count-files 500", limited("maxOpenFiles", 40)) == "37");
}

TEST_CASE("a script cannot raise its limits") {
  CHECK(inside("try bash -c 'ulimit -n 5000'; try bash -c 'ulimit -u 5000'; try bash -c 'ulimit -Hc 1'",
               limited("maxOpenFiles", 40)) ==
        "refused: Operation not permitted\nrefused: Operation not permitted\nrefused: Operation not permitted");
}

TEST_CASE("a fork bomb ends with its execution, and the machine continues") {
  With with = limited("maxRuntimeMs", 500);
  Ran ran;
  CHECK(seconds_of([&] { ran = run("band-probe fork-bomb", with); }) < 10);
  CHECK(ran.code == "TIMEOUT");
  CHECK(ran.slot_usable);
  CHECK(processes_of(slot_uid()).empty());
  CHECK(inside("echo next") == "next");
}

TEST_CASE("a script that runs too long ends with TIMEOUT, even if it ignores SIGTERM") {
  Ran ran;
  const double took =
      seconds_of([&] { ran = run("trap '' TERM; while :; do sleep 1; done", limited("maxRuntimeMs", 300)); });
  CHECK(ran.code == "TIMEOUT");
  CHECK(took >= 1.3);  // one second of grace
  CHECK(took < 4);
  CHECK(processes_of(slot_uid()).empty());
}

TEST_CASE("a script that runs too long gets SIGTERM first, and can still print output") {
  const auto ends = [](const std::string& action, Ran& ran) {
    const std::string script = "trap '" + action + "' TERM; while :; do sleep 0.05; done";
    return seconds_of([&] { ran = run(script, limited("maxRuntimeMs", 300)); });
  };
  Ran ran, ignores;
  const double took = ends("echo cleaning up; exit 3", ran);
  CHECK(ran.code == "TIMEOUT");
  CHECK(ran.out == "cleaning up");
  CHECK(took < ends("", ignores));  // the control: one second of grace
}

TEST_CASE("the log of stdout has a maximum size, and the answer has the number of bytes that were cut off") {
  const Ran ran = run("head -c 5M /dev/zero | tr '\\0' x; echo end >&2");
  CHECK(ran.code == "OK");
  const std::string missing = "\n[" + std::to_string(4 * kMiB) + " bytes are missing here]\n";
  CHECK(ran.out.size() == 1 * kMiB + missing.size());
  CHECK(ran.out.find(missing) != std::string::npos);
  CHECK(ran.out_cut == 4 * kMiB);
  CHECK(ran.err == "end");
}

TEST_CASE(
    "the logs of many processes on both streams have a maximum size, cut bytes are counted, and bytes above the "
    "maximum are not streamed") {
  // 100 MiB on each stream, in small writes and large ones.
  const Ran ran =
      run("flood() { head -c 25M /dev/zero | tr '\\0' $1 | dd bs=$2 status=none; }\n"
          "for size in 1000 1M; do for c in a b; do flood $c $size & flood $c $size >&2 & done; done; wait");
  CHECK(ran.code == "OK");
  CHECK(ran.out.size() <= 1 * kMiB + 64);  // including the line that says how much is missing
  CHECK(ran.out_cut == 99 * kMiB);
  CHECK(ran.err.size() <= 1 * kMiB + 64);
  CHECK(ran.streamed.size() < 3 * kMiB);
}

TEST_CASE("a script that prints without end is still ended at its time limit") {
  Ran ran;
  CHECK(seconds_of([&] { ran = run("yes", limited("maxRuntimeMs", 300)); }) < 4);
  CHECK(ran.code == "TIMEOUT");
}
