#include "server/ledger/ledger.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/pattern/shell_text.h"

namespace band::ledger {
namespace {

constexpr std::size_t kMaxArguments = 64;        // per command, in the JSON details
constexpr std::size_t kMaxArgumentBytes = 1024;  // all arguments of a command together
constexpr std::size_t kMaxPathBytes = 512;

std::string shown_path(const std::string& path) {
  return path.size() <= kMaxPathBytes ? escaped(path) : escaped(path.substr(0, kMaxPathBytes)) + "...";
}

// Adds the arguments to the JSON details: bounded, as valid UTF-8, with the number of omitted arguments.
void put_arguments(const std::vector<std::string>& argv, Json& details) {
  Json list = Json::array();
  std::size_t room = kMaxArgumentBytes;
  for (const std::string& argument : argv) {
    if (list.size() == kMaxArguments || argument.size() > room) break;
    list.push_back(escaped(argument));
    room -= argument.size();
  }
  if (list.size() < argv.size()) details["argumentsLeftOut"] = argv.size() - list.size();
  details["argv"] = std::move(list);
}

void put_rule(const std::string& section, const std::optional<Rule>& rule, Json& details) {
  if (!rule) return;
  details["rule"] = {
      {"section", escaped(section)}, {"pattern", escaped(rule->pattern)}, {"origin", escaped(rule->origin)}};
}

double rounded(double ms) { return static_cast<double>(static_cast<std::int64_t>(ms * 1000)) / 1000; }

std::string ending(const Command& command) {
  if (!command.unstarted.empty()) return "did not start: " + escaped(command.unstarted);
  if (command.status) return "exited " + std::to_string(*command.status);
  if (command.signal) return "was killed by signal " + std::to_string(*command.signal);
  return "was killed at the end of the execution";
}

Json number_or_null(const std::optional<int>& number) { return number ? Json(*number) : Json(nullptr); }

std::string times(std::uint64_t count) { return ", " + std::to_string(count) + " times"; }

// Adds a repeated connection to its entry. The bytes in the gateway's last report are totals of all repetitions.
void count_again(const ConnectionEntry& connection, const std::string& text, LedgerEntry& entry) {
  Json& details = *entry.details;
  const std::uint64_t count = details.value("count", std::uint64_t{1}) + connection.count;
  details["count"] = count;
  entry.text = text + times(count);
  if (connection.outcome == ConnectionEntry::Outcome::Refused) return;
  details["upBytes"] = connection.up;
  details["downBytes"] = connection.down;
}

}  // namespace

std::string packets(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " packet" : " packets"); }

void Ledger::add(const Command& command) {
  LedgerEntry entry{"command", command.text, Json::object()};
  Json& details = *entry.details;
  put_arguments(command.argv, details);
  details["startMs"] = rounded(command.start_ms);
  details["denied"] = command.denied;
  put_rule(command.section, command.rule, details);
  if (command.denied) {
    remember(
        Denied{command.section == "deny.cli" ? "remove the deny rule from the band" : "allow the command in the band",
               command.text, command.argv.empty() ? "" : command.argv.front(), false});
  } else {
    entry.text += ": " + ending(command);
    if (!command.unstarted.empty()) details["unstarted"] = escaped(command.unstarted);
    details["durationMs"] = rounded(command.duration_ms);
    details["status"] = number_or_null(command.status);
    details["signal"] = number_or_null(command.signal);
  }
  add(std::move(entry));
}

void Ledger::add(const NotFound& command) {
  LedgerEntry entry{"not-found", command.text, Json::object()};
  put_arguments(command.argv, entry.details);
  (*entry.details)["startMs"] = rounded(command.start_ms);
  add(std::move(entry));
}

void Ledger::add_variable(const VariableNotPassed& variable) {
  if (variables_.size() > kMostVariables || !variables_.insert(variable.name).second) return;
  if (variables_.size() > kMostVariables)
    return add(LedgerEntry{"env", "other variables of the script (not listed here) are not passed to commands",
                           Json::object()});
  LedgerEntry entry{"env", escaped(variable.name) + " " + escaped(variable.why), Json::object()};
  Json& details = *entry.details;
  details["variable"] = escaped(variable.name);
  details["command"] = escaped(variable.command);
  if (!variable.mend.empty()) {
    entry.text += "; write " + escaped(variable.mend);
    details["mend"] = escaped(variable.mend);
  }
  add(std::move(entry));
}

