// bash with the prelude (server/policy/prelude.h).
#include "server/policy/prelude.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "server/layout/places.h"

using namespace band;

namespace {

// A directory with the prelude and, instead of the shim, a program that prints its arguments.
class Bash {
 public:
  explicit Bash(const CommandPlan& plan) {
    char pattern[] = "/tmp/band-prelude-XXXXXX";
    REQUIRE(::mkdtemp(pattern) != nullptr);
    directory_ = pattern;
    write("shim", "#!/bin/bash\nprintf '<%s>' shim \"$@\"\nexit 127\n");
    write("echo", "#!/bin/bash\nprintf '<%s>' program \"$@\"\n");
    std::string text = policy::prelude(plan);
    const std::string shim = layout::kShim;
    for (std::size_t at; (at = text.find(shim)) != std::string::npos;) text.replace(at, shim.size(), path("shim"));
    write("prelude.sh", text);
  }
  ~Bash() {
    for (const char* name : {"shim", "echo", "prelude.sh", "out"}) ::unlink(path(name).c_str());
    ::rmdir(directory_.c_str());
  }
  Bash(const Bash&) = delete;
  Bash& operator=(const Bash&) = delete;

  // Returns the output of bash on stdout and stderr, and "= STATUS".
  std::string operator()(const std::string& options, const std::string& script, bool with_prelude = true) const {
    const std::string quoted = "'" + script + "'";
    const std::string command = "env -i PATH=" + directory_ + ":/usr/bin " +
                                (with_prelude ? "BASH_ENV=" + path("prelude.sh") : "") + " bash " + options + " -c " +
                                quoted + " > " + path("out") + " 2>&1; printf '= %s' $? >> " + path("out");
    CHECK(::system(command.c_str()) == 0);
    std::ifstream out(path("out"));
    return {std::istreambuf_iterator<char>(out), {}};
  }

 private:
  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    ::chmod(path(name).c_str(), 0755);
  }
  std::string directory_;
};

}  // namespace

TEST_CASE("with the prelude, bash calls the shim for commands that it does not find") {
  const Bash bash({});
  CHECK(bash("", "nosuch a \"b c\" \"\"") == "<shim><--not-found><nosuch><a><b c><>= 127");
  CHECK(bash("", "nosuch -x | cat; true") == "<shim><--not-found><nosuch><-x>= 0");
  CHECK(bash("-u", "set -e; nosuch; true") == "<shim><--not-found><nosuch>= 127");
  CHECK(bash("-euo pipefail", "x=$(nosuch) || builtin echo \"$x\"") == "<shim><--not-found><nosuch>\n= 0");
  CHECK(bash("", "set -o posix; nosuch").find("<shim><--not-found><nosuch>") == 0);
  CHECK(bash("", "bash -c nosuch") == "<shim><--not-found><nosuch>= 127");
  CHECK(bash("", "nosuch", false).find("command not found") != std::string::npos);  // the control
  for (const char* options : {"", "-e", "-u", "-x", "-eux", "--norc", "-r", "--posix"})
    CHECK(bash(options, "", true) == bash(options, "", false));
}

TEST_CASE("with the prelude, bash starts the program instead of its builtin") {
  CommandPlan plan;
  plan.shimmed = plan.builtins = {"[", "echo"};
  const Bash bash(plan);
  CHECK(bash("", "echo a", false) == "a\n= 0");  // the control
  CHECK(bash("", "echo a") == "<program><a>= 0");
  CHECK(bash("-eu", "f() { echo \"$@\"; }; f -n x") == "<program><-n><x>= 0");
  CHECK(bash("", "bash -c \"echo a\"") == "<program><a>= 0");
  CHECK(bash("", "type -t [ echo printf test") == "file\nfile\nbuiltin\nbuiltin\n= 0");
  CHECK(bash("", "[ a = a ] && [[ a = a ]] && printf yes") == "yes= 0");
  for (const char* options : {"", "-e", "-u", "-x", "-eux", "-r"})
    CHECK(bash(options, "", true) == bash(options, "", false));
}
