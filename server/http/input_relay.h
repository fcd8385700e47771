// Passes an execution's standard input to the engine (server/http_link/input.h). The standard input is the body of a
// request and is passed on while it arrives.
//
// Promises: at most one piece of the body (kMaxPiece bytes) is in memory, and nothing is read from the client while the
// engine does not read. run() returns when the engine answers, even if the client continues to send. run() also returns
// when the client disconnects, even if the engine does not read. The engine receives the frame that states the end of
// the input only when the body was complete.
#pragma once

#include <string>

#include "server/http/connection.h"

namespace band::http {

class InputRelay {
 public:
  // `engine`: the reply socket to the engine; not owned.
  InputRelay(Connection& client, int engine) : client_(client), engine_(engine) {}

  // Answered: the engine has answered or closed the socket; read its answer from `engine`. ClientGone: the client
  // disconnected. BadBody: the client framed the body wrongly.
  enum class End { Answered, ClientGone, BadBody };
  End run();

 private:
  bool read_piece();  // false: the client disconnected or framed the body wrongly
  bool send_piece();  // false: the engine no longer reads
  bool wait();        // false: the client disconnected

  Connection& client_;
  const int engine_;
  std::string frame_;  // bytes not yet sent to the engine
  bool ended_ = false, answered_ = false;
};

}  // namespace band::http
