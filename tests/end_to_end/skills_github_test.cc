// skills/github through the whole system: the real gh, against a stand-in for GitHub. Each action is verified in the
// stand-in's state. Refusals by GitHub or by the band are in skills_github_refusals_test.cc.
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/end_to_end/github_skill.h"

using namespace band::test;

namespace {

// Escaped for JSON. No part of it may be interpreted by a shell, jq, a URL, CSV or gh.
constexpr const char* kHostile = R"(--web \"q\" 'q' $(id) `id`; a,b\\ %2F&x=1#{repo}:owner \n\ud83d\ude00)";
constexpr const char* kEmoji = "\xF0\x9F\x98\x80";

std::vector<std::string> scripts() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(kGitHubSkill) + "/scripts"))
    if (entry.path().filename() != "_lib") names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

// "issue-list" of "band call github/issue-list --repository ann/project".
std::string script_of(const std::string& example) {
  const std::size_t begin = example.find('/') + 1;
  return example.substr(begin, example.find(' ', begin) - begin);
}

}  // namespace

TEST_CASE("the tested gh is that of the machine, or the requested one") {
  const char* const instead = std::getenv("BAND_TEST_COMMANDS");
  const Ran wanted = outside().shell(std::string(instead != nullptr ? instead : "/usr/bin") + "/gh --version");
  CHECK_STATUS(wanted, 0);
  CHECK(Person().band({"exec", "--", "gh", "--version"}).out == wanted.out);
}

