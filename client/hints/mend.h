// Texts that state what the reader of a hint can do so that the next run is allowed an action: the flag of `band exec`,
// or the line of a BAND.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/answers/grounds.h"
#include "client/answers/judgement.h"
#include "client/answers/question.h"
#include "client/answers/remedy.h"
#include "client/hints/failure.h"

namespace band::client {

class Mend {
 public:
  explicit Mend(const Failure& failure);

  static std::string read_flag(const std::string& path);  // "--read a/b", quoted for a shell; one line

  // Completes texts that have results of the functions below, in the order in which they are printed. Two texts of a
  // run can propose the same new key of a file, which may have it only once: the later text then has the patterns of
  // both. Call it for every text of the run.
  void render(std::vector<std::string>& texts);

  // Each function returns a text that follows "; " in a hint. For `band exec`: add `--read src/`. For a skill, once it
  // is rendered: write in notes/BAND.md:  allow: {read: ["./src/**"]}. For an agent: the same after "ask your user to".
  // If a deny rule refuses the action, the text names this rule. Returns "" if the rules already allow the action, and
  // if nothing can allow it.

  // Reading a file of the workspace. `property`: the property of the input that names the file, for the rule `{path}`,
  // which allows the file that the property names; "": a rule for this file.
  std::string file(const std::string& path, const std::string& property = "") const;
  std::string directory(const std::string& path) const;  // reading all files below it; "" is the workspace
  // Writing a file of the workspace, or all files below a directory. For a skill, the line for a file also allows
  // reading it, because band replaces a file only if it was sent: the second run would fail. The line for a directory
  // does not: the script has chosen the directory, whose other files would be sent.
  std::string written_file(const std::string& path, const std::string& property = "") const;
  std::string written_directory(const std::string& path) const;
  std::string command(const std::vector<std::string>& argv) const;
  std::string program(const std::string& name) const;                   // with any arguments
  std::string host(const std::string& name, std::uint16_t port) const;  // port 0: the usual ports
  // Passing variables of the caller's environment. `optional`: the script has a default for them.
  std::string variables(const std::vector<std::string>& names, bool optional = false) const;
  std::string script(const std::string& what) const;  // changing the script: "start it with ..."
  // "the band does not allow", or "the flags do not allow".
  std::string_view does_not_allow() const;

 private:
  struct Line {
    std::optional<Question> question;
    std::string flag;     // "--read src/"
    std::string pattern;  // in place of the pattern of the question: "./src/**"; "": the pattern of the question
    bool wider = false;   // the wider pattern of the question
  };
  // Lines of one or more files, or variables for `env`.
  struct Proposal {
    std::vector<RemedyLine> lines;
    std::vector<std::string> names;
    bool is_wider = false;  // no rule can match only what was requested
    bool optional = false;  // for `names`
  };
  // `also`: added if the rules do not allow it yet, as optional.
  std::string of(const Line& line, const std::optional<Line>& also = std::nullopt) const;
  void add_lines(const Judgement& judgement, const Line& line, bool optional, Proposal& proposal) const;
  std::string_view asks() const;

  struct Shown {
    std::vector<RemedyLine> lines;
    std::vector<std::string> names;
  };
  std::string marker_of(Proposal proposal) const;
  std::string text_of(const Proposal& proposal, const Shown& shown) const;
  std::string env_line(const std::vector<std::string>& names, bool optional) const;

  Reader reader_;
  std::optional<Grounds> grounds_;
  mutable std::vector<Proposal> proposals_;  // the results of the functions, which are const for the finders
  Shown shown_;                              // in rendered texts
};

}  // namespace band::client
