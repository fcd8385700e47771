// The state of a thread, for tests that wait until a thread sleeps.
#pragma once

#include <sys/types.h>

#include <fstream>
#include <string>

namespace band::test {

// Returns the state in proc_pid_stat(5): 'S' for a thread that sleeps, 'R' for one that runs or waits for a processor.
// Returns 0 when the thread has exited.
inline char thread_state(pid_t process, pid_t thread) {
  std::ifstream file("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(") ");
  return name_end == std::string::npos ? '\0' : stat[name_end + 2];
}

}  // namespace band::test
