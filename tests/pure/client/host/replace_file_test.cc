#include "client/host/replace_file.h"

#include <doctest/doctest.h>

#include "client/host/environment.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

std::string content_of(const std::string& path) {
  const auto text = read_file(path, 1'000, Code::Usage);
  return text.ok() ? *text : "none";
}

}  // namespace

TEST_CASE("a missing file is created with the caller's umask, without other files") {
  const TempDir dir;
  const Tree tree = Tree::open(dir.path()).value();
  CHECK(create_file(tree, "a", "one\n").ok());
  CHECK(content_of(dir.path("a")) == "one\n");
  CHECK((std::filesystem::status(dir.path("a")).permissions() & std::filesystem::perms::owner_all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(dir.names() == std::vector<std::string>{"a"});
  CHECK(!create_file(tree, "no/b", "x").ok());
}

TEST_CASE("create_file() replaces neither a file nor a dangling link") {
  const TempDir dir;
  const Tree tree = Tree::open(dir.path()).value();
  dir.write("a", "old\n");
  dir.link("nowhere", "link");
  for (const char* name : {"a", "link"}) {
    const Status made = create_file(tree, name, "new\n");
    REQUIRE(!made.ok());
    CHECK(made.error().code == Code::WriteConflict);
  }
  CHECK(content_of(dir.path("a")) == "old\n");
  CHECK(dir.names() == std::vector<std::string>{"a", "link"});
}

TEST_CASE("a file that has changed is not replaced") {
  const TempDir dir;
  const Tree tree = Tree::open(dir.path()).value();
  dir.write("a", "old\n");
  CHECK(!replace_file(tree, "a", "other\n", "new\n").ok());
  CHECK(content_of(dir.path("a")) == "old\n");
  CHECK(replace_file(tree, "a", "old\n", "new\n").ok());
  CHECK(content_of(dir.path("a")) == "new\n");
  CHECK(dir.names() == std::vector<std::string>{"a"});
}

TEST_CASE("no link of the tree is followed, also in the directories of the path") {
  TempDir dir, elsewhere;
  elsewhere.write("in/a", "old\n");
  dir.write("in/a", "old\n");
  dir.link(elsewhere.path("in"), "link");
  dir.link("in", "inside");
  dir.link("in/a", "file");
  const Tree tree = Tree::open(dir.path()).value();
  for (const char* path : {"link/a", "inside/a", "file"}) {
    CAPTURE(path);
    const Status replaced = replace_file(tree, path, "old\n", "new\n");
    REQUIRE_FALSE(replaced.ok());
    CHECK(replaced.error().code == Code::WriteConflict);
  }
  for (const char* path : {"link/b", "inside/b"}) CHECK_FALSE(create_file(tree, path, "x").ok());
  CHECK(content_of(elsewhere.path("in/a")) == "old\n");
  CHECK(elsewhere.names() == std::vector<std::string>{"in", "in/a"});
  CHECK(content_of(dir.path("in/a")) == "old\n");
  CHECK(replace_file(tree, "in/a", "old\n", "new\n").ok());  // the controls
  CHECK(create_file(tree, "in/b", "x").ok());
  CHECK(content_of(dir.path("in/a")) == "new\n");
}
