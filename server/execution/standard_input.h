// A script's standard input: forwards bytes from the connection that carries it (server/http_link/input.h) to the pipe
// or terminal that the script reads, with backpressure.
#pragma once

#include <mutex>
#include <string>

#include "schemas/core/result.h"
#include "schemas/wire/terminal_input.h"
#include "server/base/fd.h"
#include "server/http_link/input.h"

namespace band::run {

// Passes that connection from the engine to the execution. Thread-safe.
class InputDoor {
 public:
  enum class Put { Taken, NotOpen, Occupied };
  // Taken: `socket` was moved; otherwise it is unchanged. NotOpen: the execution reads no standard input, or has ended.
  Put put(base::Fd& socket);

  // For the execution.
  Status open();                              // from now on put() accepts one connection
  int event() const { return event_.get(); }  // readable after put() has accepted the connection
  base::Fd take();                            // the connection; empty when there is none
  void close();  // from now on put() accepts no connection; take() still returns one that was accepted

 private:
  mutable std::mutex mutex_;
  base::Fd event_, socket_;
  bool open_ = false, occupied_ = false;
};

class StandardInput {
 public:
  // `to`: the engine's end of the pipe or terminal, non-blocking. The door must be open. With Kind::Terminal the input
  // consists of frames (schemas/wire/terminal_input.h), and its EOF becomes the key ctrl-D.
  enum class Kind { Pipe, Terminal };
  StandardInput(InputDoor& door, base::Fd to, Kind kind = Kind::Pipe) : door_(door), to_(std::move(to)), kind_(kind) {}
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  // Answers the connection and closes the door.
  ~StandardInput();

  // For poll(2): POLLIN on incoming(); on outgoing() POLLOUT while bytes wait, and errors always. -1: do not poll.
  int incoming() const;
  int outgoing() const { return to_.get(); }
  bool wants_out() const { return !waiting_.empty(); }
  // Returns an error when the input is malformed, or when the connection closed before the end of the input
  // (Code::Cancelled): the script must not read this as EOF.
  Status on_incoming();
  void on_outgoing(bool reader_gone);

 private:
  Status take(std::string_view bytes);
  void end();  // closes the pipe, and answers the connection now, or when it arrives

  InputDoor& door_;
  base::Fd to_, connection_;
  Kind kind_;
  http::InputReader reader_;
  TerminalInput frames_;
  std::string waiting_;  // bytes for the script; the connection is read only when this is empty
  bool answered_ = false;
};

}  // namespace band::run
