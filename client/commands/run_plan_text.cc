// A plan as JSON and as text, for --dry-run and --explain.
#include <cstdio>
#include <map>

#include "client/commands/rules_text.h"
#include "client/commands/run_plan.h"
#include "client/terminal/terminal.h"
#include "schemas/core/json.h"

namespace band::client {
namespace {

Json env_to_json(const RunPlan& plan) {
  Json list = Json::array();
  for (const EnvRule& rule : plan.script.band.rules.env) {
    const auto found = plan.env.found_in.find(rule.name);
    const bool is_set = found != plan.env.found_in.end();
    list.push_back({{"name", rule.name},
                    {"secret", rule.secret},
                    {"required", rule.required && !rule.fallback},
                    {"set", is_set},
                    {"from", is_set ? Json(found->second) : Json(nullptr)},
                    {"origin", rule.origin}});
  }
  return list;
}

Json files_of_skill_to_json(const std::vector<ShippedFile>& files) {
  Json list = Json::array();
  for (const ShippedFile& file : files) list.push_back({{"path", file.path}, {"bytes", file.content.size()}});
  return list;
}

std::string files_of_skill_text(const char* label, const std::vector<ShippedFile>& files) {
  std::string text = label + (": " + std::to_string(files.size())) + "\n";
  for (const ShippedFile& file : files)
    text +=
        "  " + printable_line(file.path) + "  " + human_bytes(static_cast<std::int64_t>(file.content.size())) + "\n";
  return text;
}

std::string configuration_text(const Configuration& configuration) {
  const JsonValue& value = configuration.value;
  if (value->empty() && configuration.file.empty()) return "";
  return "config: " + printable_line(dump_json(value)) +
         (configuration.file.empty() ? "" : "   (with " + printable_line(configuration.file) + ")") + "\n";
}

// Returns the first `most` lines of a list, and a line with the number of the others.
template <class List, class Line>
std::string shown(const List& list, std::size_t most, Line line) {
  std::string text;
  for (std::size_t i = 0; i < list.size() && i < most; ++i) text += line(list[i]);
  if (list.size() > most)
    text += "  ... and " + std::to_string(list.size() - most) + " more; --dry-run lists all of them\n";
  return text;
}

// Returns how long the script waited for a command, as ", 27 ms"; "" for an entry without a duration.
std::string duration_of(const LedgerEntry& entry) {
  if (entry.kind != "command" || !entry.details->is_object()) return "";
  const auto found = entry.details->find("durationMs");
  if (found == entry.details->end() || !found->is_number()) return "";
  return ", " + ms_text(found->get<double>()) + " ms";
}

}  // namespace

JsonValue plan_to_json(const RunPlan& plan) {
  const Rules& rules = plan.script.band.rules;
  Json files = Json::array(), mounts = Json::array(), left_out = Json::array(), unmatched = Json::array();
  for (const PlannedFile& file : plan.shipment.files) files.push_back({{"path", file.path}, {"bytes", file.bytes}});
  for (const PlannedMount& mount : planned_mounts(rules))
    mounts.push_back(
        {{"pattern", mount.pattern}, {"access", mount.access}, {"origin", mount.origin}, {"optional", mount.optional}});
  for (const LeftOut& left : plan.shipment.left_out) left_out.push_back({{"path", left.path}, {"why", left.why}});
  for (const Rule& rule : plan.shipment.unmatched) unmatched.push_back(rule.pattern);
  Json value = Json::object();
  value["dryRun"] = true;
  value["script"] = plan.script.place.name;
  value["skill"] = plan.script.place.skill_directory;
  value["bands"] = plan.script.band.files;
  value["target"] = plan.target;
  value["input"] = plan.input;
  value["config"] = plan.configuration.value;
  value["configFile"] = plan.configuration.file.empty() ? Json(nullptr) : Json(plan.configuration.file);
  value["rules"] = rules_to_json(rules);
  value["workspace"] = plan.workspace ? Json(plan.workspace->path()) : Json(nullptr);
  value["files"] = std::move(files);
  value["fileBytes"] = plan.shipment.bytes;
  value["leftOut"] = std::move(left_out);
  value["unmatched"] = std::move(unmatched);
  value["writableNotShipped"] = plan.unshipped.files;
  value["lib"] = files_of_skill_to_json(plan.script.lib);
  value["skillFiles"] = files_of_skill_to_json(plan.script.skill_files);
  value["mounts"] = std::move(mounts);
  value["stdin"] = plan.standard_input;
  value["env"] = env_to_json(plan);
  value["limits"] = limits_to_json(plan.limits);
  return value;
}

std::string plan_to_text(const RunPlan& plan, std::size_t most) {
  const Rules& rules = plan.script.band.rules;
  std::string text =
      "dry run of " + plan.script.place.name + " on target " + plan.target + ": runs nothing, sends nothing\n";
  text += "skill: " + printable_line(plan.script.place.skill_directory) + "\nbands:";
  for (const std::string& file : plan.script.band.files) text += " " + printable_line(file);
  text +=
      "\ninput: " + printable_line(dump_json(plan.input)) + "\n" + configuration_text(plan.configuration) + "rules:\n";
  text += domain_text("cli", rules.cli) + domain_text("net", rules.net) + domain_text("read", rules.read) +
          domain_text("write", rules.write);
  text += "workspace: " + (plan.workspace ? printable_line(plan.workspace->path()) : "not used") + "\n";
  text += "files that would be sent: " + std::to_string(plan.shipment.files.size()) + ", " +
          human_bytes(plan.shipment.bytes) + "\n";
  text += shown(plan.shipment.files, most, [](const PlannedFile& file) {
    return "  " + printable_line(file.path) + "  " + human_bytes(file.bytes) + "\n";
  });
  text += shown(plan.shipment.left_out, most, [](const LeftOut& left) {
    return "  left out: " + printable_line(left.path) + " " + printable_line(left.why) + "\n";
  });
  for (const Rule& rule : plan.shipment.unmatched)
    text += "  no file matches: " + printable_line(rule.pattern) + "   (" + printable_line(rule.origin) + ")\n";
  text += shown(plan.unshipped.files, most, [](const std::string& path) {
    return "  not sent, so the script cannot replace it (allow.write allows it): " + printable_line(path) + "\n";
  });
  text += files_of_skill_text("library files", plan.script.lib);
  text += files_of_skill_text("files of the skill", plan.script.skill_files);
  text += std::string("standard input: ") + (plan.standard_input ? "this command's\n" : "empty\n");
  const auto mounts = planned_mounts(rules);
  text += "paths of the machine that would be mounted:" + std::string(mounts.empty() ? " none\n" : "\n");
  for (const PlannedMount& mount : mounts)
    text += "  " + mount.access + "  " + printable_line(mount.pattern) + "   (" + printable_line(mount.origin) + ")" +
            (mount.optional ? ", if it exists\n" : "\n");
  text += "variables:" + std::string(rules.env.empty() ? " none\n" : "\n");
  for (const EnvRule& rule : rules.env) {
    const auto found = plan.env.found_in.find(rule.name);
    const bool missing = found == plan.env.found_in.end();
    text += "  " + rule.name + (rule.secret ? "  secret" : "  plain") + "  " +
            (missing ? (rule.required ? "MISSING: the run would stop" : "not set")
                     : "from " + printable_line(found->second)) +
            "\n";
  }
  text += "limits:\n";
  const Json limits = limits_to_json(plan.limits);
  for (const auto& [name, value] : limits.items()) text += "  " + name + " " + dump_json(value) + "\n";
  return text;
}

std::string ms_text(double ms) {
  char text[32];
  std::snprintf(text, sizeof text, ms < 10 ? "%.1f" : "%.0f", ms);
  return text;
}

std::string ledger_to_text(const std::vector<LedgerEntry>& ledger, std::size_t most) {
  std::string text;
  std::map<std::string, std::size_t> files;  // entries by kind
  for (const LedgerEntry& entry : ledger) {
    const bool of_file = entry.kind == "read" || entry.kind == "write" || entry.kind == "left-out";
    if (!of_file || ++files[entry.kind] <= most)
      text += "  " + printable_line(entry.kind) + ": " + printable_line(entry.text) + duration_of(entry) + "\n";
  }
  for (const auto& [kind, count] : files)
    if (count > most) text += "  " + kind + ": ... and " + std::to_string(count - most) + " more; --json has all\n";
  return text;
}

}  // namespace band::client
