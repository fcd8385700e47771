// One connection of the script, from accept to close: finds the destination, checks destination and first bytes,
// connects to the server, and forwards data both ways. Reports refusals, failures and relayed bytes to the engine
// (event_reporter.h).
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "server/gateway/first_bytes.h"
#include "server/gateway/outward.h"
#include "server/gateway/server_bytes.h"
#include "server/gateway/services.h"

namespace band::gateway {

class RelaySession : public std::enable_shared_from_this<RelaySession> {
 public:
  // `client`: the accepted connection, on which the caller has set `buffers` (pump.h).
  RelaySession(Services& services, Socket client, Buffers buffers);

  awaitable<void> run();  // returns when the connection is closed
  // Reports to the engine that the connection has ended and how many bytes it carried. Does nothing if no server was
  // reached.
  void report_end();
  // Resets the connections to the client and to the server; run() then returns.
  void cut();
  // Returns the size, in bytes, of the kernel memory (including overhead) for data that the server has not
  // acknowledged.
  std::size_t unacknowledged() { return gateway::unacknowledged(server_); }
  // Returns true when the server has acknowledged all data of the client, including EOF.
  bool delivered() { return up_ended_ && unacknowledged() == 0; }
  // Call it only when delivered(). The exit of this process then does not reset the connection to the server.
  void end_in_order() { gateway::end_in_order(server_); }

 private:
  bool find_destination();
  bool judge();
  awaitable<bool> wait_for_pace();
  awaitable<void> relay(std::optional<FirstBytes> first);
  awaitable<bool> upwards(std::optional<FirstBytes> first);
  awaitable<bool> request_body(HttpBody body, std::string rest);
  awaitable<bool> handshake(std::string bytes);
  awaitable<bool> watch(std::string bytes);
  awaitable<bool> send_up(std::string_view bytes, Deadline deadline = kNoDeadline);
  awaitable<void> downwards();
  awaitable<void> acknowledged();
  bool count(std::uint64_t& way, std::uint64_t bytes);
  bool within_bytes();

  awaitable<void> refuse(Refusal refusal, const std::string& section = "", std::optional<Rule> rule = {});
  Event event(std::string text) const;

  Services& services_;
  Socket client_;
  Buffers buffers_;
  Socket server_;
  Destination destination_;
  NetVerdict verdict_;
  ServerBytes server_bytes_;
  std::string address_;
  Clock::time_point began_;
  std::uint64_t up_ = 0, down_ = 0;
  bool relayed_ = false, both_ways_ = false;
  bool up_ended_ = false;  // all data of the client, including EOF, was written to the server's socket
  asio::steady_timer down_ended_;
};

}  // namespace band::gateway
