// What a file of the machine was when it was looked at; enough to notice that it was changed or replaced.
#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>
#include <vector>

namespace band::floor {

struct Source {
  std::string path;
  std::string signature;
};

// Size, device, inode, and the time of the last change of content, mode, owner or links, in nanoseconds: nobody can
// set that one back. "-" for what is not there, so that its coming is noticed, too.
std::string signature_of(const std::string& path);
std::string signature_of(const struct stat& info);

// One stat(2) each, about a microsecond.
bool are_current(const std::vector<Source>& sources);

// SHA-256 over a list of parts, each behind its length, so that no two lists read alike.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view part);
  std::string hex(int digits);  // once, at the end

 private:
  void* context_;
};

}  // namespace band::floor
