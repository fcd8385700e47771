// What `band learn` comes to. Plain data.
#pragma once

#include <string>
#include <vector>

namespace band::client::learn {

// A line that BAND.md would have more.
struct Line {
  std::string section = {};  // "allow" or "insist"
  std::string domain = {};   // "cli", "net", "read" or "write"
  std::string pattern = {};
  bool optional = false;               // {path: PATTERN, optional: true}
  std::string reason = {};             // what it is for
  std::string evidence = {};           // "ledger", "log", "input", "script", "workspace": where that was seen
  std::string source = {};             // of it: the ledger's line, the log's word, run.sh:7
  int run = 0;                         // in which
  bool tried = false;                  // a run that ended well had it
  std::vector<std::string> argv = {};  // of cli: the call that asked for it, as the ledger has it
  std::string warning = {};            // why it may open more than is wanted; "" when nothing is known against it

  // A read that the kernel has to see: until then each run insists on it.
  bool wants_read = false;
  bool seen = false;  // read, or connected to

  // Of cli. A call that exited 0; and the run that was refused the call and ended well all the same (0: none).
  bool worked = false;
  int well_without = 0;

  // A read that lets a file be replaced: the pattern of `write` that it stands beside, and goes with.
  std::string pair_of = {};
};

// A line that BAND.md has and no run used.
struct Removal {
  std::string section, domain, pattern, origin, reason;
};

// A line that its BAND.md alone does not open: a band that this one extends, or the operator's ceiling, closes it.
struct Closed {
  std::string domain, pattern, reason;
  int run = 0;
  std::string by;  // who closes it, and what to write where
};

// What learn neither tries nor writes, because it lets the script at what is the caller's: a person decides.
struct Decision {
  std::string write = {};  // as it would stand in BAND.md
  std::string reason = {};
};

// What learn adds to a run in order to see more.
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
  std::vector<std::string> left_out;  // what no run that ended well had, a text each; not in the lists above

  bool changes() const { return !lines.empty() || !removals.empty(); }
};

}  // namespace band::client::learn
