// Runs a command like the view and band-init do, in short: with a root directory of the command floor and the machine's
// directories, as uid 65534, and in its Landlock domain.
#pragma once

#include <string>
#include <vector>

#include "server/floor/command_floor.h"
#include "server/landlock/landlock.h"

namespace band::test {

struct Ran {
  int status = -1;  // exit status; -1: it could not be started
  std::string output;
};

struct RoomOptions {
  bool landlock = true;  // false: the control
  landlock::Tcp tcp = landlock::Tcp::None;
  bool env = true;  // the program's own variables
  std::vector<std::string> more_env = {};
};

class CommandRoom {
 public:
  explicit CommandRoom(const floor::CommandFloor& floor);
  ~CommandRoom();
  CommandRoom(const CommandRoom&) = delete;
  CommandRoom& operator=(const CommandRoom&) = delete;

  // Runs the command in /tmp of the room, which outlives the command; /tmp/in is its standard input if it exists.
  Ran run(const std::string& command, const std::vector<std::string>& arguments, RoomOptions options = {}) const;
  std::string tmp() const { return place_ + ".tmp"; }  // path of the room's /tmp on the machine

 private:
  void enter() const;

  const floor::CommandFloor& floor_;
  std::string place_ = "/tmp/band-room-XXXXXX";
};

}  // namespace band::test
