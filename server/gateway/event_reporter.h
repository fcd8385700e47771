// Reports the events of one execution (server/gateway_link/event.h: refusals, failures and relayed connections) to the
// engine. When an event cannot be sent, the process exits, and the engine then ends the execution. So no connection
// of a successful execution carries data without a record. Each message wakes the engine. Therefore ends of
// connections, and connections to a host and port of which one was reported before, are sent together, some
// milliseconds later.
//
// A script can make hundreds of thousands of connections, and the engine processes each event. Therefore a refusal or
// failure that repeats is reported when it first occurs, and the number of its repetitions is reported at the end of
// the execution. Up to a limit, connections that carried data are reported one by one; the bytes of further connections
// are summed for each host and port. The tables of repetitions and sums are bounded: when a table is full, all further
// entries are counted together.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "server/gateway/asio.h"
#include "server/gateway_link/event.h"

namespace band::gateway {

class EventReporter {
 public:
  EventReporter(const EventReporter&) = delete;  // a handler of `later_` has its address
  EventReporter& operator=(const EventReporter&) = delete;
  // `events`: a stream socket, blocking or not; not owned.
  EventReporter(asio::io_context& loop, int events) : events_(events), began_(Clock::now()), later_(loop) {}

  void ready(int pidfd);  // sends the event Ready, with a pidfd of this process
  // refused(), name_refused(), failed(), carries() and ended() set the event's kind. refused(), name_refused() and
  // failed() treat an event as a repetition when an earlier event had the same `text`.
  void refused(Event event);       // a connection, data on a connection, or a packet was refused
  void name_refused(Event event);  // the lookup of a name was refused
  void failed(Event event);        // an allowed connection failed
  void carries(Event event);       // a connection has carried data both ways
  void ended(Event event);         // a relayed connection has ended
  void finish();                   // sends the counts and the last event

  double ms_since_start() const;

 private:
  // Counts the events that were not reported. `counted` maps each text to one event, which has the number of the
  // unreported events with this text and the sum of their bytes. `others` has the number and the sum for all texts for
  // which `counted` has no space.
  struct Table {
    const char* others_text;
    std::map<std::string, Event, std::less<>> counted = {};
    Event others = none();

    void count(Event event, std::uint64_t first);  // `first`: the count of a new entry
    static Event none() {
      Event event;
      event.count = 0;
      return event;
    }
  };
  void report(const Event& event);        // sends the event, and all events that wait
  void report_later(const Event& event);  // at most kLater later
  void flush();
  void report_once(Table& table, Event event);
  void refused(Table& table, Event event);

  int events_;
  Clock::time_point began_;
  std::string waiting_;  // the encoded events of report_later()
  asio::steady_timer later_;
  bool armed_ = false;  // later_ has a handler that has not run yet
  // Refused names have a table of their own: a script can make up any number of names, and these names must not use up
  // the space for other refusals.
  Table names_refused_{"further names refused"}, refused_{"further connections refused"};
  Table failed_{"further connections failed"};
  Table both_ways_{"further connections"}, only_up_{"further connections"}, only_down_{"further connections"};
  std::set<std::pair<std::string, std::uint16_t>> reached_;
  int opened_ = 0, ended_ = 0;
};

}  // namespace band::gateway
