// `cmake --install`, and an uninstall that removes exactly its files.
#include <filesystem>
#include <map>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

const std::string kBuild = fs::canonical(BAND_BIN_DIR "/..");
const Environment kEnv = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C.UTF-8"}};

// Returns every path below, with its content; directories end with a slash.
std::map<std::string, std::string> tree(const std::string& directory) {
  std::map<std::string, std::string> found;
  std::error_code none;
  for (fs::recursive_directory_iterator it(directory, none), end; it != end; ++it)
    found[it->path().string() + (it->is_directory() ? "/" : "")] = it->is_directory() ? "" : read_file(it->path());
  return found;
}

Ran install(const std::string& prefix, const std::string& destdir = "") {
  Environment env = kEnv;
  if (!destdir.empty()) env["DESTDIR"] = destdir;
  return Running({"/usr/bin/cmake", "--install", kBuild, "--prefix", prefix}, env, "/").wait();
}

Ran run(const Words& words, const Environment& env = kEnv) { return Running(words, env, "/").wait(); }

}  // namespace

TEST_CASE("the installed files work, and their uninstall leaves exactly the files that existed before") {
  const TempDir dir;
  const std::string prefix = dir.path + "/usr/local";
  write_file(prefix + "/bin/other", "other");
  write_file(prefix + "/share/band/skills/mine/SKILL.md", "mine");
  const auto before = tree(dir.path);
  REQUIRE_STATUS(install("/usr/local", dir.path), 0);
  for (const char* name : {"band", "band-server", "band-http", "band-gateway", "band-init", "band-shim"})
    CHECK(exists(prefix + "/bin/" + name));
  const Ran list = run({prefix + "/bin/band", "list"});
  CHECK_STATUS(list, 0);
  CHECK_HAS(list.out, "hello/greet");
  CHECK_STATUS(run({prefix + "/bin/band-server", "--version"}), 0);
  for (const char* name :
       {"man/man1/band.1", "man/man1/band-run.1", "man/man7/band-exit-codes.7", "bash-completion/completions/band",
        "zsh/site-functions/_band", "fish/vendor_completions.d/band.fish"})
    CHECK(exists(prefix + "/share/" + name));
  CHECK(tree(dir.path).size() > before.size() + 30);
  // Installed again, as an upgrade: the files of the first install are still recognised.
  REQUIRE_STATUS(install("/usr/local", dir.path), 0);
  const Ran removed = run({prefix + "/share/band/uninstall"});
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.out, "removed ");
  CHECK_HAS_NOT(removed.out, "kept");
  CHECK(tree(dir.path) == before);
}

TEST_CASE("a prefix that the install has made is removed by the uninstall of the clone, with and without DESTDIR") {
  for (const std::string destdir : {"", "/stage"}) {
    const TempDir dir;
    const std::string root = destdir.empty() ? "" : dir.path + destdir, prefix = dir.path + "/opt/band";
    fs::create_directories(root + dir.path + "/opt");
    REQUIRE_STATUS(install(prefix, root), 0);
    REQUIRE(exists(root + prefix + "/bin/band"));
    Environment env = kEnv;
    if (!root.empty()) env["DESTDIR"] = root;
    CHECK_STATUS(run({BAND_SOURCE_DIR "/tools/uninstall", prefix}, env), 0);
    CHECK(!exists(root + prefix));
    CHECK(exists(root + dir.path + "/opt"));
    const Ran again = run({BAND_SOURCE_DIR "/tools/uninstall", prefix}, env);
    CHECK_STATUS(again, 1);
    CHECK_HAS(again.err, std::string("there is no ").append(root).append(prefix).append("/share/band/installed"));
  }
}

