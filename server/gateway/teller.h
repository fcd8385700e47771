// Tells the engine what happens, one line an event. Evidence that cannot be told ends the process, and with it the
// execution: nothing goes out unseen.
//
// Refusals that repeat are told once, and counted; how often is told at the end. The table is bounded: what comes when
// it is full is counted together.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "server/gateway/asio.h"
#include "server/gateway/event.h"

namespace band::gateway {

class Teller {
 public:
  // `events`: a stream socket, blocking or not, of somebody else's.
  explicit Teller(int events) : events_(events), began_(Clock::now()) {}

  void ready(int pidfd);  // the first event; goes with a descriptor
  void tell(const Event& event);
  void refused(Event event);  // `text` decides whether it is the same
  void finish();              // what was counted

  double ms_since_start() const;

 private:
  struct Seen {
    Event event;
    std::uint64_t untold = 0;
  };
  int events_;
  Clock::time_point began_;
  std::map<std::string, Seen, std::less<>> refused_;
  std::uint64_t others_ = 0;
};

}  // namespace band::gateway
