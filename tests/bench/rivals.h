// Other sandboxes, if they are installed.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace band::bench {

inline std::optional<std::string> in_path(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const std::size_t end = rest.find(':');
    const std::string whole = std::string(rest.substr(0, end)) + "/" + name;
    if (::access(whole.c_str(), X_OK) == 0) return whole;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
  return std::nullopt;
}

struct Rival {
  const char* name;
  std::vector<std::string> argv;
};

// Each sandbox runs the command of bare_bwrap() (bare.h), with the sandbox's own default restrictions.
inline std::vector<Rival> rivals() {
  std::vector<Rival> found;
  if (const auto firejail = in_path("firejail"))
    found.push_back({"firejail",
                     {*firejail, "--quiet", "--noprofile", "--private-tmp", "--net=none", "/usr/bin/bash", "-c",
                      "echo {} > /tmp/out"}});
  if (const auto srt = in_path("srt")) found.push_back({"srt", {*srt, "-c", "echo {} > /dev/null"}});
  return found;
}

}  // namespace band::bench
