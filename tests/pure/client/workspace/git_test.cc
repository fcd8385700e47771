// Directories that git treats as a repository although they contain no `.git`. The behaviour of git itself is tested in
// tests/end_to_end/run_planted_test.cc.
#include <doctest/doctest.h>

#include "client/workspace/git.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

using Names = std::vector<std::string>;

Result<WriteBack> back(const TempDir& dir, const Names& paths, const std::string& content = "new") {
  const auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  std::vector<ShippedFile> files;
  for (const std::string& path : paths) files.push_back({path, 0644, content});
  return write_back(*tree, domain({"./**"}), {}, {}, files, {});
}

bool written(const TempDir& dir, const Names& paths) {
  const auto result = back(dir, paths);
  CAPTURE((result.ok() ? "" : result.error().message()));
  return result.ok() && result->written.size() == paths.size();
}

// Returns the error, "accepted", or "changed" when the directory has changed.
std::string refused(const TempDir& dir, const Names& paths) {
  const Names before = dir.names();
  const auto result = back(dir, paths);
  if (result.ok()) return "accepted";
  if (dir.names() != before) return "changed";
  return std::string(code_name(result.error().code)) + " " + result.error().message();
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an answer that makes a directory a git repository is refused completely") {
  const TempDir dir;
  const std::string text = refused(dir, {"out/HEAD", "out/config", "out/objects/x", "out/refs/x"});
  CHECK(has(text, "PERMISSION_DENIED nothing was written back: out/refs/x would make `out` a git repository"));
  CHECK(has(refused(dir, {"HEAD", "objects/x", "refs/x"}), "the workspace itself"));
  CHECK(has(refused(dir, {"a/b/HEAD", "a/b/objects/cd/ef", "a/b/refs/heads/main"}), "make `a/b` a git repository"));
  CHECK(has(refused(dir, {"out/HEAD", "out/commondir"}), "make `out` a git repository"));
  CHECK(has(refused(dir, {"ok", "out/HEAD", "out/objects", "out/refs"}), "make `out` a git repository"));
}

TEST_CASE("a name that a file system treats as one of a repository counts") {
  const TempDir dir;
  for (const char* head : {"head", "Head", "HEAD.", "HEAD ", "HEAD::$DATA",
                           "H\xE2\x80\x8C"
                           "EAD"})
    CHECK(has(refused(dir, {std::string("out/") + head, "out/Objects/x", "out/REFS/x"}), "a git repository"));
  CHECK(has(refused(dir, {"out/HEAD", "out/object\xC5\xBF/x", "out/ref\xC5\xBF/x"}), "a git repository"));  // long s
  CHECK(has(refused(dir, {"out/HEAD", "out/CommonD\xC4\xB1r"}), "a git repository"));  // i without its dot
}

TEST_CASE("a repository that is built by several answers is refused with the answer that completes it") {
  const TempDir dir;
  CHECK(written(dir, {"out/HEAD", "out/config"}));
  CHECK(written(dir, {"out/objects/x"}));
  CHECK(has(refused(dir, {"out/refs/x"}), "would make `out` a git repository"));
  CHECK(has(refused(dir, {"ok", "out/refs/heads/main"}), "would make `out` a git repository"));
  CHECK(has(refused(dir, {"out/commondir"}), "would make `out` a git repository"));
  CHECK(written(dir, {"out/ok"}));
}

TEST_CASE("nothing is written into an existing repository, at any depth") {
  const TempDir dir;
  dir.write("repo.git/HEAD", "ref: refs/heads/main\n");
  dir.write("repo.git/objects/x", "");
  dir.write("repo.git/refs/x", "");
  dir.link("refs/heads/main", "linked.git/HEAD");
  dir.write("linked.git/commondir", "../repo.git");
  for (const char* path : {"repo.git/config", "repo.git/hooks/post-checkout", "repo.git/new/deep/file", "linked.git/x"})
    CHECK(has(refused(dir, {path}), "is in a git repository"));
  CHECK(written(dir, {"beside/x"}));
}

TEST_CASE("a part of a repository after a backslash is refused: some network shares treat it as a separator") {
  const TempDir dir;
  for (const char* path : {"o/x\\HEAD", "o/x\\objects/a", "o\\x\\refs\\a", "x\\Commondir"})
    CHECK(has(refused(dir, {path}), "PERMISSION_DENIED nothing was written back"));
  CHECK(written(dir, {"o/x\\README", "o/objects\\x"}));  // the control
}

TEST_CASE("names that are only similar to those of a repository are written") {
  const TempDir dir;
  CHECK(
      written(dir, {"out/HEAD", "out/config", "out/refs/x", "out/object/x", "other/objects/x", "a/objects/b/refs/c"}));
  CHECK(written(dir, {"ui/head/x", "ui/objects/x", "ui/refs/x"}));  // git requires that HEAD is not a directory
  CHECK(written(dir, {"deep/HEAD", "deep/a/objects/x", "deep/b/refs/x"}));
}

TEST_CASE("two write-backs at the same time do not make a repository together") {
  const TempDir dir;
  const auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  ShippedFile head{"out/HEAD", 0644, "ref: refs/heads/main\n"};
  StoreItem item;  // examined when the workspace was empty
  item.file = &head;
  item.directory = "out";
  item.name = "HEAD";
  const Temporaries temporaries(*tree, *Opening::of(domain({"./**"}), false, PathRules::Use::Write), {});
  dir.write("out/objects/x", "");
  SUBCASE("control: the other write-back wrote no refs") {
    REQUIRE(store(*tree, temporaries, {item}).ok());
    CHECK(dir.has("out/HEAD"));
  }
  SUBCASE("the other write-back has written objects and refs") {
    dir.write("out/refs/x", "");
    const Names before = dir.names();
    const Status stored = store(*tree, temporaries, {item});
    REQUIRE_FALSE(stored.ok());
    CHECK(has(stored.error().message(), "nothing was written back: out/HEAD is in a git repository"));
    CHECK(dir.names() == before);
  }
}