bool Ledger::add(const ConnectionEntry& connection) {
  using Outcome = ConnectionEntry::Outcome;
  const bool refused = connection.outcome == Outcome::Refused;
  LedgerEntry entry{"net", escaped(connection.text), Json::object()};
  Json& details = *entry.details;
  if (refused)
    remember(Denied{connection.missing_rule ? "allow the host in the band" : "", entry.text, connection.host, true});
  if (connection.outcome == Outcome::Failed && !first_failed_) first_failed_ = entry.text;
  const std::string text = entry.text;
  if (const auto found = repeatable_.find(text); found != repeatable_.end() && connection.outcome != Outcome::Relayed) {
    count_again(connection, text, entries_[found->second]);
    return false;
  }
  details["outcome"] = refused ? "refused" : connection.outcome == Outcome::Failed ? "failed" : "relayed";
  details["host"] = escaped(connection.host);
  if (connection.port != 0) details["port"] = connection.port;
  if (!connection.address.empty()) details["address"] = escaped(connection.address);
  details["startMs"] = rounded(connection.start_ms);
  put_rule(connection.section, connection.rule, details);
  if (refused || connection.count > 1) details["count"] = connection.count;
  if (connection.count > 1) entry.text += times(connection.count);
  if (!refused) {
    details["durationMs"] = rounded(connection.duration_ms);
    details["upBytes"] = connection.up;
    details["downBytes"] = connection.down;
  }
  if (connection.outcome == Outcome::Relayed)
    entry.text += ": " + std::to_string(connection.up) + " bytes up, " + std::to_string(connection.down) + " down";
  if (keep(std::move(entry)) && connection.outcome != Outcome::Relayed) repeatable_[text] = entries_.size() - 1;
  return true;
}

void Ledger::add(const RefusedPackets& refused) {
  LedgerEntry entry{"net", "refused " + packets(refused.count) + " (no rule of allow.net)",
                    Json{{"refusedPackets", refused.count}}};
  remember(Denied{"name the host in allow.net", entry.text, "", true});
  add(std::move(entry));
}

void Ledger::add(const FileRead& file) {
  const std::string path = shown_path(file.path);
  add(LedgerEntry{"read", "read " + path, Json{{"path", path}}});
}

void Ledger::add(const FileWritten& file) {
  const std::string path = shown_path(file.path);
  add(LedgerEntry{"write", "wrote " + path, Json{{"path", path}, {"bytes", file.bytes}}});
}

void Ledger::add(const Stayed& file) {
  const std::string path = shown_path(file.path), to = shown_path(file.to);
  switch (file.act) {
    case Stayed::Act::Removed:
      return add(LedgerEntry{"workspace", "removed " + path + " in the copy only", Json{{"removed", path}}});
    case Stayed::Act::Renamed:
      return add(LedgerEntry{"workspace", "renamed " + path + " to " + to + " in the copy only",
                             Json{{"renamed", path}, {"to", to}}});
    case Stayed::Act::ModeChanged:
      return add(
          LedgerEntry{"workspace", "set the mode of " + path + " in the copy only", Json{{"modeChanged", path}}});
  }
}

void Ledger::add(LedgerEntry entry) { keep(std::move(entry)); }

void Ledger::remember(Denied denied) {
  const auto same = [&](const Denied& other) { return other.text == denied.text; };
  if (first_denied_.size() < kMostDenied && std::none_of(first_denied_.begin(), first_denied_.end(), same))
    first_denied_.push_back(std::move(denied));
}

bool Ledger::keep(LedgerEntry entry) {
  const std::size_t bytes = entry.kind.size() + entry.text.size() + json_size(entry.details);
  if (!(entry.kind == "net" ? net_room_ : room_).use(bytes)) {
    ++left_out_[entry.kind];
    return false;
  }
  entries_.push_back(std::move(entry));
  return true;
}

bool Ledger::Room::use(std::size_t size) {
  if (entries == 0 || size > bytes) return false;
  --entries;
  bytes -= size;
  return true;
}

std::vector<LedgerEntry> Ledger::release() {
  if (!left_out_.empty()) {
    LedgerEntry rest{"left-out", "left out of this list:", Json::object()};
    Json& details = *rest.details;
    const char* separator = " ";
    for (const auto& [kind, count] : left_out_) {
      rest.text += std::exchange(separator, ", ") + std::to_string(count) + " " + kind;
      details[kind] = count;
    }
    entries_.push_back(std::move(rest));
  }
  left_out_.clear();
  repeatable_.clear();
  return std::exchange(entries_, {});
}

}  // namespace band::ledger
