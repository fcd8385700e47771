#include "client/terminal/verbs.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace band::client;

TEST_CASE("each flag of a verb is in the table, and each of the table belongs to a verb") {
  for (const VerbInfo& verb : verbs())
    for (const std::string_view flag : verb.flags) CHECK_MESSAGE(find_flag(&verb, flag) != nullptr, flag);
  for (const FlagInfo& flag : flags()) {
    const bool of_all = flag.name == "help" || flag.name == "version";
    const auto has = [&](const VerbInfo& verb) {
      return std::find(verb.flags.begin(), verb.flags.end(), flag.name) != verb.flags.end();
    };
    CHECK_MESSAGE(std::any_of(verbs().begin(), verbs().end(), has) != of_all, flag.name);
  }
}

TEST_CASE("flags of band run that another verb lacks are found in a text, and flags of other commands are not") {
  using Flags = std::vector<std::string>;
  CHECK(lacking_flags("call", "write it to a file for --env-file, or choose with --target") ==
        Flags{"--env-file", "--target"});
  CHECK(lacking_flags("call", "`sudo band setup --target local` sets up a server").empty());
  CHECK(lacking_flags("call", "band login --target x; or --workspace") == Flags{});  // after another command: ignored
  CHECK(lacking_flags("call", "band run --target x") == Flags{"--target"});
  CHECK(lacking_flags("call", "--workspaces and --explain").empty());
  CHECK(lacking_flags("run", "--env-file").empty());
  CHECK(lacking_flags("call", "").empty());
}
