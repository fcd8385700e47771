#include "client/learn/evidence.h"

#include <algorithm>

#include "client/logs/reading.h"
#include "schemas/core/json.h"
#include "schemas/core/json_text.h"
#include "schemas/rules/named_path.h"

namespace band::client::learn {
namespace {

const Json* member(const Json& value, const char* name) {
  if (!value.is_object()) return nullptr;
  const auto found = value.find(name);
  return found == value.end() ? nullptr : &*found;
}

std::string text_at(const Json& value, const char* name) {
  const Json* found = member(value, name);
  return found != nullptr && found->is_string() ? found->get<std::string>() : "";
}

std::uint64_t number_at(const Json& value, const char* name) {
  const Json* found = member(value, name);
  return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

// Returns false when it is not a list of strings.
bool read_argv(const Json& details, AskedCommand& command) {
  const Json* argv = member(details, "argv");
  if (argv == nullptr || !argv->is_array()) return false;
  for (const Json& argument : *argv) {
    if (!argument.is_string()) return false;
    command.argv.push_back(argument.get<std::string>());
  }
  command.cut = number_at(details, "argumentsLeftOut") > 0;
  return true;
}

void add_command(const LedgerEntry& entry, Evidence& evidence) {
  const Json& details = *entry.details;
  AskedCommand command;
  if (!read_argv(details, command)) return;
  command.text = entry.text;
  if (const Json* rule = member(details, "rule")) {
    command.section = text_at(*rule, "section");
    command.pattern = text_at(*rule, "pattern");
    command.origin = text_at(*rule, "origin");
  }
  const Json* denied = member(details, "denied");
  const Json* status = member(details, "status");
  using End = AskedCommand::End;
  if (entry.kind == "not-found")
    command.end = End::NotFound;
  else if (denied != nullptr && denied->is_boolean() && denied->get<bool>())
    command.end = End::Denied;
  else
    command.end = status != nullptr && *status == 0 ? End::Succeeded : End::Failed;
  evidence.commands.push_back(std::move(command));
}

void add_contact(const LedgerEntry& entry, Evidence& evidence) {
  const Json& details = *entry.details;
  evidence.refused_packets += number_at(details, "refusedPackets");
  const std::string outcome = text_at(details, "outcome");
  if (outcome.empty()) return;
  Contact contact;
  using End = Contact::End;
  contact.end = outcome == "refused" ? End::Refused : outcome == "failed" ? End::Failed : End::Relayed;
  contact.host = text_at(details, "host");
  const std::uint64_t port = number_at(details, "port");
  contact.port = port <= 65535 ? static_cast<std::uint16_t>(port) : std::uint16_t{0};
  contact.up = number_at(details, "upBytes");
  contact.down = number_at(details, "downBytes");
  if (const Json* rule = member(details, "rule")) contact.section = text_at(*rule, "section");
  contact.text = entry.text;
  evidence.contacts.push_back(std::move(contact));
}

void add_entry(const LedgerEntry& entry, Evidence& evidence) {
  const Json& details = *entry.details;
  if (entry.kind == "command" || entry.kind == "not-found") {
    add_command(entry, evidence);
  } else if (entry.kind == "net") {
    add_contact(entry, evidence);
  } else if (entry.kind == "read") {
    evidence.reads.push_back(text_at(details, "path"));
  } else if (entry.kind == "env") {
    const std::string name = text_at(details, "variable");
    if (!name.empty()) evidence.variables.push_back({name, text_at(details, "mend")});
  } else if (entry.kind == "left-out" && details.is_object()) {
    for (const auto& [kind, ignored] : details.items()) evidence.incomplete.insert(kind);
  }
}

void add_value(const Json& value, const std::string& property, int depth, std::vector<InputValue>& values) {
  if (values.size() >= kMostValues) return;
  if (value.is_string()) {
    values.push_back({depth <= 2 ? property : "", value.get<std::string>(), true});
  } else if (value.is_number()) {
    values.push_back({depth <= 2 ? property : "", dump_json(value), false});
  } else if (value.is_array()) {
    for (const Json& item : value) add_value(item, depth == 1 ? property : "", depth + 1, values);
  } else if (value.is_object()) {
    for (const auto& [name, item] : value.items()) add_value(item, depth == 0 ? name : "", depth + 1, values);
  }
}

// Returns the unmet insists; empty when one of them is the band's own.
std::vector<std::string> unseen_of(const Error& error) {
  std::vector<std::string> texts;
  if (error.code != Code::InsistNotSatisfied || error.details.empty()) return texts;
  const auto list = parse_json(error.details, "the answer");
  if (!list.ok() || !list->is_array()) return texts;
  for (const Json& missing : *list) {
    if (text_at(missing, "origin") != kWatchOrigin) return {};
    const std::string section = text_at(missing, "section"), nearest = text_at(missing, "nearest");
    texts.push_back(section.substr(section.find('.') + 1) + " " + json_string(text_at(missing, "pattern")) +
                    (nearest.empty() ? "" : "; nearest: " + nearest));
  }
  return texts;
}

}  // namespace

Evidence evidence_of(const Answer& answer) {
  Evidence evidence;
  for (const LedgerEntry& entry : answer.ledger) add_entry(entry, evidence);
  for (const ShippedFile& file : answer.files) evidence.came_back.push_back(file.path);
  for (const std::string& path : answer.not_written)
    if (!path.ends_with('/')) evidence.stayed.push_back(path);  // no rule writes an empty directory back
  evidence.unnamed = answer.unnamed;
  evidence.log = log_of(answer);
  evidence.started = answer.exit_status.has_value() ||
                     (answer.error && (answer.error->code == Code::Timeout || answer.error->code == Code::Cancelled));
  evidence.succeeded = !answer.error;
  evidence.exited_well = answer.exit_status == 0;
  evidence.insist_failed = answer.error && answer.error->code == Code::InsistNotSatisfied;
  if (answer.error) evidence.unseen = unseen_of(*answer.error);
  evidence.write_conflict = answer.error && answer.error->code == Code::WriteConflict;
  if (answer.error) evidence.messages = {end_of_log(answer.error->doing), end_of_log(answer.error->hint)};
  std::erase(evidence.messages, "");
  return evidence;
}

bool did_well(const Evidence& evidence) {
  return evidence.exited_well && (evidence.succeeded || !evidence.unseen.empty());
}

std::vector<std::string> changes_outside(const Evidence& evidence, const Rules& rules) {
  std::vector<std::string> changes;
  for (const Contact& contact : evidence.contacts)
    if (contact.end != Contact::End::Refused && contact.up > 0)
      changes.push_back("sent " + std::to_string(contact.up) + " bytes to " + contact.host + ":" +
                        std::to_string(contact.port));
  if (evidence.incomplete.contains("net"))
    changes.push_back("may have sent more: the ledger does not have every connection");
  if (!evidence.started) return changes;
  for (const RuleSet& layer : rules.write.opened)
    for (const Rule& rule : layer)
      if (rule.pattern.starts_with('/'))
        changes.push_back("may have written to " + rule.pattern + " (" + rule.origin +
                          "), which the ledger does not show");
  return changes;
}

std::vector<InputValue> values_of(const Json& input) {
  std::vector<InputValue> values;
  add_value(input, "", 0, values);
  return values;
}

std::vector<InputValue> values_of(const Json& input, const Json& given) {
  std::set<std::pair<std::string, std::string>> known;
  for (InputValue& value : values_of(given)) known.emplace(std::move(value.property), std::move(value.text));
  std::vector<InputValue> values = values_of(input);
  for (InputValue& value : values) value.given = known.contains({value.property, value.text});
  return values;
}

bool has_hidden_default(const Json& input, const Json& given, const std::string& property) {
  const Json* value = member(input, property.c_str());
  if (value == nullptr || member(given, property.c_str()) != nullptr) return false;
  const auto is_hidden = [](const Json& path) {
    return path.is_string() && has_hidden_name(path.get_ref<const std::string&>());
  };
  return value->is_array() ? std::any_of(value->begin(), value->end(), is_hidden) : is_hidden(*value);
}

}  // namespace band::client::learn
