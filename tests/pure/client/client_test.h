// Helpers for the tests of the client: a temporary directory, files in it, and rules.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::test {

namespace fs = std::filesystem;

class TempDir {
 public:
  TempDir() {
    std::string pattern = (fs::temp_directory_path() / "band-test-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  std::string path(const std::string& below = "") const { return below.empty() ? path_ : path_ + "/" + below; }
  void write(const std::string& below, const std::string& content, mode_t mode = 0644) const {
    fs::create_directories(fs::path(path(below)).parent_path());
    std::ofstream(path(below), std::ios::binary) << content;
    ::chmod(path(below).c_str(), mode);
  }
  void link(const std::string& target, const std::string& below) const {
    fs::create_directories(fs::path(path(below)).parent_path());
    fs::create_symlink(target, path(below));
  }
  std::string read(const std::string& below) const {
    std::ifstream file(path(below), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  bool has(const std::string& below) const {
    return fs::symlink_status(path(below)).type() != fs::file_type::not_found;
  }
  mode_t mode(const std::string& below) const {
    struct ::stat status = {};
    return ::stat(path(below).c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
  }
  // Returns all entries as sorted relative paths, to check that nothing was written.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(path_))
      names.push_back(fs::relative(entry.path(), path_).string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::string path_;
};

class EnvVar {
 public:
  EnvVar(const char* name, const std::string& value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    ::setenv(name, value.c_str(), 1);
  }
  ~EnvVar() {
    if (old_)
      ::setenv(name_, old_->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  EnvVar(const EnvVar&) = delete;
  EnvVar& operator=(const EnvVar&) = delete;

 private:
  const char* name_;
  std::optional<std::string> old_;
};

inline Domain domain(const std::vector<std::string>& allow, const std::vector<std::string>& deny = {}) {
  Domain made;
  made.opened.emplace_back();
  for (const std::string& pattern : allow) made.opened.back().push_back({pattern, "test/BAND.md:1"});
  for (const std::string& pattern : deny) made.deny.push_back({pattern, "test/BAND.md:2"});
  return made;
}

}  // namespace band::test
