#include "client/commands/commands.h"
#include "client/daemon.h"
#include "client/targets.h"

namespace band::client {
namespace {

bool is_scalar(const Json& value) { return !value.is_array() && !value.is_object(); }

std::string scalar(const Json& value) {
  if (value.is_string()) return printable_line(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return printable_line(dump_json(value));
}

// The server decides what its health is made of; this shows any of it.
void render(const Json& value, std::size_t indent, std::string& text) {
  const std::string margin(indent, ' ');
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      text += margin + printable_line(name) + ":";
      if (is_scalar(member)) {
        text += " " + scalar(member) + "\n";
      } else {
        text += member.empty() ? " none\n" : "\n";
        render(member, indent + 2, text);
      }
    }
  } else if (value.is_array()) {
    for (const Json& item : value) {
      if (is_scalar(item)) {
        text += margin + scalar(item) + "\n";
        continue;
      }
      std::string row;
      if (item.is_object())
        for (const auto& [name, member] : item.items())
          row += (row.empty() ? "" : "  ") + printable_line(name) + " " +
                 (is_scalar(member) ? scalar(member) : printable_line(dump_json(member)));
      else
        row = printable_line(dump_json(item));
      text += margin + row + "\n";
    }
  }
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
  std::string text =
      "target: " + *name + "\nurl: " + printable_line(target->url) + "\nclient version: " BAND_VERSION "\nserver:\n";
  render(*health, 2, text);
  return print(terminal, text);
}

}  // namespace band::client
