// The machine that `band setup` and `band teardown` change: the real `band` with a `band-server` that only records its
// call.
#include <filesystem>
#include <optional>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

class Beside {
 public:
  Beside() {
    std::filesystem::copy_file(BAND_BIN_DIR "/band", program());
    write_file(directory_.path + "/band-server", "#!/bin/sh\necho \"$@\" >> '" + note() + "'\nexit 1\n", 0755);
  }

  Ran band(Words words, const std::optional<std::string>& variable) const {
    words.insert(words.begin(), program());
    Environment env = {{"PATH", "/usr/bin:/bin"}, {"BAND_CONFIG_DIR", directory_.path + "/config"}};
    if (variable) env["BAND_TARGET"] = *variable;
    return Running(words, env, "/").wait();
  }
  std::string calls() const { return read_file(note()); }

 private:
  std::string program() const { return directory_.path + "/band"; }
  std::string note() const { return directory_.path + "/calls"; }
  TempDir directory_;
};

}  // namespace

TEST_CASE("setup without a target sets up a virtual machine, which is refused for root with an alternative") {
  for (const std::optional<std::string>& variable : {std::optional<std::string>(), std::optional<std::string>("")}) {
    const Beside beside;
    const Ran ran = beside.band({"setup"}, variable);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, "limactl does not run as root");
    CHECK_HAS(ran.err, "band setup --target local");
    CHECK(beside.calls() == "");
  }
}

TEST_CASE("setup and teardown do not change this machine when the target is missing or empty") {
  struct Row {
    Words words;
    std::optional<std::string> variable;
  };
  for (const Words& verb : {Words{"setup"}, Words{"teardown"}, Words{"teardown", "--purge"}})
    for (const Row& row : std::initializer_list<Row>{{{}, std::nullopt},
                                                     {{}, ""},
                                                     {{"--target", ""}, std::nullopt},
                                                     {{"--target="}, std::nullopt},
                                                     {{"--target", ""}, "local"}}) {
      if (verb[0] == "setup" && row.words.empty()) continue;  // a virtual machine, see above
      const Beside beside;
      Words words = verb;
      words.insert(words.end(), row.words.begin(), row.words.end());
      const Ran ran = beside.band(words, row.variable);
      CHECK_STATUS(ran, 2);
      CHECK_HAS(ran.err, verb[0] == "setup" ? "is not a target's name" : "needs the name of a target");
      if (verb[0] == "teardown") CHECK_HAS(ran.err, "band teardown --target local");
      CHECK(beside.calls() == "");
    }
}

TEST_CASE("setup and teardown of a named target call band-server") {
  for (const std::string verb : {"setup", "teardown"}) {
    const Beside by_flag, by_variable;
    const Ran ran = by_flag.band({verb, "--target", "local"}, std::nullopt);
    CHECK(ran.status != 0);  // the status of the program, which is 1
    CHECK_HAS(ran.err, "the messages of band-server are above");
    CHECK_HAS_NOT(ran.err, "needs root");  // the test runs as root
    CHECK(by_flag.calls() == verb + "\n");
    CHECK(by_variable.band({verb}, "local").status != 0);
    CHECK(by_variable.calls() == verb + "\n");
  }
}

TEST_CASE("the help of setup and teardown does not promise the target that is set up") {
  const Beside beside;
  for (const std::string verb : {"setup", "teardown", "run", "status"}) {
    CAPTURE(verb);
    const std::string help = beside.band({verb, "--help"}, std::nullopt).out;
    const bool changes = verb == "setup" || verb == "teardown";
    CHECK(contains(help, "$BAND_TARGET must name the target") == (verb == "teardown"));
    CHECK(contains(help, "the target that is set up") == !changes);
  }
}
