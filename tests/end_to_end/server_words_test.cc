// The arguments of band-server, mainly --config. The caller has no privileges, and no server is started.
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

const Environment kEnv = {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"}};

struct Place {
  Place() {
    // In a directory where every user can start them.
    for (const std::string name : {"band-server", "band-http", "band-gateway", "band-init", "band-shim"})
      std::filesystem::copy_file(BAND_BIN_DIR "/" + name, directory.path + "/" + name);
    write_file(good, "run: " + directory.path + "/run\nlisten: 127.0.0.1:0\n");
    write_file(wrong, "run: " + directory.path + "/run\nlisen: x\n");
  }
  Ran as_nobody(Words words) const {
    const Words before = {"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program};
    words.insert(words.begin(), before.begin(), before.end());
    return Running(words, kEnv, "/").wait();
  }
  Ran as_root(Words words) const {
    words.insert(words.begin(), program);
    return Running(words, kEnv, "/").wait();
  }

  TempDir directory;
  std::string program = directory.path + "/band-server", good = directory.path + "/server.yaml",
              wrong = directory.path + "/wrong.yaml";
};

}  // namespace

TEST_CASE("a configuration that is named and missing starts no server with the defaults") {
  const Place place;
  const std::string missing = place.directory.path + "/servr.yaml";
  for (const std::string verb : {"serve", "check", "start", "stop", "teardown"}) {
    CAPTURE(verb);
    const Ran ran = place.as_nobody({verb, "--config", missing});
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, missing + ": No such file");
    const Ran read = place.as_nobody({verb, "--config", place.good});  // the control: it continues to its own task
    CHECK_HAS(read.out + read.err, verb == "check" ? "is valid" : "root");
    CHECK_HAS_NOT(read.err, place.good + ":");
  }
  CHECK_HAS_NOT(place.as_nobody({"setup", "--config", missing}).err, "No such file");  // setup would write it
}

TEST_CASE("without the default configuration the defaults apply") {
  const Place place;
  const std::string etc = place.directory.path + "/etc";
  const std::string check = "cp -a /etc " + etc + " && rm -rf " + etc + "/band && mount --bind " + etc +
                            " /etc && exec setpriv --reuid=65534 --regid=65534 --clear-groups " + place.program +
                            " check";
  const Ran ran = Running({"/usr/bin/unshare", "--mount", "/bin/sh", "-c", check}, kEnv, "/").wait();
  CHECK_STATUS(ran, 0);
  CHECK(ran.out.starts_with("there is no /etc/band/server.yaml: the defaults apply\n"));
}

TEST_CASE("a configuration that cannot be read is named") {
  const Place place;
  const std::string closed = place.directory.path + "/closed";
  write_file(closed + "/server.yaml", "listen: 127.0.0.1:0\n");
  write_file(closed + "/tokens", "", 0600);
  std::filesystem::permissions(closed, std::filesystem::perms::none);
  const Ran unreadable = place.as_nobody({"check", "--config", closed + "/server.yaml"});
  CHECK_STATUS(unreadable, 2);
  CHECK_HAS(unreadable.err, closed + "/server.yaml: Permission denied");
  CHECK_STATUS(place.as_root({"check", "--config", closed + "/server.yaml"}), 0);  // the control
  const Ran directory = place.as_nobody({"check", "--config", place.directory.path});
  CHECK_STATUS(directory, 2);
  CHECK_HAS(directory.err, place.directory.path + ": Is a directory");
}

TEST_CASE("`check` reports whether a configuration is valid, and its errors") {
  const Place place;
  for (const Words& words : {Words{"check", "--config", place.good},
                             {"--config", place.good, "check"},
                             {"check", "--config=" + place.good}}) {
    const Ran ran = place.as_nobody(words);
    CHECK_STATUS(ran, 0);
    CHECK(ran.out.starts_with(place.good + " is valid\nnot checked: "));
    CHECK_HAS(ran.out, "needs root");
    CHECK(ran.err.empty());
  }
  const Ran ran = place.as_nobody({"check", "--config=" + place.wrong});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, place.wrong + ":2:1: ");
  CHECK_HAS(ran.err, "`band-server check` checks it");
}

TEST_CASE("with an invalid configuration tokens are changed, and a failed stop explains how to stop the server") {
  const Place place;
  CHECK_STATUS(place.as_root({"token", "add", "laptop", "--config", place.wrong}), 0);
  CHECK_HAS(place.as_root({"token", "list", "--config", place.wrong}).out, "laptop");
  // It is unknown whether a running server still accepts the token.
  const Ran revoked = place.as_root({"token", "revoke", "laptop", "--config", place.wrong});
  CHECK_STATUS(revoked, 8);
  CHECK_HAS(revoked.err, "the token was removed from the file; no server was notified");
  CHECK_HAS_NOT(place.as_root({"token", "list", "--config", place.wrong}).out, "laptop");
  for (const std::string verb : {"stop", "teardown"}) {
    const Ran ran = place.as_nobody({verb, "--config", place.wrong});
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, place.wrong + ":2:1: ");
    CHECK_HAS(ran.err, "systemctl stop band-server");
  }
}

TEST_CASE("no token is changed next to a configuration that is named and missing") {
  const Place place;
  const Ran made = place.as_root({"token", "add", "laptop", "--config", place.good});
  CHECK_STATUS(made, 0);  // the control
  const std::string tokens = place.directory.path + "/tokens", before = read_file(tokens);
  CHECK_HAS(before, "laptop");
  // Neither a missing file, nor a path through a file, nor a directory next to the tokens.
  std::filesystem::create_directory(place.directory.path + "/conf");
  for (const std::string wrong : {"/servr.yaml", "/server.yaml/server.yaml", "/conf"})
    for (const Words& words : {Words{"revoke", "laptop"}, Words{"add", "thief"}, Words{"list"}}) {
      CAPTURE(wrong + " " + words[0]);
      Words all = {"token"};
      all.insert(all.end(), words.begin(), words.end());
      all.insert(all.end(), {"--config", place.directory.path + wrong});
      const Ran ran = place.as_root(all);
      CHECK_STATUS(ran, 2);
      CHECK(ran.out.empty());
      CHECK_HAS(ran.err, "cannot read the configuration " + place.directory.path + wrong + ": ");
      CHECK_HAS(ran.err, "the file that the server was started with");
      CHECK(read_file(tokens) == before);
    }
  CHECK_STATUS(place.as_root({"token", "revoke", "laptop", "--config", place.good}), 0);
  CHECK(read_file(tokens) != before);
}

TEST_CASE("unknown words are named") {
  const Place place;
  struct Row {
    Words words;
    std::string says;
  };
  for (const Row& row : std::initializer_list<Row>{{{"serve", "x"}, "serve does not accept x"},
                                                   {{"check", "--quiet"}, "check does not accept --quiet"},
                                                   {{"check", "--config"}, "--config requires a file"},
                                                   {{"check", "--config", ""}, "--config requires a file"},
                                                   {{"check", "--config="}, "--config requires a file"},
                                                   {{"sevre", "--config", place.good}, "unknown command `sevre`"}}) {
    const Ran ran = place.as_nobody(row.words);
    CHECK_STATUS(ran, 2);
    CHECK_HAS(ran.err, "band-server: " + row.says);
  }
}
