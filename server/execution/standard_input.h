// A script's standard input. The client sends the input on a second connection, separate from that of the request
// (server/http_link/input.h). The engine forwards the bytes to the pipe or terminal that the script reads. While the
// script does not read, the engine does not read from the connection.
#pragma once

#include <mutex>
#include <string>

#include "schemas/core/result.h"
#include "schemas/wire/terminal_input.h"
#include "server/base/fd.h"
#include "server/http_link/input.h"

namespace band::run {

// Passes the connection with the standard input from the engine's thread, which receives it, to the thread of the
// execution. Thread-safe.
class InputDoor {
 public:
  enum class Put { Taken, NotOpen, Occupied };
  // Returns Taken when the door accepted the connection; `socket` is then empty. Otherwise `socket` is unchanged, and
  // the result is NotOpen (the execution reads no standard input, or has ended) or Occupied (a connection was accepted
  // before).
  Put put(base::Fd& socket);

  // The thread of the execution calls the following functions.
  Status open();                              // from now on put() accepts one connection
  int event() const { return event_.get(); }  // readable after put() has accepted the connection
  base::Fd take();                            // returns the accepted connection; empty when there is none
  void close();  // from now on put() accepts no connection; take() still returns a connection that was accepted before

 private:
  mutable std::mutex mutex_;
  base::Fd event_, socket_;
  bool open_ = false, occupied_ = false;
};

class StandardInput {
 public:
  // `to`: the engine's end of the pipe or terminal, non-blocking. `door` must be open, and must outlive this object.
  // With Kind::Terminal the input consists of frames (schemas/wire/terminal_input.h) with keys or a new size of the
  // terminal, and at the end of the input the script receives the key ctrl-D.
  enum class Kind { Pipe, Terminal };
  StandardInput(InputDoor& door, base::Fd to, Kind kind = Kind::Pipe) : door_(door), to_(std::move(to)), kind_(kind) {}
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  // Closes the door. If there is a connection, sends an empty HTTP answer with status 200 on the connection.
  ~StandardInput();

  // Descriptors for poll(2); -1: do not poll. Poll incoming() for POLLIN. Poll outgoing() for POLLOUT while wants_out()
  // returns true, and always for errors.
  int incoming() const;
  int outgoing() const { return to_.get(); }
  bool wants_out() const { return !waiting_.empty(); }
  // Call on_incoming() when incoming() is readable. Returns an error when the input is malformed, and sends this error
  // as the answer on the connection (status 400 if the client sent the malformed input). Returns Code::Cancelled when
  // the connection closed before the end of the input, because the script must not treat the lost connection as the end
  // of the input.
  Status on_incoming();
  // Call on_outgoing() when poll(2) reports an event of outgoing(): writes waiting bytes. `reader_gone`: true if the
  // event was POLLERR, which means that no process has the script's end of the pipe open any more.
  void on_outgoing(bool reader_gone);

 private:
  Status take(std::string_view bytes);
  void end();  // closes `to_`; sends the answer now, or, if there is no connection yet, when the connection arrives

  InputDoor& door_;
  base::Fd to_, connection_;
  Kind kind_;
  http::InputReader reader_;
  TerminalInput frames_;
  std::string waiting_;  // bytes for the script; the connection is read only when `waiting_` is empty
  bool answered_ = false;
};

}  // namespace band::run
