// How a user who is not root gets a token: `band token add` and `band login`, or `sudo band setup`.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

constexpr unsigned kNobody = 65534;

unsigned mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE_MESSAGE(::lstat(path.c_str(), &info) == 0, path);
  return info.st_mode & 07777;
}

uid_t owner_of(const std::string& path) {
  struct stat info {};
  REQUIRE_MESSAGE(::lstat(path.c_str(), &info) == 0, path);
  return info.st_uid;
}

std::string token_in(const std::string& text) {
  const std::size_t from = text.find("band_");
  return from == std::string::npos ? "" : text.substr(from, text.find('"', from) - from);
}

// `band` with a `band-server` that is the test's server: `setup` and `teardown` only record their call.
class Installed {
 public:
  explicit Installed(const Server& server) : server_(server) {
    fs::copy_file(BAND_BIN_DIR "/band", program());
    write_file(directory.path + "/band-server",
               "#!/bin/sh\necho \"$@\" >> '" + directory.path + "/calls'\ncase $1 in\n  setup) echo '{\"url\":\"" +
                   server.url() + "\"}' ;;\n  teardown) ;;\n  *) exec " BAND_BIN_DIR "/band-server \"$@\" --config " +
                   server.run_dir() + "/../server.yaml ;;\nesac\n",
               0755);
    fs::create_directories(home(""));
    fs::permissions(home(""), fs::perms(0700));
    REQUIRE(::chown(home("").c_str(), kNobody, kNobody) == 0);
    fs::create_directories(directory.path + "/root");
  }

  std::string program() const { return directory.path + "/band"; }
  std::string home(const std::string& file) const {
    return directory.path + "/home/" + file;
  }  // the home of user nobody
  std::string calls() const { return read_file(directory.path + "/calls"); }
  std::string tokens() const { return server_.admin({"token", "list"}).out; }

  // Runs with home() as the home of the user "nobody", and $HOME of root.
  Ran band(const std::string& words, Environment env, const std::string& before = "") const {
    env["PATH"] = "/usr/sbin:/usr/bin:/sbin:/bin";
    env.emplace("HOME", directory.path + "/root");
    const std::string passwd = directory.path + "/passwd";
    const std::string line = "sed 's|^nobody:.*|nobody:x:65534:65534:nobody:" + directory.path +
                             "/home:/usr/sbin/nologin|' /etc/passwd > " + passwd + " && mount --bind " + passwd +
                             " /etc/passwd && exec " + before + " " + program() + " " + words;
    return Running({"/usr/bin/unshare", "--mount", "/bin/sh", "-c", line}, env, "/").wait();
  }
  Ran by_sudo(const std::string& words) const { return band(words, sudo); }

  TempDir directory;
  Environment sudo = {{"SUDO_USER", "nobody"}, {"SUDO_UID", "65534"}, {"SUDO_GID", "65534"}};

 private:
  const Server& server_;
};

const std::string kFile = ".config/band/targets/local.json";

}  // namespace

TEST_CASE("`login` accepts the output of `token add`, and then a script runs") {
  const Installed installed(shared_server());
  const Ran made = installed.band("token add anna", {});
  REQUIRE_STATUS(made, 0);
  CHECK(made.out == "{\"url\":\"" + shared_server().url() + "\",\"token\":\"" + token_in(made.out) + "\"}\n");
  CHECK_HAS(made.err, "`band login`");
  const Caller anna;
  CHECK_STATUS(anna.band({"run", "hello/greet", "--name", "World"}), 8);  // the control
  const Ran login = anna.band({"login"}, made.out);
  CHECK_STATUS(login, 0);
  CHECK(login.err == "target local is ready: " + shared_server().url() + "\n");
  CHECK(anna.band({"run", "hello/greet", "--name", "World"}).out == "{\"greeting\":\"Hello, World!\"}\n");
  const std::string targets = anna.directory.path + "/config/targets";
  CHECK(mode_of(targets + "/local.json") == 0600);
  CHECK(mode_of(targets) == 0700);
  CHECK(mode_of(anna.directory.path + "/config") == 0700);
  // The content of a target's file is accepted, too, also under another name.
  const Caller other;
  const Ran again = other.band({"login", "--target", "work", "--json"}, read_file(targets + "/local.json"));
  CHECK_STATUS(again, 0);
  CHECK(again.out == "{\"target\":\"work\",\"url\":\"" + shared_server().url() + "\",\"changed\":true}\n");
  CHECK_STATUS(other.band({"status", "--target", "work"}), 0);
  CHECK(!exists(other.directory.path + "/config/targets/local.json"));
}

