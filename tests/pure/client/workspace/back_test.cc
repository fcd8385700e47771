#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <utime.h>

#include <cstdio>
#include <ctime>

#include "client/workspace/own.h"
#include "client/workspace/store.h"
#include "client/workspace/workspace.h"
#include "schemas/core/file_names.h"
#include "schemas/core/obeyed_names.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

using Names = std::vector<std::string>;
using Files = std::vector<ShippedFile>;

Result<WriteBack> back(const TempDir& dir, const Files& files, const Domain& write = domain({"./out/**", "./a.txt"}),
                       const SentFiles& sent = {}, const EffectiveLimits& limits = {}, const BackTerms& terms = {}) {
  const auto tree = Tree::open(dir.path());
  REQUIRE(tree.ok());
  return write_back(*tree, write, limits, sent, files, terms);
}

// Returns the error. Checks that the directory has not changed.
std::string refused(const TempDir& dir, const Files& files, const Domain& write = domain({"./**"}),
                    const SentFiles& sent = {}) {
  const Names before = dir.names();
  const auto result = back(dir, files, write, sent);
  CHECK(dir.names() == before);
  return result.ok() ? "accepted" : std::string(code_name(result.error().code)) + " " + result.error().message();
}

Status put(const Tree& tree, const std::vector<StoreItem>& items) {
  return store(tree, Temporaries(tree, *Opening::of(domain({"./**"}), false, PathRules::Use::Write), {}), items);
}

bool has(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("new files are 0644 in new directories, changed ones keep their mode") {
  TempDir dir;
  const mode_t mask = ::umask(022);
  dir.write("a.txt", "old", 0750);
  const auto result = back(dir, {{"out/deep/new.txt", 0777, "new"}, {"a.txt", 0600, "changed"}},
                           domain({"./out/**", "./a.txt"}), {{"a.txt", content_hash("old")}});
  ::umask(mask);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message()));
  CHECK(result->written == Names{"a.txt", "out/deep/new.txt"});
  CHECK(dir.read("out/deep/new.txt") == "new");
  CHECK(dir.mode("out/deep/new.txt") == 0644);
  CHECK(dir.mode("out/deep") == 0755);
  CHECK(dir.read("a.txt") == "changed");
  CHECK(dir.mode("a.txt") == 0750);
  CHECK(dir.names() == Names{"a.txt", "out", "out/deep", "out/deep/new.txt"});  // no temporary file is left
}

TEST_CASE("a database is not replaced next to a log that SQLite would apply to the new one") {
  const std::string wal = "\x37\x7f\x06\x82 frames", journal = "\xd9\xd5\x05\xf9 pages";
  const auto replace = [&](const std::string& suffix, const std::string& log, Files besides = {}) {
    TempDir dir;
    dir.write("out/data.db", "old");
    if (!suffix.empty()) dir.write("out/data.db" + suffix, log);
    besides.push_back({"out/data.db", 0644, "new"});
    const SentFiles sent{{"out/data.db", content_hash("old")}, {"out/data.db" + suffix, content_hash(log)}};
    const auto result = back(dir, besides, domain({"./**"}), sent);
    CHECK(dir.read("out/data.db") == (result.ok() ? "new" : "old"));
    return result.ok() ? "written" : std::string(code_name(result.error().code)) + " " + result.error().hint;
  };
  CHECK(
      has(replace("-wal", wal), "WRITE_CONFLICT close every program that uses out/data.db, run `sqlite3 out/data.db "));
  CHECK(has(replace("-journal", journal), "WRITE_CONFLICT close every program"));
  CHECK(replace("", "") == "written");
  CHECK(replace("-wal", "") == "written");
  CHECK(replace("-journal", std::string(512, '\0')) == "written");  // journal_mode=persist: SQLite ignores it
  CHECK(replace("-journal", "a diary") == "written");
  CHECK(replace("-wal", wal, {{"out/data.db-wal", 0644, wal + "more"}}) == "written");  // both are replaced
}

TEST_CASE("paths that no honest server sends are refused") {
  TempDir dir;
  dir.write("keep", "x");
  for (const char* path : {"../evil", "/tmp/evil", "a/../../evil", "a//b", "./a", "", "a/", "evil\x1b[2J", "a\nb"}) {
    CAPTURE(path);
    CHECK(has(refused(dir, {{path, 0644, "x"}}), "is not a plain relative path"));
  }
  CHECK(has(refused(dir, {{"a", 0644, "x"}, {"a", 0644, "y"}}), "occurs twice"));
  CHECK(has(refused(dir, {{"a", 0644, "x"}, {"a/b", 0644, "y"}}), "is a file and a directory"));
}

