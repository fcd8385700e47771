// The ledger: the record of what an execution did. It is part of the answer. No process of the sandbox can write to it.
// Pure.
//
// The ledger keeps a bounded number of entries. When this number is reached, further entries are only counted. The
// insist rules are evaluated event by event (insist.h), and not from the entries.
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

// A command line that the script, or another command, requested from the broker. The caller must mask the secrets in
// `argv` and `text` before it adds the entry, because secrets cannot be found after truncation and quoting.
struct Command {
  std::vector<std::string> argv;
  // Human-readable: the quoted command line; for a denied command, the result of Decision::for_ledger().
  std::string text;
  double start_ms = 0, duration_ms = 0;  // milliseconds; start_ms since the start of the execution
  bool denied = false;                   // denied commands did not run
  std::string unstarted;                 // why an allowed command did not run; "" for a command that ran or was denied
  std::optional<int> status;             // exit status
  // The signal that killed the command. If it was killed at the end of the execution, neither status nor signal is set.
  std::optional<int> signal;
  std::string section;       // section of the rule: "allow.cli"
  std::optional<Rule> rule;  // the rule that decided; not set for an essential that no rule names
};

// A command that bash did not find in PATH, or that was requested from the broker and has no shim. The caller must mask
// the secrets, as in Command.
struct NotFound {
  std::vector<std::string> argv;
  double start_ms = 0;  // milliseconds since the start of the execution
  std::string text;
};

// An environment variable that the caller of a command (the script or another command) has set, and that the command
// did not get with this value.
struct VariableNotPassed {
  // `why`: the reason, as text that follows the name of the variable.
  std::string name, command, why;
  std::string mend;  // the line to add to the band so that the command gets the variable; "" if none is proposed
};

// A lookup or a connection, as reported by the gateway. The caller must mask secrets in the texts.
struct ConnectionEntry {
  // Refused: the lookup, the connection, its data or a packet was refused. Failed: an allowed connection could not be
  // made, or the client sent nothing. Relayed: a connection that the gateway relayed has ended.
  enum class Outcome { Refused, Failed, Relayed } outcome = Outcome::Refused;
  std::string text;                      // "93.184.216.34:80 refused (no rule)"
  std::string host;                      // name, or address as text
  std::uint16_t port = 0;                // 0: a lookup
  std::string address;                   // to which the gateway connected: of the server or of the proxy; or ""
  std::uint64_t up = 0, down = 0;        // bytes from the script, bytes to the script
  double start_ms = 0, duration_ms = 0;  // milliseconds; start_ms since the start of the execution
  std::string section;                   // section of the rule: "deny.net"
  std::optional<Rule> rule;
  bool missing_rule = false;  // true for a refused connection if the only reason is that no rule of the band allows it
  std::uint64_t count = 1;    // number of occurrences; added to the count of an equal entry that the ledger already has
};

// Refused packets of an execution without net rules. The firewall only counts these packets; no event reports a single
// packet.
struct RefusedPackets {
  std::uint64_t count = 0;
};

std::string packets(std::uint64_t count);  // returns "1 packet", "2 packets", ...

struct FileRead {
  std::string path;  // relative to the workspace, or absolute, with leading `/`
};

struct FileWritten {
  std::string path;       // as FileRead::path
  std::size_t bytes = 0;  // size of the file
};

// A change in the workspace's copy that the client does not make in the workspace itself.
struct Stayed {
  enum class Act { Removed, Renamed, ModeChanged } act = Act::Removed;
  std::string path, to = {};  // relative to the workspace; `to`: the new name of a renamed file
};

// Maximum number of entries of add_variable(). It must not exceed broker::kMostNotPassed (checked in
// evidence/record.cc). Otherwise the broker would leave out names before the ledger has kMostVariables of them, and the
// ledger would not state that there are more.
inline constexpr std::size_t kMostVariables = 50;

class Ledger {
 public:
  // Keeps at most `most_entries` entries, with about `most_bytes` of JSON. For connections, it keeps half as many
  // entries and bytes in addition. Connections have this separate limit because a script can make hundreds of thousands
  // of connections, which would leave no room for other entries.
  explicit Ledger(std::size_t most_entries = 10'000, std::size_t most_bytes = 4u << 20)
      : room_{most_entries, most_bytes}, net_room_{most_entries / 2, most_bytes / 2} {}

  void add(const Command& command);
  void add(const NotFound& command);
  // Adds one entry per name, at most kMostVariables. For the next name, adds an entry that states that there are more.
  void add_variable(const VariableNotPassed& variable);
  // Returns false if the ledger already has an entry for the same refusal or failure: only the count of that entry is
  // then increased.
  bool add(const ConnectionEntry& connection);
  void add(const RefusedPackets& refused);
  void add(const FileRead& file);
  void add(const FileWritten& file);
  void add(const Stayed& file);
  void add(LedgerEntry entry);

  // A denied command, a refused connection, or refused packets. If the script fails later, this can be the cause.
  struct Denied {
    // What to add to the band so that the command or connection is allowed. "" for a connection that is refused for
    // another reason than a missing rule of the band.
    std::string hint;
    std::string text;
    std::string subject;   // name of the command, or of the host; "" for packets
    bool network = false;  // a connection, a lookup or packets
  };
  // The first denials with different texts, in their order.
  static constexpr std::size_t kMostDenied = 16;
  const std::vector<Denied>& first_denied() const { return first_denied_; }

  // The text of the first connection with Outcome::Failed; nullopt if there is none.
  const std::optional<std::string>& first_failed() const { return first_failed_; }

  // Returns the entries. Call it once. If some entries were only counted, the last returned entry has the kind
  // "left-out" and contains the numbers of these entries.
  std::vector<LedgerEntry> release();

 private:
  struct Room {
    std::size_t entries, bytes;
    bool use(std::size_t size);
  };
  void remember(Denied denied);
  bool keep(LedgerEntry entry);  // returns false if there is no room: the entry is then only counted

  Room room_, net_room_;
  std::vector<LedgerEntry> entries_;
  std::map<std::string, std::size_t> repeatable_;  // text of a refusal or failure -> its index in entries_
  std::map<std::string, std::uint64_t> left_out_;  // number of entries that were only counted, by kind
  std::set<std::string> variables_;                // names that commands did not get
  std::vector<Denied> first_denied_;
  std::optional<std::string> first_failed_;
};

}  // namespace band::ledger
