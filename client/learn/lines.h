// The results of `band learn`. Plain data.
#pragma once

#include <string>
#include <vector>

namespace band::client::learn {

// A proposed line for the BAND.md.
struct Line {
  std::string section = {};  // "allow" or "insist"
  std::string domain = {};   // "cli", "net", "read" or "write"
  std::string pattern = {};
  bool optional = false;               // {path: PATTERN, optional: true}
  std::string reason = {};             // why it is needed
  std::string evidence = {};           // kind of evidence: "ledger", "log", "input", "script", "workspace"
  std::string source = {};             // the evidence: a line of the ledger, a word in the log, run.sh:7
  int run = 0;                         // number of the run with the evidence
  bool tried = false;                  // a successful run had it
  std::vector<std::string> argv = {};  // for cli: the call that needs it, from the ledger
  std::string warning = {};            // why it may open more than is needed; "" for no known reason

  // A read that needs evidence from the kernel: each run insists on it until it was read.
  bool wants_read = false;
  bool seen = false;  // the file was read, or the host was connected to

  // For cli. worked: a call exited with 0. well_without: a run that was refused the call and succeeded (0: none).
  bool worked = false;
  int well_without = 0;

  // For a read that allows replacing a file: the pattern of the `write` line that it belongs to and is removed with.
  std::string pair_of = {};
};

// A line of the BAND.md that no run used.
struct Removal {
  std::string section, domain, pattern, origin, reason;
};

// A line that is not enough: a band that this one extends, or the operator's ceiling, closes what it opens.
struct Closed {
  std::string domain, pattern, reason;
  int run = 0;
  std::string by;  // the file or ceiling that closes it, and what to write there
};

// A line that learn neither tries nor writes, because it gives the script access to data of the caller: a person
// decides.
struct Decision {
  std::string write = {};  // the line for BAND.md
  std::string reason = {};
};

// A rule that learn adds to a run to get more evidence.
struct Watch {
  std::string what, why;
  std::string text() const { return what + ", " + why; }
};

struct Proposal {
  std::vector<Line> lines;
  std::vector<Removal> removals;
  std::vector<Decision> decisions;
  std::vector<std::string> unknown;
  std::vector<Closed> closed;
  std::vector<std::string> left_out;  // texts about changes that no successful run had; not in the lists above

  bool changes() const { return !lines.empty() || !removals.empty(); }
};

}  // namespace band::client::learn
