// What `band why` says of a skill's files: the line that decides, or the one to write.
#include "client/answers/judgement.h"

#include <doctest/doctest.h>

#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::client;
using Outcome = Judgement::Outcome;
using Kind = Question::Kind;
using Words = std::vector<std::string>;

namespace {

Question command(const Words& argv) { return ask_command(argv).value(); }
Question reading(const std::string& path) { return ask_path(Kind::Read, path).value(); }
Question writing(const std::string& path) { return ask_path(Kind::Write, path).value(); }
Question host(const std::string& text) { return ask_net(text).value(); }

// A skill `s` with the script `go`.
class Skill {
 public:
  explicit Skill(const std::string& yaml) { file("s/BAND.md", "band: s\n" + yaml); }

  void file(const std::string& path, const std::string& yaml) const { files.write(path, "---\n" + yaml + "---\n"); }

  Grounds grounds(const std::optional<JsonValue>& input = {}, const std::optional<Rules>& ceiling = {}) const {
    std::vector<Diagnostic> errors;
    const auto band = compose_band(files.path("s"), "go", errors);
    for (const Diagnostic& error : errors) FAIL(error.text());
    auto grounds = grounds_of(*band, input, ceiling);
    REQUIRE_MESSAGE(grounds.ok(), grounds.error().message());
    return std::move(grounds).value();
  }
  Judgement ask(const Question& question, const std::optional<Rules>& ceiling = {}) const {
    auto judgement = judge(question, grounds({}, ceiling));
    REQUIRE(judgement.ok());
    return std::move(judgement).value();
  }

