// A script's standard input: from the connection that brings it (server/http_link/input.h) into the pipe that the
// script reads, no faster than it reads.
#pragma once

#include <mutex>
#include <string>

#include "schemas/core/result.h"
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
  // `pipe`: its writing end, non-blocking. Opens the door.
  static Result<StandardInput> open(InputDoor& door, base::Fd pipe);
  StandardInput(StandardInput&&) = default;
  StandardInput& operator=(StandardInput&&) = default;
  // The connection is answered: nobody reads it any more.
  ~StandardInput();

  // For poll(2): POLLIN on one, POLLOUT on the other; -1: not waited for.
  int incoming() const;
  int outgoing() const { return waiting_.empty() ? -1 : pipe_.get(); }
  // Error (Code::Cancelled): it broke off before its end, which the script must not take for the end.
  Status on_incoming();
  void on_outgoing();

 private:
  StandardInput(InputDoor& door, base::Fd pipe) : door_(&door), pipe_(std::move(pipe)) {}
  void answer();  // and the pipe's end, when everything is in it

  InputDoor* door_;
  base::Fd pipe_, connection_;
  http::InputReader reader_;
  std::string waiting_;  // for the pipe; nothing is read before it is empty
};

}  // namespace band::run
