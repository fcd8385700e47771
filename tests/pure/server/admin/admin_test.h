// Helpers of the tests of server/admin: a directory for each test, and functions that read it.
#pragma once

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "server/admin/paths.h"

namespace admin_test {

namespace fs = std::filesystem;
using namespace band::admin;

inline Paths paths_in(const std::string& root) {
  Paths paths;
  paths.config = root + "/etc/server.yaml";
  paths.tokens = root + "/etc/tokens";
  paths.state_dir = root + "/state";
  paths.run_dir = root + "/run";
  paths.log = root + "/log/server.log";
  paths.unit = root + "/band-server.service";
  paths.systemd = root + "/no-systemd";
  paths.program = own_program();
  return paths;
}

struct TempDir {
  std::string root;
  explicit TempDir(const std::string& parent = "/tmp") : root(parent + "/band-admin-test-XXXXXX") {
    REQUIRE(::mkdtemp(root.data()) != nullptr);
  }
  ~TempDir() {
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
};

inline void write(const std::string& path, const std::string& text, mode_t mode = 0600) {
  fs::create_directories(fs::path(path).parent_path());
  std::ofstream(path) << text;
  ::chmod(path.c_str(), mode);
}

inline std::string read(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

inline mode_t mode_of(const std::string& path) {
  struct stat info {};
  REQUIRE(::lstat(path.c_str(), &info) == 0);
  return info.st_mode & 07777;
}

struct Steps {
  std::vector<std::string> lines;
  Progress progress() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

// Runs `act` in a child process and returns its result, the exit status.
inline int in_child(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(act());
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace admin_test