TEST_CASE("login accepts only a token that the server has, and stores no other") {
  const std::string url = shared_server().url(), good = shared_server().token("laptop");
  std::string wrong = good;
  wrong.back() = wrong.back() == '0' ? '1' : '0';
  const auto line = [&](const std::string& token, const std::string& at) {
    return "{\"url\":\"" + at + "\",\"token\":\"" + token + "\"}\n";
  };
  struct Row {
    std::string input;
    int status;
    const char* says;
  };
  const Row rows[] = {
      {line(wrong, url), 8, "did not prove that it has the token"},
      {line("band_00000000_" + std::string(64, '0'), url), 8, "did not prove"},
      {line(good, "http://127.0.0.1:1"), 8, "cannot reach the server"},
      {line(good, "http://192.0.2.1:7433"), 2, "is not on this machine"},
      {line(good, "https://127.0.0.1:7433"), 2, "does not begin with http://"},
      {"", 2, "standard input contains no token"},
      {"\n", 2, "standard input contains no token"},
      {"{\"token\":5}", 2, "standard input contains no token"},
      {"{\"token\":\"" + good, 2, "standard input contains no token"},
      {"[\"" + good + "\"]", 2, "standard input contains no token"},
      {good + " " + good, 2, "standard input contains no token"},
      {std::string(100'000, 'x'), 2, "more than the line of `band token add`"},
  };
  const Caller before(shared_server()), none;
  const std::string file = before.directory.path + "/config/targets/local.json", text = read_file(file);
  for (const Row& row : rows) {
    CAPTURE(row.input.substr(0, 200));
    const Ran ran = before.band({"login"}, row.input), fresh = none.band({"login"}, row.input);
    CHECK_STATUS(ran, row.status);
    CHECK_HAS(ran.err, row.says);
    CHECK_HAS_NOT(ran.err + ran.out, good.substr(20));
    CHECK(read_file(file) == text);
    CHECK(fresh.status == row.status);
    CHECK(!exists(none.directory.path + "/config"));
  }
  CHECK_STATUS(none.band({"login"}, "  " + line(good, url)), 0);  // the control
}

TEST_CASE("a token as an argument is refused, and not repeated") {
  const Caller caller;
  const std::string token = shared_server().token("laptop");
  const Ran ran = caller.band({"login", token});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.err, "reads the token from standard input");
  CHECK_HAS_NOT(ran.err + ran.out, token.substr(10));
}

TEST_CASE("login replaces a link in the file's place, and does not write through it") {
  const Caller caller;
  const std::string targets = caller.directory.path + "/config/targets", precious = caller.home("precious");
  write_file(precious, "precious");
  fs::create_directories(targets);
  fs::create_symlink(precious, targets + "/local.json");
  const Ran ran = caller.band(
      {"login"}, "{\"url\":\"" + shared_server().url() + "\",\"token\":\"" + shared_server().token("laptop") + "\"}");
  CHECK_STATUS(ran, 0);
  CHECK(read_file(precious) == "precious");
  CHECK(!fs::is_symlink(targets + "/local.json"));
  CHECK_STATUS(caller.band({"status"}), 0);
  // A directory of another user is not used for a secret.
  REQUIRE(::chown(targets.c_str(), kNobody, kNobody) == 0);
  const Ran foreign = caller.band({"login"}, read_file(targets + "/local.json"));
  CHECK_STATUS(foreign, 2);
  CHECK_HAS(foreign.err, targets + " belongs to another user");
}

TEST_CASE("a token that was created but could not be printed is revoked") {
  const Installed installed(shared_server());
  const Ran lost =
      Running({"/bin/sh", "-c", installed.program() + " token add lost > /dev/full"}, {{"PATH", "/usr/bin:/bin"}}, "/")
          .wait();
  CHECK_STATUS(lost, 74);
  CHECK_HAS_NOT(installed.tokens(), "lost");
}

TEST_CASE("sudo band setup creates a token for the calling user, in a file that is written as this user") {
  const Installed installed(shared_server());
  const Ran made = installed.by_sudo("setup --target local");
  REQUIRE_STATUS(made, 0);
  CHECK_HAS(made.err, "target local is set up for nobody: " + shared_server().url());
  CHECK(mode_of(installed.home(kFile)) == 0600);
  for (const char* name : {".config", ".config/band", ".config/band/targets", kFile.c_str()})
    CHECK(owner_of(installed.home(name)) == kNobody);
  CHECK_HAS(installed.tokens(), " setup-nobody\n");
  CHECK(fs::is_empty(installed.directory.path + "/root"));  // no file for root, to whom $HOME belongs
  // The control: it works for that user.
  const Environment own = {{"HOME", installed.directory.path + "/home"}};
  const std::string as_nobody = "setpriv --reuid=65534 --regid=65534 --clear-groups";
  CHECK_STATUS(installed.band("status", own, as_nobody), 0);
  // A second call changes nothing; a lost token is replaced by a new one.
  const std::string text = read_file(installed.home(kFile));
  CHECK_HAS(installed.by_sudo("setup --target local").err, "was set up already for nobody");
  CHECK(read_file(installed.home(kFile)) == text);
  fs::remove(installed.home(kFile));
  CHECK_STATUS(installed.by_sudo("setup --target local"), 0);
  CHECK(read_file(installed.home(kFile)) != text);
  CHECK_STATUS(installed.band("status", own, as_nobody), 0);
  // Regardless of $HOME after sudo.
  Environment kept = installed.sudo;
  kept["HOME"] = installed.directory.path + "/home";
  CHECK_HAS(installed.band("setup --target local", kept).err, "was set up already for nobody");
  CHECK_STATUS(installed.by_sudo("teardown --target local"), 0);
  CHECK(!exists(installed.home(".config/band")));
  CHECK_STATUS(shared_server().admin({"token", "revoke", "setup-nobody"}), 0);
}

TEST_CASE("links that are planted in that home are not followed by root") {
  const Installed installed(shared_server());
  const std::string closed = installed.directory.path + "/closed", precious = closed + "/precious";
  write_file(precious, "precious", 0600);
  fs::permissions(closed, fs::perms(0700));
  const auto link = [&](const std::string& target, const std::string& name) {
    fs::create_directories(fs::path(installed.home(name)).parent_path());
    fs::create_symlink(target, installed.home(name));
    for (const char* path : {".config", ".config/band", ".config/band/targets", kFile.c_str()})
      if (exists(installed.home(path))) REQUIRE(::lchown(installed.home(path).c_str(), kNobody, kNobody) == 0);
  };
  // A link as the directory: files that only root can write are unchanged, and no token without a file is left.
  link(closed, ".config");
  const Ran refused = installed.by_sudo("setup --target local");
  CHECK(refused.status != 0);
  CHECK_HAS(refused.err, "as user nobody: ");
  CHECK(std::distance(fs::directory_iterator(closed), fs::directory_iterator()) == 1);
  CHECK_HAS_NOT(installed.tokens(), "setup-nobody");
  fs::remove(installed.home(".config"));
  // A link as the file, for reading and writing.
  link(precious, kFile);
  CHECK_STATUS(installed.by_sudo("setup --target local"), 0);
  CHECK(read_file(precious) == "precious");
  CHECK(owner_of(installed.home(kFile)) == kNobody);
  CHECK(!fs::is_symlink(installed.home(kFile)));
  CHECK_STATUS(shared_server().admin({"token", "revoke", "setup-nobody"}), 0);
}

TEST_CASE("sudo variables that name no user of this machine change nothing; without them root sets up for root") {
  const Installed installed(shared_server());
  for (const Environment& forged :
       std::initializer_list<Environment>{{{"SUDO_USER", "daemon"}, {"SUDO_UID", "65534"}, {"SUDO_GID", "65534"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", "0"}, {"SUDO_GID", "0"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", "65534"}, {"SUDO_GID", "0"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", "65534 "}, {"SUDO_GID", "65534"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", "-2"}, {"SUDO_GID", "65534"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", "4294967296"}, {"SUDO_GID", "65534"}},
                                          {{"SUDO_USER", "nobody"}, {"SUDO_UID", ""}, {"SUDO_GID", ""}},
                                          {{"SUDO_USER", "nobody"}},
                                          {{"SUDO_UID", "65534"}, {"SUDO_GID", "65534"}}})
    for (const char* words : {"setup --target local", "teardown --target local"}) {
      const Ran ran = installed.band(words, forged);
      CHECK_STATUS(ran, 2);
      CHECK_HAS(ran.err, "are not the name, uid and gid of one user of this machine");
    }
  CHECK(installed.calls().empty());
  CHECK(fs::is_empty(installed.home("")));
  for (const Environment& root :
       std::initializer_list<Environment>{{}, {{"SUDO_USER", "root"}, {"SUDO_UID", "0"}, {"SUDO_GID", "0"}}}) {
    CHECK_STATUS(installed.band("setup --target local", root), 0);
    CHECK(owner_of(installed.directory.path + "/root/" + kFile) == 0);
  }
  // With $HOME of another user, root writes nothing there.
  const Ran foreign = installed.band("setup --target local", {{"HOME", installed.directory.path + "/home"}});
  CHECK_STATUS(foreign, 2);
  CHECK_HAS(foreign.err, "belongs to another user");
  CHECK(fs::is_empty(installed.home("")));
}

TEST_CASE("sudo band login stores the token for the calling user") {
  const Installed installed(shared_server());
  const std::string line = installed.directory.path + "/line";
  write_file(line, "{\"url\":\"" + shared_server().url() + "\",\"token\":\"" + shared_server().token("laptop") + "\"}");
  CHECK_STATUS(installed.by_sudo("login < " + line), 0);
  CHECK(owner_of(installed.home(kFile)) == kNobody);
  CHECK(fs::is_empty(installed.directory.path + "/root"));
}