TEST_CASE("every example of SKILL.md runs unchanged, with the described effect on GitHub") {
  const Person ann;
  write_file(ann.work("dist/tool.tgz"), "a tool\n");
  std::map<std::string, std::string> out;
  std::vector<std::string> names;
  for (const std::string& example : examples_of("github")) {
    CAPTURE(example);
    const Ran ran = run_example(ann, example);
    CHECK_STATUS(ran, 0);
    names.push_back(script_of(example));
    out[names.back()] = ran.out;
  }
  std::sort(names.begin(), names.end());
  CHECK(names == scripts());

  CHECK_HAS(out["issue-list"], R"({"issues":[{"number":1,"title":"Crash at the start","state":"open","author":"bob")");
  CHECK_HAS(out["issue-view"], R"("body":"It **crashes**.\nAlways.")");
  CHECK_HAS(out["issue-view"], "\"body\":\"Fixed \xF0\x9F\x98\x80 soon\"");
  CHECK_HAS(out["issue-create"], R"({"number":9,"url":"https://github.com/ann/project/issues/9"})");
  CHECK(state("it.issues[\"9\"] | [.title, .body, .labels, .author]") ==
        R"(["Crash at exit","Run `tool -x` twice.",["bug"],"ann"])");
  CHECK_HAS(out["issue-comment"], "https://github.com/ann/project/issues/1#issuecomment-");
  CHECK_HAS(out["issue-edit"], R"({"number":1,"url":"https://github.com/ann/project/issues/1"})");
  CHECK_HAS(out["issue-close"], R"({"number":1,"state":"closed","changed":true})");
  CHECK(state("it.issues[\"1\"] | [.title, .labels, .state, .stateReason, .comments[-1].body]") ==
        R"(["Crash at every start",["bug","help wanted"],"CLOSED","NOT_PLANNED","Seen in v2, too."])");
  CHECK_HAS(out["issue-reopen"], R"({"number":3,"state":"open","changed":true})");
  CHECK(state("it.issues[\"3\"].state") == R"("OPEN")");

  CHECK_HAS(out["pr-list"], R"("title":"Was merged","state":"merged")");
  CHECK_HAS(out["pr-view"], R"("head":"fix","headCommit":"0abc000000000000000000000000000000000004","base":"main")");
  CHECK_HAS(out["pr-diff"], R"(-int mian;\n+int main;\n","lines":6,"more":false})");
  CHECK_HAS(out["pr-checks"], R"("pass":2,"fail":1,"pending":1,"skipped":0})");
  CHECK_HAS(out["pr-create"], R"({"number":10,"url":"https://github.com/ann/project/pull/10"})");
  CHECK(state("it.pulls[\"10\"] | [.title, .body, .head, .base, .reviewers, .draft]") ==
        R"(["Add a test","Closes #1.","new","main",["bob"],false])");
  CHECK(state("it.pulls[\"4\"] | [.comments[-1].body, .reviews[-1].state, .reviews[-1].body]") ==
        R"(["Thank you!","CHANGES_REQUESTED","Please add a test."])");
  CHECK_HAS(out["pr-merge"], R"({"number":8,"state":"merged","changed":true,"commit":")");
  CHECK(state("[it.pulls[\"8\"].mergeMethod, it.branches.ready]") == R"(["SQUASH",null])");
  CHECK(state("it.pulls[\"5\"].state") == R"("CLOSED")");

  CHECK_HAS(out["release-list"], R"({"tag":"v2","name":"Version v2","draft":false,"prerelease":false)");
  CHECK_HAS(out["release-view"],
            R"("assets":[{"name":"tool.tgz","size":5,"contentType":"application/gzip","downloads":2)");
  CHECK(state("it.releases[0] | [.tag, .name, .body, .draft, (.assets[] | .name, .size)]") ==
        R"(["v3","Version 3","Faster.",false,"tool.tgz",7])");
  CHECK(state("[it.releases[] | .tag], it.tags.v1") == "[\"v3\",\"v2\"]\nnull");
  CHECK_HAS(out["label-list"], R"({"name":"help wanted","color":"d73a4a","description":"About help wanted"})");
  CHECK_HAS(out["label-create"], R"({"name":"triage","color":"fbca04","description":"Needs a look"})");
  CHECK_HAS(out["label-delete"], R"({"name":"triage"})");
  CHECK(state("it.labels | keys") == R"(["bug","help wanted"])");
  CHECK_HAS(out["gist-list"], R"({"id":"bb22","description":"","public":false,"files":["notes.md"])");
  CHECK_HAS(out["gist-view"], R"("content":"print('hello')\n","more":false)");
  CHECK(state(".gists | [.[] | select(.description == \"Says hello\" and .public == false) | .files], .bb22") ==
        "[{\"hello.py\":\"print(\\\"hello\\\")\"}]\nnull");

  CHECK_HAS(out["repo-view"], R"("defaultBranch":"main","language":"C","license":"mit","topics":["tools"])");
  CHECK_HAS(out["file"], R"({"text":"Read me, says Ann.\n"})");
  CHECK_HAS(out["run-list"], R"({"runs":[{"id":501,"title":"Fix the build","workflow":"CI","status":"completed")");
  CHECK_HAS(out["run-view"], R"({"number":2,"name":"Run tests","status":"completed","conclusion":"failure"})");
  CHECK_HAS(out["search"],
            R"({"total":1,"incomplete":false,"results":[{"repository":"ann/project","path":"src/main.c")");
  CHECK_HAS(out["api"], R"({"status":200,"body":[{"name":"bug")");
}

TEST_CASE("a text arrives unchanged, with characters that are special for a shell, a URL or gh") {
  const Person ann;
  const std::string text = kHostile, repository = R"("repository": "ann/project")";
  const auto of = [&](const std::string& members) { return "{" + repository + ", " + members + "}"; };
  const std::string label = R"(-a,b \"c\" /?#%2F\ud83d\ude00)", written = state("\"" + text + "\"");
  all_of(
      ann,
      {{"label-create", of(R"("name": ")" + label + R"(", "description": ")" + text + "\""), "\"color\":\"ededed\""}},
      0);
  CHECK(state("it.labels[\"" + label + "\"].description") == written);
  CHECK_STATUS(ann.call("issue-create", of(R"("title": ")" + text + R"(", "body": ")" + text + R"(", "labels": [")" +
                                           label + R"(", "bug"], "assignees": ["@me", "carol"], "milestone": "v1")")),
               0);
  CHECK(state("it | .issues[(.next - 1 | tostring)] | [.title, .body, .milestone, .assignees]") ==
        "[" + written + "," + written + R"(,"v1",["ann","carol"]])");
  CHECK(state("it | .issues[(.next - 1 | tostring)] | .labels == [\"" + label + "\", \"bug\"]") == "true");
  const std::string number = "\"number\": " + state("it.next - 1");
  all_of(ann,
         {{"issue-comment", of(number + R"(, "body": ")" + text + "\""), "issuecomment"},
          {"pr-comment", of(R"("number": 4, "body": ")" + text + "\""), "issuecomment"},
          {"pr-review", of(R"("number": 4, "event": "approve", "body": ")" + text + "\""), "approve"},
          {"gist-create", R"({"filename": "-f [x]*.py", "content": ")" + text + R"(", "description": ")" + text + "\"}",
           "gist"}},
         0);
  CHECK(state("it | .issues[(.next - 1 | tostring)].comments[-1].body") == written);
  CHECK(state("it.pulls[\"4\"] | .comments[-1].body, .reviews[-1].body") == written + "\n" + written);
  CHECK(state("[.gists[] | select(.files[\"-f [x]*.py\"])][-1] | .description, .files[\"-f [x]*.py\"]") ==
        written + "\n" + written);
  all_of(ann, {{"api", R"({"path": "repos/ann/project/labels/)" + label + "\"}", "\"status\":200"}}, 0);
  CHECK_STATUS(
      ann.call("issue-edit", of(number + R"(, "title": "-", "body": "--body-file=/etc/passwd", "removeLabels": [")" +
                                label + R"("], "removeAssignees": ["carol"])")),
      0);
  CHECK(state("it | .issues[(.next - 1 | tostring)] | [.title, .body, .labels, .assignees]") ==
        R"(["-","--body-file=/etc/passwd",["bug"],["ann"]])");
  CHECK_STATUS(ann.call("label-delete", of(R"("name": ")" + label + "\"")), 0);
  CHECK(state("it.labels | has(\"" + label + "\"), length") == "false\n2");

  write_file(ann.work("-a b\xF0\x9F\x98\x80.txt"), "attached\n");
  CHECK_STATUS(ann.call("release-create", of(R"("tag": "h1", "title": ")" + text + R"(", "notes": ")" + text +
                                             R"(", "file": "-a b\ud83d\ude00.txt")")),
               0);
  CHECK(state("it.releases[] | select(.tag == \"h1\") | .name, .body, .assets[0].size") ==
        written + "\n" + written + "\n9");
  const Ran pull =
      ann.call("pr-create", of(R"("title": ")" + text + R"(", "body": ")" + text + R"(", "head": "conflicts")"));
  CHECK_STATUS(pull, 1);  // there is already one for that branch, which gh reports without a further request
  CHECK_HAS(pull.err, "already exists");
  CHECK_STATUS(ann.call("pr-create",
                        of(R"("title": ")" + text + R"(", "body": ")" + text + R"(", "head": "main", "base": "fix")")),
               0);
  CHECK(state("it | .pulls[(.next - 1 | tostring)] | .title, .body") == written + "\n" + written);
  CHECK_STATUS(ann.call("pr-merge", of("\"number\": " + state("it.next - 1") + R"(, "method": "merge", "subject": ")" +
                                       text + R"(", "body": ")" + text + "\"")),
               0);
  CHECK(state("it | .pulls[(.next - 1 | tostring)] | .mergeHeadline, .mergeBody") == written + "\n" + written);

  // Search words: GitHub finds nothing, and receives no other query.
  const std::string words = R"("--limit=1 $(id) `id` \"a, b\" \\\\ %2F #&page=2")";
  kGitHub.forget();
  all_of(ann,
         {{"issue-list", of("\"search\": " + words), R"({"issues":[],"more":false})"},
          {"pr-list", of("\"search\": " + words), R"({"pullRequests":[],"more":false})"},
          {"label-list", of("\"search\": " + words), R"({"labels":[],"more":false})"},
          {"search", R"({"type": "code", "query": )" + words + "}", R"("results":[],"more":false})"},
          {"run-list", of(R"("branch": "--limit=1&actor=bob")"), R"({"runs":[],"more":false})"},
          {"api", R"({"path": "search/issues", "query": {"per_page": 5, "q": "type:issue & page=2 # --web"}})",
           R"("items":[])"}},
         0);
  all_of(ann, {{"run-list", of(R"("workflow": "--web")"), "could not find any workflows named --web"}}, 1);
}

