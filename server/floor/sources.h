// The *sources* of a floor or program: the machine's files from which it was made. band stores a signature of each
// source. To detect that a file was changed or replaced, band computes the signature again and compares the two
// signatures.
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

// Returns size, ctime in nanoseconds, device and inode as text. (No process can set the ctime of a file to an earlier
// time.) For a link, the values are those of the file to which the link leads. Returns "-" for a missing file, so that
// the creation of the file changes the signature.
std::string signature_of(const std::string& path);
std::string signature_of(const struct stat& info);

// Returns true when all signatures are unchanged. Calls stat(2) for each source, which needs about one microsecond.
bool are_current(const std::vector<Source>& sources);

// SHA-256 over a list of parts. The length of each part is hashed before the part, so that different lists never give
// SHA-256 the same input.
class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void add(std::string_view part);
  std::string hex(int digits);  // the first `digits` (up to 64) hex digits; call it once, after the last add()

 private:
  void* context_;
};

}  // namespace band::floor
