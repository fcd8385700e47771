// `band test`: runs the cases of a skill's tests/, several at the same time, each in its own sandbox and workspace.
#include <fcntl.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>

#include "client/commands/build_difference.h"
#include "client/commands/commands.h"
#include "client/commands/running.h"
#include "client/commands/server_facts.h"
#include "client/commands/skill_words.h"
#include "client/commands/test_case.h"
#include "client/host/interrupt.h"
#include "client/host/tree.h"
#include "client/host/write_all.h"
#include "client/skill_tests/example.h"
#include "client/skill_tests/files.h"
#include "client/skill_tests/report.h"
#include "schemas/core/usage.h"

namespace band::client {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kUsualJobs = 8;
constexpr int kMostJobs = 64;
constexpr int kCaseFailed = 1;

double ms_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

Error mistakes(const std::vector<Diagnostic>& errors) {
  Error error = skill_invalid(errors);
  error.hint = "`band test --help` shows an example of a test file, with every key";
  return error;
}

// ---- selection ----------------------------------------------------------------------------------------------------

struct Selection {
  std::string skill;
  std::vector<SkillCase> cases;
  std::map<std::string, Script> scripts;  // the scripts of these cases, by their names in the skill
};

Result<Script> load(const SkillPlace& skill, const std::string& script) {
  std::vector<Diagnostic> errors;
  auto loaded = load_script(place_of(skill, script), errors);
  if (!loaded) return skill_invalid(errors);
  return std::move(*loaded);
}

// The hint has the path and an example text of the file to write.
Error no_tests(const SkillPlace& skill, const std::string& script) {
  const std::vector<std::string> names = script_names(skill.directory);
  const std::string name = script.empty() && !names.empty() ? names.front() : script;
  const std::string what = skill.name + (script.empty() ? "" : "/" + script) + " has no tests";
  if (name.empty()) return usage(what, "the skill has no scripts: write scripts/NAME/run.sh first");
  const auto loaded = load(skill, name);
  if (!loaded.ok()) return loaded.error();
  return usage(what,
               "write " + skill.directory + "/tests/" + name + ".yaml, for example:\n\n" + example_tests(*loaded));
}

Status load_scripts(const SkillPlace& place, Selection& selection) {
  std::vector<Diagnostic> errors;
  for (const SkillCase& one : selection.cases) {
    if (!selection.scripts.contains(one.script)) {
      BAND_TRY(Script script, load(place, one.script));
      selection.scripts.emplace(one.script, std::move(script));
    }
    for (Diagnostic& error : undeclared_variables(one, selection.scripts.at(one.script)))
      errors.push_back(std::move(error));
  }
  return errors.empty() ? done() : mistakes(errors);
}

Result<Selection> select_cases(const CommandLine& line, Terminal& terminal) {
  if (line.arguments.size() != 1)
    return usage("`band test` needs a skill, or a script of one",
                 "band test SKILL, band test SKILL/SCRIPT, or band test DIR");
  const std::string& word = line.arguments.front();
  BAND_TRY(const auto roots, roots_of(line, terminal));
  BAND_TRY(const SkillOrScript meant, skill_or_script(word, roots));
  const SkillPlace& place = meant.skill;
  const std::string& script = meant.script;
  SkillTests tests = load_tests(place, place.directory);
  for (const Diagnostic& note : tests.notes) terminal.note("note: " + note.text());
  if (!tests.errors.empty()) return mistakes(tests.errors);
  std::erase_if(tests.cases, [&](const SkillCase& one) { return !script.empty() && one.script != script; });
  if (tests.cases.empty()) return no_tests(place, script);
  const std::string first = tests.cases.front().name;
  if (line.filter)
    std::erase_if(tests.cases, [&](const SkillCase& one) { return one.name.find(*line.filter) == std::string::npos; });
  if (tests.cases.empty())
    return usage("no case has a name that contains \"" + *line.filter + "\"",
                 "the first case is \"" + first + "\"; without --filter, all cases are run");
  Selection selection{place.name, std::move(tests.cases), {}};
  BAND_CHECK(load_scripts(place, selection));
  return selection;
}

Result<std::optional<std::size_t>> jobs_of(const CommandLine& line) {
  if (!line.jobs) return std::optional<std::size_t>();
  BAND_TRY(const int jobs, number_of_flag("jobs", *line.jobs, 1, kMostJobs));
  return std::optional(static_cast<std::size_t>(jobs));
}

// The file of --junit, or nothing without --junit. It is truncated before anything else is checked, so that it never
// holds the result of an earlier run; `band test` writes it before each exit.
class JunitFile {
 public:
  static Result<JunitFile> open(const CommandLine& line) {
    JunitFile file;
    if (!line.junit) return file;
    file.name_ = *line.junit;
    file.fd_ = Fd(::open(file.name_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file.fd_) return file;
    return file.failed(errno, "name a file in a directory that exists and that you can write to");
  }

  Status write(const std::string& xml) const {
    if (!fd_ || write_all(fd_.get(), xml)) return done();
    return failed(errno, "free space on its disk, or name a file elsewhere");
  }

 private:
  Error failed(int err, const char* hint) const {
    return {.code = Code::Usage, .doing = "cannot write --junit " + name_, .err = err, .hint = hint};
  }

  std::string name_;
  Fd fd_;
};

// Same as fail(), and also writes the error into the JUnit report.
int fail_in_report(const CommandLine& line, Terminal& terminal, const JunitFile& junit, const Error& error) {
  if (const Status written = junit.write(junit_error_xml(error)); !written.ok()) terminal.error(written.error());
  return fail(line, terminal, error);
}

// ---- the run ------------------------------------------------------------------------------------------------------

// Runs all cases of a selection on several threads.
class CaseRuns {
 public:
  CaseRuns(const Selection& selection, const Target& target, CaseStopper& stopper, Terminal& terminal)
      : selection_(selection),
        target_(target),
        stopper_(stopper),
        terminal_(terminal),
        progress_(terminal, progress_text()),
        reports_(selection.cases.size()) {}

