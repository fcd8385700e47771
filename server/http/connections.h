// All connections, the token that each belongs to, and the memory of their bodies. docs/server.md has the rule for
// operators; fairness.h chooses which connection is closed when none is free.
//
// A connection is unauthenticated until a request with a valid token was read on it, and again after its last answer.
// Unauthenticated connections share a quarter of the places, tokens the rest. Bytes of bodies are charged when they
// arrive, never in advance.
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
  // `body_bytes`: limit of all bodies together.
  Connections(const Settings& settings, std::uint64_t body_bytes) : settings_(settings), free_bytes_(body_bytes) {}

  // Registers a new, unauthenticated connection. While no connection may be closed for it, waits for at most kNoticeUs.
  // Returns false when there is no free place.
  bool enter(Connection& connection);
  // The connection's thread calls this last.
  void leave(const Connection& connection);

  // Assigns the connection to the token of `request`, whose head was read on it. Returns a refusal when the token was
  // revoked or no place is free for it.
  std::optional<Refusal> claim(Connection& connection, const Admitted& request);
  // Marks the connection as unauthenticated after its last answer.
  void disown(const Connection& connection);
  // Call it when the tokens have changed: ends the connections of removed tokens, except those whose request is in the
  // engine; the engine ends these.
  void end_unknown();

  // Charges `bytes` received bytes of a body. Returns false when there is no memory for them, or when the connection
  // was ended.
  bool charge(const Connection& connection, std::uint64_t bytes);
  // Releases the memory charged for its body.
  void discharge(const Connection& connection);

 private:
  struct Held {
    Connection* connection = nullptr;
    std::string token;  // the token's hash; empty: unauthenticated
    std::uint64_t bytes = 0;
    bool spared = false;  // skipped in this search: it became busy and could not be ended
  };
  using Place = std::list<Held>::iterator;

  Place find(const Connection& connection);
  std::size_t strangers() const;
  std::size_t strangers_most() const;
  std::size_t tokens_most() const;
  std::size_t token_most() const;  // the limit per token
  std::size_t of_token(std::string_view hash) const;
  std::vector<Seat> seats() const;
  // Ends the connection that `choose` selects among seats(). Returns false when it selects none.
  template <class Choose>
  bool end_one(Choose choose, const Refusal& why);
  void take_back(Place place);

  const Settings& settings_;
  std::mutex mutex_;
  std::condition_variable left_;
  std::list<Held> held_;
  std::size_t threads_ = 0;  // threads of connections, including those of connections that were shut
  std::uint64_t free_bytes_;
};

Refusal busy(std::string why);

}  // namespace band::http
