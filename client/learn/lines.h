// The results of `band learn`: lines to add to a BAND.md, lines to remove from it, and open questions. Plain data. The
// ledger is the part of the server's answer that records what the script did.
#pragma once

#include <string>
#include <vector>

namespace band::client::learn {

// A line to add to the BAND.md: an entry of `allow` or `insist`. An entry of `insist` also requires its action: the run
// fails if the action does not happen.
struct Line {
  std::string section = {};  // "allow" or "insist"
  std::string domain = {};   // "cli", "net", "read" or "write"
  std::string pattern = {};
  bool optional = false;               // {path: PATTERN, optional: true}
  std::string reason = {};             // why the script needs the line
  std::string evidence = {};           // where learn found the reason: "ledger", "log", "input", "script", "workspace"
  std::string source = {};             // what learn found there: a line of the ledger, a word in the log, run.sh:7
  int run = 0;                         // number of the run in which learn found the reason
  bool tried = false;                  // a successful run had this line
  std::vector<std::string> argv = {};  // for cli: the command line that needs it, from the ledger
  std::string warning = {};            // why the line may allow more than is needed; "" for no known reason

  // For `read`. wants_read: it is not certain that the script reads the file. Until a run has read the file, learn adds
  // an insist on reading it to each run. seen: a run has read the file; for `net`: a run has connected to the host.
  bool wants_read = false;
  bool seen = false;

  // For cli. worked: a command line that the line allows exited with 0. well_without: the number of a run that
  // succeeded although such a command line was refused; 0: none.
  bool worked = false;
  int well_without = 0;

  // An existing file of the workspace is replaced only if it was sent to the script. For a line of `read` that is
  // needed only for this: the pattern of the line of `write` for the same file. If the line of `write` is removed, this
  // line of `read` is removed, too.
  std::string pair_of = {};
};

// A line of the BAND.md that no run used.
struct Removal {
  std::string section, domain, pattern, origin, reason;
};

// A line that the script needs, but that would have no effect, because other rules do not allow what the line allows:
// the operator's ceiling (the rules of the server that restrict every request), or another band that the script's band
// extends.
struct Closed {
  std::string domain, pattern, reason;
  int run = 0;
  std::string by;  // which ceiling or other band this is, and what to write there
};

// A line that learn neither tries nor writes, because the line may give the script access to the caller's data. A
// person decides.
struct Decision {
  std::string write = {};  // the line for BAND.md
  std::string reason = {};
};

// A rule that learn adds to a run to get more evidence.
struct Watch {
  std::string what, why;  // the effect of the rule, and its purpose
  std::string text() const { return what + ", " + why; }
};

struct Proposal {
  std::vector<Line> lines;
  std::vector<Removal> removals;
  std::vector<Decision> decisions;
  std::vector<std::string> unknown;  // questions that the runs did not answer: "whether the script needs ..."
  std::vector<Closed> closed;
  // Texts about changes that are not in the lists above, because no successful run had them.
  std::vector<std::string> left_out;

  bool changes() const { return !lines.empty() || !removals.empty(); }
};

}  // namespace band::client::learn
