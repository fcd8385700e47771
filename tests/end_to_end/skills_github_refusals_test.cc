// The messages of skills/github when GitHub refuses something, and the refusals of its bands for a changed script.
#include <ctime>

#include "tests/end_to_end/github_skill.h"

using namespace band::test;

TEST_CASE("a refusal by GitHub is a failure of the script with GitHub's message") {
  const std::string none = R"({"repository": "no/no"})", project = R"({"repository": "ann/project", )";
  const std::string no_repository = "Could not resolve to a Repository with the name 'no/no'",
                    not_yours = "Resource not accessible";
  all_of(Person(),
         {{"issue-list", R"({"repository": "ann/quiet"})", "has disabled issues"},
          {"issue-view", project + "\"number\": 404}",
           "Could not resolve to an issue or pull request with the number of 404."},
          {"pr-list", none, no_repository},
          {"pr-view", project + "\"number\": 404}", "Could not resolve to a PullRequest with the number of 404."},
          {"pr-diff", project + "\"number\": 404}", "could not find pull request diff: HTTP 404: Not Found"},
          {"pr-checks", project + "\"number\": 404}", "Could not resolve to a PullRequest"},
          {"pr-merge", project + R"("number": 6, "method": "squash"})", "the merge commit cannot be cleanly created"},
          {"pr-merge", project + R"("number": 4, "method": "squash", "headCommit": ")" + repeated("0", 40) + "\"}",
           "Head branch was modified. Review and try the merge again."},
          {"pr-create", project + R"("title": "x", "head": "nowhere"})", "No commits between main and nowhere"},
          {"release-list", none, "Not Found"},
          {"release-view", project + R"("tag": "v9"})", "release not found"},
          {"release-create", project + R"("tag": "v2"})", "Release.tag_name already exists"},
          {"release-create", project + R"("tag": "v9", "file": "missing.txt"})",
           "there is no file missing.txt in the workspace"},
          {"release-delete", project + R"("tag": "v9"})", "release not found"},
          {"label-list", none, no_repository},
          {"label-create", project + R"("name": "bug"})", "label with name \"bug\" already exists"},
          {"label-delete", project + R"("name": "none"})", "Not Found (HTTP 404)"},
          {"gist-view", R"({"id": "nope"})", "Not Found (HTTP 404)"},
          {"gist-delete", R"({"id": "nope"})", "Not Found (HTTP 404)"},
          {"repo-view", none, no_repository},
          {"run-list", none, "Not Found"},
          {"run-view", project + "\"id\": 99}", "Not Found"},
          {"search", R"({"type": "issues", "query": "x repo:no/no"})", "you do not have permission to view them"},
          {"api", R"({"path": "repos/no/no"})", "Not Found (HTTP 404)"},
          {"file", R"({"repository": "ann/none", "path": "README"})", "curl could not get"}},
         1);
  all_of(Person("token-of-bob"),
         {{"issue-create", project + R"("title": "x"})", not_yours},
          {"issue-comment", project + R"("number": 2, "body": "x"})", not_yours},
          {"issue-edit", project + R"("number": 2, "title": "x"})", not_yours},
          {"issue-close", project + "\"number\": 2}", not_yours},
          {"issue-reopen", project + "\"number\": 3}", not_yours},
          {"pr-review", project + R"("number": 4, "event": "comment", "body": "x"})", not_yours},
          {"pr-comment", project + R"("number": 4, "body": "x"})", not_yours},
          {"pr-close", project + "\"number\": 4}", not_yours}},
         1);
  all_of(Person("invalid token"),
         {{"gist-list", "{}", "Bad credentials"},
          {"gist-create", R"({"filename": "x", "content": "x"})", "Bad credentials"},
          {"pr-merge", project + R"("number": 4, "method": "squash"})", "Bad credentials"},
          {"issue-list", project + R"("state": "all"})", "GITHUB_TOKEN is wrong, or has expired"}},
         1);
  kGitHub.next(
      R"({"on": "POST /gists", "status": 404, "headers": {"X-Oauth-Scopes": "repo", "X-Accepted-Oauth-Scopes": "gist"},
                   "body": {"message": "Not Found"}})");
  all_of(Person(), {{"gist-create", R"({"filename": "x", "content": "x"})", "GITHUB_TOKEN needs the scope `gist`"}}, 1);
  kGitHub.next(R"({"on": "POST /graphql", "status": 502, "body": "<html>Bad Gateway</html>"})");
  all_of(Person(), {{"issue-list", project + R"("state": "all"})", "HTTP 502"}}, 1);
  CHECK(state("it.issues[\"2\"] | [.title, .state, .comments]") == R"(["An idea","OPEN",[]])");

  Person nobody;
  nobody.env.erase("GITHUB_TOKEN");
  CHECK_STATUS(nobody.call("issue-list", project + R"("state": "all"})"), 6);
  CHECK_STATUS(nobody.call("file", project + R"("path": "docs/read me?.md"})"), 0);
}

