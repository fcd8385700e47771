// A script's standard input: from the connection that brings it (server/http_link/input.h) into the pipe or the
// terminal that the script reads, no faster than it reads.
#pragma once

#include <mutex>
#include <string>

#include "schemas/core/result.h"
#include "schemas/wire/terminal_input.h"
#include "server/base/fd.h"
#include "server/http_link/input.h"

namespace band::run {

// Where the engine leaves that connection, on any thread.
class InputDoor {
 public:
  enum class Put { Taken, NotOpen, Occupied };
  // Taken: `socket` is the execution's now, else it is untouched. NotOpen: it reads no standard input, or has ended.
  Put put(base::Fd& socket);

  // For the execution.
  Status open();                              // from now on one connection is taken
  int event() const { return event_.get(); }  // readable when it is there
  base::Fd take();
  void close();  // no connection is taken from now on; one that lies here can still be had

 private:
  mutable std::mutex mutex_;
  base::Fd event_, socket_;
  bool open_ = false, occupied_ = false;
};

class StandardInput {
 public:
  // `to`: our end of the pipe or terminal, non-blocking. The door is open. Of a Terminal the input is frames
  // (schemas/wire/terminal_input.h), and its end is the key ctrl-D.
  enum class Kind { Pipe, Terminal };
  StandardInput(InputDoor& door, base::Fd to, Kind kind = Kind::Pipe) : door_(door), to_(std::move(to)), kind_(kind) {}
  StandardInput(const StandardInput&) = delete;
  StandardInput& operator=(const StandardInput&) = delete;
  // The connection is answered: nobody reads it any more.
  ~StandardInput();

  // For poll(2): POLLIN on one; on the other POLLOUT while bytes wait, and errors always. -1: not waited for.
  int incoming() const;
  int outgoing() const { return to_.get(); }
  bool wants_out() const { return !waiting_.empty(); }
  // Error: it broke off before its end, which the script must not take for the end (Code::Cancelled), or is malformed.
  Status on_incoming();
  void on_outgoing(bool reader_gone);

 private:
  Status take(std::string_view bytes);
  void end();  // the pipe's end; and the answer, to a connection that is there or comes later

  InputDoor& door_;
  base::Fd to_, connection_;
  Kind kind_;
  http::InputReader reader_;
  TerminalInput frames_;
  std::string waiting_;  // for the script; nothing is read before it is empty
  bool answered_ = false;
};

}  // namespace band::run
