#include <algorithm>

#include "client/commands/commands.h"
#include "client/transport/daemon.h"
#include "client/transport/targets.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

// A member of the server's answer as text; "?" for what is not there: its form is not ours to trust.
std::string word(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return "?";
  const Json& value = object.at(key);
  return printable_line(value.is_string() ? value.get<std::string>() : dump_json(value));
}

Json part(const Json& object, const char* key) {
  return object.is_object() && object.contains(key) ? object.at(key) : Json();
}

std::string render(const std::string& name, const std::string& url, const Json& health) {
  const Json slots = part(health, "slots"), queue = part(health, "queue"), layers = part(health, "layers");
  std::string text = "target   " + name + ", " + printable_line(url) + "\n";
  text += "version  client " BAND_VERSION ", server " + word(health, "version") + ", up " +
          word(health, "uptimeSeconds") + " s\n";
  text += "slots    " + word(slots, "free") + " free of " + word(slots, "total");
  if (const Json dying = part(slots, "dying"); dying.is_number_unsigned() && dying != Json(0))
    text += ", " + word(slots, "dying") + " out of service until what their last executions left has ended";
  text += "\n";
  text += "queue    " + word(queue, "length") + " of " + word(queue, "max") + "\n";
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

int status_command(const CommandLine& line, Terminal& terminal) {
  const auto name = target_name(line.target);
  if (!name.ok()) return fail(line, terminal, name.error());
  const auto target = load_target(*name);
  if (!target.ok()) return fail(line, terminal, target.error());
  Daemon daemon(*target);
  if (const Status proved = daemon.prove(); !proved.ok()) return fail(line, terminal, proved.error());
  const auto health = daemon.health();
  if (!health.ok()) return fail(line, terminal, health.error());
  if (line.json)
    return print_json(terminal,
                      {{"target", *name}, {"url", target->url}, {"client", BAND_VERSION}, {"server", *health}});
  return print(terminal, render(*name, target->url, *health));
}

}  // namespace band::client