TEST_CASE("only paths that allow.write opens and no deny closes are written") {
  TempDir dir;
  CHECK(has(refused(dir, {{"b.txt", 0644, "x"}}, domain({"./out/**"})),
            "PERMISSION_DENIED nothing was written back: b.txt is not allowed by allow.write"));
  CHECK(has(refused(dir, {{"out/no/x", 0644, "x"}}, domain({"./out/**"}, {"./out/no/**"})), "not allowed"));
  CHECK(has(refused(dir, {{"out/no/x", 0644, "x"}}, domain({"./out/**"}, {"./out/no"})), "not allowed"));
  CHECK(has(refused(dir, {{"out/.bashrc", 0644, "x"}}, domain({"./out/**"})), "not allowed"));
  CHECK(has(refused(dir, {{"x", 0644, "x"}}, Domain{}), "not allowed"));
  CHECK(has(refused(dir, {{"out/good", 0644, "x"}, {"bad", 0644, "x"}}, domain({"./out/**"})), "bad is not allowed"));
}

TEST_CASE(".git is never written, in any spelling that a file system treats as .git") {
  TempDir dir;
  for (const char* path :
       {".git/config", "sub/.git/hooks/pre-commit", ".GIT/config", ".Git", ".g\xE2\x80\x8Cit/config",
        "\xEF\xBB\xBF.git/config", ".git./config", ".git /config", ".git::$INDEX_ALLOCATION/config", "git~1/config",
        "GIT~2/config", "sub\\.git\\config", ".g\xC4\xB0t/config", ".g\xC4\xB1t/config"}) {
    CAPTURE(path);
    CHECK(obeyed_name(path)->name == ".git");
    CHECK(has(refused(dir, {{path, 0644, "x"}}, domain({"./**", "./.git/**", "./.GIT/**", "./sub/.git/**"})),
              "which band never writes"));
  }
  for (const char* path : {".gitignore", ".github/workflows/x", "git", "gitx", "a.git", "sub/git/x"}) {
    CAPTURE(path);
    CHECK((obeyed_name(path) == nullptr || obeyed_name(path)->opened_by != OpenedBy::NoRule));
  }
}

TEST_CASE("checkouts of other version control systems that run commands are never written") {
  TempDir dir;
  for (const char* path : {"_darcs/prefs/defaults", "out/_darcs/format", "_DARCS/x", "_FOSSIL_", "out/_fossil_",
                           "_FOSSIL_.", "_MTN/monotonerc", "a/_mtn/b/c"}) {
    CAPTURE(path);
    CHECK(obeyed_name(path)->opened_by == OpenedBy::NoRule);
    CHECK(has(refused(dir, {{path, 0644, "x"}}), "which band never writes"));
  }
  for (const char* path : {"darcs/x", "_darcs2/x", "_fossil", "fossil/x", "mtn"}) {
    CAPTURE(path);
    CHECK(back(dir, {{path, 0644, "x"}}, domain({"./**"})).ok());
  }
}

