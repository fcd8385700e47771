// The memory that `band list` needs for the files of a skill.
#include <doctest/doctest.h>

#include "client/commands/commands.h"
#include "tests/counted_memory.h"
#include "tests/pure/client/client_test.h"

using namespace band;
using namespace band::test;

TEST_CASE("a list of scripts has the files of one script in memory at a time") {
  constexpr std::size_t kShared = 1u << 20;
  const TempDir dir;
  dir.write("s/BAND.md", "---\nband: s\n---\n");
  dir.write("s/assets/data", std::string(kShared, 'x'));
  dir.write("s/scripts/_lib/data", std::string(kShared, 'x'));
  for (int i = 0; i < 40; ++i)
    dir.write("s/scripts/s" + std::to_string(i) + "/run.sh", "echo '{}' > \"$OUTPUT_PATH\"\n");
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--json"}}) {
    std::vector<std::string> words = {"list", "s", "--skills", dir.path()};
    words.insert(words.end(), flags.begin(), flags.end());
    const auto line = client::parse_command_line(words);
    REQUIRE(line.ok());
    client::Terminal terminal;
    CHECK(peak_of([&] { CHECK(client::list_command(*line, terminal) == 0); }) <
          10 * kShared);  // 80 if each row kept them
  }
}