  // Error: some cases were not run.
  Result<RunReport> run(std::size_t jobs) {
    const auto begin = Clock::now();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < std::min(jobs, reports_.size()); ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
    if (error_) {
      error_->doing += " (" + std::to_string(ended_) + " of " + std::to_string(reports_.size()) + " cases had ended)";
      return *error_;
    }
    if (stopper_.stopped()) return interrupted();
    return RunReport{std::move(reports_), ms_since(begin)};
  }

 private:
  void work() {
    for (std::size_t i; (i = next_++) < reports_.size() && !stopper_.stopped();) {
      const SkillCase& one = selection_.cases[i];
      const auto begin = Clock::now();
      const auto end = run_case(one, selection_.scripts.at(one.script), target_, stopper_);
      if (!end.ok()) return fail_with(end.error());
      ended({one, selection_.skill, mismatches(one.expect, *end), ms_since(begin)}, i);
    }
  }

  void fail_with(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!error_ && !stopper_.stopped()) error_ = error;
    stopper_.stop();
  }

  void ended(CaseReport report, std::size_t index) {
    const std::lock_guard lock(mutex_);
    ++ended_;
    if (!report.passed()) ++failed_;
    progress_.say(progress_text());
    if (terminal_.verbose())
      progress_.print_above((report.passed() ? "passed " : "FAILED ") + printable_line(report.tested.name) + " (" +
                            report.script() + ", " + std::to_string(static_cast<long>(report.ms)) + " ms)\n");
    reports_[index] = std::move(report);
  }

  std::string progress_text() const {
    return std::to_string(ended_) + " of " + std::to_string(selection_.cases.size()) + " cases of " + selection_.skill +
           (failed_ == 0 ? "" : ", " + std::to_string(failed_) + " failed");
  }

  const Selection& selection_;
  const Target& target_;
  CaseStopper& stopper_;
  Terminal& terminal_;
  std::size_t ended_ = 0, failed_ = 0;
  Progress progress_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::vector<CaseReport> reports_;
  std::optional<Error> error_;
};

// Connects, and returns the default number of parallel cases: the server's free slots, from 1 to kUsualJobs.
Result<std::size_t> connect(const Target& target, CaseStopper& stopper, Terminal& terminal) {
  Connection connection;
  const CaseStopper::Reach reach(stopper, connection);
  BAND_CHECK(connection.open(target, terminal));
  note_build_difference(target, connection.daemon().build(), terminal);
  BAND_TRY(const ServerFacts facts, server_facts(connection.daemon()));
  return std::clamp<std::size_t>(facts.free_slots, 1, kUsualJobs);
}

Result<RunReport> run_cases(const CommandLine& line, const Selection& selection, std::optional<std::size_t> jobs,
                            CaseStopper& stopper, Terminal& terminal) {
  BAND_TRY(const std::string name, target_name(line.target));
  BAND_TRY(const Target known, load_target(name));
  BAND_TRY(const std::size_t usual, connect(known, stopper, terminal));
  BAND_TRY(const Target target, load_target(name));  // again: connect() may have changed its address
  return CaseRuns(selection, target, stopper, terminal).run(jobs.value_or(usual));
}

int report_run(const CommandLine& line, const RunReport& report, const JunitFile& junit, Terminal& terminal) {
  if (const Status written = junit.write(junit_xml(report)); !written.ok())
    return fail(line, terminal, written.error());
  std::string text;
  for (const CaseReport& one : report.cases)
    if (!one.passed()) text += failure_text(one);
  const int code =
      line.json ? print_json_text(terminal, report_json(report)) : print(terminal, text + summary_text(report));
  return code != 0 ? code : report.failed() > 0 ? kCaseFailed : 0;
}

}  // namespace

int test_command(const CommandLine& line, Terminal& terminal) {
  const auto junit = JunitFile::open(line);
  if (!junit.ok()) return fail(line, terminal, junit.error());
  const auto jobs = jobs_of(line);
  if (!jobs.ok()) return fail_in_report(line, terminal, *junit, jobs.error());
  const auto selection = select_cases(line, terminal);
  if (!selection.ok()) return fail_in_report(line, terminal, *junit, selection.error());
  CaseStopper stopper;
  std::optional<Interrupt> interrupt;
  interrupt.emplace([&stopper] { stopper.stop(); });
  const auto report = run_cases(line, *selection, *jobs, stopper, terminal);
  const int signal = interrupt->signal();
  interrupt.reset();
  if (signal != 0) {
    (void)fail_in_report(line, terminal, *junit,
                         {.code = Code::Cancelled, .doing = "interrupted; the server ends the running cases"});
    return kSignalBase + signal;
  }
  if (!report.ok()) return fail_in_report(line, terminal, *junit, report.error());
  return report_run(line, *report, *junit, terminal);
}

}  // namespace band::client
