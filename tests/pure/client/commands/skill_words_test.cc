#include "client/commands/skill_words.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

// Changes the current directory while the object exists.
class Here {
 public:
  explicit Here(const std::string& path) : before_(fs::current_path()) { fs::current_path(path); }
  ~Here() { fs::current_path(before_); }
  Here(const Here&) = delete;
  Here& operator=(const Here&) = delete;

 private:
  fs::path before_;
};

}  // namespace

TEST_CASE("band test accepts a skill by its name, or a directory like band validate") {
  const TempDir dir;
  for (const char* skill : {"roots/known", "here/mine", "here/known/go", "many/a", "many/b"}) {
    dir.write(std::string(skill) + "/BAND.md", "x");
    dir.write(std::string(skill) + "/scripts/go/run.sh", "x");
  }
  const std::string base = fs::canonical(dir.path()).string();
  const std::vector<std::string> roots{base + "/roots"};
  const Here here(dir.path("here"));
  const auto meant = [&](const std::string& word) {
    const auto found = skill_or_script(word, roots);
    if (!found.ok()) return found.error().message() + "; " + found.error().hint;
    CHECK(fs::path(found->skill.directory).filename() == found->skill.name);
    return found->skill.directory.substr(base.size() + 1) + " " + found->script;
  };
  CHECK(meant("known/go") == "roots/known go");  // and not the directory here
  CHECK(meant("./known/go") == "here/known/go ");
  CHECK(meant("mine") == "here/mine ");
  CHECK(meant("./mine/") == "here/mine ");
  CHECK(meant("mine/") == "here/mine ");
  CHECK(meant(base + "/here/mine") == "here/mine ");
  CHECK(meant("../many/a") == "many/a ");
  CHECK(meant("../many") == "../many contains 2 skills; name one of them, as in ../many/a");
  CHECK(meant("known/gone").find("has no script `gone`") != std::string::npos);
  CHECK(meant("./none").find("./none is not a directory") == 0);
}
