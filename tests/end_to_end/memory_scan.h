// Searches the memory of a process for a secret.
#pragma once

#include <fcntl.h>
#include <sys/random.h>

#include <sstream>

#include "tests/end_to_end/server_fixture.h"

namespace band::test {

// 32 random characters, including some that JSON escapes, so that both forms have no long common part.
inline std::string random_secret(std::size_t size = 32) {
  std::string bytes(size, '\0');
  REQUIRE(::getrandom(bytes.data(), size, 0) == static_cast<ssize_t>(size));
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = i % 8 == 7 ? "\"\\"[i / 8 % 2] : "0123456789abcdefghijklmnopqrstuv"[bytes[i] & 31];
  return bytes;
}

inline int count(std::string_view text, const std::string& part) {
  int found = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Counts `parts` in the memory from `from` to `to` of the process whose memory file is `mem`.
inline int copies_between(int mem, std::uint64_t from, std::uint64_t to, const std::vector<std::string>& parts) {
  constexpr std::size_t kStep = 1 << 20, kOverlap = 128;
  std::string bytes(kStep + kOverlap, '\0');
  int found = 0;
  for (; from < to; from += kStep) {
    const ssize_t n =
        ::pread(mem, bytes.data(), std::min<std::uint64_t>(bytes.size(), to - from), static_cast<off_t>(from));
    for (const std::string& part : parts)
      if (n > 0) found += count(std::string_view(bytes).substr(0, static_cast<std::size_t>(n)), part);
  }
  return found;
}

inline int copies_in(pid_t pid, const std::vector<std::string>& parts) {
  // A sanitizer's shadow: terabytes, and a bit for a byte of what is scanned elsewhere.
  constexpr std::uint64_t kShadow = std::uint64_t{1} << 36;
  const std::string process = "/proc/" + std::to_string(pid);
  const int mem = ::open((process + "/mem").c_str(), O_RDONLY | O_CLOEXEC);
  REQUIRE(mem >= 0);
  std::istringstream maps(read_file(process + "/maps"));
  int found = 0, regions = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t from = 0, to = 0;
    char rights[5] = "";
    REQUIRE(std::sscanf(line.c_str(), "%lx-%lx %4s", &from, &to, rights) == 3);
    if (rights[0] != 'r' || contains(line, "[v") || to - from > kShadow) continue;  // [vvar], [vsyscall]
    found += copies_between(mem, from, to, parts);
    ++regions;
  }
  ::close(mem);
  REQUIRE(regions > 3);  // band-init is linked statically, and has few
  return found;
}

}  // namespace band::test
