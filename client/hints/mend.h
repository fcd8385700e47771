// Texts that state what the reader of a hint can do so that the next run is allowed an action: the flag of `band exec`,
// or the line of a BAND.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/answers/grounds.h"
#include "client/answers/question.h"
#include "client/hints/failure.h"

namespace band::client {

class Mend {
 public:
  explicit Mend(const Failure& failure);

  // Each function returns text that follows "; " in a hint: "add `--read src/`", "write in notes/BAND.md:  allow:
  // {read:
  // [\"./src/**\"]}", "ask your user to write in ...". If a deny rule refuses the action: the rule. Returns "" if the
  // rules already allow the action, and if nothing can allow it.
  std::string file(const std::string& path) const;       // reading a file of the workspace
  std::string directory(const std::string& path) const;  // reading all files below a directory; "" is the workspace
  std::string command(const std::vector<std::string>& argv) const;
  // A command of which only the name is known.
  std::string program(const std::string& name) const;
  std::string host(const std::string& name, std::uint16_t port) const;  // port 0: the usual ports
  // Passing variables of the caller's environment.
  std::string variables(const std::vector<std::string>& names) const;
  // "" or "ask your user to ", for texts that the caller composes.
  std::string_view asks() const;

 private:
  struct Rule {
    std::optional<Question> question;
    std::string flag;     // "--read src/"
    std::string pattern;  // in place of the pattern of the question: "./src/**"; "": the pattern of the question
    bool wider = false;   // the wider pattern of the question
  };
  std::string of(const Rule& rule) const;

  Reader reader_;
  std::optional<Grounds> grounds_;
};

}  // namespace band::client
