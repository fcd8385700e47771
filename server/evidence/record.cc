#include "server/evidence/record.h"

#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_text.h"
#include "server/base/io.h"

namespace band::run {
namespace {

// Returns true for names of variables that usually contain secrets. For such a variable no `env` line is suggested,
// because `band` would send the value from its own environment, and the value would not be masked.
bool sounds_secret(std::string name) {
  for (char& c : name) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  for (const char* word : {"TOKEN", "SECRET", "KEY", "PASS", "CREDENTIAL", "AUTH"})
    if (name.find(word) != std::string::npos) return true;
  return false;
}

// Returns why a command does not get a variable with the value of its caller (the script or another command), and the
// line to write into the band. The text follows "NAME ".
ledger::VariableNotPassed explained(const std::string& name, const std::string& command, broker::NotPassed::Why why) {
  using Why = broker::NotPassed::Why;
  const std::string missing = "is set by the caller of " + command + ", but not passed to " + command + ": ";
  switch (why) {
    case Why::Undeclared:
      if (sounds_secret(name) || name.find('[') != std::string::npos)  // "[masked]"
        return {name, command, missing + "the band does not declare the variable", ""};
      return {name, command,
              missing +
                  "the band does not declare the variable (a declared variable is also taken from the environment of "
                  "`band`)",
              "env: {" + name + ": {secret: false, required: false}}"};
    case Why::Steers:
      return {name, command,
              missing +
                  "the variable selects the code that a program runs, so commands get only the value that the band, or "
                  "the user who runs `band`, sets",
              "env: {" + name + ": {secret: false, default: \"...\"}}"};
    case Why::OfCaller:
      return {name, command, missing + "commands get the value that `band` has sent", ""};
    case Why::OfBand:
      return {name, command, missing + "only band sets this variable", ""};
    case Why::Value:
      return {
          name, command,
          missing + "the value is a path, has more than 128 bytes, or has characters other than A-Z a-z 0-9 _.@:+,=-",
          ""};
  }
  return {name, command, missing, ""};
}

}  // namespace

Result<Record> Record::open(const Rules& rules, const Mask& mask, ReplyWriter& reply, std::int64_t began_us) {
  BAND_TRY(ledger::Insists insists, ledger::Insists::compile(rules));
  return Record(std::move(insists), mask, reply, began_us);
}

std::vector<std::string> Record::masked(const std::vector<std::string>& argv) const {
  if (mask_->empty()) return argv;
  std::vector<std::string> result;
  result.reserve(argv.size());
  for (const std::string& argument : argv) result.push_back(mask_->text(argument));
  return result;
}

// Sends a note only while the client reads. Unread notes would be kept in memory, and a script can start any number of
// commands and connections.
void Record::send_event(const char* event, const std::string& text) {
  if (!reply_->wants_to_write()) reply_->note(event, text);
}

void Record::ended(const broker::Ended& command) {
  ledger::Command entry;
  entry.argv = masked(command.argv);
  entry.start_ms = since_began(command.started_us);
  entry.duration_ms = static_cast<double>(command.duration_us) / 1000.0;
  entry.status = command.status;
  entry.signal = command.signal;
  entry.unstarted = mask_->text(command.unstarted);
  entry.section = command.decision.section;
  entry.rule = command.decision.rule;
  entry.text = shell_text(entry.argv);
  ledger_.add(entry);
  std::string text = entry.text;
  if (command.status == 0) {
    insists_.command_succeeded(command.argv, text);
  } else {
    text += !entry.unstarted.empty() ? "  did not start: " + escaped(entry.unstarted)
            : command.status         ? "  exited " + std::to_string(*command.status)
            : command.signal         ? "  was killed by signal " + std::to_string(*command.signal)
                                     : "  was still running";
    insists_.command_failed(command.argv, text);
  }
  send_event("command", text);
}

void Record::refused(const std::vector<std::string>& argv, const Decision& decision) {
  const std::vector<std::string> clean = masked(argv);
  const double now = since_began(base::monotonic_us());
  const std::string text = decision.for_ledger(clean);
  if (decision.outcome == Decision::Outcome::Denied) {
    ledger::Command entry;
    entry.argv = clean;
    entry.start_ms = now;
    entry.section = decision.section;
    entry.rule = decision.rule;
    entry.denied = true;
    entry.text = text;
    insists_.command_failed(argv, text);
    ledger_.add(entry);
  } else {
    ledger_.add(ledger::NotFound{clean, now, text});
  }
  send_event("command", text);
}

// The broker lists at most kMostNotPassed + 1 names for a command. If it listed fewer than kMostVariables + 1 names,
// the ledger would not add its entry for further names, and these names would be missing without a notice.
static_assert(broker::kMostNotPassed >= ledger::kMostVariables);

// Masks the name before text is added around it.
void Record::not_passed(const std::string& command, const broker::NotPassed& variable) {
  ledger_.add_variable(explained(mask_->text(variable.name), mask_->text(command), variable.why));
}

void Record::malformed(const Error& error) { ledger_.add({.kind = "command", .text = error.message()}); }

void Record::net(const gateway::Event& event, std::int64_t ready_us) {
  using Kind = gateway::Event::Kind;
  using Outcome = ledger::ConnectionEntry::Outcome;
  if (event.kind == Kind::Ready) return;
  if (event.packet) packets_ += event.count;
  ledger::ConnectionEntry entry;
  entry.outcome = event.kind == Kind::Relayed  ? Outcome::Relayed
                  : event.kind == Kind::Failed ? Outcome::Failed
                                               : Outcome::Refused;
  entry.text = escaped(mask_->host(event.text));
  entry.host = mask_->host(event.host);
  entry.port = event.port;
  entry.address = event.address;
  entry.up = event.up;
  entry.down = event.down;
  entry.start_ms = since_began(ready_us) + event.start_ms;
  entry.duration_ms = event.duration_ms;
  entry.section = event.section;
  entry.rule = event.rule;
  entry.missing_rule = event.missing_rule;
  entry.count = event.count;
  const bool both_ways = event.kind == Kind::Relayed && event.up > 0 && event.down > 0;
  if (both_ways)
    insists_.host_reached(event.host, event.port, entry.text);
  else
    insists_.host_not_reached(event.host, event.port, entry.text);
  const bool ends = event.kind != Kind::Relayed || !event.open;
  const bool first = ends && ledger_.add(entry);
  // A client that streams gets a note when a connection is first used, and on the first refusal of each kind.
  if (!ends || (event.kind != Kind::Relayed && first && event.count == 1)) send_event("net", entry.text);
}

}  // namespace band::run
