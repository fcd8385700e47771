#include "client/learn/evidence.h"

#include <doctest/doctest.h>

#include "client/learn/log_reading.h"
#include "schemas/core/json.h"

using namespace band;
using namespace band::client::learn;

TEST_CASE("values of the input are its scalars, with the property that names a file") {
  std::vector<std::string> told;
  for (const InputValue& value : values_of(Json{
           {"path", "a"}, {"n", 3}, {"on", true}, {"list", {"b", "c"}}, {"deep", {{"path", "d"}}}, {"no", nullptr}}))
    told.push_back(value.property + "=" + value.text + (value.is_text ? "" : " (number)"));
  CHECK(told == std::vector<std::string>{"path=a", "n=3 (number)", "list=b", "list=c", "=d"});
  Json many = Json::array();
  for (int i = 0; i < 5'000; ++i) many.push_back(i);
  CHECK(values_of(Json{{"many", many}}).size() == kMostValues);
}

TEST_CASE("a log's words are files, programs, variables and repositories that were missed") {
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