TEST_CASE("a rate limit is reported with the time to wait") {
  const Person ann;
  const std::string at = std::to_string(std::time(nullptr) + 500);
  const auto wait_of = [&](const std::string& script, const std::string& input) {
    const Ran ran = ann.call(script, input, {"--json"});
    CHECK_STATUS(ran, 1);
    CHECK_HAS(ran.out, "rate limit");
    const std::size_t found = ran.out.find("\"retryAfterMs\":");
    return found == std::string::npos ? 0 : std::stol(ran.out.substr(found + 15));
  };
  // gh does not print headers: the script queries GitHub for the time.
  kGitHub.next(R"({"on": "POST /graphql", "headers": {"X-RateLimit-Remaining": "0", "X-RateLimit-Resource": "graphql",
                   "X-RateLimit-Reset": ")" +
               at + R"("},
                   "body": {"errors": [{"type": "RATE_LIMITED", "message": "API rate limit exceeded for user ID 1."}]}})");
  const long primary = wait_of("issue-create", R"({"repository": "ann/project", "title": "x"})");
  CHECK(primary > 450'000);
  CHECK(primary <= 500'000);
  // A header that is printed.
  kGitHub.next(R"({"on": "GET /gists", "status": 403, "headers": {"Retry-After": "77"},
                   "body": {"message": "You have exceeded a secondary rate limit. Please wait."}})");
  CHECK(wait_of("gist-list", "{}") == 77'000);
  // Without any time: one minute, as GitHub's documentation recommends.
  kGitHub.next(R"({"on": "POST /graphql", "status": 403, "headers": {"Retry-After": "99"},
                   "body": {"message": "You have exceeded a secondary rate limit. Please wait."}})");
  CHECK(wait_of("pr-close", R"({"repository": "ann/project", "number": 4})") == 60'000);
}

TEST_CASE("a reading script of github cannot write, for any change of its source") {
  Person ann;
  ann.verb = "run";
  // The control: without a sandbox, gh performs the request.
  const Ran control = outside().shell(
      "export GITHUB_TOKEN=token-of-ann\n"
      "gh api --method=POST repos/ann/project/labels --raw-field=name=control --raw-field=color=000000 &&\n"
      "gh api --include --method=DELETE repos/ann/project/labels/control");
  CHECK_STATUS(control, 0);
  const std::string before = state("del(.exhausted)");
  const std::string of_repository = R"({"repository": "ann/project"})";
  std::vector<Case> cases = {{"gist-list", "{}", ""},
                             {"gist-view", R"({"id": "aa11"})", ""},
                             {"run-view", R"({"repository": "ann/project", "id": 501})", ""},
                             {"search", R"({"type": "repos", "query": "x"})", ""}};
  for (const char* script :
       {"issue-list", "pr-list", "release-list", "release-view", "label-list", "repo-view", "run-list"})
    cases.push_back({script, of_repository, ""});
  for (const char* script : {"issue-view", "pr-view", "pr-diff", "pr-checks"})
    cases.push_back({script, R"({"repository": "ann/project", "number": 4})", ""});
  for (Case& each : cases) {
    change_script(ann, "github", each.script,
                  "gh issue create --repo=ann/project --title=x --body-file=- < /dev/null\n"
                  "gh api --method=POST repos/ann/project/labels --raw-field=name=x --raw-field=color=000000\n"
                  "gh api --include --method=GET --method=DELETE gists/aa11\n"
                  "gh api --include --method=DELETE repos/ann/project/labels/bug\n"
                  "gh release delete --repo=ann/project --yes -- v2\nexit 1\n");
    each.wanted = "denied";
  }
  all_of(ann, cases, 3);
  change_script(ann, "github", "file", "gh gist delete aa11\nexit 1\n");
  all_of(ann, {{"file", R"({"repository": "ann/project", "path": "x"})", "gh: command not found"}}, 1);
  CHECK(state("del(.exhausted)") == before);
}

TEST_CASE("a script of github that deletes or merges can do only that, and must do it") {
  const Person ann;
  const std::string before = state("del(.exhausted)");
  const auto tries = [&](const std::string& script, const std::string& input, const std::string& source) {
    change_script(ann, "github", script, source + "\nexit 1\n");
    const Ran ran = ann.band({"run", "github/" + script, "--input", "-"}, input);
    CAPTURE(source);
    CHECK_STATUS(ran, 3);
    CHECK_HAS(ran.err, "denied");
  };
  tries("gist-delete", R"({"id": "aa11"})", "gh api --include --method=DELETE gists/../repos/ann/project");
  tries("label-delete", R"({"repository": "ann/project", "name": "bug"})",
        "gh api --include --method=DELETE repos/ann/project/labels/..");
  tries("label-delete", R"({"repository": "ann/project", "name": "bug"})",
        "gh api --include --method=DELETE repos/ann/project/labels/x/../../git/refs/heads/main");
  tries("pr-merge", R"({"repository": "ann/project", "number": 4, "method": "merge"})",
        "gh pr merge --repo=ann/project --merge --admin -- 4");
  tries("release-delete", R"({"repository": "ann/project", "tag": "v2"})", "gh repo delete --yes ann/project");
  CHECK(state("del(.exhausted)") == before);

  change_script(ann, "github", "issue-close",
                R"(echo '{"number": 2, "state": "closed", "changed": true}' > "$OUTPUT_PATH")");
  const Ran forged = ann.band({"run", "github/issue-close", "--repository", "ann/project", "--number", "2"});
  CHECK_STATUS(forged, 4);
  CHECK_HAS_NOT(forged.out, "closed");
}

TEST_CASE("github/api calls with GET, and with the methods that the user's configuration lists") {
  const Person ann;
  const std::string post =
      R"({"method": "POST", "path": "repos/ann/project/labels", "body": {"name": "posted", "color": "0000ff"}})";
  const std::string remove = R"({"method": "DELETE", "path": "repos/ann/project/labels/posted"})";
  kGitHub.forget();
  const Ran refused = ann.call("api", post);
  CHECK_STATUS(refused, 1);
  CHECK_HAS(refused.err, "POST is not among the methods");
  CHECK(kGitHub.requests().empty());
  const std::string file = ann.directory.path + "/config/skills/github.yaml";
  write_file(file, "github: {api: {methods: [GET, POST]}}\n");
  const Ran posted = ann.call("api", post);
  CHECK_STATUS(posted, 0);
  CHECK_HAS(posted.out, R"({"status":201,"body":{"name":"posted")");
  CHECK(state("it.labels.posted.color") == R"("0000ff")");
  CHECK_STATUS(ann.call("api", remove), 1);
  write_file(file, "github: {api: {methods: [\"*\"]}}\n");
  const Ran removed = ann.call("api", remove);
  CHECK_STATUS(removed, 0);
  CHECK_HAS(removed.out, R"({"status":204,"body":null,"more":false})");
  CHECK(state("it.labels.posted") == "null");
}

TEST_CASE("the token is in no command line, and in no output") {
  const Person ann;
  const Ran ran = ann.call("issue-create", R"({"repository": "ann/project", "title": "of token-of-ann"})", {"--json"});
  CHECK_STATUS(ran, 0);
  CHECK_HAS(ran.out, "\"issue\",\"create\"");
  CHECK_HAS_NOT(ran.out + ran.err, "token-of-ann");
}

TEST_CASE("the stand-in for GitHub received no unknown request") { CHECK(violations() == ""); }
