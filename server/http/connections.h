// All connections, whose they are, and the memory that their bodies take. docs/server.md has the rule for operators,
// fairness.h who makes room.
//
// A connection is a stranger's until a request with a valid token was read on it, and again from its last answer on.
// Strangers share a quarter of the places, tokens the rest. Bytes of bodies are charged as they come, never ahead.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "server/http/admission.h"
#include "server/http/config.h"
#include "server/http/connection.h"
#include "server/http/fairness.h"

namespace band::http {

class Connections {
 public:
  // `body_bytes`: for all bodies together.
  Connections(const Settings& settings, std::uint64_t body_bytes) : settings_(settings), free_bytes_(body_bytes) {}

  // A new one, a stranger's. Waits while nobody can make room yet, for as long as newcomers are spared. False: no
  // place.
  bool enter(Connection& connection);
  // Its thread's last act with it.
  void leave(const Connection& connection);

  // A head with this token was read on it. The refusal, when the token has been revoked or there is no place for it.
  std::optional<Refusal> claim(Connection& connection, const Admitted& request);
  // Its last answer has been sent: it is a stranger's again.
  void disown(const Connection& connection);
  // The tokens have changed: ends the connections of those that are gone, but not those whose request the engine has;
  // the engine ends these.
  void end_unknown();

  // So many bytes more of the body that comes on it. False: there is no memory for it, or it has been ended.
  bool charge(const Connection& connection, std::uint64_t bytes);
  // Its body is in nobody's memory any more.
  void discharge(const Connection& connection);

 private:
  struct Held {
    Connection* connection = nullptr;
    std::string token;  // its hash
    std::uint64_t bytes = 0;
    bool spared = false;  // it could not be ended: it was busy by then
  };
  using Place = std::list<Held>::iterator;

  Place find(const Connection& connection);
  std::size_t strangers() const;
  std::size_t strangers_most() const;
  std::size_t tokens_most() const;
  std::size_t token_most() const;  // of one token
  std::size_t of_token(std::string_view hash) const;
  std::vector<Seat> seats() const;
  // Ends the one that `choose` chooses of seats(). False: nobody can be ended.
  template <class Choose>
  bool end_one(Choose choose, const Refusal& why);
  void take_back(Place place);

  const Settings& settings_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::list<Held> held_;
  std::size_t threads_ = 0;  // of connections; those that were shut leave in a moment
  std::uint64_t free_bytes_;
};

Refusal busy(std::string why);

}  // namespace band::http
