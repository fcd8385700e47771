// Runs an act in a child process and kills it with SIGKILL at the n-th stop of its system calls (ptrace(2); each call
// has two stops, before and after).
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace band::test {

// A completed system call that syncs a file, or that makes, renames or removes a name.
struct FileCall {
  enum class What { Sync, Name, Unname, MakeDirectory } what;
  std::string path;  // the path that was synced, removed or made; for Name: the new name
  std::string from;  // for Name: the old name
  long stop;
};

struct Traced {
  bool finished = false;  // the act completed and returned true
  long stops = 0;
  std::vector<FileCall> calls;  // recorded only with kNever
};

constexpr long kNever = 0;
// Runs `act` and kills it at the stop with this number, counted from 1. kNever: runs `act` until it returns.
Traced killed_at(long stop, const std::function<bool()>& act);

}  // namespace band::test