TEST_CASE("names that differ only in letter case or normalisation collide, within the answer and with existing names") {
  CHECK(collision_key("README") == collision_key("readme"));
  CHECK(collision_key("\xC3\x84.txt") == collision_key("\xC3\xA4.txt"));  // A, a with dots
  CHECK(collision_key("e\xCC\x81") == collision_key("\xC3\x89"));         // composed, decomposed
  CHECK(collision_key("\xCE\xA3") == collision_key("\xCF\x82"));          // sigma, final sigma
  CHECK(collision_key("stra\xC3\x9F"
                      "e") == collision_key("STRASSE"));
  CHECK(collision_key("\xD0\x96") == collision_key("\xD0\xB6"));
  CHECK(collision_key("\xE2\x84\xAA") == collision_key("k"));                         // Kelvin sign
  CHECK(collision_key("\xEA\xB0\x80") == collision_key("\xE1\x84\x80\xE1\x85\xA1"));  // Hangul, composed and not
  CHECK(collision_key("\xEA\xAD\xB0") == collision_key("\xE1\x8E\xA0"));              // Cherokee a
  CHECK(collision_key("\xF0\x90\x90\x80") == collision_key("\xF0\x90\x90\xA8"));      // Deseret, beyond 16 bits
  CHECK(collision_key("\xEF\xAC\x81") == collision_key("FI"));                        // a ligature folds to two
  CHECK(collision_key("") == collision_key("\xE2\x80\x8B"));
  CHECK(collision_key("a\xE2\x80\x8B"
                      "b") == collision_key("ab"));
  CHECK(collision_key("e") != collision_key("\xC3\xA9"));
  CHECK(collision_key("a") != collision_key("b"));
  TempDir dir;
  CHECK(has(refused(dir, {{"out/A", 0644, "x"}, {"out/a", 0644, "y"}}), "differ only in letter case"));
  CHECK(has(refused(dir, {{"Out/a", 0644, "x"}, {"out/b", 0644, "y"}}), "differ only in letter case"));
  dir.write("Out/README.md", "x");
  CHECK(has(refused(dir, {{"Out/readme.md", 0644, "y"}}), "the existing Out/README.md"));
  CHECK(has(refused(dir, {{"out/new", 0644, "y"}}), "the existing Out"));
}

TEST_CASE("links in the path are refused, and their targets are not changed") {
  TempDir outside, dir;
  outside.write("target.txt", "old");
  dir.link(outside.path(), "out");
  dir.link(outside.path("target.txt"), "a.txt");
  dir.link("a.txt", "inner.txt");
  CHECK(has(refused(dir, {{"out/evil", 0644, "x"}}), "out is a link or a file"));
  CHECK(has(refused(dir, {{"out/target.txt", 0644, "x"}}), "out is a link or a file"));
  CHECK(has(refused(dir, {{"a.txt", 0644, "x"}}), "a.txt is a link"));
  CHECK(has(refused(dir, {{"inner.txt", 0644, "x"}}), "inner.txt is a link"));
  CHECK(outside.names() == Names{"target.txt"});
  CHECK(outside.read("target.txt") == "old");
  REQUIRE(::mkfifo(dir.path("pipe").c_str(), 0644) == 0);
  CHECK(has(refused(dir, {{"pipe", 0644, "x"}}), "not a regular file"));
  dir.write("directory/x", "x");
  CHECK(has(refused(dir, {{"directory", 0644, "x"}}), "not a regular file"));
  CHECK(has(refused(dir, {{"directory/x/y", 0644, "x"}}), "is a link or a file"));
}

TEST_CASE("one file that changed since it was shipped stops the whole write-back") {
  TempDir dir;
  dir.write("same.txt", "same");
  dir.write("changed.txt", "mine");
  dir.write("appeared.txt", "mine");
  const SentFiles sent{{"same.txt", content_hash("same")},
                       {"changed.txt", content_hash("as shipped")},
                       {"removed.txt", content_hash("x")}};
  const Files files{{"same.txt", 0644, "new"},
                    {"changed.txt", 0644, "new"},
                    {"removed.txt", 0644, "new"},
                    {"appeared.txt", 0644, "new"}};
  const std::string message = refused(dir, files, domain({"./**"}), sent);
  CHECK(has(message, "WRITE_CONFLICT"));
  CHECK(has(message, "changed.txt was changed"));
  CHECK(has(message, "removed.txt was removed"));
  CHECK(has(message, "appeared.txt exists already and was not sent to the script"));
  CHECK_FALSE(has(message, "same.txt"));
  CHECK(dir.read("same.txt") == "same");
  CHECK(dir.read("changed.txt") == "mine");
}

TEST_CASE("a file that already has the content of the answer is neither a conflict nor written") {
  TempDir dir;
  dir.write("out/a", "x", 0600);
  const auto result = back(dir, {{"out/a", 0644, "x"}, {"out/b", 0644, "y"}});
  REQUIRE(result.ok());
  CHECK(result->unchanged == Names{"out/a"});
  CHECK(result->written == Names{"out/b"});
  CHECK(dir.mode("out/a") == 0600);
}

