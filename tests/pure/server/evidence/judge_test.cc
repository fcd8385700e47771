#include "server/evidence/judge.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "schemas/core/json.h"
#include "server/base/fd.h"
#include "server/base/io.h"
#include "server/layout/places.h"

using namespace band;
using namespace band::run;

namespace {

// The result files of a script, and how it ended.
class Course {
 public:
  Course() {
    char name[] = "/tmp/band-test-judge-XXXXXX";
    path_ = ::mkdtemp(name);
    directory_.reset(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  ~Course() { std::filesystem::remove_all(path_); }

  void output(const std::string& text) const { write(layout::kOutputName, text); }
  void grow_output(std::uintmax_t bytes) const {
    std::filesystem::resize_file(path_ + "/" + layout::kOutputName, bytes);
  }
  void error_file(const std::string& text) const { write(layout::kErrorName, text); }
  void output_link(const std::string& target) const {
    std::filesystem::create_symlink(target, path_ + "/" + layout::kOutputName);
  }

  Answer answer(Ending ending) const {
    Evidence evidence{std::move(ending), at_ceiling, memory,           processes, directory_.get(), denied,
                      write_only,        room,       failed_connection};
    Answer answer;
    answer.stderr_log = said;
    judge(evidence, {}, answer);
    return answer;
  }
  Error error(Ending ending) const {
    const Answer answer = this->answer(std::move(ending));
    return answer.error.value_or(Error{.doing = "none"});
  }

  std::set<std::string> at_ceiling;
  bool memory = false, processes = false;
  std::vector<ledger::Ledger::Denied> denied;
  std::string write_only, said;
  view::Room room = view::Room::Left;
  std::optional<std::string> failed_connection;

 private:
  void write(const std::string& name, const std::string& text) const {
    REQUIRE(base::write_file(path_ + "/" + name, text, 0600).ok());
  }
  std::string path_;
  base::Fd directory_;
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a script that exits with 0 and wrote JSON succeeds, and the output is the answer's data") {
  Course course;
  course.output("{\"n\": 1.50}");
  const Answer answer = course.answer(Exited{0});
  CHECK(!answer.error);
  CHECK(answer.exit_status == 0);
  CHECK(dump_json(*answer.data) == "{\"n\":1.50}");
  CHECK(answer.metrics.outputBytes == 11);
}

TEST_CASE("a script that exits with 0 and wrote no JSON, nothing, or a link fails") {
  Course nothing, odd, link;
  CHECK(nothing.error(Exited{0}).code == Code::OutputInvalid);
  odd.output("{");
  CHECK(odd.error(Exited{0}).code == Code::OutputInvalid);
  link.output_link("/etc/passwd");
  CHECK(link.error(Exited{0}).code == Code::OutputInvalid);
  CHECK(has(link.error(Exited{0}).message(), "is a link"));
}

TEST_CASE("the output of a failed script is not read") {
  Course course;
  course.output("{}");
  const Answer answer = course.answer(Exited{3});
  CHECK(answer.error->code == Code::ScriptFailed);
  CHECK(answer.exit_status == 3);
  CHECK(answer.data->is_null());
}

TEST_CASE("the script's own message becomes the error message, and does not change the code") {
  Course course;
  course.error_file(R"({"message": "no such issue", "hint": "list them", "retryAfterMs": 5, "code": "OK"})");
  const Error error = course.error(Exited{1});
  CHECK(error.code == Code::ScriptFailed);
  CHECK(error.message() == "no such issue");
  CHECK(error.hint == "list them");
  CHECK(error.details == R"({"retryAfterMs":5})");
}

TEST_CASE("an error file with values of other types is ignored") {
  for (const char* text : {"[]", "{", R"({"message": 1, "hint": [], "retryAfterMs": -1})"}) {
    Course course;
    course.error_file(text);
    CHECK(course.error(Exited{1}).message() == "the script exited with 1");
  }
}

TEST_CASE("a denial is the cause of a later failure, and no error of a run that succeeds") {
  Course course;
  course.output("{}");
  course.denied = {{"write `git push` under allow.cli", "git push was refused", "git", false}};
  CHECK(!course.answer(Exited{0}).error);
  const Error error = course.error(Exited{1});
  CHECK(error.code == Code::PermissionDenied);
  CHECK(has(error.message(), "git push was refused"));
  CHECK(has(error.hint, "allow.cli"));
  CHECK(error.details == R"({"hintFrom":"server"})");
  course.said = "the third row has no date\n";
  CHECK(course.error(Exited{1}).code == Code::ScriptFailed);
}

TEST_CASE("a connection that failed before the script is named in the hint") {
  Course course;
  course.output("{}");
  course.failed_connection = "api.example.com:80 failed: not found";
  CHECK(!course.answer(Exited{0}).error);
  CHECK(course.error(Exited{56}).code == Code::ScriptFailed);
  CHECK(course.error(Exited{56}).hint == "before that: api.example.com:80 failed: not found");
  course.error_file(R"({"message": "no luck", "hint": "try later"})");
  CHECK(course.error(Exited{56}).hint == "try later; before that: api.example.com:80 failed: not found");
}

TEST_CASE("a limit that was reached is the error, instead of the script's exit status") {
  Course course;
  course.memory = true;
  CHECK(course.error(Killed{SIGKILL}).code == Code::LimitExceeded);
  CHECK(course.error(Exited{137}).code == Code::LimitExceeded);
  course.memory = false;
  CHECK(course.error(Killed{SIGXFSZ}).code == Code::LimitExceeded);
  CHECK(course.error(Exited{128 + SIGXFSZ}).code == Code::LimitExceeded);
  CHECK(course.error(Killed{SIGKILL}).code == Code::ScriptFailed);
  course.processes = true;
  CHECK(course.error(Killed{SIGKILL}).code == Code::LimitExceeded);
  CHECK(course.error(Exited{1}).code == Code::LimitExceeded);
}

TEST_CASE("a script that fails with a full disk, too many files or a file that is too large has reached a limit") {
  Course course;
  course.room = view::Room::NoBytes;
  CHECK(has(course.error(Exited{1}).message(), "limit.maxDiskBytes"));
  CHECK(course.error(Exited{1}).code == Code::LimitExceeded);
  CHECK(course.error(Killed{SIGBUS}).code == Code::LimitExceeded);
  course.room = view::Room::NoFiles;
  CHECK(has(course.error(Exited{1}).message(), "limit.maxFiles"));
  CHECK(has(course.error(Exited{1}).hint, "raise limit.maxFiles in the band"));
  course.error_file(R"({"message": "no such issue"})");
  CHECK(course.error(Exited{1}).code == Code::ScriptFailed);
  CHECK(has(course.error(Exited{1}).hint, "limit.maxFiles"));
}

TEST_CASE(
    "a printed error about a full disk or a file that is too large names the limit, even if the files were removed") {
  Course course;
  course.said = "OSError: [Errno 27] File too large: 'x'\n";
  CHECK(course.error(Exited{1}).code == Code::LimitExceeded);
  course.said = "truncate: failed to truncate 'x' at 1 bytes: File too large\n";
  CHECK(course.error(Exited{1}).code == Code::LimitExceeded);
  course.said = "gzip: x.gz: No space left on device\n";
  CHECK(course.error(Exited{1}).code == Code::ScriptFailed);
  CHECK(has(course.error(Exited{1}).hint, "limit.maxDiskBytes and limit.maxFiles"));
}

TEST_CASE("refused processes are not the cause when the script, or a denial, explains the failure") {
  Course course;
  course.processes = true;
  course.error_file(R"({"message": "no such issue"})");
  CHECK(course.error(Exited{1}).code == Code::ScriptFailed);
  CHECK(has(course.error(Exited{1}).hint, "limit.maxProcesses"));
}

TEST_CASE("the hint for a limit at the server's ceiling is not to raise it in the band") {
  Course course;
  CHECK(has(course.error(TimedOut{}).hint, "raise limit.maxRuntimeMs in the band"));
  course.at_ceiling = {"maxRuntimeMs"};
  CHECK(has(course.error(TimedOut{}).hint, "ceiling.limit.maxRuntimeMs in server.yaml"));
}

TEST_CASE("the hint for an output above the maximum of the limit is not to raise it") {
  Course course;
  course.output(std::string(11 << 20, ' '));
  CHECK(has(course.error(Exited{0}).hint, "raise limit.maxOutputBytes in the band, or write less"));
  course.grow_output(65 << 20);
  CHECK(course.error(Exited{0}).hint ==
        "limit.maxOutputBytes cannot be raised enough: its maximum is 67108864; write less to \"$OUTPUT_PATH\"");
}

TEST_CASE("the error about too many files or bytes names the limit that was reached") {
  EffectiveLimits limits;
  limits.maxDiskBytes = 4 << 20;
  const auto message_of = [&](std::int64_t bytes, std::int64_t files, const std::set<std::string>& at_ceiling = {}) {
    const Error error = too_much_written(at_ceiling, limits, bytes, files);
    CHECK(error.code == Code::LimitExceeded);
    return error.message() + " | " + error.hint;
  };
  CHECK(has(message_of(6 << 20, 2), "2 files with 6291456 bytes in all"));
  CHECK(has(message_of(6 << 20, 2), "limit.maxDiskBytes is 4194304 | raise limit.maxDiskBytes in the band"));
  CHECK(has(message_of(6 << 20, 2, {"maxDiskBytes"}), "ask the operator to raise ceiling.limit.maxDiskBytes"));
  CHECK(has(message_of(1, 1'001), "limit.maxFiles is 1000 | raise limit.maxFiles in the band"));
  for (const std::string& text : {message_of((64 << 20) + 1, 1), message_of(1, 20'001)}) {
    CHECK(has(text, "can be sent back, regardless of limit.max"));
    CHECK(has(text, "write: [\"/srv/out/**\"]"));
    CHECK_FALSE(has(text, "raise"));
  }
}

TEST_CASE("the other endings keep their code, regardless of the script's output") {
  Course course;
  course.output("{}");
  course.error_file(R"({"message": "all is well"})");
  CHECK(course.error(TimedOut{}).code == Code::Timeout);
  CHECK(course.error(Cancelled{"the client disconnected"}).message() == "the execution ended: the client disconnected");
  const Error broken = layer_error("view", "mount", 1);
  CHECK(course.error(SetupFailed{broken}).message() == broken.message());
  CHECK(course.error(SetupFailed{broken}).code == Code::SandboxUnavailable);
}

TEST_CASE("permission denied is explained when a path is opened for writing only") {
  Course course;
  course.write_only = "srv/out";
  course.said = "cat: /srv/out/x: Permission denied\n";
  CHECK(has(course.error(Exited{1}).hint, "name this path in `read`"));
  course.said = "other\n";
  CHECK(!has(course.error(Exited{1}).hint, "name this path in `read`"));
}

TEST_CASE("141 is explained, as an exit status and as death by SIGPIPE") {
  Course course;
  for (const Ending& ending : {Ending(Exited{141}), Ending(Killed{SIGPIPE})}) {
    CHECK(course.error(ending).code == Code::ScriptFailed);
    CHECK(has(course.error(ending).hint, "pipefail"));
  }
  CHECK(course.error(Exited{140}).hint.empty());
  CHECK(course.error(Killed{SIGTERM}).hint.empty());
}

TEST_CASE("for a helper that bash may not execute, the hint has the line that starts it") {
  Course course;
  course.said = "/band/skill/run.sh: line 3: /band/skill/lib/sub/helper.sh: Permission denied\n";
  CHECK(has(course.error(Exited{126}).hint, "`bash \"$BAND_LIB/sub/helper.sh\"`"));
  course.said = "go\n/band/skill/run.sh: line 3: ./helper.sh: Permission denied\nmore\n";
  CHECK(has(course.error(Exited{1}).hint, "`bash \"./helper.sh\"`"));
  course.said = "/band/skill/scripts/go/run.sh: line 3: /band/skill/scripts/go/count.py: Permission denied\n";
  CHECK(has(course.error(Exited{126}).hint, "`python3 \"/band/skill/scripts/go/count.py\"`"));
  course.said = "run.sh: line 3: /work/tool: Permission denied\n";
  CHECK(has(course.error(Exited{126}).hint, "(noexec): start the file with the program that runs such files"));
  CHECK(!has(course.error(Exited{126}).hint, "files of the script"));
  CHECK(!has(course.error(Exited{1}).hint, "noexec"));  // `echo > /work/tool` prints the same message
  // Ignored: messages of other programs, of bash about files of the machine, and names that could be commands.
  for (const char* other : {"cat: helper.sh: Permission denied\n", "run.sh: line 1: /srv/x.sh: Permission denied\n",
                            "run.sh: line 1: $(reboot).sh: Permission denied\n", ".sh: Permission denied\n", ""}) {
    course.said = other;
    CHECK(!has(course.error(Exited{1}).hint, "noexec"));
  }
  // The hint of the script has precedence.
  course.said = "run.sh: line 3: ./helper.sh: Permission denied\n";
  course.error_file(R"({"message": "no luck", "hint": "try later"})");
  CHECK(course.error(Exited{126}).hint == "try later");
  CHECK(course.error(Exited{126}).details.empty());
}

TEST_CASE("127 and 126 are explained only if the script has printed such a reason") {
  Course course;
  CHECK(course.error(Exited{127}).hint.empty());
  CHECK(course.error(Exited{126}).hint.empty());
  course.said = "run.sh: line 2: gh: command not found\n";
  CHECK(!course.error(Exited{127}).hint.empty());
  course.said = "the third row has no date\n";
  CHECK(course.error(Exited{127}).hint.empty());
  CHECK(course.error(Exited{126}).hint.empty());
}

TEST_CASE("126 is not explained when band has already printed the reason") {
  Course course;
  course.said = "env: 'x': Permission denied\n";
  CHECK(has(course.error(Exited{126}).hint, "files that the script wrote or received cannot be executed"));
  for (const char* why :
       {"band: broker: no more than 64 commands can wait\n", "go\nband: cannot start git: no room\n"}) {
    course.said = why;
    CHECK(course.error(Exited{126}).hint.empty());
  }
}
