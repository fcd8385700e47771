// Tells the engine what happens, one line an event. Evidence that cannot be told ends the process, and with it the
// execution: nothing goes out unseen.
//
// A script makes connections by the hundred thousand, and each event costs the engine. So refusals and failures that
// repeat are told once, and counted; how often is told at the end. Connections that carried data are told one by one
// until they are many, and then added up for each host and port. The tables are bounded: what comes when one is full is
// counted together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "server/gateway/asio.h"
#include "server/gateway_link/event.h"

namespace band::gateway {

class Teller {
 public:
  // `events`: a stream socket, blocking or not, of somebody else's.
  explicit Teller(int events) : events_(events), began_(Clock::now()) {}

  void ready(int pidfd);  // the first event; goes with a descriptor
  // Each sets the kind. Of these three `text` decides whether it is the same.
  void refused(Event event);
  void name_refused(Event event);
  void failed(Event event);
  void carries(Event event);  // a connection's data has gone both ways
  void ended(Event event);    // a connection that was relayed
  void finish();              // what was counted, and the last event

  double ms_since_start() const;

 private:
  // By text: so many times, beyond what was told; bytes together.
  struct Table {
    const char* others_text;
    std::map<std::string, Event, std::less<>> counted = {};
    Event others = none();

    void count(Event event, std::uint64_t first);  // `first`: what one that is new counts
    static Event none() {
      Event event;
      event.count = 0;
      return event;
    }
  };
  void tell(const Event& event);
  void tell_once(Table& table, Event event);
  void refused(Table& table, Event event);

  int events_;
  Clock::time_point began_;
  // Apart, so that names, of which a script makes up any number, leave room for what else is refused.
  Table names_refused_{"further names refused"}, refused_{"further connections refused"};
  Table failed_{"further connections failed"};
  Table both_ways_{"further connections"}, only_up_{"further connections"}, only_down_{"further connections"};
  std::set<std::pair<std::string, std::uint16_t>> reached_;
  int opened_ = 0, ended_ = 0;
};

}  // namespace band::gateway
