#include "client/platform/process.h"

#include <doctest/doctest.h>

#include <filesystem>

using namespace band::client;

TEST_CASE("executable_path() opens this program") {
  CHECK(std::filesystem::canonical(executable_path()).filename() == "test_pure");
}