  test::TempDir files;
};

// What each remedy says, as "FILE: LINE".
Words lines(const Judgement& judgement) {
  Words all;
  for (const Remedy& remedy : judgement.remedies) all.push_back(remedy.file + ": " + remedy.yaml(remedy.pattern));
  return all;
}

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

TEST_CASE("what is allowed names the rule, its section and its line") {
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
  CHECK(allowed(command({"cd", "/"})).find("bash does `cd` itself") == 0);
  CHECK(allowed(writing("/tmp/x")).find("/tmp is the sandbox's own: private") == 0);
}

TEST_CASE("what nothing opens names the nearest rule and the line to write, which opens that and nothing else") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n  net: [github.com]\n  read: [\"./notes/*.txt\"]\n");
  const Judgement gh = skill.ask(command({"gh", "repo", "delete", "it's mine"}));
  CHECK(gh.outcome == Outcome::Refused);
  CHECK(gh.reason == R"(no allow.cli matches; nearest "gh issue list *", s/BAND.md:4)");
  CHECK(lines(gh) == Words{R"(s/BAND.md: allow: {cli: ["gh repo delete 'it'\\''s mine'"]})"});
  CHECK(gh.remedies.front().wider == "gh repo delete *");
  CHECK(gh.remedies.front().line == 4);
  const Judgement curl = skill.ask(command({"curl"}));
  CHECK(curl.reason == "no allow.cli names `curl`");
  CHECK(lines(curl) == Words{R"(s/BAND.md: allow: {cli: ["curl"]})"});
  const Judgement api = skill.ask(host("api.github.com"));
  CHECK(api.reason == "not in allow.net");
  CHECK(api.nearest->pattern == "github.com");
  CHECK(lines(api) == Words{R"(s/BAND.md: allow: {net: ["api.github.com:443"]})"});
  CHECK(api.remedies.front().wider == "api.github.com");
  CHECK(skill.ask(host("github.com:22")).reason == "port; write github.com:22");
  const Judgement note = skill.ask(reading("notes/[a].md"));
  CHECK(note.reason == R"(no allow.read matches; nearest "./notes/*.txt", s/BAND.md:6)");
  CHECK(lines(note) == Words{R"(s/BAND.md: allow: {read: ["./notes/\\[a\\].md"]})"});
  CHECK(note.remedies.front().wider == "./notes/*.md");
  const Judgement out = skill.ask(writing("out/x"));
  CHECK(out.remedies.front().line == 0);  // there is no allow.write yet
}

TEST_CASE("a deny is named with its place, and no line is proposed that would not help") {
  const Skill skill(
      "allow:\n  cli: [\"gh *\"]\n  read: [\"./**\"]\n  write: [\"/opt/**\"]\ndeny:\n  cli: [gh repo delete, curl]\n  "
      "read: [./private, /opt/x]\n");
  const auto refused = [&](const Question& question) {
    const Judgement judgement = skill.ask(question);
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    return judgement.reason + "; " + judgement.mend;
  };
  CHECK(refused(command({"gh", "repo", "delete", "x"})) ==
        "deny.cli \"gh repo delete\", s/BAND.md:8; a deny wins over every allow: narrow it or take it out in "
        "s/BAND.md:8");
  CHECK(refused(command({"curl", "x"})).find("deny.cli \"curl\", s/BAND.md:8") == 0);  // nothing opens it either
  CHECK(refused(reading("private/a")).find("deny.read \"./private\", s/BAND.md:9") == 0);
  CHECK(refused(writing("/opt/x/a")).find("deny.read \"/opt/x\", s/BAND.md:9") == 0);  // hidden from both
}

TEST_CASE("what the operator's ceiling closes is not to be mended in a band") {
  const Skill skill("allow:\n  cli: [\"gh *\", git log]\n  net: [\"*\"]\n  read: [/opt/**]\n");
  const Judgement cut = skill.ask(command({"gh", "pr"}), ceiling(&Rules::cli, {"git *"}));
  CHECK(cut.outcome == Outcome::Refused);
  CHECK(cut.remedies.empty());
  CHECK(cut.reason == "allow.cli \"gh *\", s/BAND.md:4, but /etc/band/server.yaml does not open it");
  CHECK(cut.mend.find("`ceiling.allow.cli` in /etc/band/server.yaml") != std::string::npos);
  const Judgement denied = skill.ask(host("a.example"), ceiling(&Rules::net, {}, {"a.example"}));
  CHECK(denied.reason == "deny.net \"a.example\", /etc/band/server.yaml:9");
  CHECK(denied.mend.find("`ceiling.deny` in /etc/band/server.yaml:9") != std::string::npos);
  // Neither of them opens it: both have to.
  const Judgement both = skill.ask(command({"curl", "x"}), ceiling(&Rules::cli, {"git *", "gh *"}));
  CHECK(lines(both) == Words{R"(s/BAND.md: allow: {cli: ["curl x"]})"});
  CHECK(both.mend.find("`ceiling.allow.cli`") != std::string::npos);
  // Of a rule of which nothing is left no run starts.
  const Judgement none = skill.ask(command({"git", "log"}), ceiling(&Rules::read, {}, {"/opt"}));
  CHECK(none.outcome == Outcome::Refused);
  CHECK(none.reason.find("but no run of the script starts: read `/opt/**` (s/BAND.md:6) is closed by this server's") !=
        std::string::npos);
}

TEST_CASE("a placeholder depends on the input, and with the input it is a file") {
  const Skill skill("allow:\n  read: [\"{path}\", \"./x\"]\ndeny:\n  read: [./private]\n");
  const Judgement judgement = skill.ask(reading("notes/a.md"));
  CHECK(judgement.outcome == Outcome::Depends);
  CHECK(judgement.reason ==
        "it depends on the input: allow.read \"{path}\", s/BAND.md:4 opens it when `path` of the input is "
        "\"notes/a.md\"");
  CHECK(skill.ask(reading("x")).outcome == Outcome::Allowed);
  CHECK(skill.ask(reading("private/a")).outcome == Outcome::Refused);
  CHECK(skill.ask(writing("notes/a.md")).outcome == Outcome::Refused);
  const Grounds with = skill.grounds(json(R"({"path": "./notes//a.md"})"));
  CHECK(judge(reading("notes/a.md"), with)->outcome == Outcome::Allowed);
  CHECK(judge(reading("notes/b.md"), with)->outcome == Outcome::Refused);
  CHECK(judge(reading("notes/a.md"), skill.grounds(json("{}")))->outcome == Outcome::Refused);
}

TEST_CASE("what no rule opens is said to be so") {
  const Skill skill(
      "allow:\n  cli: [/opt/x/tool, gh]\n  net: [\"*:*\"]\n  read: [\"./**\", \"./.git/**\"]\n  write: [\"./**\", "
      "\"./.git/**\"]\n");
  const auto refused = [&](const Question& question) {
    const Judgement judgement = skill.ask(question);
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    return judgement.reason + "; " + judgement.mend;
  };
  CHECK(refused(writing(".git/config")).find("lies in a .git, which band never writes") != std::string::npos);
  CHECK(skill.ask(reading(".git/config")).outcome == Outcome::Allowed);
  CHECK(refused(reading("a\nb")).find("has a name that cannot travel") != std::string::npos);
  CHECK(refused(host("[2001:db8::1]:443")).find("no IPv6") != std::string::npos);
  CHECK(refused(host("8.8.8.8:53")).find("port 53") != std::string::npos);
  CHECK(refused(host("169.254.169.254")).find("metadata service") != std::string::npos);
  CHECK(refused(command({"/opt/x/tool"})).find("call it as `tool`") != std::string::npos);
  CHECK(refused(command({"/usr/bin/gh"})).find("call it as `gh`") != std::string::npos);
  CHECK(refused(command({"./helper.sh"})).find("bash ./helper.sh") != std::string::npos);
  CHECK(refused(reading("/sys/power")).find("/sys is the sandbox's own, and this is not in it") != std::string::npos);
  CHECK(refused(writing("/proc/1/oom_adj")).find("/proc is the sandbox's own") != std::string::npos);
  CHECK(refused(command({"band-shim"})).find("no band can declare a command of this name") != std::string::npos);
  CHECK(refused(command({"a\033[31m"})).find("no band can declare a command of this name") != std::string::npos);
  CHECK(skill.ask(command({"tool"})).outcome == Outcome::Allowed);
}

TEST_CASE("what only the relay or a run decides is a note") {
  const Skill skill(
      "allow:\n  cli: [gh]\n  net: [db.example:5432, 10.0.0.1, a.example]\n  read: [/opt/x]\n  write: [./out]\n");
  const auto notes = [&](const Question& question) {
    std::string text;
    for (const std::string& note : skill.ask(question).notes) text += note + "\n";
    return text;
  };
  CHECK(notes(host("10.0.0.1")).find("gateway.allow_private") != std::string::npos);
  CHECK(notes(host("10.0.0.2")).find("gateway.allow_private") != std::string::npos);  // beside the line to write
  CHECK(notes(host("a.example")).find("only TLS and HTTP pass") != std::string::npos);
  CHECK(notes(host("db.example:5432")).find("resolves to a private address") != std::string::npos);
  CHECK(notes(command({"gh"})).find("whether the target's machine has `gh`") == 0);
  CHECK(notes(command({"ls"})).empty());
  CHECK(notes(reading("/opt/x")).find("is on the target's machine") != std::string::npos);
  CHECK(notes(writing("out")).find("a file that is there already is not replaced") == 0);
}

TEST_CASE("the line is for each file that has to open it, and with these lines it is open") {
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
      // Written beside what is there, as somebody would do it by hand.
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

TEST_CASE("a question that cannot be read says what to write") {
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

TEST_CASE("a program that a command starts is judged as well, and the worst outcome is the answer") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\", timeout *]\n");
  for (const Words& before : std::vector<Words>{{"exec"},
                                                {"command"},
                                                {"env"},
                                                {"/usr/bin/env", "A=b"},
                                                {"timeout", "5"},
                                                {"nice", "-n", "5", "nohup", "env"},
                                                {"exec", "-a", "ls"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "repo", "delete", "x"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.reason.find("it starts `gh repo delete x`: no allow.cli matches") == 0);
    CHECK(lines(judgement) == Words{R"(s/BAND.md: allow: {cli: ["gh repo delete x"]})"});
    CHECK(judgement.question.argv == argv);
    argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  Words many(15, "env");
  many.insert(many.end(), {"gh", "repo"});
  CHECK(skill.ask(command(many)).outcome == Outcome::Refused);
  many.insert(many.begin(), 100, "env");
  CHECK(skill.ask(command(many)).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "env", "curl", "{}", ";"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"env", "find", ".", "-exec", "nice", "xargs", "curl", ";"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"xargs", "curl"})).outcome == Outcome::Refused);
  CHECK(skill.ask(command({"xargs", "cat"})).outcome == Outcome::Allowed);
  CHECK(skill.ask(command({"env", "cd", "/"})).outcome == Outcome::Refused);  // env starts no builtin
  CHECK(skill.ask(command({"command", "-v", "gh"})).outcome == Outcome::Allowed);
}

TEST_CASE(
    "what bash reads in front of a command, and each form of a wrapper's options, leaves the command to be found") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& before : std::vector<Words>{{"time"},
                                                {"time", "-p"},
                                                {"!", "time"},
                                                {"FOO=1", "BAR="},
                                                {"FOO+=1", "a[1]=x", "a[$((i + 1))]+=x"},
                                                {"PATH[0]=/x"},
                                                {"env", "FOO=1"},
                                                {"env", "-u", "X"},
                                                {"env", "--unset", "X"},
                                                {"timeout", "--kill-after", "5", "5"},
                                                {"timeout", "--kill-after=5", "5"},
                                                {"timeout", "-vk5", "5"},
                                                {"nice", "--adjustment", "5"},
                                                {"nice", "-5"},
                                                {"stdbuf", "--output", "L"},
                                                {"FOO=1", "timeout", "5", "nice"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CAPTURE(command(argv).text());
    const Judgement allowed = skill.ask(command(argv));
    CHECK(allowed.outcome == Outcome::Allowed);
    CHECK(allowed.rule.has_value());
    argv[before.size() + 1] = "repo";
    const Judgement refused = skill.ask(command(argv));
    CHECK(refused.outcome == Outcome::Refused);
    CHECK(lines(refused) == Words{R"(s/BAND.md: allow: {cli: ["gh repo list"]})"});
  }
  CHECK(skill.ask(command({"xargs", "--max-args", "1", "cat"})).outcome == Outcome::Allowed);
  CHECK(skill.ask(command({"xargs", "--max-args", "1", "gh", "issue", "list"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"xargs", "-I%", "%", "x"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "{}", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-unheard", "-exec", "cat", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-name", "-exec", "-exec", "cat", "{}", ";", "-exec", "curl", "x", ";"}))
            .outcome == Outcome::Refused);
}

TEST_CASE("a line that removes PATH finds no declared program, and no rule is proposed") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& before :
       std::vector<Words>{{"env", "-"}, {"env", "-i"}, {"env", "-u", "PATH"}, {"command", "-p"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Refused);
    CHECK(judgement.remedies.empty());
    CHECK(judgement.mend == "keep it, as in: env -i PATH=\"$PATH\" gh");
    argv = before;
    argv.insert(argv.end(), {"cat", "x"});
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  for (const Words& before : std::vector<Words>{{"PATH=/x"}, {"PATH+=:/x"}, {"PATH=/x", "find", ".", "-exec", "env"}}) {
    Words argv = before;
    argv.insert(argv.end(), {"gh", "issue", "list", ";"});
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    CHECK(judgement.reason.find("the line sets PATH, by which `gh` is found") != std::string::npos);
  }
  CHECK(skill.ask(command({"env", "-i", "PATH=/x", "gh", "issue", "list"})).outcome == Outcome::Depends);
}

TEST_CASE("a program that an option or a script names is judged by itself") {
  const Skill skill("allow:\n  cli: [\"git **\", \"python3 **\"]\n");
  for (const Words& argv : std::vector<Words>{{"tar", "-xf", "x", "--to-command=gh x"},
                                              {"tar", "cf", "x", "--checkpoint-action=exec=gh x", "y"},
                                              {"sort", "--compress-program", "gh", "x"},
                                              {"split", "--filter=gh x", "y"},
                                              {"sed", "1e gh x", "y"},
                                              {"sed", ":a\n1e gh x", "y"},
                                              {"sed", "ba;1e gh x\n:a", "y"},
                                              {"sed", "{ta}\n1e gh x\n:a", "y"},
                                              {"sed", "-n", "s/a/b/e", "y"}}) {
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    CHECK(judgement.reason.find("starts a program by") != std::string::npos);
    CHECK(judgement.notes == Words{"each command that it starts is judged by itself: ask about that one behind `--`"});
  }
  for (const Words& argv : std::vector<Words>{{"tar", "-xf", "x"},
                                              {"tar", "cf", "x", "--checkpoint=5", "y"},
                                              {"sort", "-k2", "x"},
                                              {"sed", "s/e/x/g;2d", "y"},
                                              {"sed", ":a;N;$!ba;s/x/y/", "y"},
                                              {"sed", "-i", "-e", "/end/d", "y"}}) {
    CAPTURE(command(argv).text());
    CHECK(skill.ask(command(argv)).outcome == Outcome::Allowed);
  }
  const auto notes = [&](const Words& argv) {
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Allowed);
    std::string text;
    for (const std::string& note : judgement.notes) text += note + "\n";
    return text;
  };
  CHECK(notes({"git", "-c", "core.pager=gh x", "log"}).find("starts a program by -c core.pager") != std::string::npos);
  CHECK(notes({"git", "-c", "user.name=x", "log"}).find("starts") == notes({"git", "log"}).find("starts"));
  CHECK(notes({"python3", "x.py"}).find("`python3` runs what its arguments, a file or its input contain") !=
        std::string::npos);
  CHECK(notes({"nice", "python3", "x.py"}).find("`python3` runs what") != std::string::npos);
}

TEST_CASE("a whole command line in one word is no question, and the way to ask is shown") {
  const Skill skill("allow:\n  cli: [\"gh pr list\"]\n");
  const auto judgement = judge(command({"gh pr list"}), skill.grounds());
  REQUIRE_FALSE(judgement.ok());
  CHECK(judgement.error().code == Code::Usage);
  CHECK(judgement.error().hint == "write it without the quotes around the whole: -- gh pr list");
  CHECK(judge(command({"/opt/a b/tool"}), skill.grounds()).ok());
}

TEST_CASE("what runs a text depends on the text") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  for (const Words& argv : std::vector<Words>{{"bash", "-c", "gh repo delete x"},
                                              {"sh", "-c", "gh repo delete x"},
                                              {"/usr/bin/sh", "x.sh"},
                                              {"eval", "gh repo delete x"},
                                              {"builtin", "eval", "gh repo delete x"},
                                              {"env", "-S", "gh repo delete x"},
                                              {"env", "--unheard", "ls", "cat", "x"},
                                              {"timeout", "5", "bash", "-c", "gh"},
                                              {"awk", "BEGIN { system(\"gh\") }"}}) {
    CAPTURE(command(argv).text());
    const Judgement judgement = skill.ask(command(argv));
    CHECK(judgement.outcome == Outcome::Depends);
    REQUIRE(judgement.notes.size() == 1);
    CHECK(judgement.notes[0].find("starts is judged by itself: ask about that one behind `--`") != std::string::npos);
  }
  CHECK(skill.ask(command({"find", ".", "-exec", "gh", "repo", "{}", ";"})).outcome == Outcome::Depends);
  CHECK(skill.ask(command({"find", ".", "-exec", "curl", "{}", ";"})).outcome == Outcome::Refused);
  const Judgement appended = skill.ask(command({"xargs", "gh", "issue", "list"}));
  CHECK(appended.outcome == Outcome::Depends);
  CHECK(appended.mend == "ask about the whole line: -- gh issue list ARGUMENTS");
}

TEST_CASE("arguments that find and xargs neither append nor replace are known, at any depth") {
  const Skill skill("allow:\n  cli: [\"gh issue list *\"]\n");
  const auto outcome = [&](const Words& argv) {
    const Judgement judgement = skill.ask(command(argv));
    return judgement.outcome == Outcome::Allowed ? "yes" : judgement.outcome == Outcome::Refused ? "no" : "depends";
  };
  const Words gh = {"gh", "issue", "list"};
  const auto find = [&](const Words& before, const Words& after) {
    Words argv = {"find", "."};
    for (const Words& words : {before, gh, after}) argv.insert(argv.end(), words.begin(), words.end());
    return outcome(argv);
  };
  for (const std::string& action : Words{"-exec", "-execdir", "-ok", "-okdir"}) {
    CAPTURE(action);
    CHECK(find({action}, {"x", ";"}) == std::string("yes"));
    CHECK(find({action}, {"{}", ";"}) == std::string("depends"));
    CHECK(find({action}, {"--json={}", ";"}) == std::string("depends"));
    CHECK(find({action, "env", "A={}"}, {";"}) == std::string("yes"));
  }
  CHECK(find({"-exec"}, {"{}", "+"}) == std::string("depends"));
  CHECK(find({"-exec", "env"}, {"{}", ";"}) == std::string("depends"));
  // The first is whole, of the second the arguments are not known, whichever of them comes first.
  CHECK(find({"-exec"}, {";", "-exec", "gh", "issue", "list", "{}", ";"}) == std::string("depends"));
  CHECK(find({"-exec", "nice", "gh", "issue", "list", "{}", ";", "-exec", "nice"}, {";"}) == std::string("depends"));
  CHECK(outcome({"find", ".", "-exec", "env", "{}", ";"}) == std::string("depends"));  // it starts what it finds
  CHECK(outcome({"find", ".", "-exec", "env", ";"}) == std::string("yes"));
  CHECK(outcome({"find", ".", "-exec", "timeout", "5", "{}", "+"}) == std::string("depends"));
  CHECK(outcome({"find", ".", "-exec", "find", "x", "-exec", "gh", "issue", "list", ";"}) == std::string("yes"));
  CHECK(outcome({"xargs", "-I%", "gh", "issue", "list"}) == std::string("yes"));
  CHECK(outcome({"xargs", "-I%", "gh", "issue", "list", "x%"}) == std::string("depends"));
  CHECK(outcome({"xargs", "-I%", "-L", "1", "gh", "issue", "list"}) == std::string("depends"));
  CHECK(outcome({"xargs", "-I%", "env", "%"}) == std::string("depends"));
  CHECK(outcome({"xargs", "env"}) == std::string("depends"));
  CHECK(outcome({"xargs", "find"}) == std::string("depends"));
  CHECK(outcome({"xargs", "find", ".", "-exec", "curl", ";"}) == std::string("no"));
}

TEST_CASE("what each sandbox has is allowed without a rule, and for a file of its /usr and /etc no rule is proposed") {
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
    CHECK(read.reason.find("which files are in them is not known before a run") != std::string::npos);
    const Judgement write = skill.ask(writing(path));
    CHECK(write.outcome == Outcome::Refused);
    CHECK(write.remedies.empty());
  }
  const Skill opens("allow:\n  read: [/etc/tool/**]\n");
  const Judgement opened = opens.ask(reading("/etc/tool/x"));
  CHECK(opened.outcome == Outcome::Allowed);
  CHECK(opened.notes.back().find("a run is refused where a rule opens a file of /usr or /etc") != std::string::npos);
}
