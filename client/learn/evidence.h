// What one run showed, out of its answer. The answer is the server's, and its texts are the script's: nothing in here
// has been checked, sizes are bounded by the answer's reader. Pure.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/core/json_fwd.h"
#include "schemas/rules/rules.h"
#include "schemas/wire/wire.h"

namespace band::client::learn {

// The origin of rules that are learn's, and not of a BAND.md yet: a BAND.md's is "FILE:LINE".
inline constexpr std::string_view kWatchOrigin = "band learn";

// A command line that the script, or a command of it, asked for.
struct AskedCommand {
  enum class End { NotFound, Denied, Succeeded, Failed } end = End::NotFound;
  std::vector<std::string> argv;  // as the ledger has it: `escaped` (json_text.h), secrets masked
  bool cut = false;               // the ledger does not have all of it
  std::string section;            // of the rule that decided: "allow.cli"; "" when there is none
  std::string pattern, origin;    // of that rule
  std::string text;               // the ledger's line
};

// A lookup of a name (port 0) or a connection.
struct Contact {
  enum class End { Refused, Failed, Relayed } end = End::Refused;
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t up = 0, down = 0;  // bytes
  std::string section;             // as AskedCommand's
  std::string text;
};

// A variable that the script set and a command did not get.
struct UnpassedVariable {
  std::string name, mend;  // mend: the line of BAND.md that would pass it, or ""
};

struct Evidence {
  std::vector<AskedCommand> commands;
  std::vector<Contact> contacts;
  std::uint64_t refused_packets = 0;   // of nobody knows where: the band had no net rule
  std::vector<std::string> reads;      // files that were read while the rules insisted on one that was not yet
  std::vector<std::string> came_back;  // files of the workspace that `write` opens
  std::vector<std::string> stayed;     // made or changed, and not opened by `write`
  std::uint64_t unnamed = 0;           // further changes that the answer does not name
  std::vector<UnpassedVariable> variables;
  std::set<std::string> incomplete;   // kinds of ledger entries of which some were left out
  std::string log;                    // log_of()
  std::vector<std::string> messages;  // the error's message and hint: they may be the script's own
  bool started = false;               // the script ran, to its end, to a limit, or until it was cancelled
  bool succeeded = false;             // without an error
  bool exited_well = false;           // exit status 0, whatever came after
  bool insist_failed = false;         // ... namely that something insisted on had not happened
  // What learn insisted on alone, where nothing else made the run fail: `read "./x"; nearest: ./y`.
  std::vector<std::string> unseen;
  bool write_conflict = false;  // a file that the script writes is there, and was not sent to it
};
Evidence evidence_of(const Answer& answer);
// But for what learn watched for itself.
bool did_well(const Evidence& evidence);

// What a run did beyond its sandbox, as far as the ledger shows it; and what `rules` let it do that no ledger shows.
// No other run follows one that did.
std::vector<std::string> changes_outside(const Evidence& evidence, const Rules& rules);

// A scalar of the input, as it can stand in a command line or be a path.
struct InputValue {
  std::string property;  // the top-level property that it is, or is an item of; "" deeper inside
  std::string text;
  bool is_text = false;  // a string: it can name a file
  bool given = true;     // by the caller, and not by a default of the schema
};
inline constexpr std::size_t kMostValues = 1'000;
// Characters of a value that is looked for inside of a word or a file's name: `a` is in most of them. One number: else
// a command and the file that it names would be opened by different patterns.
inline constexpr std::size_t kLeastInside = 3;
std::vector<InputValue> values_of(const Json& input);
// `given`: the input before the schema's defaults were filled in.
std::vector<InputValue> values_of(const Json& input, const Json& given);
// Does a default give this property a path with a segment that begins with a dot? Then the schema's author chose that
// file and not the caller, and learn opens no `{property}` for it.
bool has_hidden_default(const Json& input, const Json& given, const std::string& property);

}  // namespace band::client::learn
