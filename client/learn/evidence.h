// The evidence of one run: what the server's answer shows about commands, connections and files. Most of it is in the
// ledger, the part of the answer that records what the script did. Untrusted: the answer comes from the server, and
// texts in it come from the script. Sizes are bounded by the code that parses the answer. Pure.
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

// The origin (Rule::origin, which says where a rule was written) of rules that learn adds to a run. A rule of a BAND.md
// has the origin "FILE:LINE".
inline constexpr std::string_view kWatchOrigin = "band learn";

// A command line that the script, or one of its commands, tried to run.
struct AskedCommand {
  // NotFound: no rule names the command, so it does not exist in the sandbox. Denied: rules name the command, but do
  // not allow this command line. Failed: exit status not 0.
  enum class End { NotFound, Denied, Succeeded, Failed } end = End::NotFound;
  // From the ledger, where it is escaped (escaped() of json_text.h) and secrets are masked.
  std::vector<std::string> argv;
  bool cut = false;             // the ledger has only a part of the command line
  std::string section;          // section of the rule that decided: "allow.cli"; "" when no rule did
  std::string pattern, origin;  // pattern and origin of the rule that decided
  std::string text;             // the ledger's line
};

// A lookup of a name (`port` is 0) or a connection.
struct Contact {
  enum class End { Refused, Failed, Relayed } end = End::Refused;
  std::string host;
  std::uint16_t port = 0;
  std::uint64_t up = 0, down = 0;  // bytes sent and received
  std::string section;             // as AskedCommand::section
  std::string text;
};

// A variable that the script set for a command, and that was not passed to the command.
struct UnpassedVariable {
  std::string name, mend;  // mend: the line for BAND.md with which the variable would be passed; "" if there is none
};

struct Evidence {
  std::vector<AskedCommand> commands;
  std::vector<Contact> contacts;
  // Number of refused packets, if the ledger does not have the destination of each packet: the rules have no `net`, or
  // packets were sent at a high rate.
  std::uint64_t refused_packets = 0;
  // Files that the script read, from the ledger. The ledger has them only if the rules have an insist of `read`. An
  // insist is a rule that also requires its action: if the action does not happen, the insist is not met, and the run
  // fails.
  std::vector<std::string> reads;
  std::vector<std::string> came_back;  // changed files of the workspace that `write` allows
  std::vector<std::string> stayed;     // changed or new files that `write` does not allow
  std::uint64_t unnamed = 0;           // number of further changed files, whose names the answer does not have
  std::vector<UnpassedVariable> variables;
  std::set<std::string> incomplete;   // the ledger lacks some entries of these kinds
  std::string log;                    // stdout and stderr of the script, as log_of() returns them
  std::vector<std::string> messages;  // message and hint of the error, which may come from the script
  bool started = false;               // the script was started; it then exited, reached a limit, or was cancelled
  bool succeeded = false;             // the run has no error
  bool exited_well = false;           // exit status 0; the run may still have an error
  bool insist_failed = false;         // the run failed because an insist was not met
  // The insists that were not met, as texts: `read "./x"; nearest: ./y`. Empty if one of them is not from learn.
  std::vector<std::string> unseen;
  // The run failed because a file that the script writes exists and was not sent to the script.
  bool write_conflict = false;
};
Evidence evidence_of(const Answer& answer);
// Returns true when the run succeeded, or failed only because an insist that learn added was not met.
bool did_well(const Evidence& evidence);

// Returns one text for each change outside the sandbox that the run made or may have made: data that was sent to a
// host; connections that the ledger lacks; each path of the machine that `rules` allow to write, because the ledger
// does not show whether the script wrote there. If the result is not empty, learn makes no further run.
std::vector<std::string> changes_outside(const Evidence& evidence, const Rules& rules);

// A string or number in the input of a run. It may occur in command lines, or be a path.
struct InputValue {
  std::string property;  // the top-level property whose value it is, or whose list contains it; "" for a deeper value
  std::string text;
  bool is_text = false;  // a string, which can name a file
  bool given = true;     // the caller has given it; false: it is a default of the schema
};
inline constexpr std::size_t kMostValues = 1'000;  // values_of() returns at most this many
// A value with fewer characters becomes `*` only where it is a whole word of a command, or a whole file name without
// the extension. It does not become `*` inside of words and names, because a value like `a` is in most of them.
// Commands and file names use the same number, so that a value becomes `*` either both in a command and in the name of
// the file that the command writes, or in neither.
inline constexpr std::size_t kLeastInside = 3;
std::vector<InputValue> values_of(const Json& input);  // InputValue::given is true for all
// `given`: the input without the schema's defaults.
std::vector<InputValue> values_of(const Json& input, const Json& given);
// Returns true when the value of this property is a default of the schema and names a path with a segment that begins
// with a dot. The author of the schema chose this file, not the caller. Therefore learn does not propose a line
// `{property}`, which would allow this file.
bool has_hidden_default(const Json& input, const Json& given, const std::string& property);

}  // namespace band::client::learn
