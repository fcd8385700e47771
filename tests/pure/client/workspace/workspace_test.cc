#include "client/workspace/workspace.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/workspace/opening.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

std::vector<std::string> shipped(const TempDir& dir, const Domain& read, const EffectiveLimits& limits = {}) {
  const auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  const auto plan = plan_shipment(*tree, read, limits);
  if (!plan.ok()) return {plan.error().message() + " | " + plan.error().hint};
  const auto shipment = ship(*tree, *plan, limits);
  if (!shipment.ok()) return {shipment.error().message()};
  std::vector<std::string> paths;
  for (const ShippedFile& file : shipment->files) paths.push_back(file.path);
  return paths;
}

using Names = std::vector<std::string>;

// Makes the files `begin` to `end` - 1 in the directory, as links to one file: a new inode takes ext4 long if many were
// deleted within the last minutes.
void write_links(const TempDir& dir, const std::string& directory, std::size_t begin, std::size_t end) {
  const std::string first = dir.path(directory + "/" + std::to_string(begin));
  dir.write(directory + "/" + std::to_string(begin), "");
  for (std::size_t i = begin + 1; i < end; ++i)
    REQUIRE(::link(first.c_str(), dir.path(directory + "/" + std::to_string(i)).c_str()) == 0);
}

}  // namespace

