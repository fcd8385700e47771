// The evidence of one run, extracted from its answer. Untrusted: the answer comes from the server, and its texts come
// from the script. The reader of the answer bounds the sizes. Pure.
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

// The origin of rules that learn adds and that are in no BAND.md yet. The origin of a BAND.md's rule is "FILE:LINE".
inline constexpr std::string_view kWatchOrigin = "band learn";

// A command line that the script, or one of its commands, tried to run.
struct AskedCommand {
  enum class End { NotFound, Denied, Succeeded, Failed } end = End::NotFound;
  std::vector<std::string> argv;  // from the ledger: `escaped` (json_text.h), secrets masked
  bool cut = false;               // the ledger has only a part of it
  std::string section;            // section of the deciding rule: "allow.cli"; "" when there is none
  std::string pattern, origin;    // pattern and origin of the deciding rule
  std::string text;               // the ledger's line
};

// A lookup of a name (port 0) or a connection.
struct Contact {
  enum class End { Refused, Failed, Relayed } end = End::Refused;
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t up = 0, down = 0;  // bytes
  std::string section;             // same as in AskedCommand
  std::string text;
};

// A variable that the script set and that was not passed to a command.
struct UnpassedVariable {
  std::string name, mend;  // mend: the line for BAND.md that would pass it, or ""
};

struct Evidence {
  std::vector<AskedCommand> commands;
  std::vector<Contact> contacts;
  std::uint64_t refused_packets = 0;   // to unknown destinations, because the band had no net rule
  std::vector<std::string> reads;      // files read while an insist.read was not met yet
  std::vector<std::string> came_back;  // changed files of the workspace that `write` opens
  std::vector<std::string> stayed;     // changed or new files that `write` does not open
  std::uint64_t unnamed = 0;           // further changes that the answer does not name
  std::vector<UnpassedVariable> variables;
  std::set<std::string> incomplete;   // kinds of ledger entries of which some were left out
  std::string log;                    // log_of()
  std::vector<std::string> messages;  // message and hint of the error, which may come from the script
  bool started = false;               // the script ran: it exited, reached a limit or was cancelled
  bool succeeded = false;             // the run has no error
  bool exited_well = false;           // exit status 0; the run may still have an error
  bool insist_failed = false;         // the error is that an insist was not met
  // Insists added by learn that were not met, when only they made the run fail: `read "./x"; nearest: ./y`.
  std::vector<std::string> unseen;
  bool write_conflict = false;  // a file that the script writes exists and was not sent to it
};
Evidence evidence_of(const Answer& answer);
// Returns true when the run succeeded, or failed only by an insist that learn added.
bool did_well(const Evidence& evidence);

// Returns texts about what the run did outside its sandbox, as far as the ledger shows it, and about what `rules` allow
// and no ledger shows. No further run is made after such a run.
std::vector<std::string> changes_outside(const Evidence& evidence, const Rules& rules);

// A scalar of the input, which may be an argument of a command line or a path.
struct InputValue {
  std::string property;  // the top-level property of the value, or of the list that has it; "" for deeper ones
  std::string text;
  bool is_text = false;  // a string, which can name a file
  bool given = true;     // given by the caller; false: a default of the schema
};
inline constexpr std::size_t kMostValues = 1'000;
// The least characters of a value that is searched for inside of words and file names, since `a` is in most of them.
// The same number for both, so that a command and the file that it names get equal patterns.
inline constexpr std::size_t kLeastInside = 3;
std::vector<InputValue> values_of(const Json& input);
// `given`: the input without the schema's defaults.
std::vector<InputValue> values_of(const Json& input, const Json& given);
// Returns true when the value of this property is a default that names a path with a segment that begins with a dot.
// The schema's author chose that file, not the caller, so learn opens no `{property}` for it.
bool has_hidden_default(const Json& input, const Json& given, const std::string& property);

}  // namespace band::client::learn