TEST_CASE("an input that GitHub would refuse is refused before any call") {
  const auto text = [](const char* name, const std::string& value) {
    return "\"" + std::string(name) + "\": \"" + value + "\"";
  };
  const auto of = [](const std::string& members) { return R"({"repository": "ann/project", )" + members + "}"; };
  std::vector<Case> cases;
  const auto refused = [&](const char* script, const char* property, const std::string& input) {
    cases.push_back({script, input, property});
  };
  // A repository, a number or a tag that would be an option or another path.
  for (const char* name :
       {"-R/x", "ann/project --web", "ann/..", "../ann/project", "ann/project/issues", "ann/project?x", "ann"})
    refused("repo-view", "repository", "{" + text("repository", name) + "}");
  for (const char* script :
       {"issue-view", "issue-close", "issue-reopen", "pr-view", "pr-diff", "pr-checks", "pr-close"})
    for (const char* number : {"0", "-1", "\"1 --web\"", "\"https://github.com/ann/many/issues/1\""})
      refused(script, "number", of("\"number\": " + std::string(number)));
  for (const char* script : {"release-view", "release-delete", "release-create"})
    for (const char* tag : {"--yes", "../1", "a/../../x", "a b", ""}) refused(script, "tag", of(text("tag", tag)));
  for (const char* script : {"gist-view", "gist-delete"})
    for (const char* id : {"../repos/ann/project", "aa11/star", "-x", "", "aa%2F"})
      refused(script, "id", "{" + text("id", id) + "}");
  for (const char* name : {"..", ".", " "}) refused("label-delete", "name", of(text("name", name)));
  for (const char* path : {"../x", "a/../../b", "a//b", "a/./b", "", "/"})
    refused("api", "path", "{" + text("path", path) + "}");
  refused("run-view", "id", of(R"("id": "1/jobs")"));
  refused("run-list", "workflow", of(R"("workflow": "../x")"));
  refused("gist-create", "filename", R"({"filename": "../x", "content": "x"})");
  refused("gist-list", "limit", R"({"limit": 101})");
  refused("release-list", "page", of("\"page\": 0"));
  refused("search", "type", R"({"type": "users", "query": "x"})");
  refused("file", "path", of(text("path", "../x")));
  refused("pr-review", "body", of(R"("number": 4, "event": "comment")"));
  // One character more than the maximum.
  const std::string body = text("body", repeated(kEmoji, 65537)), title = text("title", repeated(kEmoji, 257));
  for (const char* script : {"issue-comment", "issue-edit", "pr-comment"})
    refused(script, "body", of("\"number\": 1, " + body));
  refused("pr-review", "body", of(R"("number": 4, "event": "comment", )" + body));
  refused("pr-merge", "body", of(R"("number": 4, "method": "merge", )" + body));
  refused("issue-create", "body", of("\"title\": \"x\", " + body));
  refused("issue-create", "title", of(title));
  refused("pr-create", "body", of(R"("title": "x", "head": "new", )" + body));
  refused("pr-create", "title", of("\"head\": \"new\", " + title));
  refused("release-create", "notes", of("\"tag\": \"x\", " + text("notes", repeated("x", 125001))));
  refused("label-create", "name", of(text("name", repeated("x", 51))));
  kGitHub.forget();
  all_of(Person(), cases, 2);
  CHECK(kGitHub.requests().empty());
}

