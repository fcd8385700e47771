// The answers of the server. The client reads them and does not trust the server.
#include <limits>

#include "schemas/core/hex.h"
#include "schemas/core/json.h"
#include "schemas/core/json_reader.h"
#include "schemas/wire/files.h"
#include "schemas/wire/wire.h"

namespace band {

using namespace wire;

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMaxShownPath = 64 << 10;  // a path, also when its secrets are replaced by the longer mask
constexpr std::size_t kMaxReason = 4 << 10;
constexpr std::size_t kMaxLogBytes = 64u << 20;  // the server keeps far less

Json steps_to_json(const StepTimes& steps) {
  Json value;
  for (const auto& [name, member] : kStepTimes) value[name] = steps.*member;
  return value;
}

Result<StepTimes> steps_from_json(const Json* value) {
  StepTimes steps;
  if (value == nullptr) return steps;
  Reader reader(*value, "answer.metrics.steps");
  for (const auto& [name, member] : kStepTimes) steps.*member = reader.number(name);
  if (reader.failed()) return reader.error();
  return steps;
}

Json metrics_to_json(const Metrics& m) {
  return {{"queueMs", m.queueMs},
          {"setupMs", m.setupMs},
          {"runMs", m.runMs},
          {"teardownMs", m.teardownMs},
          {"totalMs", m.totalMs},
          {"cpuMs", m.cpuMs},
          {"warm", m.warm},
          {"steps", steps_to_json(m.steps)},
          {"outputBytes", m.outputBytes},
          {"maxMemoryBytes", m.maxMemoryBytes},
          {"shippedFiles", m.shippedFiles},
          {"changedFiles", m.changedFiles}};
}

Result<Metrics> metrics_from_json(const Json* value) {
  Metrics m;
  if (value == nullptr) return m;
  Reader reader(*value, "answer.metrics");
  m.queueMs = reader.number("queueMs");
  m.setupMs = reader.number("setupMs");
  m.runMs = reader.number("runMs");
  m.teardownMs = reader.number("teardownMs");
  m.totalMs = reader.number("totalMs");
  m.cpuMs = reader.number("cpuMs");
  m.warm = reader.boolean("warm", false);
  BAND_TRY(m.steps, steps_from_json(reader.find("steps", false)));
  m.outputBytes = reader.integer("outputBytes", 0, kMost);
  m.maxMemoryBytes = reader.integer("maxMemoryBytes", 0, kMost);
  m.shippedFiles = reader.integer("shippedFiles", 0, kMost);
  m.changedFiles = reader.integer("changedFiles", 0, kMost);
  if (reader.failed()) return reader.error();
  return m;
}

Result<std::vector<LedgerEntry>> ledger_from_json(const Json* list) {
  std::vector<LedgerEntry> entries;
  if (list == nullptr) return entries;
  if (!list->is_array()) return bad(wrong_type("answer.ledger", "an array", *list));
  for (std::size_t i = 0; i < list->size(); ++i) {
    const Json& value = (*list)[i];
    Reader reader(value, "answer.ledger[" + std::to_string(i) + "]");
    LedgerEntry entry;
    entry.kind = reader.text("kind", 64);
    entry.text = reader.text("text", 64 << 10);
    if (const Json* details = reader.find("details", false)) entry.details = *details;
    if (reader.failed()) return reader.error();
    entries.push_back(std::move(entry));
  }
  return entries;
}

Result<std::vector<std::string>> texts_from_json(const Json* list, const std::string& where) {
  std::vector<std::string> texts;
  if (list == nullptr) return texts;
  if (!list->is_array()) return bad(wrong_type(where, "an array", *list));
  for (const Json& text : *list) {
    if (!text.is_string()) return bad(wrong_type(where + "[]", "a string", text));
    texts.push_back(text.get<std::string>());
  }
  return texts;
}

Json renamed_to_json(const std::vector<RenamedFile>& renamed) {
  Json list = Json::array();
  for (const RenamedFile& file : renamed) list.push_back({{"from", file.from}, {"to", file.to}});
  return list;
}

Result<std::vector<RenamedFile>> renamed_from_json(const Json* list) {
  std::vector<RenamedFile> renamed;
  if (list == nullptr) return renamed;
  if (!list->is_array()) return bad(wrong_type("answer.renamed", "an array", *list));
  for (const Json& value : *list) {
    Reader reader(value, "answer.renamed[" + std::to_string(renamed.size()) + "]");
    RenamedFile file;
    file.from = reader.text("from", kMaxShownPath);
    file.to = reader.text("to", kMaxShownPath);
    if (reader.failed()) return reader.error();
    renamed.push_back(std::move(file));
  }
  return renamed;
}

Json refused_to_json(const std::vector<RefusedFile>& refused) {
  Json list = Json::array();
  for (const RefusedFile& file : refused) list.push_back({{"path", file.path}, {"reason", file.reason}});
  return list;
}

Result<std::vector<RefusedFile>> refused_from_json(const Json* list) {
  std::vector<RefusedFile> refused;
  if (list == nullptr) return refused;
  if (!list->is_array()) return bad(wrong_type("answer.refused", "an array", *list));
  for (const Json& value : *list) {
    Reader reader(value, "answer.refused[" + std::to_string(refused.size()) + "]");
    RefusedFile file;
    file.path = reader.text("path", kMaxShownPath);
    file.reason = reader.text("reason", kMaxReason);
    if (reader.failed()) return reader.error();
    refused.push_back(std::move(file));
  }
  return refused;
}

}  // namespace

bool is_refusal(const LedgerEntry& entry) {
  const Json& details = entry.details;
  const auto has = [&](const char* name, const Json& value) {
    return details.is_object() && details.contains(name) && details[name] == value;
  };
  if (entry.kind == "command") return has("denied", true);
  if (entry.kind == "net")
    return has("outcome", "refused") || (details.is_object() && details.contains("refusedPackets"));
  return entry.kind == "not-found";
}

