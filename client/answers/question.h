// The questions of `band why`: a command line, a file to read or to write, a host to connect to. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schemas/core/result.h"
#include "schemas/rules/net_rules.h"

namespace band::client {

struct Question {
  enum class Kind { Command, Read, Write, Net };
  Kind kind = Kind::Command;
  std::vector<std::string> argv;  // Command
  std::string path;               // Read, Write: without leading `/` or `./`, as PathRules expects paths
  bool absolute = false;          // Read, Write: true for a path of the machine that runs the script; false for
                                  // a path of the workspace
  NetHost host;                   // Net
  std::uint16_t port = 443;

  bool is_path() const { return kind == Kind::Read || kind == Kind::Write; }
  const char* domain() const;        // "cli", "read", "write", "net"
  std::string written_path() const;  // "./notes/a.md", "/opt/data/x"; not escaped
  std::string text() const;          // "gh repo delete x", "read ./notes/a.md", "connect to a.example:443"; escaped
};

// Each of these functions converts arguments of `band why` to a question. Error (Code::Usage): an argument has a wrong
// form; the hint shows the correct form.
Result<Question> ask_command(std::vector<std::string> argv);
// "./notes/a.md" and "notes/a.md" are in the workspace; "/opt/data/x" is on the machine that runs the script.
Result<Question> ask_path(Question::Kind kind, const std::string& path);
// `host`: a name or an address, with or without a port ("a.example:8080"); the default port is 443.
Result<Question> ask_net(const std::string& host);

}  // namespace band::client