TEST_CASE("answers with too many or too large files are refused completely") {
  TempDir dir;
  EffectiveLimits limits;
  limits.maxFiles = 2;
  auto result =
      back(dir, {{"out/a", 0644, ""}, {"out/b", 0644, ""}, {"out/c", 0644, ""}}, domain({"./out/**"}), {}, limits);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == Code::LimitExceeded);
  limits.maxFiles = 1000;
  limits.maxDiskBytes = 10;
  result = back(dir, {{"out/a", 0644, "123456"}, {"out/b", 0644, "123456"}}, domain({"./out/**"}), {}, limits);
  REQUIRE_FALSE(result.ok());
  CHECK(result.error().code == Code::LimitExceeded);
  CHECK(dir.names().empty());
}

TEST_CASE("a failure while staging leaves neither files nor created directories") {
  TempDir dir;
  dir.write("old.txt", "old");
  ShippedFile first{"new/dir/a", 0644, "x"}, second{"new/b", 0644, "y"};
  StoreItem one, two;
  one.file = &first;
  one.directory = "new/dir";
  one.name = "a";
  two.file = &second;
  two.directory = "old.txt";  // became a file after the examination
  two.name = "b";
  const auto tree = Tree::open(dir.path());
  CHECK_FALSE(put(*tree, {one, two}).ok());
  CHECK(dir.names() == Names{"old.txt"});
}

TEST_CASE("a change between examination and renaming stops the renaming") {
  TempDir dir;
  dir.write("a.txt", "as judged");
  ShippedFile file{"a.txt", 0644, "new"};
  StoreItem item;
  item.file = &file;
  item.name = "a.txt";
  const auto tree = Tree::open(dir.path());
  SUBCASE("a missing file has appeared") { item.exists = false; }
  SUBCASE("a file has been replaced") {
    item.exists = true;
    REQUIRE(::stat(dir.path("a.txt").c_str(), &item.before) == 0);
    fs::remove(dir.path("a.txt"));
    dir.write("a.txt", "changed!!");
  }
  const Status stored = put(*tree, {item});
  REQUIRE_FALSE(stored.ok());
  CHECK(stored.error().code == Code::WriteConflict);
  CHECK(dir.read("a.txt") != "new");
  CHECK(dir.names() == Names{"a.txt"});
}

TEST_CASE("a new file is removed again if the next one meets a change") {
  TempDir dir;
  ShippedFile first{"made/a.txt", 0644, "new"}, second{"b.txt", 0644, "new"};
  StoreItem one, two;
  one.file = &first;
  one.directory = "made";
  one.name = "a.txt";
  two.file = &second;
  two.name = "a-directory/b.txt";  // cannot be put in place
  const auto tree = Tree::open(dir.path());
  const Status stored = put(*tree, {one, two});
  REQUIRE_FALSE(stored.ok());
  CHECK(has(stored.error().message(), "nothing was written back: "));
  CHECK(dir.names().empty());
}

