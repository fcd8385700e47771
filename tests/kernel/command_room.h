// Runs a command in a simple replacement of the command view: the root directory consists of the command floor and the
// machine's directories, the uid is 65534, and the Landlock domain is the domain of the command.
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
  bool env = true;  // with the program's own variables (floor::Command::env)
  std::vector<std::string> more_env = {};
};

class CommandRoom {
 public:
  explicit CommandRoom(const floor::CommandFloor& floor);
  ~CommandRoom();
  CommandRoom(const CommandRoom&) = delete;
  CommandRoom& operator=(const CommandRoom&) = delete;

  // Runs the command in /tmp of the room. Files in /tmp are kept until the room is destroyed. If /tmp/in exists, it is
  // the command's standard input.
  Ran run(const std::string& command, const std::vector<std::string>& arguments, RoomOptions options = {}) const;
  std::string tmp() const { return place_ + ".tmp"; }  // path of the room's /tmp on the machine

 private:
  void enter() const;

  const floor::CommandFloor& floor_;
  std::string place_ = "/tmp/band-room-XXXXXX";
};

}  // namespace band::test
