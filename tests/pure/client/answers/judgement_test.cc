// The answers of `band why` for a skill's files: the line that decides, or the line to write.
#include "tests/pure/client/answers/judgement_test.h"

#include <sstream>

#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/core/words.h"

using namespace band;
using namespace band::client;
using Kind = Question::Kind;

namespace {

Question reading(const std::string& path) { return ask_path(Kind::Read, path).value(); }
Question writing(const std::string& path) { return ask_path(Kind::Write, path).value(); }
Question host(const std::string& text) { return ask_net(text).value(); }

JsonValue json(const std::string& text) { return parse_json(text, "test").value(); }

Rules ceiling(Domain Rules::*domain, const Words& allow, const Words& deny = {}) {
  Rules rules;
  for (const std::string& pattern : allow) {
    if ((rules.*domain).opened.empty()) (rules.*domain).opened.emplace_back();
    (rules.*domain).opened.front().push_back({pattern, "/etc/band/server.yaml:5"});
  }
  for (const std::string& pattern : deny) (rules.*domain).deny.push_back({pattern, "/etc/band/server.yaml:9"});
  return rules;
}

}  // namespace

TEST_CASE("an allowed action names the rule, its section and its line") {
  const Skill skill(
      "allow:\n  cli: [\"gh issue list *\"]\n  net: [api.github.com]\n  read: [\"./notes/**\", /opt/x/**]\ninsist:\n  "
      "write: [\"./out/*.md\"]\n");
  const auto allowed = [&](const Question& question) {
    const Judgement judgement = skill.ask(question);
    return judgement.outcome == Outcome::Allowed ? judgement.reason : "refused";
  };
  CHECK(allowed(command({"gh", "issue", "list", "--json", "x"})) == R"(allow.cli "gh issue list *", s/BAND.md:4)");
  CHECK(allowed(host("api.github.com")) == R"(allow.net "api.github.com", s/BAND.md:5)");
  CHECK(allowed(reading("notes/a.md")) == R"(allow.read "./notes/**", s/BAND.md:6)");
  CHECK(allowed(reading("/opt/x/y")) == R"(allow.read "/opt/x/**", s/BAND.md:6)");
  CHECK(allowed(writing("./out/a.md")) == R"(insist.write "./out/*.md", s/BAND.md:8)");
  CHECK(allowed(command({"jq", "."})).find("an essential command") == 0);
  CHECK(allowed(command({"cd", "/"})).find("`cd` is built into bash") == 0);
  CHECK(allowed(writing("/tmp/x")).find("/tmp is the sandbox's own: private") == 0);
}

TEST_CASE("an action that no rule opens names the nearest rule and the line to write, which opens only this action") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n  net: [github.com]\n  read: [\"./notes/*.txt\"]\n");
  const Judgement gh = skill.ask(command({"gh", "repo", "delete", "it's mine"}));
  CHECK(gh.outcome == Outcome::Refused);
  CHECK(gh.reason == R"(no rule of allow.cli matches; nearest "gh issue list *", s/BAND.md:4)");
  CHECK(lines(gh) == Words{R"(s/BAND.md: allow: {cli: ["gh repo delete 'it'\\''s mine'"]})"});
  CHECK(gh.remedies.front().wider == "gh repo delete *");
  CHECK(gh.remedies.front().list.line == 4);
  const Judgement curl = skill.ask(command({"curl"}));
  CHECK(curl.reason == "no rule of allow.cli names `curl`");
  CHECK(lines(curl) == Words{R"(s/BAND.md: allow: {cli: ["curl"]})"});
  const Judgement api = skill.ask(host("api.github.com"));
  CHECK(api.reason == "not in allow.net");
  CHECK(api.nearest->pattern == "github.com");
  CHECK(lines(api) == Words{R"(s/BAND.md: allow: {net: ["api.github.com:443"]})"});
  CHECK(api.remedies.front().wider == "api.github.com");
  CHECK(skill.ask(host("github.com:22")).reason == "allow.net does not allow this port; write github.com:22");
  const Judgement note = skill.ask(reading("notes/[a].md"));
  CHECK(note.reason == R"(no rule of allow.read matches; nearest "./notes/*.txt", s/BAND.md:6)");
  CHECK(lines(note) == Words{R"(s/BAND.md: allow: {read: ["./notes/\\[a\\].md"]})"});
  CHECK(note.remedies.front().wider == "./notes/*.md");
  const Judgement out = skill.ask(writing("out/x"));
  CHECK(out.remedies.front().list.line == 0);  // there is no allow.write yet
}

namespace {

// Returns the YAML below `band: s`, after a user has written what the remedy proposes.
std::string written(const std::string& yaml, const Remedy& remedy) {
  const std::string text = remedy.text("gh x");
  if (remedy.list.line == 0 && remedy.allow.line == 0) return yaml + text + "\n";
  std::vector<std::string> lines;
  std::istringstream in(yaml);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  const bool list = remedy.list.line > 0;
  const KeyPlace& key = list ? remedy.list : remedy.allow;
  const std::size_t at = static_cast<std::size_t>(key.line) - 3;  // the YAML begins on line 3
  if (!key.flow)
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at) + 1, (list ? "    " : "  ") + text);
  else
    lines.at(at).insert(lines.at(at).rfind(list ? ']' : '}'), (list ? ", " : "") + text);
  std::string all;
  for (const std::string& line : lines) all.append(line).append("\n");
  return all;
}

}  // namespace

TEST_CASE("what a remedy writes at its place is YAML there, in block and in flow style") {
  struct Style {
    const char* yaml;  // below `band: s`, which is line 2
    const char* place;
    const char* text;
  };
  for (const Style& style : std::vector<Style>{
           {"", "in s/BAND.md", "allow: {cli: [\"gh x\"]}"},
           {"allow:\n  # a comment\n  read: [./a]\n", "in s/BAND.md, below allow (line 3)", "cli: [\"gh x\"]"},
           {"allow: {read: [./a]}\n", "in s/BAND.md, before the } of allow (line 3)", ", cli: [\"gh x\"]"},
           {"allow: {}\n", "in s/BAND.md, before the } of allow (line 3)", "cli: [\"gh x\"]"},
           {"allow:\n  # a comment\n  cli:\n    - git log\n", "in s/BAND.md, below allow.cli (line 5)", "- \"gh x\""},
           {"allow: {cli: [git log]}\n", "in s/BAND.md, to allow.cli (line 3)", "\"gh x\""},
       }) {
    CAPTURE(std::string(style.yaml));
    const Remedy remedy = Skill(style.yaml).ask(command({"gh", "x"})).remedies.front();
    CHECK(remedy.place() == style.place);
    CHECK(remedy.text("gh x") == style.text);
    const Skill mended(written(style.yaml, remedy));
    CHECK(mended.ask(command({"gh", "x"})).outcome == Outcome::Allowed);
    if (contains(style.yaml, "./a")) CHECK(mended.ask(reading("a")).outcome == Outcome::Allowed);  // as before
    if (contains(style.yaml, "git log")) CHECK(mended.ask(command({"git", "log"})).outcome == Outcome::Allowed);
  }
  // One pattern in place of a list: the text says that it has to become a list.
  const Remedy one = Skill("allow:\n  cli: git log\n").ask(command({"gh", "x"})).remedies.front();
  CHECK(one.place() == "in s/BAND.md, to allow.cli (line 4), as a list with its present value");
  CHECK(one.text("gh x") == "\"gh x\"");
}

TEST_CASE("several remedies that write the same key are one instruction") {
  const auto remedy = [](const Skill& skill, const Question& question) { return skill.ask(question).remedies.front(); };
  const Skill none("");
  const RemedyLine gh{remedy(none, command({"gh", "x"})), "gh x"},
      git{remedy(none, command({"git", "log"})), "git log"}, file{remedy(none, reading("a.md")), "./a.md"};
  CHECK(gh.remedy.writes_key_of(file.remedy));
  CHECK(joined_instruction({gh, file, git, gh}) ==
        "write in s/BAND.md:  allow: {cli: [\"gh x\", \"git log\"], read: [\"./a.md\"]}");
  const Skill block("allow:\n  net: [a.example]\n");
  const RemedyLine first{remedy(block, command({"gh", "x"})), "gh x"},
      second{remedy(block, command({"rg", "."})), "rg ."}, other{remedy(block, reading("a.md")), "./a.md"};
  CHECK(first.remedy.writes_key_of(second.remedy));
  CHECK(!first.remedy.writes_key_of(other.remedy));  // each writes its own key below allow
  CHECK(joined_instruction({first, second}) == "write in s/BAND.md, below allow (line 3):  cli: [\"gh x\", \"rg .\"]");
}

TEST_CASE("a deny is named with its place, and no useless line is proposed") {
  const Skill skill(
      "allow:\n  cli: [\"gh *\"]\n  read: [\"./**\"]\n  write: [\"/opt/**\"]\ndeny:\n  cli: [gh repo delete, curl]\n  "
      "read: [./private, /opt/x]\n");
  const auto refused = [&](const Question& question) {
    const Judgement judgement = skill.ask(question);
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    return judgement.reason + "; " + judgement.mend;
  };
  CHECK(
      refused(command({"gh", "repo", "delete", "x"})) ==
      "deny.cli \"gh repo delete\", s/BAND.md:8; a deny has precedence over every allow: narrow or remove the deny in "
      "s/BAND.md:8");
  CHECK(refused(command({"curl", "x"})).find("deny.cli \"curl\", s/BAND.md:8") == 0);  // no rule opens it, either
  CHECK(refused(reading("private/a")).find("deny.read \"./private\", s/BAND.md:9") == 0);
  CHECK(refused(writing("/opt/x/a")).find("deny.read \"/opt/x\", s/BAND.md:9") == 0);  // hidden from both
}

TEST_CASE("a band cannot open what the operator's ceiling closes") {
  const Skill skill("allow:\n  cli: [\"gh *\", git log]\n  net: [\"*\"]\n  read: [/opt/**]\n");
  const Judgement cut = skill.ask(command({"gh", "pr"}), ceiling(&Rules::cli, {"git *"}));
  CHECK(cut.outcome == Outcome::Refused);
  CHECK(cut.remedies.empty());
  CHECK(cut.reason == "allow.cli \"gh *\", s/BAND.md:4, but /etc/band/server.yaml does not allow it");
  CHECK(cut.mend.find("`ceiling.allow.cli` in /etc/band/server.yaml") != std::string::npos);
  const Judgement denied = skill.ask(host("a.example"), ceiling(&Rules::net, {}, {"a.example"}));
  CHECK(denied.reason == "deny.net \"a.example\", /etc/band/server.yaml:9");
  CHECK(denied.mend.find("`ceiling.deny` in /etc/band/server.yaml:9") != std::string::npos);
  // Neither file opens it: both must.
  const Judgement both = skill.ask(command({"curl", "x"}), ceiling(&Rules::cli, {"git *", "gh *"}));
  CHECK(lines(both) == Words{R"(s/BAND.md: allow: {cli: ["curl x"]})"});
  CHECK(both.mend.find("`ceiling.allow.cli`") != std::string::npos);
  // If the ceiling closes a rule completely, no run starts.
  const Judgement none = skill.ask(command({"git", "log"}), ceiling(&Rules::read, {}, {"/opt"}));
  CHECK(none.outcome == Outcome::Refused);
  CHECK(none.reason.find("but the script cannot start: read `/opt/**` (s/BAND.md:6) is denied by this server's") !=
        std::string::npos);
}

TEST_CASE("a placeholder depends on the input; with an input it is a file") {
  const Skill skill("allow:\n  read: [\"{path}\", \"./x\"]\ndeny:\n  read: [./private]\n");
  const Judgement judgement = skill.ask(reading("notes/a.md"));
  CHECK(judgement.outcome == Outcome::Depends);
  CHECK(judgement.reason ==
        "the answer depends on the input: allow.read \"{path}\", s/BAND.md:4 allows it when `path` of the input is "
        "\"notes/a.md\"");
  CHECK(skill.ask(reading("x")).outcome == Outcome::Allowed);
  CHECK(skill.ask(reading("private/a")).outcome == Outcome::Refused);
  CHECK(skill.ask(writing("notes/a.md")).outcome == Outcome::Refused);
  const Grounds with = skill.grounds(json(R"({"path": "./notes//a.md"})"));
  CHECK(judge(reading("notes/a.md"), with)->outcome == Outcome::Allowed);
  CHECK(judge(reading("notes/b.md"), with)->outcome == Outcome::Refused);
  CHECK(judge(reading("notes/a.md"), skill.grounds(json("{}")))->outcome == Outcome::Refused);
}

TEST_CASE("an action that no rule can open is reported as such") {
  const Skill skill(
      "allow:\n  cli: [/opt/x/tool, gh]\n  net: [\"*:*\"]\n  read: [\"./**\", \"./.git/**\"]\n  write: [\"./**\", "
      "\"./.git/**\"]\n");
  const auto refused = [&](const Question& question) {
    const Judgement judgement = skill.ask(question);
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    return judgement.reason + "; " + judgement.mend;
  };
  CHECK(refused(writing(".git/config")).find("is in a .git, which band never writes") != std::string::npos);
  CHECK(skill.ask(reading(".git/config")).outcome == Outcome::Allowed);
  CHECK(refused(reading("a\nb")).find("has a name that cannot be sent") != std::string::npos);
  CHECK(refused(host("[2001:db8::1]:443")).find("no IPv6; name the host, or its IPv4 address") != std::string::npos);
  CHECK(refused(host("x.y:53"))
            .find("for every host; the name of a host that allow.net allows is resolved without a rule") !=
        std::string::npos);
  CHECK(refused(host("169.254.169.254")).find("no setting allows; pass the data that the script needs") !=
        std::string::npos);
  CHECK(refused(command({"/opt/x/tool"})).find("call it as `tool`") != std::string::npos);
  CHECK(refused(command({"/usr/bin/gh"})).find("call it as `gh`") != std::string::npos);
  CHECK(refused(command({"./helper.sh"})).find("bash ./helper.sh") != std::string::npos);
  CHECK(refused(reading("/sys/power")).find("/sys is the sandbox's own, and does not contain this path") !=
        std::string::npos);
  CHECK(refused(writing("/proc/1/oom_adj")).find("/proc is the sandbox's own") != std::string::npos);
  CHECK(refused(command({"band-shim"})).find("no band can declare a command of this name") != std::string::npos);
  CHECK(refused(command({"a\033[31m"})).find("no band can declare a command of this name") != std::string::npos);
  CHECK(skill.ask(command({"tool"})).outcome == Outcome::Allowed);
}

TEST_CASE("a line that no pattern can match alone has a reason, and a wider pattern is marked as wider") {
  const Skill skill("allow:\n  cli: [git log]\n");
  const std::string why = "no rule of allow.cli names `gh`; no rule can match only this line: ";
  const Judgement last = skill.ask(command({"gh", "x", "\xFF"}));
  CHECK(last.reason == why + "it has bytes that are not UTF-8");
  REQUIRE(last.remedies.size() == 1);
  CHECK(last.remedies.front().pattern.empty());
  CHECK(last.remedies.front().instruction() ==
        "wider than requested: write in s/BAND.md, to allow.cli (line 4):  \"gh x *\"");
  const Judgement length = skill.ask(command({"gh", std::string(5000, 'a')}));
  CHECK(length.reason == why + "it is longer than the longest valid pattern");
  for (const Words& argv : {Words{"gh", "\xFF", "\xFE"}, Words{"gh", "\xFF", "x"}}) {
    const Judgement none = skill.ask(command(argv));
    CHECK(none.reason == why + "it has bytes that are not UTF-8");
    CHECK(none.mend == "pass the data in a file or on standard input");
    CHECK(none.remedies.empty());
  }
  // The control: a line that a pattern can match is not marked.
  CHECK(skill.ask(command({"gh", "x", "y"})).remedies.front().instruction() ==
        "write in s/BAND.md, to allow.cli (line 4):  \"gh x y\"");
}

TEST_CASE("conditions that only the relay or a run decides are notes") {
  const Skill skill(
      "allow:\n  cli: [gh]\n  net: [db.example:5432, 10.0.0.1, a.example]\n  read: [/opt/x]\n  write: [./out]\n");
  const auto notes = [&](const Question& question) {
    std::string text;
    for (const std::string& note : skill.ask(question).notes) text += note + "\n";
    return text;
  };
  CHECK(notes(host("10.0.0.1")).find("gateway.allow_private") != std::string::npos);
  CHECK(notes(host("10.0.0.2")).find("gateway.allow_private") != std::string::npos);  // next to the line to write
  CHECK(notes(host("a.example")).find("only TLS and HTTP pass") != std::string::npos);
  CHECK(notes(host("db.example:5432")).find("resolves to a private address") != std::string::npos);
  CHECK(notes(command({"gh"})).find("not known before a run: whether the target's machine has `gh`") == 0);
  CHECK(notes(command({"ls"})).empty());
  CHECK(notes(reading("/opt/x")).find("exists on the target's machine") != std::string::npos);
  CHECK(notes(writing("out")).find("if the file exists, it is not replaced") == 0);
}

TEST_CASE("there is a line for each file that must open it, and these lines open it") {
  struct Row {
    const char* what;
    const char* band;
    Words files;
  };
  const Row rows[] = {
      {"nothing", "", {"s/BAND.md"}},
      {"another rule", "allow: {cli: [git log]}\n", {"s/BAND.md"}},
      {"extends", "allow: {cli: [git log]}\nextends: ../base/BAND.md\n", {"s/BAND.md", "base/BAND.md"}},
      {"extends, and opens nothing", "extends: ../base/BAND.md\n", {"s/BAND.md", "base/BAND.md"}},
      {"includes", "allow: {cli: [git log]}\nincludes: ../base/BAND.md\n", {"s/BAND.md"}},
      {"includes, and opens nothing itself", "includes: ../base/BAND.md\n", {"s/BAND.md"}},
      {"path", "path: ../base/BAND.md\n", {"base/BAND.md"}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.what);
    const Skill skill(row.band);
    skill.file("base/BAND.md", "band: base\nallow: {cli: [git log, git show]}\n");
    const Question question = command({"gh", "repo", "list", "--limit", "5 or so"});
    const Judgement closed = skill.ask(question);
    CHECK(closed.outcome == Outcome::Refused);
    Words files;
    for (const Remedy& remedy : closed.remedies) {
      files.push_back(remedy.file);
      // Added to the existing rules, as a user would do it.
      std::string text = skill.files.read(remedy.file);
      const std::string item = json_string(remedy.pattern);
      if (const auto list = text.find("cli: ["); list != std::string::npos)
        text.insert(list + 6, item + ", ");
      else
        text.insert(text.rfind("---"), remedy.yaml(remedy.pattern) + "\n");
      skill.files.write(remedy.file, text);
    }
    CHECK(files == row.files);
    CHECK(skill.ask(question).outcome == Outcome::Allowed);
    CHECK(skill.ask(command({"gh", "repo", "list"})).outcome == Outcome::Refused);
  }
}

TEST_CASE("an invalid question is an error with the correct form") {
  const auto refusal = [](const auto& result) {
    return result.ok() ? "accepted" : result.error().message() + "; " + result.error().hint;
  };
  CHECK(refusal(ask_path(Kind::Read, "../x")).find("has the segment `..`") != std::string::npos);
  CHECK(refusal(ask_path(Kind::Read, "./")).find("names no file") != std::string::npos);
  CHECK(refusal(ask_path(Kind::Write, "dist/")).find("--write dist/x.txt") != std::string::npos);
  CHECK(refusal(ask_net("*.example")).find("is not one host") != std::string::npos);
  CHECK(refusal(ask_net("10.0.0.0/8")).find("is not one host") != std::string::npos);
  CHECK(refusal(ask_command({""})).find("no command") != std::string::npos);
  CHECK(ask_net("B\xC3\xBC"
                "cher.example")
            ->text() == "connect to xn--bcher-kva.example:443");
}

TEST_CASE(
    "paths that every sandbox has are allowed without a rule, and no rule is proposed for a file of its /usr and "
    "/etc") {
  const Skill skill("deny:\n  read: [\"/**\"]\n");
  for (const char* path : {"/dev/null", "/dev/urandom", "/proc/self/status", "/band/in/input.json",
                           "/band/skill/SKILL.md", "/tmp/x", "/dev/shm/x"}) {
    CAPTURE(path);
    CHECK(skill.ask(reading(path)).outcome == Outcome::Allowed);
  }
  for (const char* path : {"/dev/null", "/tmp/x", "/band/out/output.json"})
    CHECK(skill.ask(writing(path)).outcome == Outcome::Allowed);
  CHECK(skill.ask(writing("/band/in/input.json")).outcome == Outcome::Refused);
  CHECK(skill.ask(reading("/dev/nullx")).outcome == Outcome::Refused);
  CHECK(skill.ask(reading("/dev/stdin")).outcome == Outcome::Depends);
  for (const char* path : {"/etc/passwd", "/usr/share/x", "/bin/ls", "/lib64/x"}) {
    CAPTURE(path);
    const Judgement read = skill.ask(reading(path));
    CHECK(read.outcome == Outcome::Depends);
    CHECK(read.remedies.empty());
    CHECK(read.reason.find("it is not known before a run which files they contain") != std::string::npos);
    const Judgement write = skill.ask(writing(path));
    CHECK(write.outcome == Outcome::Refused);
    CHECK(write.remedies.empty());
  }
  const Skill opens("allow:\n  read: [/etc/tool/**]\n");
  const Judgement opened = opens.ask(reading("/etc/tool/x"));
  CHECK(opened.outcome == Outcome::Allowed);
  CHECK(opened.notes.back().find("a run is refused if a rule allows a file of /usr or /etc") != std::string::npos);
}
