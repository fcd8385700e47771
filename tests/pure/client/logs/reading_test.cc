#include "client/logs/reading.h"

#include <doctest/doctest.h>

using namespace band;
using namespace band::client;

TEST_CASE("missing files, programs, variables and repositories are found in a log") {
  std::vector<std::string> missed;
  for (const LogWord& word : missing_words("cat: data/x.csv: No such file or directory\nfine: y.csv\n"
                                           "FileNotFoundError: [Errno 2] No such file or directory: './z'\n"))
    if (word.text.find_first_of("./") != std::string::npos) missed.push_back(in_workspace(word.text, "/home/me"));
  CHECK(missed == std::vector<std::string>{"data/x.csv", "z"});
  CHECK(in_workspace("/home/me/a/b", "/home/me") == "a/b");
  CHECK(in_workspace("/work/a", "/home/me") == "a");
  CHECK(unset_variables("run.sh: line 3: TOKEN: unbound variable\nx\nrun.sh: line 3: TOKEN: unbound variable\n") ==
        std::vector<std::string>{"TOKEN"});
  CHECK(misses_repository("fatal: not a git repository (or any parent)"));
  CHECK(program_of({"gh", true}) == "gh");
  CHECK(program_of({"/usr/bin/gh", false}) == "gh");
  CHECK(program_of({"cat", true}).empty());
  CHECK(program_of({"notes.md", false}).empty());
}

TEST_CASE("a long stderr does not hide messages on stdout") {
  Answer answer;
  answer.stdout_log = "cat: data.csv: No such file or directory\n";
  answer.stderr_log = std::string(200'000, 'x');
  CHECK(missing_words(log_of(answer)).size() >= 2);
}
