// Limits the number of connections and the memory for the bodies of their requests. docs/server.md describes both
// limits for operators. Each connection occupies one place; there are Config::connections places. When no place or no
// memory is free, fairness.h chooses a connection to close.
//
// A connection is unauthenticated until a request with a valid token was read on it; then it belongs to that token.
// After the last answer on a connection (see linger()), the connection is unauthenticated again. Unauthenticated
// connections share a quarter of the places; the connections of tokens share the rest. If there are several tokens, one
// token can have at most about seven eighths of this rest. Bytes of a body are charged to the memory limit when they
// arrive, not when the client announces them. Thread-safe.
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
  // `body_bytes`: memory limit of all bodies together.
  Connections(const Settings& settings, std::uint64_t body_bytes) : settings_(settings), free_bytes_(body_bytes) {}

  // Registers a new connection as unauthenticated; it must exist until leave(). When no place is free, closes another
  // unauthenticated connection if fairness.h allows it; otherwise waits for a place, for at most 200 ms (kNoticeUs).
  // Returns false when the connection got no place; leave() must not be called then.
  bool enter(Connection& connection);
  // Removes the connection. The connection's thread calls leave() as its last step.
  void leave(const Connection& connection);

  // Assigns the connection to the token of `request`, the request that was read on this connection. Returns nullopt on
  // success. Returns a refusal when the token was revoked or no place is free for the token.
  std::optional<Refusal> claim(Connection& connection, const Admitted& request);
  // Call it after the last answer: marks the connection as unauthenticated and calls discharge().
  void disown(const Connection& connection);
  // Call it when the tokens have changed: ends the connections of removed tokens. It does not end a connection whose
  // request was sent to the engine: the engine ends that request.
  void end_unknown();

  // Charges `bytes` bytes, which were received as part of a body, to the connection. When too little memory is free,
  // ends connections of other tokens as fairness.h allows. Returns false when too little memory is free afterwards, or
  // when `connection` was ended.
  bool charge(const Connection& connection, std::uint64_t bytes);
  // Releases the memory that is charged to the connection.
  void discharge(const Connection& connection);

 private:
  struct Held {
    Connection* connection = nullptr;
    std::string token;  // the token's hash; empty: unauthenticated
    std::uint64_t bytes = 0;
    bool spared = false;  // skipped in the current search, because end() has failed: the connection became busy
  };
  using Place = std::list<Held>::iterator;

  Place find(const Connection& connection);
  // The number of unauthenticated connections, and the limits: for all of them, for the connections of all
  // tokens together, and for the connections of one token.
  std::size_t unauthenticated() const;
  std::size_t unauthenticated_most() const;
  std::size_t tokens_most() const;
  std::size_t token_most() const;
  std::size_t of_token(std::string_view hash) const;  // number of the token's connections
  std::vector<Seat> seats() const;
  // Ends the connection that `choose` selects among seats(). Returns false when `choose` selects none.
  template <class Choose>
  bool end_one(Choose choose, const Refusal& why);
  void take_back(Place place);  // frees the memory that is charged to the connection

  const Settings& settings_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::list<Held> held_;
  std::size_t threads_ = 0;  // threads of connections, including connections that were shut and removed from held_
  std::uint64_t free_bytes_;
};

Refusal busy(std::string why);  // 503

}  // namespace band::http
