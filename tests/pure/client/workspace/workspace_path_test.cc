#include "client/workspace/workspace_path.h"

#include <doctest/doctest.h>

#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

TEST_CASE("paths of the workspace become relative, and no other path does") {
  const TempDir dir;
  dir.write("ws/sub/a", "x");
  dir.write("other/a", "x");
  dir.link("ws", "link");
  const auto tree = Tree::open(dir.path("ws"));
  REQUIRE(tree.ok());
  const auto path = [&](const std::string& text, Links links = Links::Followed) {
    return path_in_workspace(text, *tree, links).value_or("none");
  };
  for (const std::string& text :
       {std::string("sub/a"), std::string("./sub//a"), std::string("x/../sub/./a"), tree->path() + "/sub/a",
        tree->path() + "/x/../sub/a", tree->path() + "/../ws/sub/a", dir.path("link/sub/a")}) {
    CAPTURE(text);
    CHECK(path(text) == "sub/a");
  }
  CHECK(path(".") == "");
  CHECK(path(tree->path()) == "");
  for (const std::string& text : {std::string(""), std::string("../other/a"), std::string("sub/../../other/a"),
                                  std::string("/etc/hostname"), tree->path() + "2/a", dir.path("other/a"),
                                  std::string(5000, 'a'), std::string("a\0b", 3), std::string("a\nb")}) {
    CAPTURE(text);
    CHECK(path(text) == "none");
  }
}

TEST_CASE("links of an absolute path are not followed if the script can have chosen it") {
  const TempDir dir;
  dir.write("ws/a", "x");
  dir.link("ws", "link");
  const auto tree = Tree::open(dir.path("ws"));
  REQUIRE(tree.ok());
  CHECK(path_in_workspace(dir.path("link/a"), *tree, Links::Followed) == "a");  // the control
  CHECK_FALSE(path_in_workspace(dir.path("link/a"), *tree, Links::Ignored).has_value());
  CHECK(path_in_workspace(tree->path() + "/a", *tree, Links::Ignored) == "a");
}
