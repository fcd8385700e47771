// A directory for the floors of a test. The floors contain false(1) of the machine in place of band-shim,
// because tests of the floor do not run this program.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

#include "server/floor/floor.h"

namespace band::test {

class FloorPlace {
 public:
  explicit FloorPlace(const std::string& extra_ca = "") {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    config = {path_ + "/floor", "/usr/bin/false", 100'000, 1, 100'000, extra_ca};
  }
  ~FloorPlace() { std::filesystem::remove_all(path_); }
  FloorPlace(const FloorPlace&) = delete;
  FloorPlace& operator=(const FloorPlace&) = delete;

  const std::string& path() const { return path_; }

  floor::Config config;

 private:
  std::string path_ = "/tmp/band-floors-XXXXXX";
};

}  // namespace band::test
