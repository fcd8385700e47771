// `band install-skills`: links to the shipped skills, in the directories of agents.
#include <algorithm>
#include <filesystem>

#include "tests/end_to_end/server_fixture.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

const std::string kSkills = fs::canonical(BAND_BIN_DIR "/..").string() + "/share/band/skills";

// Returns every path below, with its type.
std::map<std::string, std::string> tree(const std::string& directory) {
  std::map<std::string, std::string> found;
  std::error_code none;
  for (fs::recursive_directory_iterator it(directory, none), end; it != end; ++it)
    found[it->path().string()] = it->is_symlink()     ? "-> " + fs::read_symlink(it->path()).string()
                                 : it->is_directory() ? "directory"
                                                      : read_file(it->path().string());
  return found;
}

std::set<std::string> shipped() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(kSkills))
    if (exists(entry.path().string() + "/SKILL.md")) names.insert(entry.path().filename().string());
  return names;
}

// Returns the value of `key:` in frontmatter.
std::string frontmatter(const std::string& text, const std::string& key) {
  const std::size_t end = text.find("\n---", 3), at = text.find("\n" + key + ": ");
  if (at == std::string::npos || at > end) return "";
  const std::size_t from = at + key.size() + 3;
  return text.substr(from, text.find('\n', from) - from);
}

}  // namespace

TEST_CASE("the shipped skills are linked for Claude Code and for other agents, and a second call changes nothing") {
  const Caller caller;
  const Ran first = caller.band({"install-skills"});
  CHECK_STATUS(first, 0);
  CHECK(shipped().size() >= 6);
  for (const std::string directory : {".claude/skills", ".agents/skills"}) {
    CHECK_HAS(first.out, "linked in " + caller.home(directory));
    for (const std::string& name : shipped()) {
      CAPTURE(name);
      const std::string link = caller.home(directory) + "/" + name;
      REQUIRE(fs::is_symlink(link));
      CHECK(fs::read_symlink(link) == kSkills + "/" + name);
      CHECK(exists(link + "/SKILL.md"));
    }
  }
  const auto before = tree(caller.home(""));
  const Ran second = caller.band({"install-skills"});
  CHECK_STATUS(second, 0);
  CHECK_HAS(second.out, "linked already in");
  CHECK(tree(caller.home("")) == before);
}

TEST_CASE("the printed settings allow each skill, and no settings are written") {
  const Caller caller;
  write_file(caller.home(".claude/settings.json"), "{\"mine\": true}");
  const Ran ran = caller.band({"install-skills"});
  CHECK_STATUS(ran, 0);
  for (const std::string& name : shipped()) CHECK_HAS(ran.out, "\"Bash(band call " + name + "/*)\"");
  CHECK_HAS(ran.out, "\"allow\": [");
  CHECK_HAS_NOT(ran.out, "\"deny\"");
  CHECK(read_file(caller.home(".claude/settings.json")) == "{\"mine\": true}");
  const Ran json = caller.band({"install-skills", "--json"});
  CHECK_STATUS(json, 0);
  CHECK_HAS(json.out, "\"settings\":{\"permissions\":{\"allow\":[\"Bash(band call ");
  CHECK_HAS(json.out, "\"linked\":[],\"unchanged\":[\"");
  CHECK_HAS(json.out, "\"source\":\"" + kSkills + "\"");
}

TEST_CASE("existing entries that are not links of this band are reported and kept, and the others are linked") {
  const Caller caller;
  const std::string directory = caller.work("skills dir");
  write_file(directory + "/hello/SKILL.md", "mine");
  write_file(directory + "/text", "mine");
  fs::create_symlink("/nowhere/github", directory + "/github");
  const Ran ran = caller.band({"install-skills", "--to", "skills dir"});
  CHECK_STATUS(ran, 5);
  CHECK_HAS(ran.err, directory + "/hello is a directory and not a link to a skill of this installation");
  CHECK_HAS(ran.err, directory + "/text is a file and not a link to a skill of this installation");
  CHECK_HAS(ran.err, directory + "/github is a link to /nowhere/github and not a link to a skill of this installation");
  CHECK(read_file(directory + "/hello/SKILL.md") == "mine");
  CHECK(read_file(directory + "/text") == "mine");
  CHECK(fs::read_symlink(directory + "/github") == "/nowhere/github");
  CHECK(fs::read_symlink(directory + "/repo") == kSkills + "/repo");
  CHECK(!exists(caller.home(".claude")));
  const Ran json = caller.band({"install-skills", "--to", directory, "--json"});
  CHECK_STATUS(json, 5);
  CHECK_HAS(json.out, "\"kept\":[{\"path\":\"" + directory + "/github\",\"is\":\"a link to /nowhere/github\"}");
}

