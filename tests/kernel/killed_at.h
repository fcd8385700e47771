// A program that dies in the middle: an act in a child, killed by SIGKILL at the n-th stop of its system calls
// (ptrace(2); each call has two stops, before and after).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace band::test {

// A system call that had come to its end, of those that make a file durable or give it its name.
struct FileCall {
  enum class What { Sync, Name, Unname, MakeDirectory } what;
  std::string path;  // what was synced, removed or made; of Name: the new name
  std::string from;  // of Name: the old one
  long stop;
};

struct Traced {
  bool finished = false;  // the act came to its end and returned true
  long stops = 0;
  std::vector<FileCall> calls;  // of an act that was not killed
};

constexpr long kNever = 0;
Traced killed_at(long stop, const std::function<bool()>& act);

}  // namespace band::test