TEST_CASE(
    "an uninstall keeps changed and added files, and reports them; it also removes the files of an earlier version") {
  const TempDir dir;
  const std::string prefix = dir.path + "/band", skills = prefix + "/share/band/skills";
  REQUIRE_STATUS(install(prefix), 0);
  const std::string manifest = prefix + "/share/band/installed";
  // A file of an earlier version: in the manifest, and no longer installed.
  write_file(prefix + "/share/band/schemas/old.json", "old");
  const std::string hash = run({"/usr/bin/sha256sum", prefix + "/share/band/schemas/old.json"}).out.substr(0, 64);
  write_file(manifest, read_file(manifest) + "file " + hash + " share/band/schemas/old.json\n");
  REQUIRE_STATUS(install(prefix), 0);
  write_file(skills + "/hello/BAND.md", "changed");
  write_file(skills + "/mine/SKILL.md", "mine");
  fs::remove(skills + "/text/SKILL.md");
  fs::create_symlink("/etc/passwd", skills + "/text/SKILL.md");
  const Ran removed = run({prefix + "/share/band/uninstall"});
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.out, "kept " + skills + "/hello/BAND.md: it was changed");
  CHECK_HAS(removed.out, "kept " + skills + "/text/SKILL.md: it was changed");
  CHECK_HAS(removed.out, "kept " + skills + ": it contains other files");
  std::string files;
  for (const auto& [path, content] : tree(prefix))
    if (path.back() != '/') files += path.substr(skills.size()) + "\n";
  CHECK(files == "/hello/BAND.md\n/mine/SKILL.md\n/text/SKILL.md\n");
  CHECK(exists("/etc/passwd"));
}

TEST_CASE("an uninstall follows no link: files behind a link in place of an installed directory stay") {
  const TempDir dir;
  const std::string prefix = dir.path + "/opt", clone = dir.path + "/clone";
  REQUIRE_STATUS(install(prefix), 0);
  fs::rename(prefix + "/share/band/skills", clone);
  fs::create_symlink(clone, prefix + "/share/band/skills");
  const auto before = tree(clone);
  const Ran removed = run({prefix + "/share/band/uninstall"});
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.out, "kept " + prefix + "/share/band/skills/hello/SKILL.md: its path contains a link");
  CHECK(tree(clone) == before);
  CHECK(!exists(prefix + "/bin/band"));
}

TEST_CASE(
    "a manifest that leaves its prefix, and a server that runs from the prefix, stop the uninstall before it begins") {
  const TempDir dir;
  const std::string prefix = dir.path + "/band", manifest = prefix + "/share/band/installed";
  REQUIRE_STATUS(install(prefix), 0);
  const std::string good = read_file(manifest);
  for (const char* line : {"file - ../precious\n", "file - share/../../precious\n", "directory - ..\n",
                           "file - /etc/passwd\n", "link - share\n"}) {
    write_file(manifest, good + line);
    const auto before = tree(prefix);
    const Ran ran = run({prefix + "/share/band/uninstall"});
    CHECK_STATUS(ran, 1);
    CHECK_HAS(ran.err, "which no install writes");
    CHECK(tree(prefix) == before);
  }
  write_file(manifest, good);
  const std::string program = prefix + "/bin/band-server", kept = dir.path + "/band-server";
  fs::rename(program, kept);
  fs::copy_file("/usr/bin/sleep", program);
  Running server({program, "30"}, kEnv, "/");
  const std::string link = "/proc/" + std::to_string(server.pid()) + "/exe";
  REQUIRE(within(5000, [&] { return fs::read_symlink(link) == program; }));
  const auto before = tree(prefix);
  const Ran used = run({prefix + "/share/band/uninstall"});
  CHECK_STATUS(used, 1);
  CHECK_HAS(used.err, "run `" + prefix + "/bin/band teardown --target local");
  CHECK(tree(prefix) == before);
  server.signal(SIGKILL);
  CHECK(server.wait(20'000).status == 128 + SIGKILL);
  fs::rename(kept, program);
  CHECK_STATUS(run({prefix + "/share/band/uninstall"}), 0);
  CHECK(!exists(prefix));
}
