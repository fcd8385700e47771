// The record of what an execution did, which is part of its answer. Pure. A sandbox cannot write to it.
//
// Keeps a bounded number of entries and counts the others. The insists are evaluated event by event (insist.h), and not
// from these entries.
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

// A requested command line. The caller masks the secrets in `argv` and `text` before it adds the entry: after
// truncation and quoting they cannot be found.
struct Command {
  std::vector<std::string> argv;
  std::string text;                      // human-readable: Decision::for_ledger
  double start_ms = 0, duration_ms = 0;  // milliseconds; start_ms since the start of the execution
  bool denied = false;                   // denied commands did not run
  std::string unstarted;                 // why it did not run although no rule denies it; "" otherwise
  std::optional<int> status;             // its exit status
  std::optional<int> signal;             // the signal that killed it; neither is set if it was killed at the end
  std::string section;                   // section of the rule: "allow.cli"
  std::optional<Rule> rule;              // not set for an essential that no rule restricts
};

struct NotFound {
  std::vector<std::string> argv;
  double start_ms = 0;
  std::string text;
};

// A variable that the script set and that a command did not get.
struct VariableNotPassed {
  std::string name, command, why;
  std::string mend;  // the line for the band that changes this; "" when no line does
};

// A lookup or a connection, as reported by the gateway. The caller masks secrets, as above.
struct ConnectionEntry {
  enum class Outcome { Refused, Failed, Relayed } outcome = Outcome::Refused;
  std::string text;                      // "93.184.216.34:80 refused (no rule)"
  std::string host;                      // name, or address as text
  std::uint16_t port = 0;                // 0: a lookup
  std::string address;                   // the address that was dialled
  std::uint64_t up = 0, down = 0;        // bytes from and to the script
  double start_ms = 0, duration_ms = 0;  // milliseconds; start_ms since the start of the execution
  std::string section;                   // section of the rule: "deny.net"
  std::optional<Rule> rule;
  bool missing_rule = false;  // Refused: the only reason is that no rule of the band opens it
  std::uint64_t count = 1;    // number of occurrences; for an entry that exists, of further ones
};

// Packets that the firewall counted without individual reports: those of an execution without net rules.
struct RefusedPackets {
  std::uint64_t count = 0;
};

std::string packets(std::uint64_t count);  // "1 packet", "2 packets"

struct FileRead {
  std::string path;  // relative to the workspace, or absolute, with leading `/`
};

struct FileWritten {
  std::string path;
  std::size_t bytes = 0;
};

// A change of the workspace's copy that is not written back.
struct Stayed {
  enum class Act { Removed, Renamed, ModeChanged } act = Act::Removed;
  std::string path, to = {};
};

inline constexpr std::size_t kMostVariables = 50;  // at most kMostNotPassed of the broker: evidence/record.cc

class Ledger {
 public:
  // Keeps at most `most_entries` entries with about `most_bytes` of JSON. Connections have a separate limit of half
  // that size: a script can make hundreds of thousands, which would displace all other entries.
  explicit Ledger(std::size_t most_entries = 10'000, std::size_t most_bytes = 4u << 20)
      : room_{most_entries, most_bytes}, net_room_{most_entries / 2, most_bytes / 2} {}

  void add(const Command& command);
  void add(const NotFound& command);
  void add_variable(const VariableNotPassed& variable);  // once for each name, at most kMostVariables names
  // Returns false for a repeated refusal or failure, which only increases the count of its entry.
  bool add(const ConnectionEntry& connection);
  void add(const RefusedPackets& refused);
  void add(const FileRead& file);
  void add(const FileWritten& file);
  void add(const Stayed& file);
  void add(LedgerEntry entry);

  // The first denied command, refused connection or refused packets. If the script then fails, this is the likely
  // cause.
  struct Denied {
    std::string hint;  // how to allow it in the band; "" when that is impossible
    std::string text;
  };
  const std::optional<Denied>& first_denied() const { return first_denied_; }

  // The first allowed connection that could not be made or that failed; human-readable.
  const std::optional<std::string>& first_failed() const { return first_failed_; }

  // Returns the entries; call it once. When some did not fit, the last entry has the kind "left-out" and counts them.
  std::vector<LedgerEntry> release();

 private:
  struct Room {
    std::size_t entries, bytes;
    bool use(std::size_t size);
  };
  bool keep(LedgerEntry entry);  // false: no room, the entry is only counted

  Room room_, net_room_;
  std::vector<LedgerEntry> entries_;
  std::map<std::string, std::size_t> repeatable_;  // text of a refusal or failure -> index in entries_
  std::map<std::string, std::uint64_t> left_out_;  // by kind
  std::set<std::string> variables_;                // names that commands did not get
  std::optional<Denied> first_denied_;
  std::optional<std::string> first_failed_;
};

}  // namespace band::ledger
