#include <algorithm>

#include "client/commands/build_difference.h"
#include "client/commands/commands.h"
#include "client/commands/connect.h"
#include "client/commands/server_facts.h"
#include "client/targets/targets.h"
#include "schemas/core/json.h"
#include "schemas/wire/features.h"

namespace band::client {
namespace {

// Returns a member of the server's answer as text, "?" when it is missing. The answer is untrusted, so it is escaped.
std::string word(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "?";
  const Json& value = object.at(key);
  return printable_line(value.is_string() ? value.get<std::string>() : dump_json(value));
}

Json part(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json();
}

// Returns the lines about the sources of client and server, and about features that the server lacks.
std::string build_text(const Target& target, const ServerBuild& server) {
  const std::string difference = build_difference(target, server, own_source());
  std::string text =
      "build    " + (difference.empty() ? "the same in client and server" : printable_line(difference)) + "\n";
  for (const Feature& feature : kFeatures)
    if (!server.has(feature)) text += "         the server cannot " + std::string(feature.what) + "\n";
  return text;
}

// "3 s", "2 min 5 s"; "?" if the server sends no number.
std::string age_text(const Json& age_ms) {
  if (!age_ms.is_number_unsigned()) return "?";
  const std::uint64_t seconds = age_ms.get<std::uint64_t>() / 1000;
  return (seconds < 60 ? "" : std::to_string(seconds / 60) + " min ") + std::to_string(seconds % 60) + " s";
}

// Returns one line for each execution of the caller's token. An older server sends no list.
std::string executions_text(const Json& executions) {
  constexpr std::size_t kMostShown = 50;
  if (!executions.is_array()) return "";
  std::string text = executions.empty() ? "running  no execution of yours\n" : "running\n";
  std::size_t shown = 0;
  for (const Json& execution : executions) {
    if (++shown > kMostShown) break;
    const Json script = part(execution, "script");
    text += "  " + word(execution, "id") + "  " +
            (script.is_null() ? "(waits for a slot)" : word(execution, "script")) + "  for " +
            age_text(part(execution, "ageMs")) + "\n";
  }
  if (executions.size() > kMostShown)
    text += "  and " + std::to_string(executions.size() - kMostShown) + " more; --json has all\n";
  if (!executions.empty()) text += "  (`band cancel ID` ends one)\n";
  return text;
}

std::string render(const Choice& choice, const Target& target, const Json& health) {
  const Json slots = part(health, "slots"), queue = part(health, "queue"), layers = part(health, "layers");
  const std::string where = target.ssh.empty() ? target.url : "ssh to " + target.ssh;
  std::string text =
      "target   " + choice.name + ", " + printable_line(where) + " (" + std::string(chosen_by_text(choice.by)) + ")\n";
  text += "version  client " BAND_VERSION ", server " + word(health, "version") + ", up " +
          word(health, "uptimeSeconds") + " s\n";
  text += build_text(target, build_from_json(health));
  text += "slots    " + word(slots, "free") + " free of " + word(slots, "total");
  if (const Json dying = part(slots, "dying"); dying.is_number_unsigned() && dying != Json(0))
    text += ", " + word(slots, "dying") + " unusable until the processes of their last executions have exited";
  text += "\n";
  text += "queue    " + word(queue, "length") + " of " + word(queue, "max") + "\n";
  text += executions_text(part(health, "executions"));
  text += "layers\n";
  for (const Json& layer : layers.is_array() ? layers : Json::array()) {
    std::string label = word(layer, "name");
    label.resize(std::max<std::size_t>(label.size(), 14), ' ');
    const bool active = part(layer, "active") == Json(true);
    text += "  " + label + (active ? "" : "NOT ACTIVE: ") + word(layer, "detail") + "\n";
  }
  return text;
}

}  // namespace

Result<ServerFacts> server_facts(Daemon& daemon) {
  BAND_TRY(const Json health, daemon.health());
  ServerFacts facts;
  facts.version = word(health, "version");
  facts.build = build_from_json(health);
  if (const Json free = part(part(health, "slots"), "free"); free.is_number_unsigned())
    facts.free_slots = free.get<std::size_t>();
  const Json layers = part(health, "layers");
  if (!layers.is_array())
    return Error{.code = Code::SandboxUnavailable, .doing = "the server's answer does not list the active layers"};
  facts.layers = layers.size();
  for (const Json& layer : layers)
    if (part(layer, "active") != Json(true)) facts.inactive.push_back(word(layer, "name"));
  return facts;
}

Result<Rules> server_ceiling(Daemon& daemon) {
  BAND_TRY(const Json health, daemon.health());
  const Json ceiling = part(health, "ceiling");
  if (ceiling.is_object()) {
    auto rules = rules_from_json(ceiling);
    if (!rules.ok()) rules.error().doing = "cannot read the server's ceiling: " + rules.error().doing;
    if (!rules.ok())
      rules.error().hint = "if the server is newer than this band, install the server's version here, too";
    return rules;
  }
  return Error{.code = Code::BadRequest,
               .doing = "the server (version " + word(health, "version") + ") does not report its ceiling",
               .hint = "it is an older server, or its ceiling exceeds 512 KiB"};
}

int status_command(const CommandLine& line, Terminal& terminal) {
  const auto choice = choose_target(line.target);
  if (!choice.ok()) return fail(line, terminal, choice.error());
  const auto target = load_target(choice->name);
  if (!target.ok()) return fail(line, terminal, target.error());
  Connection connection;
  if (const Status open = connection.open(*target, terminal); !open.ok()) return fail(line, terminal, open.error());
  const auto health = connection.daemon().health();
  if (!health.ok()) return fail(line, terminal, health.error());
  if (!line.json) return print(terminal, render(*choice, *target, *health));
  Json value = {{"target", choice->name}, {"chosenBy", chosen_by_text(choice->by)}, {"url", target->url}};
  if (!target->ssh.empty()) value["ssh"] = target->ssh;
  value["client"] = BAND_VERSION;
  value["clientSource"] = own_source();
  value["clientFeatures"] = feature_names();
  value["server"] = *health;
  return print_json(terminal, value);
}

}  // namespace band::client
