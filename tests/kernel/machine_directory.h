// A directory of the machine for a test. Every user can read it, and only root can write to it and to its parent
// directories. (A directory below /tmp does not have these properties.)
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace band::test {

class MachineDirectory {
 public:
  MachineDirectory() {
    REQUIRE(::mkdtemp(path_.data()) != nullptr);
    REQUIRE(::chmod(path_.c_str(), 0755) == 0);
  }
  ~MachineDirectory() { std::filesystem::remove_all(path_); }
  MachineDirectory(const MachineDirectory&) = delete;
  MachineDirectory& operator=(const MachineDirectory&) = delete;

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  std::string make(const std::string& name, const std::string& text, mode_t mode = 0755) const {
    std::string path = *this / name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    REQUIRE(::chmod(path.c_str(), mode) == 0);
    return path;
  }
  std::string copy(const std::string& name, const std::string& from) const {
    std::filesystem::create_directories(std::filesystem::path(*this / name).parent_path());
    REQUIRE(std::filesystem::copy_file(from, *this / name));
    return *this / name;
  }
  void link(const std::string& name, const std::string& target) const {
    REQUIRE(::symlink(target.c_str(), (*this / name).c_str()) == 0);
  }

 private:
  std::string path_ = "/opt/band-test-XXXXXX";
};

}  // namespace band::test
