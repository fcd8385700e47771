// Writing back changed files into the workspace, when the client is killed or the disk is full.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <set>

#include "client/workspace/workspace.h"
#include "tests/kernel/in_child.h"
#include "tests/kernel/killed_at.h"
#include "tests/kernel/own_mounts.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using namespace band::test;

namespace {

constexpr std::size_t kFiles = 200;
constexpr std::size_t kFilesOfWhoDies = 30;  // fewer, because the client is killed at some sixty places

std::string content(std::size_t i, const std::string& word) {
  std::string text;
  while (text.size() < 20'000 + 100 * i) text += word + " " + std::to_string(i) + "\n";
  return text;
}

// An answer: every second file changes an old one, the others are new, some in new directories.
struct Job {
  explicit Job(std::size_t count = kFiles) {
    for (std::size_t i = 0; i < count; ++i) {
      const std::string number = std::to_string(i);
      const bool old = i % 2 == 0;
      const std::string place = old ? "out/old" : i % 3 == 0 ? "out/made/" + std::to_string(i % 7) + "/new" : "out/new";
      files.push_back({place + number, 0644, content(i, "new")});
      before.push_back(old ? content(i, "old") : "");
      if (old) sent[files.back().path] = content_hash(before.back());
    }
  }
  void prepare(const TempDir& dir) const {
    for (std::size_t i = 0; i < files.size(); ++i)
      if (!before[i].empty()) dir.write(files[i].path, before[i]);
  }
  Result<WriteBack> store(const TempDir& dir) const {
    const auto tree = Tree::open(dir.path());
    if (!tree.ok()) return tree.error();
    EffectiveLimits limits;
    limits.maxFiles = std::max<std::int64_t>(limits.maxFiles, static_cast<std::int64_t>(files.size()));
    return write_back(*tree, domain({"./out/**"}), limits, sent, files, {});
  }
  // The control: truncates and writes each file in place.
  bool store_in_place(const TempDir& dir) const {
    bool stored = true;
    for (const ShippedFile& file : files) {
      fs::create_directories(fs::path(dir.path(file.path)).parent_path());
      const Fd fd(::open(dir.path(file.path).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
      stored = ::write(fd.get(), file.content.data(), file.content.size()) > 0 && stored;
    }
    return stored;
  }
  // Returns the paths whose content is neither the old nor the new one.
  std::vector<std::string> torn(const TempDir& dir) const {
    std::vector<std::string> torn;
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool there = dir.has(files[i].path);
      const std::string now = there ? dir.read(files[i].path) : "";
      const bool old = before[i].empty() ? !there : now == before[i];
      if (!old && now != files[i].content) torn.push_back(files[i].path);
    }
    return torn;
  }
  std::vector<ShippedFile> files;
  std::vector<std::string> before;  // "" for none
  SentFiles sent;
};

Traced run(const Job& job, const TempDir& dir, long stop) {
  return killed_at(stop, [&] { return job.store(dir).ok(); });
}

// Stops that are evenly distributed, and those around some of the calls that rename or link.
std::set<long> places_to_die(const Traced& whole) {
  std::set<long> stops;
  for (long i = 1; i < 40; ++i) stops.insert(whole.stops * i / 40);
  long names = 0;
  for (const FileCall& call : whole.calls)
    if (call.what == FileCall::What::Name && names++ % 6 == 0) stops.insert({call.stop - 1, call.stop, call.stop + 1});
  return stops;
}

}  // namespace

TEST_CASE(
    "if a write-back is killed, each file has its old or its new content; the next write-back completes it and removes "
    "temporary files") {
  const EnvVar place("TMPDIR", "/dev/shm");  // every file system keeps the writes of a killed process
  const Job job(kFilesOfWhoDies);
  TempDir untouched;
  job.prepare(untouched);
  const Traced whole = run(job, untouched, kNever);
  REQUIRE(whole.finished);
  const std::vector<std::string> names = untouched.names();
  std::size_t partly = 0, left_temporaries = 0, too_late = 0;
  for (const long stop : places_to_die(whole)) {
    CAPTURE(stop);
    TempDir dir;
    job.prepare(dir);
    // A run may make some calls less than the traced one (for example without a name collision): it then finishes
    // before the last stops.
    if (run(job, dir, stop).finished) {
      ++too_late;
      continue;
    }
    CHECK(job.torn(dir).empty());
    const auto again = job.store(dir);
    REQUIRE_MESSAGE(again.ok(), (again.ok() ? "" : again.error().message()));
    partly += !again->unchanged.empty() && !again->written.empty();
    left_temporaries += !again->cleared.empty();
    CHECK(dir.names() == names);
    for (const ShippedFile& file : job.files) REQUIRE(dir.read(file.path) == file.content);
  }
  // It was killed at both kinds of places: with temporary files left, and with only some of the files renamed.
  CHECK(left_temporaries > 20);
  CHECK(partly > 12);
  CHECK(too_late <= 3);
}

TEST_CASE("a writer that writes in place leaves partial files when it is killed (control)") {
  const EnvVar place("TMPDIR", "/dev/shm");
  const Job job(kFilesOfWhoDies);
  TempDir untouched;
  job.prepare(untouched);
  const auto naive = [&](const TempDir& dir, long stop) {
    return killed_at(stop, [&] { return job.store_in_place(dir); });
  };
  const Traced whole = naive(untouched, kNever);
  REQUIRE(whole.finished);
  std::size_t torn = 0;
  for (const long stop : places_to_die(whole)) {
    TempDir dir;
    job.prepare(dir);
    naive(dir, stop);
    torn += !job.torn(dir).empty();
  }
  CHECK(torn > 3);
}

TEST_CASE("the write-back syncs a file before renaming it to its name, and the directory after that") {
  const Job job;
  TempDir dir;
  job.prepare(dir);
  const Traced whole = run(job, dir, kNever);
  REQUIRE(whole.finished);
  std::set<std::string> synced, to_sync;  // files that are synced; directories with names that are not synced yet
  std::size_t named = 0;
  for (const FileCall& call : whole.calls) {
    const std::string directory = fs::path(call.path).parent_path().string();
    if (call.what == FileCall::What::Sync) {
      synced.insert(call.path);
      to_sync.erase(call.path);
      continue;
    }
    to_sync.insert(directory);
    if (call.what != FileCall::What::Name) continue;
    CAPTURE(call.path);
    CHECK(synced.contains(call.from));
    ++named;
  }
  CHECK(named == kFiles);
  CHECK(to_sync.empty());
}

TEST_CASE("twenty thousand files in one directory are stored, even if some temporary names collide") {
  const EnvVar place("TMPDIR", "/dev/shm");
  constexpr std::size_t kMany = 20'000;  // with 16 million possible names: about a dozen collisions
  Job job;
  job.files.clear();
  for (std::size_t i = 0; i < kMany; ++i) job.files.push_back({"out/" + std::to_string(i), 0644, ""});
  TempDir dir;
  const auto stored = job.store(dir);
  REQUIRE_MESSAGE(stored.ok(), (stored.ok() ? "" : stored.error().message()));
  CHECK(stored->written.size() == kMany);
}

TEST_CASE(
    "if the disk becomes full during the write-back, every file keeps its old content, and the error has a hint what "
    "to do") {
  const Job job;
  TempDir dir;
  const auto on_a_disk_of = [&](const std::string& size) {
    return in_child([&]() -> std::string {
      if (!own_mounts() || ::mount("tmpfs", dir.path().c_str(), "tmpfs", 0, ("size=" + size).c_str()) != 0)
        return did_if(false);
      job.prepare(dir);
      const auto before = dir.names();
      const auto stored = job.store(dir);
      if (stored.ok()) return "stored";
      const bool all_old = dir.names() == before && job.torn(dir).empty();
      return std::string(code_name(stored.error().code)) + " " + stored.error().message() + "; " + stored.error().hint +
             (all_old ? "; all old" : "; NOT all old");
    });
  };
  CHECK(on_a_disk_of("24m") == "stored");  // the control; 3 MiB old, 6 MiB new
  const std::string full = on_a_disk_of("6m");
  CAPTURE(full);
  CHECK(full.find("LIMIT_EXCEEDED nothing was written back: cannot write out/") == 0);
  CHECK(full.find("No space left on device; make room on the disk; all old") != std::string::npos);
  const std::string no_inodes = on_a_disk_of("24m,nr_inodes=200");
  CAPTURE(no_inodes);
  CHECK(no_inodes.find("; all old") != std::string::npos);
  // Enough inodes for the temporary files, but not for a second name of each: they are renamed instead.
  CHECK(on_a_disk_of("24m,nr_inodes=370") == "stored");
}

TEST_CASE("nothing is written into a directory of band through a bind mount") {
  TempDir home;
  home.write(".band/skills/notes/BAND.md", "old");
  home.write("settings/env", "old");
  home.write("work/a", "old");
  for (const char* place : {"skills", "notes", "conf", "project/inner", "other", ".band/skills/notes/scripts", "deep",
                            "lib", ".band/skills/notes/assets"})
    fs::create_directories(home.path(place));
  const auto written = [&](const std::string& from, const std::string& place, const std::string& workspace,
                           const std::string& path) {
    return in_child([&]() -> std::string {
      const EnvVar set_home("HOME", home.path()), set_config("BAND_CONFIG_DIR", home.path("settings"));
      if (!own_mounts() || ::mount(home.path(from).c_str(), home.path(place).c_str(), nullptr, MS_BIND, nullptr) != 0)
        return did_if(false);
      const auto tree = Tree::open(home.path(workspace));
      if (!tree.ok()) return "no workspace";
      const auto stored = write_back(*tree, domain({"./**"}), {}, {}, {{path, 0644, "new"}}, {});
      return stored.ok() ? "written" : stored.error().message();
    });
  };
  const std::string refused = "a directory of band, into which no run writes";
  const auto has = [&](const std::string& text) {
    CAPTURE(text);
    return text.find(refused) != std::string::npos;
  };
  CHECK(has(written(".band/skills", "skills", "skills", "new/BAND.md")));
  CHECK(has(written(".band/skills/notes", "notes", "notes", "BAND2.md")));  // its parent is not a directory of band
  CHECK(has(written(".band/skills/notes", "notes", "", "notes/BAND2.md")));
  CHECK(has(written(".band/skills/notes/assets", "deep", "deep", "x")));  // a part of a skill is mounted elsewhere
  CHECK(has(written("lib", ".band/skills/notes/assets", "lib", "x")));    // a directory is mounted in a skill
  CHECK(has(written("settings", "conf", "conf", "call.yaml")));
  CHECK(has(written("settings", "project/inner", "project", "inner/call.yaml")));
  CHECK(written("work", "other", "other", "b") == "written");  // the control
  CHECK(home.read("work/b") == "new");
  // A directory that is mounted below itself has the id of the directory above it.
  CHECK(has(written(".band/skills/notes", ".band/skills/notes/scripts", ".band/skills/notes/scripts", "x")));
}

TEST_CASE("a mount that is hidden by a later one does not hide a bind mount of a part of a skill") {
  TempDir home;
  for (const char* place : {"home/me/.band", "deep"}) fs::create_directories(home.path(place));
  const auto written = [&](const std::string& from) {
    return in_child([&]() -> std::string {
      const EnvVar set_home("HOME", home.path("home/me")), set_config("BAND_CONFIG_DIR", home.path("settings"));
      const std::string bound = home.path("home/me/" + from);
      if (!own_mounts() || !mount_tmpfs(home.path("home/me/.band")) || !mount_tmpfs(home.path("home")) ||
          !fs::create_directories(home.path("home/me/.band/skills/notes/assets")) ||
          (fs::create_directories(bound), ::mount(bound.c_str(), home.path("deep").c_str(), nullptr, MS_BIND, nullptr)))
        return did_if(false);
      const auto tree = Tree::open(home.path("deep"));
      if (!tree.ok()) return "no workspace";
      const auto stored = write_back(*tree, domain({"./**"}), {}, {}, {{"x", 0644, "new"}}, {});
      return stored.ok() ? "written" : stored.error().message();
    });
  };
  const std::string refused = written(".band/skills/notes/assets");
  CAPTURE(refused);
  CHECK(refused.find("a directory of band, into which no run writes") != std::string::npos);
  CHECK(written("work") == "written");  // the control
}

TEST_CASE("in a chroot nothing is written if it cannot be determined which paths lead to one file") {
  TempDir root;
  for (const char* place : {"h/.band/skills/notes/assets", "deep", "work", "proc"})
    fs::create_directories(root.path(place));
  const auto written = [&](bool has_proc, const std::string& from, const std::string& workspace) {
    return in_child([&]() -> std::string {
      const EnvVar set_home("HOME", "/h"), set_config("BAND_CONFIG_DIR", "/h/.config/band");
      if (!own_mounts() || (has_proc && ::mount("proc", root.path("proc").c_str(), "proc", 0, nullptr) != 0) ||
          (!from.empty() &&
           ::mount(root.path(from).c_str(), root.path("deep").c_str(), nullptr, MS_BIND, nullptr) != 0) ||
          ::chroot(root.path().c_str()) != 0)
        return did_if(false);
      const auto tree = Tree::open(workspace);
      if (!tree.ok()) return "no workspace";
      const auto stored = write_back(*tree, domain({"./**"}), {}, {}, {{"x", 0644, "new"}}, {});
      return stored.ok() ? "written" : stored.error().message();
    });
  };
  const auto undetermined = [](const std::string& text) {
    CAPTURE(text);
    return text.find("cannot determine where band's directories are mounted") != std::string::npos;
  };
  CHECK(undetermined(written(true, "h/.band/skills/notes/assets", "/deep")));
  CHECK(undetermined(written(false, "h/.band/skills/notes/assets", "/deep")));
  CHECK(undetermined(written(false, "", "/work")));
  CHECK(written(true, "", "/work") == "written");  // the control
  CHECK(root.read("work/x") == "new");
  CHECK(written(true, "", "/h/.band").find("a directory of band") != std::string::npos);
}