TEST_CASE(
    "leftover temporary files of this workspace are removed immediately, others when they are old, and no other "
    "files") {
  TempDir dir;
  struct ::stat root = {};
  REQUIRE(::stat(dir.path().c_str(), &root) == 0);
  char tag[9];
  std::snprintf(tag, sizeof tag, "%08x", static_cast<unsigned>(root.st_ino));
  const std::string ours = "out/.band-" + std::string(tag) + "-0a1b2c.tmp";
  const Names others{"out/.band-00000000-123abc.tmp", "out/.band-notes.txt", "out/.band-00000000-123abcd.tmp",
                     "out/.band-00000000-NOTHEX.tmp", "other/.band-00000000-123abc.tmp"};
  const auto look = [&](bool old) {
    dir.write(ours, "x");
    for (const std::string& name : others) {
      dir.write(name, "x");
      const utimbuf then{std::time(nullptr) - 7200, std::time(nullptr) - 7200};
      if (old) ::utime(dir.path(name).c_str(), &then);
    }
    const auto result = back(dir, {{"out/a", 0644, "x"}});
    REQUIRE(result.ok());
    return result->cleared;
  };
  CHECK(look(false) == Names{ours});
  CHECK(look(true) == Names{others[0], ours});
  for (const std::string& name : {others[1], others[2], others[3], others[4]}) CHECK(dir.has(name));
  // While another write-back to this workspace runs, its temporary files are kept.
  const Fd writer(::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  REQUIRE(::flock(writer.get(), LOCK_SH) == 0);
  CHECK(look(false).empty());
  CHECK(dir.has(ours));
}

TEST_CASE(
    "leftovers in a huge workspace are removed near its root, and in the directories that a write-back writes to") {
  TempDir dir;
  struct ::stat root = {};
  REQUIRE(::stat(dir.path().c_str(), &root) == 0);
  char tag[9];
  std::snprintf(tag, sizeof tag, "%08x", static_cast<unsigned>(root.st_ino));
  const std::string name = ".band-" + std::string(tag) + "-0a1b2c.tmp";
  for (int i = 0; i < 2'000; ++i) dir.write("many/" + std::to_string(i), "x");
  const std::string near = "first/" + name, deep = "many/below/" + name;
  const auto clear_by = [&](const std::vector<ShippedFile>& files) {
    for (const std::string& each : {near, deep}) dir.write(each, "x");
    const auto result =
        write_back(*Tree::open(dir.path()), domain({"./first/**", "./many/**"}), EffectiveLimits(), {}, files, {});
    REQUIRE(result.ok());
    return result->cleared;
  };
  CHECK(clear_by({{"many/below/a", 0644, "x"}}) == Names{near, deep});  // `first` is the nearest directory
  CHECK(dir.has("many/below/a"));
  // A write-back elsewhere lists at most 500 names of `many`, and reaches nothing below it.
  const Names cleared = clear_by({{"first/b", 0644, "x"}});
  CHECK(std::find(cleared.begin(), cleared.end(), near) != cleared.end());
  CHECK(dir.has(deep));
}

TEST_CASE("a file has the time at which the script wrote it, at most now, and a changed file is always newer") {
  const std::int64_t now_s = std::time(nullptr), began_s = now_s - 100;
  struct Row {
    const char* what;
    std::int64_t there_s, answer_s, kept_s;  // kept_s 0: the time of the write-back
  };
  const Row rows[] = {
      {"written during the run", now_s - 2 * 86'400, now_s - 50, now_s - 50},
      {"given a time before the run", now_s - 2 * 86'400, now_s - 86'400, began_s},
      {"given the time 0", now_s - 2 * 86'400, 0, began_s},
      {"written in the future", now_s - 86'400, now_s + 86'400, 0},
      {"changed, and given its old time again", now_s - 86'400, now_s - 86'400, began_s},
      {"changed, and given an older time", now_s - 86'400, now_s - 2 * 86'400, began_s},
      {"newer than the run, and given an older time", now_s - 10, now_s - 50, 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    TempDir dir;
    dir.write("a.txt", "old");
    const timespec before[] = {{0, UTIME_OMIT}, {row.there_s, 0}};
    REQUIRE(::utimensat(AT_FDCWD, dir.path("a.txt").c_str(), before, 0) == 0);
    const SentFiles sent{{"a.txt", content_hash("old")}};
    const auto result = back(dir, {{"a.txt", 0644, "new", row.answer_s * 1'000'000}, {"out/b", 0644, "new", 5'000'001}},
                             domain({"./out/**", "./a.txt"}), sent, {}, {.began_us = began_s * 1'000'000 + 7});
    REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().message()));
    struct ::stat file = {};
    REQUIRE(::stat(dir.path("a.txt").c_str(), &file) == 0);
    if (row.kept_s == 0) {
      CHECK(file.st_mtim.tv_sec >= now_s - 1);
      CHECK(file.st_mtim.tv_sec <=
            std::time(nullptr) + 1);  // time(2) can be some milliseconds behind the clock of files
    } else {
      CHECK(file.st_mtim.tv_sec == row.kept_s);
    }
    REQUIRE(::stat(dir.path("out/b").c_str(), &file) == 0);  // a new file, too
    CHECK(file.st_mtim.tv_sec == began_s);
    CHECK(file.st_mtim.tv_nsec == 7'000);
  }
}

TEST_CASE("a file that programs execute or obey is written only if a rule spells its name") {
  TempDir dir;
  for (const char* path : {".envrc", "x/.ENVRC", "gradle/wrapper/gradle-wrapper.jar", ".vscode/tasks.json"}) {
    CAPTURE(path);
    CHECK(has(refused(dir, {{path, 0644, "x"}}), "is not allowed by allow.write"));
    CHECK(back(dir, {{path, 0644, "x"}}, domain({"./" + std::string(path)})).ok());
  }
  CHECK(has(refused(dir, {{"y/gradle-wrapper.jar", 0644, "x"}}), "only a rule that spells this name allows it"));
  const Rule value{"./.npmrc", "x:1", false, true, true};
  CHECK(has(refused(dir, {{".npmrc", 0644, "x"}}, {{{value}}, {}, {}}), "is not allowed by allow.write"));
  CHECK(back(dir, {{"z/gradle-wrapper", 0644, "x"}}, domain({"./**"})).ok());  // the control: a similar name
}

TEST_CASE("an executable file is kept if the terms require it, unless a rule spells its name") {
  TempDir dir;
  dir.write("ls", "old", 0755);
  dir.write("plain", "old");
  const SentFiles sent{{"ls", content_hash("old")}, {"plain", content_hash("old")}};
  const auto replace = [&](const std::string& path, const Rule& rule, bool keeps) {
    const auto result = back(dir, {{path, 0644, "new"}}, {{{rule}}, {}, {}}, sent, {}, {.keeps_executables = keeps});
    CHECK(dir.read(path) == (result.ok() ? "new" : "old"));
    if (result.ok()) dir.write(path, "old", path == "ls" ? 0755 : 0644);
    return result.ok() ? "written" : std::string(code_name(result.error().code)) + " " + result.error().message();
  };
  const Rule wildcard{"./*", "x:1"}, value{"./ls", "x:1", false, false, true}, spelled{"./ls", "x:1"};
  CHECK(has(replace("ls", wildcard, true), "PERMISSION_DENIED nothing was written back: ls is executable"));
  CHECK(has(replace("ls", value, true), "only if a rule spells its name"));
  CHECK(replace("ls", spelled, true) == "written");
  CHECK(replace("plain", wildcard, true) == "written");
  CHECK(replace("ls", wildcard, false) == "written");
  CHECK(replace("ls", value, false) == "written");
}

TEST_CASE("nothing is written into a directory of band, by any path to it") {
  TempDir home;
  const EnvVar set_home("HOME", home.path()), set_config("BAND_CONFIG_DIR", home.path("settings"));
  home.write(".band/skills/notes/BAND.md", "x");
  home.write("source/tool/scripts/go/run.sh", "x");
  home.link("../../source/tool", ".band/skills/tool");
  home.link(".band/skills/notes", "notes");
  home.write("settings/env", "x");
  home.write("work/a", "x");
  home.write("sources/x", "x");
  const auto write = [&](const std::string& workspace, const std::string& path) {
    const auto tree = Tree::open(home.path(workspace));
    REQUIRE(tree.ok());
    const auto result =
        write_back(*tree, domain({"./**", "./.band/**", "./.config/**"}), {}, {}, {{path, 0644, "new"}}, {});
    if (result.ok()) CHECK(home.read(workspace + "/" + path) == "new");
    CHECK(check_not_own(*tree).ok() == (workspace == "" || workspace == "work" || workspace == "sources"));
    return result.ok() ? "written" : result.error().message();
  };
  const std::vector<std::pair<std::string, std::string>> inside = {
      {"", ".band/skills/notes/BAND2.md"},
      {"", ".band/new"},
      {"", "settings/call.yaml"},
      {"", "settings/skills/tool.yaml"},
      {"", "source/tool/schemas/input/go.json"},
      {".band", "x"},
      {".band/skills", "new/BAND.md"},
      {".band/skills/notes", "x"},
      {".band/skills/tool", "x"},
      {"notes", "x"},
      {"settings", "x"},
      {"source/tool/scripts", "x"},
  };
  for (const auto& [workspace, path] : inside) {
    CAPTURE(workspace);
    CAPTURE(path);
    CHECK(has(write(workspace, path), "nothing was written back: " + path + " is in " + home.path()));
  }
  for (const auto& [workspace, path] : std::vector<std::pair<std::string, std::string>>{
           {"", "work/b"}, {"", "b"}, {"work", "settings/x"}, {"sources", "tool/x"}, {"", "source/other"}})
    CHECK(write(workspace, path) == "written");
  SUBCASE("also if the directory does not exist yet") {
    fs::remove_all(home.path("settings"));
    fs::remove_all(home.path(".band"));
    CHECK(has(write("", "settings/call.yaml"), "a directory of band"));
    CHECK(has(write("", ".band/skills/x/BAND.md"), "a directory of band"));
    CHECK(write("", "other/call.yaml") == "written");
  }
}