TEST_CASE("names that a pattern would match if they did not begin with a dot are left out by name") {
  const TempDir dir;
  for (const char* file : {"d/doc.xml", "d/_rels/.rels", "d/.cache/a.xml", "d/.cache/b.xml", "d/.notes.txt",
                           ".git/HEAD", ".env", "e/.x/a.xml"})
    dir.write(file, "x");
  const auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  const auto hidden = [&](const Domain& read) {
    Names paths;
    const auto plan = plan_shipment(*tree, read, {});
    REQUIRE(plan.ok());
    for (const LeftOut& left : plan->left_out) {
      CHECK(left.why == kWhyHidden);
      paths.push_back(left.path);
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  };
  CHECK(hidden(domain({"./d/**"})) == Names{"d/.cache/", "d/.notes.txt", "d/_rels/.rels"});
  CHECK(hidden(domain({"./d/**/*.xml"})) == Names{"d/.cache/"});
  CHECK(hidden(domain({"./**"})) == Names{".env", ".git/", "d/.cache/", "d/.notes.txt", "d/_rels/.rels", "e/.x/"});
  CHECK(hidden(domain({"./**"}, {"./.git/**", "./.env", "./d/**", "./e/**"})).empty());
  CHECK(hidden(domain({"./**", "./.git/**", "./.env", "./d/**/.*", "./d/.cache/**", "./d/_rels/.rels", "./e/.x/*"}))
            .empty());
  CHECK(hidden(domain({"./d/doc.xml"})).empty());
  dir.write("d/.cache/.more/x", "x");
  CHECK(hidden(domain({"./d/**", "./d/.cache/a.xml"})) ==
        Names{"d/.cache/.more/", "d/.cache/b.xml", "d/.notes.txt", "d/_rels/.rels"});
}

TEST_CASE("only files that read opens are shipped") {
  TempDir dir;
  for (const char* file : {"a.txt", "b.md", "sub/c.txt", "sub/deep/d.txt", ".hidden.txt", ".git/config.txt",
                           "sub/.secret/e.txt", "private/f.txt"})
    dir.write(file, file);
  struct Row {
    Domain read;
    Names expected;
  };
  Domain two_layers = domain({"./**/*.txt"});
  two_layers.opened.push_back({{"./sub/**", "test/BAND.md:3"}});
  const Row rows[] = {
      {{}, {}},
      {domain({}), {}},
      {domain({"./a.txt"}), {"a.txt"}},
      {domain({"./*.txt"}), {"a.txt"}},
      {domain({"./**/*.txt"}), {"a.txt", "private/f.txt", "sub/c.txt", "sub/deep/d.txt"}},
      {domain({"./**/*.txt"}, {"./private/**"}), {"a.txt", "sub/c.txt", "sub/deep/d.txt"}},
      {domain({"./**/*.txt"}, {"./private"}), {"a.txt", "sub/c.txt", "sub/deep/d.txt"}},
      {domain({"./sub"}), {}},
      {domain({"./.hidden.txt"}), {".hidden.txt"}},
      {domain({"./.git/config.txt"}), {".git/config.txt"}},
      {domain({"./sub/**", "./sub/deep/**", "./b.md"}), {"b.md", "sub/c.txt", "sub/deep/d.txt"}},
      {domain({"/etc/**"}), {}},
      {domain({"./nothing/**"}), {}},
      {two_layers, {"sub/c.txt", "sub/deep/d.txt"}},
  };
  for (const Row& row : rows) CHECK(shipped(dir, row.read) == row.expected);
}

TEST_CASE("content, mode and hash of a shipped file are those of the original") {
  TempDir dir;
  dir.write("run", std::string("a\0b", 3), 0755);
  const auto tree = Tree::open(dir.path());
  const auto plan = plan_shipment(*tree, domain({"./**"}), {});
  REQUIRE(plan.ok());
  CHECK(plan->bytes == 3);
  const auto shipment = ship(*tree, *plan, {});
  REQUIRE(shipment.ok());
  CHECK(shipment->files[0].content == std::string("a\0b", 3));
  CHECK(shipment->files[0].mode == 0755);
  CHECK(shipment->sent.at("run") == content_hash(std::string_view("a\0b", 3)));
  struct ::stat file = {};
  REQUIRE(::stat(dir.path("run").c_str(), &file) == 0);
  CHECK(*shipment->files[0].modified_us / 1'000'000 == file.st_mtim.tv_sec);
  CHECK(content_hash("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("a file that its owner may not read is refused, also for root") {
  for (const unsigned mode : {0000u, 0200u, 0044u, 0333u}) {
    CAPTURE(mode);
    TempDir dir;
    dir.write("a.txt", "a");
    dir.write("closed.txt", "x", mode);
    const auto tree = Tree::open(dir.path());
    const auto plan = plan_shipment(*tree, domain({"./closed.txt", "./a.txt"}), {});
    const auto shipment = ship(*tree, *plan, {});
    REQUIRE_FALSE(shipment.ok());
    CHECK(shipment.error().code == Code::PermissionDenied);
    const auto some = ship(*tree, *plan_shipment(*tree, domain({"./**"}), {}), {});
    REQUIRE(some.ok());
    CHECK(some->files.size() == 1);
    CHECK(some->left_out.size() == 1);  // reported, because only a wildcard matched
    CHECK(shipment.error().message() ==
          "cannot read closed.txt in the workspace " + tree->path() + ": Permission denied");
    CHECK(shipment.error().hint.find("make it readable") == 0);
    fs::permissions(dir.path("closed.txt"), fs::perms(0400));  // the control
    CHECK(ship(*tree, *plan, {}).ok());
  }
}

TEST_CASE("a link to the outside is never shipped; for a link inside, the target must be open") {
  TempDir outside, dir;
  outside.write("secret.txt", "secret");
  outside.write("more/secret.txt", "secret");
  dir.write("real/a.txt", "a");
  dir.write("closed/b.txt", "b");
  dir.link(outside.path("secret.txt"), "absolute.txt");
  dir.link("../../../../../../../etc/passwd", "climbs.txt");
  dir.link(outside.path("more"), "directory");
  dir.link("/", "root");
  dir.link("..", "up");
  dir.link("real/a.txt", "inside.txt");
  dir.link(dir.path("real/a.txt"), "inside-absolute.txt");
  dir.link("closed/b.txt", "to-closed.txt");
  dir.link("real", "linked");
  dir.link("self", "self");
  dir.link("b-loop", "a-loop");
  dir.link("a-loop", "b-loop");
  dir.link(".", "circle");
  dir.link("gone", "dangling.txt");
  CHECK(shipped(dir, domain({"./**/*.txt"}, {"./closed/**"})) ==
        Names{"inside-absolute.txt", "inside.txt", "linked/a.txt", "real/a.txt"});
  // Also if a pattern names it.
  CHECK(shipped(dir, domain({"./absolute.txt", "./directory/secret.txt", "./root/etc/passwd", "./up/x"})).empty());
  const auto tree = Tree::open(dir.path());
  const auto plan = plan_shipment(*tree, domain({"./absolute.txt"}), {});
  REQUIRE(plan->left_out.size() == 1);
  CHECK(plan->left_out[0].why.find("outside the workspace") != std::string::npos);
}

TEST_CASE("a link that replaces a file between plan and reading is refused") {
  TempDir outside, dir;
  outside.write("secret.txt", "secret");
  dir.write("a.txt", "a");
  dir.write("sub/b.txt", "b");
  const auto tree = Tree::open(dir.path());
  const auto plan = plan_shipment(*tree, domain({"./**"}), {});
  REQUIRE(plan->files.size() == 2);
  SUBCASE("the file") {
    fs::remove(dir.path("a.txt"));
    dir.link(outside.path("secret.txt"), "a.txt");
  }
  SUBCASE("its directory") {
    outside.write("b.txt", "secret");
    fs::remove_all(dir.path("sub"));
    dir.link(outside.path(), "sub");
  }
  const auto shipment = ship(*tree, *plan, {});
  REQUIRE_FALSE(shipment.ok());
  CHECK(shipment.error().code == Code::PermissionDenied);
}

TEST_CASE("files that do not fit into a request are an error with the limit of a request, for any limit of the band") {
  TempDir dir;
  dir.write("data", "");
  const auto tree = Tree::open(dir.path());
  const auto verdict = [&](std::uintmax_t bytes, const EffectiveLimits& limits) {
    fs::resize_file(dir.path("data"), bytes);  // sparse, and never read
    const auto plan = plan_shipment(*tree, domain({"./**"}), limits, 1'000'000);
    return plan.ok() ? "fits" : plan.error().message() + " | " + plan.error().hint;
  };
  EffectiveLimits raised;
  raised.maxDiskBytes = 200 << 20;
  const std::uintmax_t room = (kMaxBodyBytes - 1'000'000 - bytes_in_request("data", 0)) / 4 * 3;
  CHECK(verdict(room, raised) == "fits");
  for (const EffectiveLimits& limits : {raised, EffectiveLimits{}})
    for (const std::uintmax_t bytes : {room + 3, room + (30 << 20)}) {
      const std::string message = verdict(bytes, limits);
      CAPTURE(message);
      CHECK(message.find("this request has room for only " + std::to_string(room) + " bytes of files (66.") !=
            std::string::npos);
      CHECK(message.find("regardless of limit.maxDiskBytes") != std::string::npos);
      CHECK(message.find("the biggest are data") != std::string::npos);
      CHECK(message.find("raise") == std::string::npos);
    }
  CHECK(verdict(room, {}).find("raise limit.maxDiskBytes") != std::string::npos);  // here the limit of the band applies
}

TEST_CASE("more files than fit into any request are an error with that limit") {
  TempDir dir;
  write_links(dir, "d", 0, 1'001);
  const auto tree = Tree::open(dir.path());
  const auto verdict = [&] {
    const auto plan = plan_shipment(*tree, domain({"./**"}), {});
    return plan.ok() ? "fits" : plan.error().message() + " | " + plan.error().hint;
  };
  CHECK(verdict().find("1001 files of the workspace, but at most 1000 are sent; most of the files are in d (1001)") !=
        std::string::npos);
  CHECK(verdict().find("raise limit.maxFiles") != std::string::npos);
  write_links(dir, "d", 1'001, kMaxWireFiles + 1);
  CHECK(verdict().find(
            "20001 files of the workspace, but at most 20000 fit into a request, regardless of limit.maxFiles") !=
        std::string::npos);
  CHECK(verdict().find("raise") == std::string::npos);
}

TEST_CASE("FIFOs and names that cannot be sent are left out, without blocking") {
  TempDir dir;
  dir.write("a.txt", "a");
  dir.write("esc\x1b[2J.txt", "x");
  dir.write("raw\xff.txt", "x");
  REQUIRE(::mkfifo(dir.path("pipe.txt").c_str(), 0644) == 0);
  CHECK(shipped(dir, domain({"./*.txt"})) == Names{"a.txt"});
  const auto tree = Tree::open(dir.path());
  CHECK(plan_shipment(*tree, domain({"./*.txt"}), {})->left_out.size() == 3);
}

TEST_CASE("an unreadable file that a wildcard matches is left out; one that is named stops the run") {
  if (::geteuid() == 0 && ::seteuid(65534) != 0) FAIL("no other user to be");
  {
    TempDir dir;
    dir.write("a.txt", "a");
    dir.write("closed.txt", "b", 0);
    const auto tree = Tree::open(dir.path());
    const auto plan = plan_shipment(*tree, domain({"./*.txt"}), {});
    const auto shipment = ship(*tree, *plan, {});
    REQUIRE(shipment.ok());
    CHECK(shipment->files.size() == 1);
    REQUIRE(shipment->left_out.size() == 1);
    CHECK(shipment->left_out[0].path == "closed.txt");
    const auto named = ship(*tree, *plan_shipment(*tree, domain({"./closed.txt"}), {}), {});
    REQUIRE_FALSE(named.ok());
    CHECK(named.error().code == Code::PermissionDenied);
  }
  if (::getuid() == 0) REQUIRE(::seteuid(0) == 0);
}

TEST_CASE("a pattern that matches no file is reported, except an optional one") {
  TempDir dir;
  dir.write("a.txt", "a");
  dir.write("private/b.md", "b");
  dir.link("/etc/passwd", "out.csv");
  Domain read = domain({"./*.txt", "./data/*.csv", "./**/*.md", "./*.csv", "/opt/x/**"}, {"./private/**"});
  read.opened.front().push_back({"./config.yaml", "test/BAND.md:9", true});
  const auto tree = Tree::open(dir.path());
  const auto plan = plan_shipment(*tree, read, {});
  REQUIRE(plan.ok());
  Names unmatched;
  for (const Rule& rule : plan->unmatched) unmatched.push_back(rule.pattern);
  CHECK(unmatched == Names{"./data/*.csv", "./**/*.md"});
}

TEST_CASE("an existing file that write names must be shipped; one that a wildcard matches is reported") {
  TempDir dir;
  dir.write("report.txt", "old");
  dir.write("out/a.txt", "old");
  dir.write("out/b.txt", "old");
  dir.link("report.txt", "link.txt");
  dir.link("/nowhere/at/all", "away.txt");
  const auto tree = Tree::open(dir.path());
  const auto targets = [&](const std::set<std::string>& shipped, const Domain& write) {
    return unshipped_targets(*tree, write, shipped, Search::All);
  };
  const auto refused = [&](const std::set<std::string>& shipped, const char* pattern) {
    const auto found = targets(shipped, domain({pattern}));
    return found.ok() ? "" : std::string(code_name(found.error().code)) + ": " + found.error().hint;
  };
  CHECK(refused({}, "./report.txt").starts_with("WRITE_CONFLICT: allow it in allow.read, too"));
  CHECK(refused({"report.txt"}, "./report.txt").empty());
  CHECK(refused({}, "./new.txt").empty());
  CHECK(refused({}, "./out").find("`./out/**`") != std::string::npos);
  for (const char* link : {"./link.txt", "./away.txt"})
    CHECK(refused({"link.txt"}, link).find("does not write through links") != std::string::npos);
  CHECK(targets({}, domain({"./report.txt"}, {"./report.txt"}))->files.empty());  // denied: nothing is written there
  const auto wild = targets({"out/a.txt"}, domain({"./out/**"}));
  CHECK(wild->files == Names{"out/b.txt"});
  CHECK(wild->incomplete.empty());
}

TEST_CASE("before a run, some files that the script may not change are found, without a walk through the workspace") {
  TempDir dir;
  for (const char* name : {"a", "b", "c", "d"}) dir.write("out/" + std::string(name), "x");
  const auto tree = Tree::open(dir.path());
  const auto found = [&](const std::set<std::string>& shipped, Search search) {
    return unshipped_targets(*tree, domain({"./**"}), shipped, search).value();
  };
  const Unshipped few = found({"out/a"}, Search::Some);
  CHECK(few.files == Names{"out/b", "out/c", "out/d"});  // all of them: the workspace is small
  CHECK_FALSE(few.more);
  std::set<std::string> many;
  for (int i = 0; i < 2'000; ++i) many.insert("huge/" + std::to_string(i));
  write_links(dir, "huge", 0, 2'000);
  const Unshipped first = found({}, Search::Some);
  CHECK(first.files.size() == 6);
  CHECK(first.more);
  CHECK(first.incomplete.empty());
  CHECK(found({}, Search::All).files.size() == 2'004);  // the control
  const Unshipped none = found(many, Search::Some);     // ends in `huge`, whose first 500 names are all sent
  CHECK(none.files.empty());
  CHECK(none.more);
  CHECK(found(many, Search::All).files.size() == 4);
  CHECK_FALSE(found(many, Search::All).more);
}

TEST_CASE("too many or too large files: the error has the count, the largest parts and a remedy") {
  TempDir dir;
  for (int i = 0; i < 12; ++i) dir.write("many/inner/f" + std::to_string(i), "x");
  dir.write("big.bin", std::string(5000, 'x'));
  EffectiveLimits limits;
  limits.maxFiles = 10;
  const auto count = shipped(dir, domain({"./**"}), limits);
  REQUIRE(count.size() == 1);
  CHECK(count[0].find("13 files of the workspace, but at most 10") != std::string::npos);
  CHECK(count[0].find("many/inner (12)") != std::string::npos);
  CHECK(count[0].find("limit.maxFiles") != std::string::npos);
  limits.maxFiles = 1000;
  limits.maxDiskBytes = 4096;
  const auto bytes = shipped(dir, domain({"./**"}), limits);
  REQUIRE(bytes.size() == 1);
  CHECK(bytes[0].find("big.bin (4.9 KiB)") != std::string::npos);
  CHECK(bytes[0].find("limit.maxDiskBytes") != std::string::npos);
  // A file that grows after the plan is refused, too.
  const auto tree = Tree::open(dir.path());
  dir.write("big.bin", "small");
  const auto plan = plan_shipment(*tree, domain({"./big.bin"}), limits);
  REQUIRE(plan.ok());
  dir.write("big.bin", std::string(5000, 'x'));
  const auto grown = ship(*tree, *plan, limits);
  REQUIRE_FALSE(grown.ok());
  CHECK(grown.error().code == Code::LimitExceeded);
}

TEST_CASE("the home directory and / are not accepted as a default workspace") {
  TempDir dir;
  const fs::path before = fs::current_path();
  EnvVar home("HOME", dir.path());
  fs::current_path(dir.path());
  const auto at_home = open_workspace(std::nullopt);
  fs::current_path("/");
  const auto at_root = open_workspace(std::nullopt);
  fs::current_path(fs::temp_directory_path());
  const auto elsewhere = open_workspace(std::nullopt);
  fs::current_path(before);
  REQUIRE_FALSE(at_home.ok());
  CHECK(at_home.error().hint.find("--workspace") != std::string::npos);
  CHECK_FALSE(at_root.ok());
  CHECK(elsewhere.ok());
  CHECK(open_workspace(dir.path()).ok());  // accepted if it is named
  CHECK_FALSE(open_workspace(dir.path("nothing")).ok());
}

TEST_CASE("a walk starts at the literal prefixes, none of them below another") {
  const auto opening = Opening::of(domain({"./a/b/*.txt", "./a/**", "./c", "/etc/**"}), false, PathRules::Use::Read);
  REQUIRE(opening.ok());
  CHECK(opening->starts() == Names{"a", "c"});
  CHECK_FALSE(opening->may_open_below("d"));
  CHECK(opening->may_open_below("a/b"));
}
