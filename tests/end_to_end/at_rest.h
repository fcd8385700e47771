// Determines whether band-http has processed everything that it received.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/thread_state.h"

namespace band::test {

// The machine's TCP sockets for IPv4 (/proc/net/tcp).
struct TcpSocket {
  unsigned long own = 0, peer = 0;  // ports
  bool unacknowledged = false, unread = false;
  bool peer_has_ended = false;      // CLOSE_WAIT
  bool peer_takes_nothing = false;  // its window is closed; the kernel sends window probes
};

template <class Look>
void each_tcp_socket(Look look) {
  const auto number = [](const std::string& field) { return std::stoul(field, nullptr, 16); };
  const auto behind_colon = [](const std::string& field) { return field.substr(field.find(':') + 1); };
  std::ifstream sockets("/proc/self/net/tcp");
  std::string line;
  std::getline(sockets, line);  // the header line
  while (std::getline(sockets, line)) {
    std::string index, own, peer, state, queues, timer;
    std::istringstream(line) >> index >> own >> peer >> state >> queues >> timer;
    look(TcpSocket{number(behind_colon(own)), number(behind_colon(peer)), number(queues) > 0,
                   number(behind_colon(queues)) > 0, state == "08", timer.starts_with("04:")});
  }
}

// Returns true when no byte, connection or FIN waits at the port of band-http, and each thread of band-http sleeps.
// Bytes that wait for a client that does not read are ignored.
inline bool at_rest(pid_t http, std::uint16_t port) {
  bool waits = false;
  each_tcp_socket([&](const TcpSocket& one) {
    waits =
        waits || (one.own == port && (one.unread || one.peer_has_ended)) || (one.peer == port && one.unacknowledged);
  });
  std::error_code ended;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(http) + "/task", ended)) {
    const char state = thread_state(http, std::stoi(thread.path().filename()));
    if (state != '\0' && state != 'S') waits = true;
  }
  return !waits && !ended;
}

}  // namespace band::test
