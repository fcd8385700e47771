// Which files of this machine match a pattern, and whether their content changed (server/view/machine_files.h).
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "server/view/machine_files.h"
#include "tests/kernel/machine_directory.h"

using namespace band;
using namespace band::test;
using view::Contents;
using view::MachineFile;

namespace {

constexpr view::Who kNobody{65534, 65534};
const view::FollowedLinks kNoLinks;
const std::function<bool()> kGoOn = [] { return true; };

std::vector<MachineFile> found(const std::vector<std::string>& texts) {
  std::vector<PathPattern> patterns;
  for (const std::string& text : texts) {
    auto pattern = PathPattern::parse(text);
    REQUIRE(pattern.ok());
    patterns.push_back(std::move(pattern).value());
  }
  auto files = view::find_machine_files(patterns, kNoLinks, kNobody, kGoOn);
  REQUIRE(files.ok());
  return std::move(files).value();
}

std::string names(const std::string& dir, const std::vector<std::string>& patterns) {
  std::string text;
  for (const MachineFile& file : found(patterns)) text += ("/" + file.path).substr(dir.size() + 1) + " ";
  return text;
}

// Returns true when the only file of `pattern` differs after `act`.
bool differs_after(const std::string& pattern, const std::function<void()>& act) {
  const auto before = Contents::of(found({pattern}), kNoLinks, kNobody, kGoOn);
  REQUIRE(before.ok());
  act();
  const auto after = found({pattern});
  REQUIRE(after.size() == 1);
  const auto differs = before->differs(after[0], kNoLinks, kNobody, kGoOn);
  REQUIRE(differs.ok());
  return *differs;
}

}  // namespace

TEST_CASE(
    "files of the machine that match patterns are found once; links, FIFOs, directories that deny access and names "
    "that begin with a dot are not found") {
  const MachineDirectory dir;
  dir.make("a.csv", "1");
  dir.make("sub/b.csv", "2");
  dir.make("sub/.c.csv", "3");
  dir.make("closed/d.csv", "4");
  dir.link("e.csv", dir / "a.csv");
  dir.link("f", dir / "sub");
  REQUIRE(::mkfifo((dir / "g.csv").c_str(), 0666) == 0);
  const std::string all = dir / "**";
  CHECK(names(dir.path(), {all, dir / "*.csv"}) == "a.csv closed/d.csv sub/b.csv ");
  REQUIRE(::chmod((dir / "closed").c_str(), 0700) == 0);
  CHECK(names(dir.path(), {all}) == "a.csv sub/b.csv ");
  CHECK(names(dir.path(), {dir / "*.csv"}) == "a.csv ");
  CHECK(names(dir.path(), {dir / "sub/b.csv", dir / "none", dir / "f/b.csv", dir / "e.csv"}) == "sub/b.csv ");
}

TEST_CASE("another content of a file is a difference, also with the same length; another modification time is not") {
  const MachineDirectory dir;
  const std::string file = dir.make("a", "alpha");
  CHECK_FALSE(differs_after(file, [&] { dir.make("a", "alpha"); }));
  CHECK_FALSE(differs_after(file, [&] { REQUIRE(::utimensat(AT_FDCWD, file.c_str(), nullptr, 0) == 0); }));
  CHECK(differs_after(file, [&] { dir.make("a", "ALPHA"); }));
  CHECK(differs_after(file, [&] { dir.make("a", "more than that"); }));
  CHECK(differs_after(file, [&] { dir.make("a", ""); }));
  CHECK(differs_after(dir / "new", [&] { dir.make("new", ""); }));
}

TEST_CASE("the content of a file that the slot cannot read is compared by its size") {
  const MachineDirectory dir;
  dir.make("a", "alpha", 0200);
  CHECK_FALSE(differs_after(dir / "*", [&] { dir.make("a", "ALPHA", 0200); }));
  CHECK(differs_after(dir / "*", [&] { dir.make("a", "alpha beta", 0200); }));
}

TEST_CASE("if there are more files or bytes than can be compared, the error is LIMIT_EXCEEDED") {
  const MachineDirectory dir;
  std::vector<MachineFile> many(Contents::kMaxFiles, MachineFile{"none", 0, 0, 0});
  CHECK(Contents::of(many, kNoLinks, kNobody, kGoOn).ok());
  many.emplace_back();
  REQUIRE_FALSE(Contents::of(many, kNoLinks, kNobody, kGoOn).ok());
  CHECK(Contents::of(many, kNoLinks, kNobody, kGoOn).error().code == Code::LimitExceeded);
  dir.make("large", "");
  std::filesystem::resize_file(dir / "large", Contents::kMaxBytes);
  CHECK(Contents::of(found({dir / "large"}), kNoLinks, kNobody, kGoOn).ok());
  std::filesystem::resize_file(dir / "large", Contents::kMaxBytes + 1);
  CHECK(Contents::of(found({dir / "large"}), kNoLinks, kNobody, kGoOn).error().code == Code::LimitExceeded);
}

TEST_CASE("the comparison of files ends when the execution is cancelled") {
  const MachineDirectory dir;
  dir.make("a", "alpha");
  const auto ended = Contents::of(found({dir / "a"}), kNoLinks, kNobody, [] { return false; });
  REQUIRE_FALSE(ended.ok());
  CHECK(ended.error().code == Code::Cancelled);
}
