// github/file, the example of a band with net: unchanged, and with a script that tries more. skills_github_test.cc
// tests the other scripts.
#include "tests/end_to_end/shipped_skill.h"
#include "tests/outside/outside.h"

using namespace band::test;

TEST_CASE("github/file reads from GitHub's host, and the ledger has the connection") {
  const Caller caller(networked_server());
  const Ran file =
      caller.band({"run", "github/file", "--repository", "ann/project", "--path", "docs/read me?.md", "--explain"});
  CHECK_STATUS(file, 0);
  CHECK_HAS(file.out, "{\"text\":\"Read me, says Ann.\\n\"}");
  CHECK_HAS(file.err, "net: raw.githubusercontent.com:443");
}

TEST_CASE("a token is sent to GitHub, and is neither in the ledger nor in a command line") {
  Caller caller(networked_server());
  const Words words = {"run", "github/file", "--repository", "ann/private", "--path", "README", "--explain", "--json"};
  const Ran without = caller.band(words);
  CHECK_STATUS(without, 1);
  CHECK_HAS(without.out, "GITHUB_TOKEN is set");
  caller.env["GITHUB_TOKEN"] = "token-of-ann";
  const Ran with = caller.band(words);
  CHECK_STATUS(with, 0);
  CHECK_HAS(with.out, "me, says Ann");
  CHECK_HAS_NOT(with.out + with.err, "token-of-ann");
  // The token is part of a line of curl's configuration.
  caller.env["GITHUB_TOKEN"] = "token-of-ann\"\noutput = \"kept";
  const Ran hostile = caller.band(words);
  CHECK_STATUS(hostile, 1);
  CHECK_HAS(hostile.out, "an invalid character");
}

TEST_CASE("a changed script of github reaches no gist and no other host, and fails because insist.net is not met") {
  const Caller caller(networked_server());
  change_script(caller, "github", "file",
                "for host in gist.githubusercontent.com evil.example.com; do\n"
                "  curl --config - <<< \"url = https://$host/ann/project/HEAD/docs\" && echo \"reached $host\"\ndone\n"
                "echo '{\"text\": \"forged\"}' > \"$OUTPUT_PATH\"\n");
  const Ran ran =
      caller.band({"run", "github/file", "--repository", "ann/project", "--path", "x", "--explain", "--verbose"});
  CHECK_STATUS(ran, 4);
  CHECK_HAS_NOT(ran.out, "forged");
  CHECK_HAS_NOT(ran.err, "reached");
  CHECK_HAS(ran.err, "net: gist.githubusercontent.com refused (deny.net \"gist.githubusercontent.com\"");
  CHECK_HAS(ran.err, "net: evil.example.com refused (not in allow.net)");
  CHECK_HAS(ran.err, "raw.githubusercontent.com");
}
