// The body of one request, passed on to the engine as it comes (server/http_link/input.h).
//
// Promises: at most one piece is held; nothing is read from the client while the engine takes none. It ends when the
// engine answers, whatever the client does, and when the client is gone, whatever the engine does. The end of the body
// is sent as such only when the body was whole.
#pragma once

#include <string>

#include "server/http/connection.h"

namespace band::http {

class InputRelay {
 public:
  // `engine`: the socket, which does not block.
  InputRelay(Connection& client, int engine) : client_(client), engine_(engine) {}

  // Answered: there is something to read from the engine. ClientGone; BadBody: the engine is not told of an end.
  enum class End { Answered, ClientGone, BadBody };
  End run();

 private:
  bool read_piece();  // false: the client broke off, or framed wrongly
  bool send_piece();  // false: the engine takes no more
  bool wait();        // false: the client is gone

  Connection& client_;
  const int engine_;
  std::string frame_;  // what the engine has not taken yet
  bool ended_ = false, answered_ = false;
};

}  // namespace band::http