TEST_CASE("named skills are linked one by one, also own ones, and removed one by one") {
  const Caller caller;
  write_file(caller.home(".band/skills/notes/SKILL.md"), "---\nname: notes\ndescription: d\n---\n");
  write_file(caller.home(".band/skills/bare/BAND.md"), "---\nband: bare\n---\n");
  const std::string directory = caller.work("skills");
  const Ran linked = caller.band({"install-skills", "notes", "hello", "--to", directory});
  CHECK_STATUS(linked, 0);
  CHECK(fs::read_symlink(directory + "/notes") == caller.home(".band/skills/notes"));
  CHECK(fs::read_symlink(directory + "/hello") == kSkills + "/hello");
  CHECK(!exists(directory + "/text"));
  CHECK_HAS(linked.out, "\"Bash(band call notes/*)\"");
  CHECK_HAS_NOT(linked.out, "\"Bash(band call text/*)\"");
  const Ran unknown = caller.band({"install-skills", "helo", "--to", directory});
  CHECK_STATUS(unknown, 2);
  CHECK_HAS(unknown.err, "hello");
  CHECK_HAS(caller.band({"install-skills", "bare", "--to", directory}).err, "has no SKILL.md, which agents read");
  CHECK_STATUS(caller.band({"install-skills", "--remove", "notes", "--to", directory}), 0);
  CHECK(!exists(directory + "/notes"));
  CHECK(exists(directory + "/hello"));
}

TEST_CASE("--remove removes exactly the links to this band's skills") {
  const Caller caller;
  const std::string directory = caller.work("skills");
  write_file(directory + "/hello/SKILL.md", "mine");
  write_file(directory + "/own/SKILL.md", "mine");
  fs::create_symlink("/nowhere/github", directory + "/github");
  fs::create_symlink(kSkills + "/text", directory + "/other-name");
  const auto before = tree(directory);
  CHECK_STATUS(caller.band({"install-skills", "--to", directory}), 5);
  fs::create_symlink(kSkills + "/no-longer", directory + "/no-longer");  // left by an earlier version
  const Ran removed = caller.band({"install-skills", "--to", directory, "--remove"});
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.out, "removed from " + directory);
  CHECK_HAS(removed.out, "no-longer");
  CHECK(tree(directory) == before);
  const Ran again = caller.band({"install-skills", "--to", directory, "--remove"});
  CHECK_STATUS(again, 0);
  CHECK_HAS(again.out, "no link was removed");
  CHECK_STATUS(caller.band({"install-skills", "--remove"}), 0);  // succeeds without the directory
  CHECK(!exists(caller.home(".claude")));
  CHECK_HAS(caller.band({"install-skills", "--remove", "--json"}).out, "\"settings\":null");
}

TEST_CASE(
    "a directory that cannot be created or written is an error, and root creates no links in another user's home") {
  Caller caller;
  write_file(caller.home(".claude"), "a file");
  const Ran ran = caller.band({"install-skills", "--json"});
  CHECK_STATUS(ran, 2);
  CHECK_HAS(ran.out, "\"error\"");
  CHECK_HAS(ran.err, ".claude/skills");
  CHECK_STATUS(caller.band({"install-skills", "--to", ""}), 2);
  CHECK_STATUS(caller.band({"install-skills", "DIR"}), 2);
  caller.env["SUDO_USER"] = "nobody";
  caller.env["SUDO_UID"] = caller.env["SUDO_GID"] = "65534";
  const Ran sudo = caller.band({"install-skills"});
  CHECK_STATUS(sudo, 2);
  CHECK_HAS(sudo.err, "without sudo");
}

TEST_CASE("each shipped skill follows the Agent Skills specification") {
  for (const std::string& name : shipped()) {
    CAPTURE(name);
    const std::string text = read_file(kSkills + "/" + name + "/SKILL.md");
    CHECK(text.starts_with("---\n"));
    CHECK(frontmatter(text, "name") == name);
    CHECK(name.size() <= 64);
    const std::string about = frontmatter(text, "description");
    CHECK(about.size() >= 20);
    CHECK(about.size() <= 1024);
    CHECK(std::count(text.begin(), text.end(), '\n') < 150);
  }
}