TEST_CASE("texts of exactly GitHub's maximum arrive completely") {
  const Person ann;
  const std::string repository = R"("repository": "ann/many")", body = repeated(kEmoji, 65536);
  const auto of = [&](const std::string& members) {
    return "{" + repository + ", " + members + ", \"body\": \"" + body + "\"}";
  };
  all_of(
      ann,
      {{"issue-create", of(R"("title": ")" + repeated(kEmoji, 256) + "\""), "\"number\":251"},
       {"issue-comment", of("\"number\": 2"), "issuecomment"},
       {"issue-edit", of("\"number\": 3"), "\"number\":3"},
       {"pr-comment", of("\"number\": 122"), "issuecomment"},
       {"pr-review", of(R"("number": 123, "event": "comment")"), "123"},
       {"pr-merge", of(R"("number": 124, "method": "squash", "subject": ")" + repeated("x", 256) + "\""), "merged"},
       {"release-create", "{" + repository + R"(, "tag": "most", "notes": ")" + repeated(kEmoji, 125000) + "\"}",
        "most"},
       {"label-create",
        "{" + repository + R"(, "name": ")" + repeated("x", 50) + R"(", "description": ")" + repeated("y", 100) + "\"}",
        "yyy"}},
      0);
  CHECK_STATUS(ann.call("pr-create", R"({"repository": "ann/project", "title": ")" + repeated(kEmoji, 256) +
                                         R"(", "head": "main", "base": "conflicts", "body": ")" + body + "\"}"),
               0);
  CHECK(state("def big: (length == 65536) and (explode | all(. == 128512)); .repositories[\"ann/many\"] as $many"
              " | [.repositories[][\"pulls\"][] | .title | select(length == 256)] | length,"
              " ($many | .issues[\"251\"].title | length), ($many.releases[0].body | length), ($many.labels | "
              "has(\"x\" * 50)),"
              " ([$many.issues[\"251\"].body, $many.issues[\"2\"].comments[0].body, $many.issues[\"3\"].body,"
              "   $many.pulls[\"122\"].comments[0].body, $many.pulls[\"123\"].reviews[0].body, "
              "$many.pulls[\"124\"].mergeBody] | all(big))") == "1\n256\n125000\ntrue\ntrue");
}

