// The man pages that the build makes, checked with the man(1) of Debian, and with that of macOS and the BSDs (mandoc).
#include <algorithm>
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

const Environment kEnv = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}, {"MANWIDTH", "80"}};

Ran run(const Words& words) { return Running(words, kEnv, "/").wait(); }

struct Manual {
  TempDir directory;
  Words pages;

  Manual() {
    REQUIRE_STATUS(run({BAND_BIN_DIR "/band", "manual", directory.path}), 0);
    for (const auto& entry : fs::recursive_directory_iterator(directory.path))
      if (entry.is_regular_file()) pages.push_back(entry.path());
    std::sort(pages.begin(), pages.end());
  }
};

// Returns the commands that `band --help` lists.
Words commands() {
  Words words;
  const std::string help = run({BAND_BIN_DIR "/band", "--help"}).out;
  const std::size_t end = help.find("First steps:");
  for (std::size_t line = 0; line < end; line = help.find('\n', line) + 1)
    if (help.compare(line, 2, "  ") == 0 && help[line + 2] != ' ')
      words.push_back(help.substr(line + 2, help.find(' ', line + 2) - line - 2));
  return words;
}

// Returns the flags of lines "  --flag VALUE  text".
Words flags_of_help(const std::string& help) {
  Words flags;
  for (std::size_t at = help.find("\n  --"); at != std::string::npos; at = help.find("\n  --", at + 1))
    flags.push_back(help.substr(at + 3, help.find(' ', at + 3) - at - 3));
  return flags;
}

}  // namespace

TEST_CASE("each command has a page with all of its flags, and mandoc and man report no error in the pages") {
  const Manual manual;
  const Words names = commands();
  CHECK(names.size() > 15);
  CHECK(manual.pages.size() == names.size() + 2);  // band(1), band-exit-codes(7)
  Words lint = {"/usr/bin/mandoc", "-T", "lint", "-W", "warning"};
  lint.insert(lint.end(), manual.pages.begin(), manual.pages.end());
  const Ran found = run(lint);
  CHECK_STATUS(found, 0);
  CHECK(found.out + found.err == "");
  for (const std::string& name : names) {
    CAPTURE(name);
    const std::string page = manual.directory.path + "/man1/band-" + name + ".1";
    REQUIRE(exists(page));
    const Ran shown = run({"/usr/bin/man", "--warnings", "-E", "UTF-8", "-P", "/bin/cat", "-l", page});
    CHECK_STATUS(shown, 0);
    CHECK(shown.err == "");
    const Ran help = run({BAND_BIN_DIR "/band", name, "--help"});
    for (const std::string& flag : flags_of_help(help.out)) CHECK_HAS(shown.out, flag);
    if (name == "run") {
      CHECK(flags_of_help(help.out).size() > 10);
      CHECK_HAS(shown.out, "124 TIMEOUT");
    }
  }
  for (const char* other : {"/man1/band.1", "/man7/band-exit-codes.7"}) {
    const Ran shown =
        run({"/usr/bin/man", "--warnings", "-E", "UTF-8", "-P", "/bin/cat", "-l", manual.directory.path + other});
    CHECK_STATUS(shown, 0);
    CHECK(shown.err == "");
  }
  // The control: mandoc reports errors.
  write_file(manual.directory.path + "/wrong.1", ".TH WRONG 1\n.SH NAME\n.PP\n.NOSUCH\n.so\n");
  CHECK(run({"/usr/bin/mandoc", "-T", "lint", "-W", "warning", manual.directory.path + "/wrong.1"}).status != 0);
}

TEST_CASE("pages made again are the same, and band manual reports a file that it cannot write") {
  const Manual one, two;
  REQUIRE(one.pages.size() == two.pages.size());
  for (std::size_t i = 0; i < one.pages.size(); ++i) CHECK(read_file(one.pages[i]) == read_file(two.pages[i]));
  const Ran refused = run({BAND_BIN_DIR "/band", "manual", "/proc/x"});
  CHECK_STATUS(refused, 2);
  CHECK_HAS(refused.err, "/proc/x/man1");
  CHECK_STATUS(run({BAND_BIN_DIR "/band", "manual"}), 2);
}

TEST_CASE("band help COMMAND is band COMMAND --help, and band help run SKILL/SCRIPT has its parameters") {
  const Caller caller;
  for (const std::string& name : commands()) {
    CAPTURE(name);
    if (name == "help") continue;  // `band help --help` is the overview
    const Ran help = caller.band({"help", name});
    CHECK_STATUS(help, 0);
    CHECK(help.out == caller.band({name, "--help"}).out);
  }
  const Ran script = caller.band({"help", "run", "hello/greet"});
  CHECK_STATUS(script, 0);
  CHECK(script.out == caller.band({"run", "hello/greet", "--help"}).out);
  CHECK_HAS(script.out, "--name");
}
