// `band learn` on the shipped skills that call a service, with bands that open nothing, against the stand-ins of the
// services (tests/services). The result must open as much as the shipped band, or less.
#include <filesystem>
#include <set>

#include "tests/end_to_end/shipped_skill.h"
#include "tests/outside/outside.h"

using namespace band::test;

namespace {

namespace fs = std::filesystem;

const bool with = with_services("github slack elevenlabs anthropic");

Server& services_server() {
  outside();  // must outlive the server
  static const TempDir programs("/opt");
  fs::copy_file(BAND_SOURCE_DIR "/tests/services/claude", programs.path + "/claude", fs::copy_options::skip_existing);
  static SharedServer server(gateway() + "commands: {directories: [" + programs.path + "]}\n");
  return server;
}

struct Row {
  std::string script;
  Words inputs;                 // one for each call of learn
  std::set<std::string> lines;  // the expected lines
  std::string by_hand = "";     // lines that learn leaves to the user, as rows of BAND.md
};

class Author : public Caller {
 public:
  explicit Author(const std::string& script)
      : Caller(services_server()), script_(script), skill_(copy_of(*this, script.substr(0, script.find('/')))) {
    // learn does not write variables, so the bands keep their declarations.
    env["GITHUB_TOKEN"] = "token-of-ann";
    env["SLACK_TOKEN"] = "xoxb-2345678901-stand-in-bot";
    env["ELEVENLABS_API_KEY"] = "sk_ann";
    env["ANTHROPIC_API_KEY"] = "sk-ant-ann";
    write_file(directory.path + "/config/skills/slack.yaml",
               "slack: {channels: {allow: [general]}, files: true, threads: true}\n");
    write_file(work("a.txt"), "A text.\n");
    for (const std::string& file : {skill_ + "/BAND.md", own()})
      if (exists(file)) write_file(file, without_rules(read_file(file)));
  }

  std::string own() const { return skill_ + "/scripts/" + script_.substr(script_.find('/') + 1) + "/BAND.md"; }

  // Inserts a line of the user before the limits.
  void write(const std::string& rows) const {
    std::string band = read_file(own());
    write_file(own(), band.insert(band.find("\n---") + 1, rows));
  }

  Ran learn(const std::string& input) const {
    return band({"learn", script_, "--input", input, "--runs", "12", "--apply", "--json"});
  }

  // Writes the lines of a proposal that --apply leaves to the user.
  void patch(const Ran& learnt) const {
    write_file(work("learnt"), learnt.out);
    const Ran ran = Running({"/usr/bin/bash", "-c",
                             "set -o pipefail; jq -r .diff learnt | patch -p0 -d " + directory.path + "/skills"},
                            env, work(""))
                        .wait();
    CHECK_STATUS(ran, 0);
  }

  // Returns whether the shipped band allows what the line opens. A `*` is replaced by some text.
  void check_shipped_allows(const std::string& line) const {
    const std::size_t begin = line.find('"') + 1;
    std::string what = line.substr(begin, line.rfind('"') - begin);
    for (std::size_t at = what.find("''*"); at != what.npos; at = what.find("''*")) what.replace(at, 3, "x9");
    for (std::size_t at = what.find('*'); at != what.npos; at = what.find('*')) what.replace(at, 1, "x9");
    const bool is_cli = contains(line, ".cli ");
    if (!is_cli && !contains(line, ".net ")) {
      const std::string shipped = read_file(BAND_SOURCE_DIR "/skills/" + script_.substr(0, script_.find('/')) +
                                            "/scripts/" + script_.substr(script_.find('/') + 1) + "/BAND.md");
      CHECK_HAS(shipped, "\"" + what + "\"");
      return;
    }
    Environment shipped = env;
    shipped["BAND_SKILLS"] = BAND_SOURCE_DIR "/skills";
    const std::string command =
        std::string(BAND_BIN_DIR) + "/band why " + script_ + (is_cli ? " -- " + what : " --net " + what + ":443");
    CHECK_STATUS(Running({"/usr/bin/bash", "-c", command}, shipped, work("")).wait(), 0);
  }

 private:
  std::string script_, skill_;
};

}  // namespace

