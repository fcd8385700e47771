// How much memory the files of a skill take in `band list`. Counted, allocation by allocation, by an operator new of
// this program's own.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "client/commands/commands.h"
#include "tests/pure/client/client_test.h"

namespace {

std::size_t held = 0, peak = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  held += ::malloc_usable_size(memory);
  peak = std::max(peak, held);
  return memory;
}
void operator delete(void* memory) noexcept {
  if (memory != nullptr) held -= ::malloc_usable_size(memory);
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }

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
    const std::size_t before = peak = held;
    CHECK(client::list_command(*line, terminal) == 0);
    CHECK(peak - before < 10 * kShared);  // 80 where each row keeps them
  }
}
