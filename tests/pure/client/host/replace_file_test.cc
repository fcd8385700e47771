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
  CHECK(create_file(dir.path("a"), "one\n").ok());
  CHECK(content_of(dir.path("a")) == "one\n");
  CHECK((std::filesystem::status(dir.path("a")).permissions() & std::filesystem::perms::owner_all) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(dir.names() == std::vector<std::string>{"a"});
  CHECK(!create_file(dir.path("no/b"), "x").ok());
}

TEST_CASE("create_file() replaces neither a file nor a dangling link") {
  const TempDir dir;
  dir.write("a", "old\n");
  dir.link("nowhere", "link");
  for (const char* name : {"a", "link"}) {
    const Status made = create_file(dir.path(name), "new\n");
    REQUIRE(!made.ok());
    CHECK(made.error().code == Code::WriteConflict);
  }
  CHECK(content_of(dir.path("a")) == "old\n");
  CHECK(dir.names() == std::vector<std::string>{"a", "link"});
}

TEST_CASE("a file that has changed is not replaced") {
  const TempDir dir;
  dir.write("a", "old\n");
  CHECK(!replace_file(dir.path("a"), "other\n", "new\n").ok());
  CHECK(content_of(dir.path("a")) == "old\n");
  CHECK(replace_file(dir.path("a"), "old\n", "new\n").ok());
  CHECK(content_of(dir.path("a")) == "new\n");
  CHECK(dir.names() == std::vector<std::string>{"a"});
}