TEST_CASE("a list is complete, or is marked as truncated") {
  const std::string many = R"({"repository": "ann/many", )", limit = "\"limit\": ";
  const std::string yes = "\"more\":true}", no = "\"more\":false}";
  all_of(Person(),
         {{"issue-list", many + R"("author": "bob", "limit": 119})", yes},
          {"issue-list", many + R"("author": "bob", "limit": 120})", no},
          {"issue-list", many + R"("search": "issue", "author": "bob", "limit": 999})", no},
          {"pr-list", many + R"("author": "bob", "limit": 105})", yes},
          {"pr-list", many + R"("author": "bob", "state": "all", "limit": 999})", no},
          {"label-list", many + R"("search": "label", "limit": 129})", yes},
          {"label-list", many + R"("search": "label", "limit": 130})", no},
          {"run-list", many + limit + "129}", yes},
          {"run-list", many + limit + "130}", no},
          {"release-list", many + limit + "100}", yes},
          {"release-list", many + limit + R"(100, "page": 2})", no},
          {"gist-list", R"({"limit": 10})", yes},
          {"search", R"({"type": "issues", "query": "issue repo:ann/many author:bob", "limit": 50, "page": 2})", yes},
          {"search", R"({"type": "issues", "query": "issue repo:ann/many author:bob", "limit": 50, "page": 3})", no},
          {"api", R"({"path": "repos/ann/many/labels", "query": {"per_page": 100}})", yes},
          {"issue-view", many + R"("number": 120, "comments": 129})", yes},
          {"issue-view", many + R"("number": 120, "comments": 130})", no},
          {"pr-view", many + R"("number": 250, "comments": 130})", R"("moreFiles":true)"},
          {"pr-checks", many + "\"number\": 250}", R"("pass":130)"},
          {"run-view", many + "\"id\": 1}", yes},
          {"pr-diff", many + R"("number": 121, "lines": 3})", R"("lines":6,"more":true})"}},
         0);
}

TEST_CASE("the stand-in for GitHub received no unknown request") { CHECK(violations() == ""); }
