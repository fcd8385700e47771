#include "client/commands/call_workspace.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

class Home {
 public:
  Home() {
    for (const char* directory :
         {".ssh", ".agent/worktrees/a", ".agent/other", ".band/skills/x", ".config/band", "bin", "project/.hidden",
          "linked-to", "outside/below", "Library/LaunchAgents", "Libraries", "project/Library"})
      fs::create_directories(directory_.path(directory));
    directory_.link("linked-to", ".dots");
    directory_.link(".ssh", "keys");
    directory_.link("..", ".up");
  }
  std::string call(const std::string& workspace) const {
    const auto tree = Tree::open(workspace.starts_with('/') ? workspace : directory_.path(workspace));
    REQUIRE(tree.ok());
    const Status status = check_call_workspace(*tree);
    if (status.ok()) return "runs";
    CHECK(status.error().code == Code::Usage);
    return status.error().message() + "; " + status.error().hint;
  }
  void list(const std::string& text, mode_t mode = 0644) const {
    fs::remove(directory_.path(".config/band/call.yaml"));
    directory_.write(".config/band/call.yaml", text, mode);
  }
  std::string path(const std::string& below = "") const { return directory_.path(below); }

 private:
  TempDir directory_;
  EnvVar home_{"HOME", directory_.path()}, config_{"BAND_CONFIG_DIR", directory_.path(".config/band")};
};

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("band call refuses the home directory, directories of band, and hidden directories") {
  const Home home;
  CHECK(has(home.call(""), "it is your home directory"));
  CHECK(has(home.call(""), home.path(".config/band/call.yaml")));
  CHECK(has(home.call(".ssh"), "it is in ~/.ssh"));
  CHECK(has(home.call("keys"), "it is in ~/.ssh"));  // a link
  CHECK(has(home.call(".agent/worktrees/a"), "it is in ~/.agent"));
  CHECK(has(home.call("linked-to"), "it is in ~/.dots"));  // ~/.dots is a link to it
  CHECK(has(home.call(".band/skills/x"), "a directory of band"));
  CHECK(has(home.call(".config/band"), "a directory of band"));
  CHECK(has(home.call("project/.hidden"), "it is in " + home.path("project/.hidden")));
  CHECK(has(home.call("Library/LaunchAgents"), "it is in ~/Library"));  // programs of macOS obey files there
  for (const char* workspace : {"bin", "project", "project/Library", "Libraries", "outside/below", ".."}) {
    CAPTURE(workspace);
    CHECK(home.call(workspace) == "runs");
  }
}

TEST_CASE("band call refuses directories whose files programs of the system obey") {
  const Home home;
  fs::create_directory_symlink("/etc", home.path("link"));
  for (const char* workspace :
       {"/etc", "/usr/share", "/bin", "/var/spool", "/run", "/var/lib/dpkg", "link", "/", "/usr", "/var", "/var/lib"}) {
    CAPTURE(workspace);
    CHECK(has(home.call(workspace), "whose files programs of the system obey"));
  }
  CHECK(has(home.call("/usr/lib"), "it is in /usr/lib,"));  // /lib is a link to it
  for (const char* workspace : {"/usr/src", "/var/tmp", "/var/lib/misc", "/tmp", "/dev"}) {
    CAPTURE(workspace);
    CHECK(home.call(workspace) == "runs");
  }
  home.list("workspaces: [/usr/share, /var]\n");
  CHECK(home.call("/usr/share") == "runs");
  CHECK(home.call("/var") == "runs");
  CHECK(has(home.call("/usr/local"), "it is in /usr/local"));
  CHECK(has(home.call("/etc"), "it is in /etc"));
}

TEST_CASE("call.yaml allows a directory of band and what is below it") {
  const Home home;
  fs::create_directories(home.path("source/skills/tool/scripts"));
  fs::create_directory_symlink(home.path("source/skills/tool"), home.path(".band/skills/tool"));
  const auto refuses = [&](const std::string& workspace) { return has(home.call(workspace), "a directory of band"); };
  for (const char* workspace : {".band/skills/x", ".band/skills", ".band", "source/skills/tool/scripts"})
    CHECK(refuses(workspace));
  CHECK(home.call("source/skills") == "runs");
  home.list("workspaces: [~/.band/skills]\n");
  CHECK(home.call(".band/skills") == "runs");
  CHECK(home.call(".band/skills/x") == "runs");
  CHECK(refuses(".band"));
  CHECK(refuses("source/skills/tool"));
  home.list("workspaces: [~/.band/skills/tool]\n");
  CHECK(home.call("source/skills/tool/scripts") == "runs");
  CHECK(refuses(".band/skills/x"));
}

TEST_CASE("call.yaml allows a directory and what is below it, but nothing that is refused for another reason") {
  const Home home;
  home.list("workspaces: [~/.agent/worktrees, " + home.path("linked-to") + ", /nonexistent/x]\n");
  CHECK(home.call(".agent/worktrees") == "runs");
  CHECK(home.call(".agent/worktrees/a") == "runs");
  CHECK(home.call("linked-to") == "runs");
  CHECK(has(home.call(".agent/other"), "it is in ~/.agent"));
  CHECK(has(home.call(".agent"), "it is in ~/.agent"));
  CHECK(has(home.call(".ssh"), "it is in ~/.ssh"));
  CHECK(has(home.call(""), "it is your home directory"));
  home.list("workspaces: [\"~\"]\n");
  CHECK(home.call("") == "runs");
  CHECK(has(home.call(".ssh"), "it is in ~/.ssh"));
  home.list("workspaces: [~/.config]\n");
  CHECK(has(home.call(".config/band"), "a directory of band"));
  home.list("");
  CHECK(has(home.call(".ssh"), "it is in ~/.ssh"));
}

TEST_CASE("a call.yaml that is wrong, or that others may change, is an error") {
  const Home home;
  home.list("workspaces: [~/.ssh]\n", 0664);
  CHECK(has(home.call(".ssh"), "can be changed by other users"));
  home.list("workspaces: [~/.ssh]\n", 0646);
  CHECK(has(home.call(".ssh"), "can be changed by other users"));
  home.list("workspaces: [~/.ssh]\n");
  CHECK(home.call(".ssh") == "runs");  // the control
  fs::rename(home.path(".config/band/call.yaml"), home.path("call.yaml"));
  fs::create_symlink(home.path("call.yaml"), home.path(".config/band/call.yaml"));
  CHECK(has(home.call(".ssh"), "call.yaml is a link"));
  for (const char* text : {"workspaces: [relative]\n", "workspaces: [~/.s*]\n", "workspaces: ~/.ssh\n",
                           "workspaces: [~]\n", "workspace: []\n", "[\n", "- x\n", "workspaces: [~x/.ssh]\n"}) {
    CAPTURE(text);
    home.list(text);
    CHECK(has(home.call(".ssh"), "call.yaml:1:"));
    CHECK(home.call("bin") == "runs");
  }
}
