// Hints for a failed run. A hint states a fact about this run that can have caused the failure, and what to write, add
// or start so that the next run does not fail for this reason.
//
// The script writes the log, and chooses the names of files, programs and hosts in it. Therefore a hint has a line to
// paste only for a name that the skill or the caller has written (authored.h), and for a file of the workspace whose
// name does not begin with a dot. A person must still read such a line before adding it to a BAND.md. No name from the
// log is looked up outside of the workspace, except by its text. Pure, except that the finders look up names in the
// workspace, and read files of it that were sent.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "client/hints/failure.h"

namespace band::client {

struct Inquiry;

inline constexpr std::size_t kMostHints = 3;

// Returns Advice::hints() of the run.
std::vector<std::string> hints_of(const Failure& failure);

// The hints and notes about one run. Each text is one line, escaped; a call returns at most kMostHints, the most likely
// first. Several texts can propose lines for one file: the lines can be written together.
class Advice {
 public:
  explicit Advice(const Failure& run);  // `run` must outlive it
  ~Advice();
  Advice(const Advice&) = delete;
  Advice& operator=(const Advice&) = delete;

  // For a failed run. Returns at most `most` texts; `most` is at most kMostHints. Later texts of this object repeat
  // only lines of texts that were returned.
  std::vector<std::string> hints(std::size_t most = kMostHints);
  // For any run: files and directories that the input names and that were not sent, and what find_unnoticed()
  // (unnoticed.h) finds. A script can ignore that something is missing, and return a wrong result. Call it after
  // hints(), whose subjects it leaves out.
  std::vector<std::string> unnoticed(std::size_t most = kMostHints);
  // For a run that ended well: what to write so that the changed files `paths` are written back by the next run.
  std::vector<std::string> lost(const std::vector<std::string>& paths);
  // For a run that ended well, and whose files were not written back (Code::WriteConflict).
  std::vector<std::string> conflicts();
  // For notes about refusals, by the texts of the ledger's entries: for each one what allows the action, as a text that
  // begins with "; ", or "".
  std::vector<std::string> allowing(const std::vector<std::string_view>& refusals);

 private:
  std::vector<std::string> rendered(std::vector<std::string> texts);

  std::unique_ptr<Inquiry> inquiry_;
  std::vector<std::string> hinted_;  // the subjects of hints()
};

}  // namespace band::client
