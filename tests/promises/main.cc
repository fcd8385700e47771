// Runs all cases of a program of this room twice, each time in a process of its own: first each execution in a new
// sandbox, then each in a sandbox that was made ahead. With $BAND_TEST_ROUNDS, `cold` or `warm`, runs only this round,
// in this process (for a debugger).
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/promises/sandbox.h"

namespace {

int run(doctest::Context& context, bool warm) {
  band::test::all_made_ahead = warm;
  return context.run();
}

int run_in_child(doctest::Context& context, bool warm) {
  std::printf("round: %s\n", warm ? "warm" : "cold");
  std::fflush(stdout);
  const pid_t parent = ::getpid(), child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    std::exit(::getppid() == parent ? run(context, warm) : 1);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return 1;
  if (WIFSIGNALED(status)) std::printf("the round ended by signal %d\n", WTERMSIG(status));
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

}  // namespace

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  if (const char* const round = std::getenv("BAND_TEST_ROUNDS")) return run(context, round == std::string_view("warm"));
  if (context.shouldExit()) return context.run();  // an option such as --list-test-cases
  const int cold = run_in_child(context, false), warm = run_in_child(context, true);
  return cold != 0 ? cold : warm;
}
