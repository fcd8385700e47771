#include "server/view/homes.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "server/base/fd.h"

using band::view::home_files;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// The tmpfs of an execution.
class Work {
 public:
  Work() {
    REQUIRE(::mkdtemp(path_) != nullptr);
    fs::create_directories(at("tmp"));
  }
  ~Work() { fs::remove_all(path_); }

  std::string at(const std::string& name) const { return std::string(path_) + "/" + name; }
  void file(const std::string& name) const {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name)) << "x";
  }
  Words found() const {
    const band::base::Fd fd(::open(path_, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return home_files(fd.get());
  }

 private:
  char path_[24] = "/tmp/band-test-XXXXXX";
};

}  // namespace

TEST_CASE("files that begin with a dot in the script's home are named, and temporary files and caches are not") {
  const Work work;
  CHECK(work.found().empty());
  for (const char* name : {"tmp/.notes/db", "tmp/.profile", "tmp/visible", "tmp/tmp.XyZ/a", "tmp/.cache/a",
                           "tmp/.bash_history", "tmp/.npm/a", "tmp/.X11-unix/a", "tmp/.org.chromium.x", "workspace/.a"})
    work.file(name);
  CHECK(work.found() == Words{"~/.notes/db", "~/.profile"});
}

TEST_CASE("all files in the home of a command are named, without its temporary directory and its own settings") {
  const Work work;
  for (const char* name : {"home/python3/result.json", "home/python3/.state/x", "home/python3/tmp/a",
                           "home/gh/.config/gh/hosts.yml", "home/gh/.config/other/x", "home/claude/.claude.json"})
    work.file(name);
  CHECK(work.found() == Words{"~/.config/other/x", "~/.state/x", "~/result.json"});
}

TEST_CASE("links, other kinds of files and invalid names are not named, and the number of names is limited") {
  const Work work;
  work.file("workspace/secret");
  fs::create_symlink(work.at("workspace"), work.at("tmp/.link"));
  fs::create_symlink("/etc/passwd", work.at("tmp/.passwd"));
  REQUIRE(::mkfifo(work.at("tmp/.fifo").c_str(), 0600) == 0);
  work.file("tmp/.bad\n");
  std::string deep = "tmp/.d";
  for (int i = 0; i < 9; ++i) deep += "/d";
  work.file(deep + "/too-deep");
  CHECK(work.found().empty());
  for (int i = 0; i < 600; ++i) work.file("tmp/visible" + std::to_string(i));  // they do not count
  for (int i = 0; i < 20; ++i) work.file("tmp/.many/" + std::to_string(i));
  CHECK(work.found().size() == 8);
  const Work link;
  fs::remove(link.at("tmp"));
  fs::create_symlink("/", link.at("tmp"));
  fs::create_symlink("/", link.at("home"));
  CHECK(link.found().empty());
}