TEST_CASE("for the skills that call a service, learn proposes the shipped band or less") {
  const std::string project = R"({"repository": "ann/project")";
  const auto github = [](const std::string& command) {
    return std::set<std::string>{"allow.cli \"" + command + "\"", "allow.net \"api.github.com\""};
  };
  const auto curl = [](const std::string& host, const std::string& more = "", const std::string& another = "") {
    std::set<std::string> lines = {"allow.cli \"curl --config -\"", "allow.net \"" + host + "\""};
    for (const std::string& line : {more, another})
      if (!line.empty()) lines.insert(line);
    return lines;
  };
  const std::string tts = R"({"voice": "21m00Tcm4TlvDq8ikWAM", "text": "Hi", "out": "hi.mp3"})",
                    upload = R"({"channel": "general", "path": "a.txt"})", document = R"({"path": "a.txt"})";
  for (const Row& row : {
           // The shipped lines of gh have a `*` for each value, and an open end for the flags of other inputs. A
           // default of one input (`--state=open`) is not generalised. No run called `gh api rate_limit`, which is used
           // only after a refusal by GitHub.
           Row{"github/repo-view",
               {project + "}"},
               github("gh repo view --json=nameWithOwner,description,url,homepageUrl,isPrivate,isFork,isArchived,"
                      "stargazerCount,forkCount,issues,pullRequests,defaultBranchRef,primaryLanguage,licenseInfo,"
                      "repositoryTopics,latestRelease,createdAt,pushedAt -- ''*")},
           Row{"github/issue-list",
               {project + "}"},
               github("gh issue list --json=number,title,state,author,labels,assignees,createdAt,updatedAt,url "
                      "--repo=* --state=open --limit=31")},
           Row{"github/issue-view",
               {project + R"(, "number": 7})"},
               github("gh issue view --json=number,title,state,body,author,labels,assignees,milestone,createdAt,"
                      "updatedAt,closedAt,url --repo=* -- ''*")},
           Row{"github/issue-create",
               {project + R"(, "title": "New"})"},
               github("gh issue create --repo=* --title=* --body-file=-")},
           Row{"github/issue-comment",
               {project + R"(, "number": 7, "body": "Yes."})"},
               github("gh issue comment --repo=* --body-file=- -- ''*")},
           Row{"github/label-create",
               {project + R"(, "name": "later", "color": "ff0000"})"},
               github("gh label create --repo=* --color=* --description= -- ''*")},
           Row{"github/search",
               {R"({"type": "issues", "query": "x"})"},
               github("gh api --include --method=GET '--raw-field=q=x type:issue' --raw-field=per_page=30 "
                      "--raw-field=page=1 search/*")},
           // The shipped band opens all of *.githubusercontent.com but one. learn cannot know to which other hosts
           // GitHub may redirect a request.
           Row{"github/file", {project + R"(, "path": "docs/read me?.md"})"}, curl("raw.githubusercontent.com")},
           // Two hosts: after a run that has sent something there is no further run, so the user writes the first lines
           // and calls learn again.
           Row{"github/release-create",
               {project + R"(, "tag": "v91", "file": "a.txt"})", project + R"(, "tag": "v92", "file": "a.txt"})"},
               {"allow.cli \"gh release create --repo=* --notes-file=- -- * /work/*\"", "allow.net \"api.github.com\"",
                "allow.net \"uploads.github.com\"", "allow.read \"{file}\""}},
           // The shipped band opens slack.com:443 only, and insists on it. learn writes a name without its port, and no
           // insist for a single input. Bands do not list the open channels.
           Row{"slack/channel-list", {"{}"}, curl("slack.com")},
           Row{"slack/message-send", {R"({"channel": "general", "text": "Hello"})"}, curl("slack.com")},
           Row{"slack/file-upload",
               {upload, upload},
               curl("slack.com", "allow.net \"files.slack.com\"", "allow.read \"{path}\"")},
           Row{"elevenlabs/voice-list", {"{}"}, curl("api.elevenlabs.io")},
           Row{"elevenlabs/user-info", {"{}"}, curl("api.elevenlabs.io")},
           Row{"elevenlabs/voice-add",
               {R"({"name": "Ann", "samples": ["a.mp3"]})"},
               curl("api.elevenlabs.io", "allow.read \"{samples}\"")},
           // The run that created the file has sent something, so the user writes the lines of `read` and `write`.
           Row{"elevenlabs/tts",
               {tts, tts},
               curl("api.elevenlabs.io", "allow.write \"{out}\"", "allow.read {path: \"{out}\", optional: true}")},
           // The prompt has line feeds, which a ledger does not distinguish from other text, and a random word: the
           // user writes the line of `cli`.
           Row{"summarize/document",
               {document, document},
               {"allow.net \"api.anthropic.com\"", "allow.read \"{path}\""},
               "allow:\n  cli: [\"claude -p Summarize* --model * --max-budget-usd * --output-format json --tools '' "
               "--max-turns 1\"]\n"},
       }) {
    CAPTURE(row.script);
    const Author author(row.script);
    write_file(author.work("a.mp3"), "ID3");
    for (std::size_t i = 0; i < row.inputs.size(); ++i) {
      const bool last = i + 1 == row.inputs.size();
      const Ran learnt = author.learn(row.inputs[i]);
      CHECK_STATUS(learnt, last ? 0 : 3);
      if (last) continue;
      row.by_hand.empty() ? author.patch(learnt) : author.write(row.by_hand);
    }
    const std::set<std::string> lines = learnt_lines(read_file(author.own()));
    CHECK_MESSAGE(lines == row.lines, read_file(author.own()));
    for (const std::string& line : lines) {
      CAPTURE(line);
      author.check_shipped_allows(line);
    }
  }
  CHECK(violations().empty());
}
