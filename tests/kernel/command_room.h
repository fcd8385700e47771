// A command floor as a command sees it: a root of its own with the floor and the machine's directories, the uid of
// nobody, and its Landlock domain. What the view and band-init do for a command, in short.
#pragma once

#include <string>
#include <vector>

#include "server/floor/command_floor.h"
#include "server/landlock/landlock.h"

namespace band::test {

struct Ran {
  int status = -1;  // -1: it could not be started
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

  // In /tmp of the room, which outlives the command; /tmp/in is its standard input when it is there.
  Ran run(const std::string& command, const std::vector<std::string>& arguments, RoomOptions options = {}) const;
  std::string tmp() const { return place_ + ".tmp"; }  // of the room, on the machine

 private:
  void enter() const;

  const floor::CommandFloor& floor_;
  std::string place_ = "/tmp/band-room-XXXXXX";
};

}  // namespace band::test