std::uint64_t refusals_in(const LedgerEntry& entry) {
  if (!is_refusal(entry)) return 0;
  const Json& details = entry.details;
  for (const char* name : {"count", "refusedPackets"})
    if (details.is_object() && details.contains(name) && details[name].is_number_unsigned())
      return std::max<std::uint64_t>(details[name].get<std::uint64_t>(), 1);
  return 1;
}

Json answer_to_json(Answer answer) {
  Json value = object_for(20);
  value["id"] = answer.id;
  if (answer.error) value["error"] = error_to_json(*answer.error)["error"];
  value["data"] = std::move(*answer.data);  // moved, because it can have many megabytes
  value["masked"] = answer.masked;
  value["files"] = files_to_json(std::move(answer.files));
  value["notWritten"] = answer.not_written;
  value["refused"] = refused_to_json(answer.refused);
  value["removed"] = answer.removed;
  value["renamed"] = renamed_to_json(answer.renamed);
  value["modeChanged"] = answer.mode_changed;
  value["unnamed"] = answer.unnamed;
  value["homeFiles"] = answer.home_files;
  value["stdout"] = answer.stdout_log;
  value["stderr"] = answer.stderr_log;
  value["stdoutCut"] = answer.stdout_cut;
  value["stderrCut"] = answer.stderr_cut;
  value["exitStatus"] = answer.exit_status ? Json(*answer.exit_status) : Json(nullptr);
  value["metrics"] = metrics_to_json(answer.metrics);
  value["ledger"] = Json::array();
  for (const LedgerEntry& entry : answer.ledger)
    value["ledger"].push_back({{"kind", entry.kind}, {"text", entry.text}, {"details", entry.details}});
  return value;
}

// Unknown members are ignored, in every object of an answer: a newer server may send more than this client reads.
Result<Answer> answer_from_json(const Json& value) {
  Reader reader(value, "answer");
  Answer answer;
  answer.id = reader.text("id", 16);
  answer.stdout_log = reader.text("stdout", kMaxLogBytes, false);
  answer.stderr_log = reader.text("stderr", kMaxLogBytes, false);
  answer.stdout_cut = static_cast<std::uint64_t>(reader.integer("stdoutCut", 0, kMost));
  answer.stderr_cut = static_cast<std::uint64_t>(reader.integer("stderrCut", 0, kMost));
  answer.unnamed = static_cast<std::uint64_t>(reader.integer("unnamed", 0, kMost));
  const Json* data = reader.find("data", false);
  const Json* status = reader.find("exitStatus", false);
  if (status != nullptr && !status->is_null())
    answer.exit_status = static_cast<int>(reader.integer("exitStatus", 0, 255));
  if (reader.failed()) return reader.error();
  if (!is_hex(answer.id, 16)) return bad("answer.id: " + shown(answer.id) + " is not 16 hex digits");
  if (data != nullptr) answer.data = *data;
  if (const Json* error = reader.find("error", false); error != nullptr && !error->is_null()) {
    Json whole = Json::object();
    whole["error"] = *error;
    BAND_CHECK(error_from_json(whole, answer.error.emplace()));
  }
  if (!answer.error && !answer.exit_status) return bad("answer: has neither an error nor an exit status");
  BAND_TRY(answer.masked, texts_from_json(reader.find("masked", false), "answer.masked"));
  BAND_TRY(answer.files, files_from_json(reader.find("files", false), From::Answer, "answer.files", kMaxWireFiles));
  BAND_TRY(answer.not_written, texts_from_json(reader.find("notWritten", false), "answer.notWritten"));
  BAND_TRY(answer.refused, refused_from_json(reader.find("refused", false)));
  BAND_TRY(answer.removed, texts_from_json(reader.find("removed", false), "answer.removed"));
  BAND_TRY(answer.renamed, renamed_from_json(reader.find("renamed", false)));
  BAND_TRY(answer.mode_changed, texts_from_json(reader.find("modeChanged", false), "answer.modeChanged"));
  BAND_TRY(answer.home_files, texts_from_json(reader.find("homeFiles", false), "answer.homeFiles"));
  BAND_TRY(answer.metrics, metrics_from_json(reader.find("metrics", false)));
  BAND_TRY(answer.ledger, ledger_from_json(reader.find("ledger", false)));
  return answer;
}

// ---- errors -------------------------------------------------------------------------------------------------------

Json error_to_json(const Error& error) {
  Json body = Json::object();
  body["code"] = code_name(error.code);
  body["message"] = error.message();
  body["hint"] = error.hint;
  body["details"] = nullptr;
  if (!error.details.empty()) {
    auto details = parse_json(error.details, "details");
    body["details"] = details.ok() ? std::move(details).value() : Json(error.details);
  }
  Json whole = Json::object();
  whole["error"] = std::move(body);
  return whole;
}

std::string error_text(const Error& error) { return dump_json(error_to_json(error)) + "\n"; }

Status error_from_json(const Json& value, Error& error) {
  Reader outer(value, "answer");
  const Json* body = outer.find("error", true);
  if (outer.failed()) return outer.error();
  Reader reader(*body, "error");
  const std::string code = reader.text("code", 64);
  error.doing = reader.text("message", 64 << 10);
  error.hint = reader.text("hint", 64 << 10, false);
  const Json* details = reader.find("details", false);
  if (reader.failed()) return reader.error();
  // An unknown code of a newer server becomes Internal; its message still describes the error.
  if (!code_from_name(code, error.code)) error.code = Code::Internal;
  if (details != nullptr && !details->is_null()) error.details = dump_json(*details);
  return done();
}

}  // namespace band
