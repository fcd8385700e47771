// What an execution really did, as its answer tells it. Pure; nothing in a sandbox can write to it.
//
// Keeps a bounded number of entries and counts the others. Evidence for insist is judged event by event (insist.h), and
// never out of what is kept here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::ledger {

// A command line that was asked for. Secrets in `argv` and `text` are masked by whoever adds it: what is cut or quoted
// cannot be masked later.
struct Command {
  std::vector<std::string> argv;
  std::string text;                      // for people: Decision::for_ledger
  double start_ms = 0, duration_ms = 0;  // start: since the execution's
  bool denied = false;                   // then it never ran
  std::string unstarted;                 // why it never ran, though no rule denies it
  std::optional<int> status;             // that it exited with
  std::optional<int> signal;             // that it died of; neither: it was ended with the execution
  std::string section;                   // of the rule: "allow.cli"
  std::optional<Rule> rule;              // none for an essential that no rule narrows
};

struct NotFound {
  std::vector<std::string> argv;
  double start_ms = 0;
  std::string text;
};

// A variable that the script set, and that a command did not get.
struct VariableNotPassed {
  std::string name, command, why;
  std::string mend;  // what to write into the band; empty: nothing there would help
};

// What the gateway told of a lookup or a connection. Secrets are masked as above.
struct ConnectionEntry {
  enum class Outcome { Refused, Failed, Relayed } outcome = Outcome::Refused;
  std::string text;                      // "93.184.216.34:80 refused (no rule)"
  std::string host;                      // name, or address as text
  std::uint16_t port = 0;                // 0: a lookup
  std::string address;                   // that was dialled
  std::uint64_t up = 0, down = 0;        // bytes from and to the script
  double start_ms = 0, duration_ms = 0;  // start: since the execution's
  std::string section;                   // of the rule: "deny.net"
  std::optional<Rule> rule;
  bool missing_rule = false;  // Refused: only because the band has no rule that opens it
  std::uint64_t count = 1;    // this many times; further ones, if it was added before
};

// What the firewall refused and nobody could tell one by one: packets of an execution without net rules.
struct RefusedPackets {
  std::uint64_t count = 0;
};

std::string packets(std::uint64_t count);  // "1 packet", "2 packets"

struct FileRead {
  std::string path;  // relative to the workspace, or absolute with its slash
};

struct FileWritten {
  std::string path;
  std::size_t bytes = 0;
};

// What was done to the workspace's copy and does not come back.
struct Stayed {
  enum class Act { Removed, Renamed, ModeChanged } act = Act::Removed;
  std::string path, to = {};
};

inline constexpr std::size_t kMostVariables = 50;  // at most kMostNotPassed of the broker: evidence/record.cc

class Ledger {
 public:
  // Room for `most_entries` and about `most_bytes` of them as JSON, and for half as many connections besides: they are
  // cheap to make by the hundred thousand, and would leave no room for what else the script did.
  explicit Ledger(std::size_t most_entries = 10'000, std::size_t most_bytes = 4u << 20)
      : room_{most_entries, most_bytes}, net_room_{most_entries / 2, most_bytes / 2} {}

  void add(const Command& command);
  void add(const NotFound& command);
  void add_variable(const VariableNotPassed& variable);  // once for each name, kMostVariables of them at most
  // A refusal or failure that is here already is counted in its entry, which then says how often in all. False: it was.
  bool add(const ConnectionEntry& connection);
  void add(const RefusedPackets& refused);
  void add(const FileRead& file);
  void add(const FileWritten& file);
  void add(const Stayed& file);
  void add(LedgerEntry entry);

  // The first command that was denied or connection that was refused, else packets: a script that then fails was
  // refused something.
  struct Denied {
    std::string hint;  // how the band would allow it; empty: it could not
    std::string text;
  };
  const std::optional<Denied>& first_denied() const { return first_denied_; }

  // The first connection that was allowed and did not come about, or broke; for people.
  const std::optional<std::string>& first_failed() const { return first_failed_; }

  // Once: the entries; if some did not fit, a last one of the kind "left-out" that counts them.
  std::vector<LedgerEntry> release();

 private:
  struct Room {
    std::size_t entries, bytes;
    bool use(std::size_t size);
  };
  bool keep(LedgerEntry entry);  // false: it is counted only

  Room room_, net_room_;
  std::vector<LedgerEntry> entries_;
  std::map<std::string, std::size_t> repeatable_;  // refusals and failures, by text: where among the entries
  std::map<std::string, std::uint64_t> left_out_;  // by kind
  std::set<std::string> variables_;                // names that commands did not get
  std::optional<Denied> first_denied_;
  std::optional<std::string> first_failed_;
};

}  // namespace band::ledger
