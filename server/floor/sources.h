// The state of a file of the machine when it was read, to detect that it was changed or replaced.
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

// Returns size, device, inode, and ctime in nanoseconds, which no process can set to an earlier time. Returns "-" for a
// missing file, so that its creation changes the signature.
std::string signature_of(const std::string& path);
std::string signature_of(const struct stat& info);

// Returns true when all signatures are unchanged. Calls stat(2) for each, about one microsecond.
bool are_current(const std::vector<Source>& sources);

// SHA-256 over a list of parts, each preceded by its length, so that different lists have different input.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view part);
  std::string hex(int digits);  // call it once, after the last add()

 private:
  void* context_;
};

}  // namespace band::floor
