// The finders of hints. Each finder is for one kind of cause, and adds a hint when the facts of the failure show that
// this cause is possible.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "client/hints/authored.h"
#include "client/hints/failure.h"
#include "client/hints/mend.h"
#include "client/hints/tested.h"
#include "client/hints/workspace_names.h"
#include "client/learn/evidence.h"
#include "client/logs/reading.h"

namespace band::client {

// How likely the cause of a hint is, the most likely first.
enum class Likelihood {
  Certain,   // the act was tried, and no rule can allow it
  Given,     // a value of the input, or an argument of the command, names something that the script did not get
  Reported,  // the log reports it
  Refused,   // the ledger has it, and the log does not name it
  Possible,  // nothing reports it (unnoticed.h)
};

class Hints {
 public:
  // `subject`: the path, host or program that the hint is about, or "". Only the first hint about a subject is kept.
  // Returns whether the hint was kept.
  bool add(Likelihood likelihood, std::string text, std::string subject = "");
  bool has(std::string_view subject) const;
  // Hints about these subjects are not kept.
  void exclude(const std::vector<std::string>& subjects) { excluded_.insert(subjects.begin(), subjects.end()); }
  // Returns the first `most` texts, ordered by likelihood. Texts of the same likelihood stay in the order of add().
  std::vector<std::string> first(std::size_t most) const;
  std::vector<std::string> subjects() const;  // without ""

 private:
  struct Hint {
    Likelihood likelihood;
    std::string text, subject;
  };
  std::vector<Hint> all_;
  std::set<std::string> excluded_;
};

// The subject of the hint about variables that the script reads.
inline constexpr std::string_view kVariables = "variables";
inline constexpr const char* kUnsent = " is in the workspace and is not sent to the sandbox";
// After a proposed `NAME *`.
inline constexpr std::string_view kFewerArguments =
    " (or, with fewer arguments allowed, the arguments in place of `*`)";

inline constexpr std::size_t kMostOfKind = 3;       // hints that one search adds
inline constexpr std::size_t kMostExamined = 2000;  // words, lines or entries that one finder examines

// What the finders share.
struct Inquiry {
  const Failure& failure;                   // it can get further members of `written`
  const learn::Evidence evidence;           // evidence_of() the answer
  const std::vector<LogWord> missing;       // missing_words() of the log
  const std::vector<std::string> absences;  // the lines of the log that is_about_missing_file()
  const std::set<std::string> declared;     // the programs that the rules of `cli` name
  const Authored authored;
  Mend mend;

  explicit Inquiry(const Failure& of);

  const Tested& tested() const;  // tested_by(authored); computed when it is needed first

  // Returns whether a refusal that the log does not name can be the cause: the script has printed nothing, or the
  // server has found that the refusal is the cause.
  bool unnamed_refusal_can_be_cause() const;
  // Returns whether the command or the band names the program. The ledger does not count: data can make a script call a
  // program.
  bool uses_program(std::string_view name) const;

 private:
  mutable std::optional<Tested> tested_;
};

// Returns the text for a file or directory that only the log names: a name that begins with a dot, such as
// `.ssh/id_rsa`, gets a line to paste only if the author has named it, too.
std::string unsent_text(const Unsent& missing, const std::string& what, const Inquiry& inquiry);

// Returns whether the line reports, in a text of the script, that something is missing.
bool is_about_missing_file(std::string_view line);

// Returns whether the machine that runs the script is this one, and has no such program.
bool is_absent(const std::string& name, const Failure& failure);
// Returns what allows a command that was not found or denied, beginning with "; ", or "".
std::string mend_of_refused(const learn::AskedCommand& command, const Inquiry& inquiry);
// Returns the same for a connection or lookup, and for packets to unknown addresses: the hosts of authored texts.
std::string mend_of_refused(const learn::Contact& contact, const Inquiry& inquiry);
std::string mend_of_refused_packets(const Inquiry& inquiry);

// A file or directory of the workspace that a value of the input, or an argument of the command, names, and that was
// not sent.
void find_inputs(const Inquiry& inquiry, Hints& hints);
// A file or directory of the workspace that the log reports as missing, and that was not sent; a path of the caller's
// machine in place of a path of the sandbox; a git repository whose `.git` was not sent; a directory to write into that
// the sandbox does not have.
void find_files(const Inquiry& inquiry, Hints& hints);
// A program that the band does not declare, a command line that it does not allow, and a program that is started by a
// path.
void find_programs(const Inquiry& inquiry, Hints& hints);
// A module of Python or Node.js that the sandbox does not have.
void find_modules(const Inquiry& inquiry, Hints& hints);
// A host that the rules do not allow, localhost, and a host with a private address.
void find_hosts(const Inquiry& inquiry, Hints& hints);
// Acts that no rule allows: executing a file of the workspace, listening on a port, writing to the rest of the sandbox.
void find_forbidden_acts(const Inquiry& inquiry, Hints& hints);
// Variables that the script did not get, and programs that find no settings in the empty home directory.
void find_settings(const Inquiry& inquiry, Hints& hints);

}  // namespace band::client
