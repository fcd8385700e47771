#include "server/evidence/judge.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "schemas/core/json.h"
#include "schemas/programs/interpreters.h"
#include "server/base/overloaded.h"
#include "server/evidence/cause.h"
#include "server/layout/places.h"

namespace band::run {
namespace {

constexpr std::int64_t kMaxErrorFileBytes = 64 << 10;
constexpr std::size_t kMaxErrorText = 4096;
constexpr int kCannotRun = 126;  // bash, env(1) and band's shims: the command exists and cannot be started

Error plain(Code code, std::string what, std::string hint = "") {
  return Error{.code = code, .doing = std::move(what), .hint = std::move(hint)};
}

// Returns the beginning of a hint, "raise LIMIT in the band, or "; another remedy must follow. If the operator's
// ceiling or the maximum of all servers forbids a larger value, the beginning states this instead. `needed`: the least
// value that would suffice; 0 when this value is not known.
std::string raise(const std::set<std::string>& at_ceiling, const char* limit, std::int64_t needed = 0) {
  const std::string name = std::string("limit.") + limit;
  for (const LimitKey& key : kLimitKeys)
    if (std::string_view(key.name) == limit && needed > key.most)
      return name + " cannot be raised enough: its maximum is " + std::to_string(key.most) + "; ";
  if (at_ceiling.count(limit) == 0) return "raise " + name + " in the band, or ";
  return "ask the operator to raise ceiling." + name + " in server.yaml, or ";
}
std::string raise(const Evidence& evidence, const char* limit, std::int64_t needed = 0) {
  return raise(evidence.at_ceiling, limit, needed);
}

std::int64_t size_of(int directory, const char* name) {
  struct stat info {};
  return ::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) == 0 ? static_cast<std::int64_t>(info.st_size) : 0;
}

Error output_error(const Evidence& evidence, const Error& read) {
  if (read.err == ENOENT)
    return plain(Code::OutputInvalid, "the script wrote no output", "write the result as JSON to \"$OUTPUT_PATH\"");
  if (read.err == ELOOP) return plain(Code::OutputInvalid, "$OUTPUT_PATH is a link", "write a plain file");
  if (read.code == Code::LimitExceeded)
    return plain(read.code, read.message(),
                 raise(evidence, "maxOutputBytes", size_of(evidence.out_directory, layout::kOutputName)) +
                     "write less to \"$OUTPUT_PATH\"");
  return plain(Code::OutputInvalid, read.message(),
               read.hint.empty() ? "write the result as JSON to \"$OUTPUT_PATH\", a plain file" : read.hint);
}

void take_output(const Evidence& evidence, const EffectiveLimits& limits, Answer& answer) {
  const auto text = view::read_result(evidence.out_directory, layout::kOutputName, limits.maxOutputBytes);
  if (!text.ok()) {
    answer.error = output_error(evidence, text.error());
    return;
  }
  answer.metrics.outputBytes = static_cast<std::int64_t>(text->size());
  auto value = parse_json(*text, "output");
  if (value.ok()) {
    answer.data = std::move(value).value();
    return;
  }
  answer.error = plain(Code::OutputInvalid, value.error().message(), "write one JSON value to \"$OUTPUT_PATH\"");
}

// Explains bash's own exit statuses, for readers who do not know the sandbox. `said`: what the script printed. A script
// that printed another reason for its status, or none, gets no explanation of 126 and 127.
std::string hint_of_status(int status, const std::string& said) {
  const auto names = [&](std::string_view reason) { return said.find(reason) != std::string::npos; };
  if (status == 127 && names("not found"))
    return "name the command in allow.cli: exit status 127 means that a command was not found, and a sandbox has only "
           "the essential commands (bash, grep, jq and others) and the commands that allow.cli names";
  if (status == kCannotRun && (names("ermission denied") || names("annot execute")))
    return "pass the file to its interpreter (`bash FILE`): exit status 126 means that a command could not be started, "
           "and files that the script wrote or received cannot be executed";
  if (status == 128 + SIGPIPE)
    return "141: a program wrote to a pipe whose reader had ended (SIGPIPE), as in `PROGRAM | head -n 1` under `set -o "
           "pipefail`; let the reader read all input (`sed -n 1p`), or append `|| (($? == 141))` to the pipeline";
  return "";
}

bool is_below(std::string_view path, std::string_view directory) {
  return path.size() > directory.size() && path.starts_with(directory) && path[directory.size()] == '/';
}

// Returns the path, as the script wrote it, of a file that bash could not execute, or "". Two other failures have the
// same message. One is reading a file of the machine; therefore paths of the machine do not count. The other is writing
// a file; therefore a file without the extension of a script counts only if the script exited with 126.
std::string helper_denied(const std::string& said, int status) {
  constexpr std::string_view kEnd = ": Permission denied\n", kBefore = ": line ";
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-/";  // needs no quotes in a hint
  for (std::size_t at = said.find(kEnd); at != std::string::npos; at = said.find(kEnd, at + 1)) {
    const std::size_t line = at == 0 ? 0 : said.rfind('\n', at - 1) + 1;
    const std::size_t from = at == 0 ? std::string::npos : said.rfind(": ", at - 1);
    if (from == std::string::npos || from < line || said.substr(line, from - line).find(kBefore) == std::string::npos)
      continue;
    std::string path = said.substr(from + 2, at - (from + 2));
    if (path.empty() || path.size() > 200 || path.find_first_not_of(kPlain) != std::string::npos) continue;
    const bool own =
        path[0] != '/' || is_below(path, layout::kSkill) || is_below(path, layout::kWork) || is_below(path, "/tmp");
    if (own && (status == kCannotRun || !interpreter_of_name(path).empty())) return path;
  }
  return "";
}

std::string hint_of_helper(const Answer& answer, int status) {
  const std::string path = helper_denied(answer.stderr_log, status);
  if (path.empty()) return "";
  const std::string name =
      is_below(path, layout::kLib) ? "$BAND_LIB" + path.substr(std::string_view(layout::kLib).size()) : path;
  const std::string_view interpreter = interpreter_of_name(path);
  return "no file of the skill, of the workspace or of /tmp can be executed, regardless of its mode (noexec): start "
         "the file "
         "with " +
         (interpreter.empty() ? "the program that runs such files, e.g. `bash \"" + name + "\"` for a shell script"
                              : "`" + std::string(interpreter) + " \"" + name + "\"`");
}

// Returns true when a shim or a warden has printed the reason: "band: broker: ...", "band: cannot start git: ...".
bool band_printed_why(const std::string& said) {
  return said.starts_with("band: ") || said.find("\nband: ") != std::string::npos;
}

// `write` does not open a path of the machine for reading, although users may expect this. Programs print the text of
// strerror(3) when such a read fails; the text is English, because the locale of a sandbox is C.UTF-8.
std::string hint_of_write_only(const Evidence& evidence, const Answer& answer) {
  if (evidence.write_only.empty() || answer.stderr_log.find("Permission denied") == std::string::npos) return "";
  return "`write` does not allow reading: if the script has to read or list /" + evidence.write_only +
         ", name this path in `read`, too";
}

// A failing script may explain the error in error.json: {message, hint, retryAfterMs}. The texts are copied, not
// interpreted. Returns true when error.json has a message.
bool take_error_file(const Evidence& evidence, Error& error) {
  const auto text = view::read_result(evidence.out_directory, layout::kErrorName, kMaxErrorFileBytes);
  if (!text.ok()) return false;
  const auto value = parse_json(*text, "error.json");
  if (!value.ok() || !value->is_object()) return false;
  const auto words = [&](const char* key) {
    const auto member = value->find(key);
    return member != value->end() && member->is_string() ? member->get<std::string>().substr(0, kMaxErrorText)
                                                         : std::string();
  };
  const std::string message = words("message"), hint = words("hint");
  if (!message.empty()) error.doing = message;
  if (!hint.empty() || !message.empty()) {
    error.hint = hint;
    error.details.clear();
  }
  const auto retry = value->find("retryAfterMs");
  if (retry != value->end() && retry->is_number_unsigned()) error.details = dump_json({{"retryAfterMs", *retry}});
  return !message.empty();
}

Error out_of_memory(const Evidence& evidence, const EffectiveLimits& limits) {
  return plain(
      Code::LimitExceeded,
      "the script used more than limit.maxMemoryBytes (" + std::to_string(limits.maxMemoryBytes) + ")",
      raise(evidence, "maxMemoryBytes") + "process less data at a time; files in the workspace and /tmp count, too");
}

// For clients, which can have better hints than those that follow only from the status, the log or a refusal.
constexpr const char* kGeneralHint = R"({"hintFrom":"server"})";

// The message keeps the script's own explanation. The denial is the most likely cause, so it defines code and hint.
Error after_denial(const ledger::Ledger::Denied& denied, const Error& failed) {
  Error error = plain(Code::PermissionDenied, failed.message() + "; before that: " + denied.text,
                      denied.hint.empty() ? failed.hint : denied.hint + ", or do without it");
  error.details = denied.hint.empty() ? failed.details : kGeneralHint;
  return error;
}

Error file_too_large(const Evidence& evidence, const EffectiveLimits& limits) {
  return plain(
      Code::LimitExceeded,
      "a file that the script wrote grew beyond limit.maxDiskBytes (" + std::to_string(limits.maxDiskBytes) + ")",
      raise(evidence, "maxDiskBytes") + "write less; the output has its own limit, limit.maxOutputBytes");
}

// A limit that was used up. `what` is the rest of a sentence that begins with "the script ". The script may have
// continued after it reached the limit.
struct Spent {
  std::string what, hint;
};

Spent processes_spent(const Evidence& evidence, const EffectiveLimits& limits) {
  return {"needed more processes than limit.maxProcesses (" + std::to_string(limits.maxProcesses) + ")",
          raise(evidence, "maxProcesses") +
              "start fewer processes at the same time; threads count, and a declared command counts twice"};
}

Spent room_spent(const Evidence& evidence, const EffectiveLimits& limits) {
  const bool bytes = evidence.room == view::Room::NoBytes;
  const char* limit = bytes ? "maxDiskBytes" : "maxFiles";
  return {std::string("filled the workspace and /tmp, which are together limited by limit.") + limit + " (" +
              std::to_string(bytes ? limits.maxDiskBytes : limits.maxFiles) + ")",
          raise(evidence, limit) + (bytes ? "write less" : "write fewer files; directories count, too")};
}

std::optional<Spent> spent(const Evidence& evidence, const EffectiveLimits& limits) {
  if (evidence.room != view::Room::Left) return room_spent(evidence, limits);
  if (evidence.out_of_processes) return processes_spent(evidence, limits);
  return std::nullopt;
}

// The message includes how the script ended, because the script may have failed for another reason than the limit.
Error failed_after(const Spent& spent, const std::string& ended) {
  return plain(Code::LimitExceeded, ended + "; before that, the script " + spent.what, spent.hint);
}

// Finds the text of EFBIG. Programs that ignore SIGXFSZ, e.g. Python, print this text.
bool reports_file_too_large(const std::string& said) {
  return said.find(": File too large\n") != std::string::npos ||
         said.find("[Errno 27] File too large") != std::string::npos;
}

// For a script that failed: if the script reached a limit, returns the error of this limit, which explains more than
// the exit status.
std::optional<Error> met_limit(const Evidence& evidence, const EffectiveLimits& limits, int exit_status,
                               const Answer& answer) {
  if (evidence.out_of_memory) return out_of_memory(evidence, limits);
  // SIGXFSZ (RLIMIT_FSIZE) killed the script, or the script's last program, whose signal the shell returns as its exit
  // status. A printed text does not replace a denial, because a script can print such a text for any reason.
  if (exit_status == 128 + SIGXFSZ ||
      (cause_of_failure(evidence.denied, exit_status, answer) == nullptr && reports_file_too_large(answer.stderr_log)))
    return file_too_large(evidence, limits);
  return std::nullopt;
}

// Returns a hint for a disk that was full during the run, but is not full when the server checks: the files were
// removed again, or another file system was full.
std::string hint_of_full_disk(const Answer& answer) {
  if (answer.stderr_log.find("No space left on device") == std::string::npos) return "";
  return "limit.maxDiskBytes and limit.maxFiles apply to the workspace and /tmp together: raise these limits in the "
         "band, or write "
         "less; if the script wrote to a path of the machine, the machine's disk is full";
}

// A script that reached a limit may have continued and failed for another reason. Its own explanation and a denial
// therefore have precedence over the limit.
Error script_failed(const Evidence& evidence, const EffectiveLimits& limits, int status, const Answer& answer) {
  const std::string ended = "the script exited with " + std::to_string(status);
  Error error = plain(Code::ScriptFailed, ended);
  if (status != kCannotRun || !band_printed_why(answer.stderr_log))
    error.hint = hint_of_status(status, answer.stderr_log);
  if (const std::string helper = hint_of_helper(answer, status); !helper.empty()) error.hint = helper;
  if (!error.hint.empty()) error.details = kGeneralHint;
  for (const std::string& hint : {hint_of_write_only(evidence, answer), hint_of_full_disk(answer)})
    if (!hint.empty()) error.hint = hint, error.details.clear();
  const bool explained = take_error_file(evidence, error);
  const ledger::Ledger::Denied* const denied = cause_of_failure(evidence.denied, status, answer);
  // A hint with a fact is not a general one.
  const auto add_fact = [&](const std::string& fact) {
    error.hint += (error.hint.empty() ? "" : "; ") + fact;
    if (error.details == kGeneralHint) error.details.clear();
  };
  if (evidence.failed_connection && denied == nullptr) add_fact("before that: " + *evidence.failed_connection);
  if (denied != nullptr) error = after_denial(*denied, error);
  const std::optional<Spent> limit = spent(evidence, limits);
  if (!limit) return error;
  if (!explained && denied == nullptr) return failed_after(*limit, ended);
  add_fact("the script also " + limit->what);
  return error;
}

}  // namespace

Error too_much_written(const std::set<std::string>& at_ceiling, const EffectiveLimits& limits, std::int64_t bytes,
                       std::int64_t files) {
  constexpr auto kMostCarried = static_cast<std::int64_t>(kMaxCarriedBytes);
  constexpr auto kMostFiles = static_cast<std::int64_t>(kMaxWireFiles);
  const std::string wrote = "the script wrote " + std::to_string(files) + (files == 1 ? " file" : " files") + " with " +
                            std::to_string(bytes) + " bytes in all (a sparse file counts with its length); ";
  const std::string mount =
      ", or write to a path of the machine (`write: [\"/srv/out/**\"]`): such files are not sent back";
  if (bytes > kMostCarried)
    return plain(Code::LimitExceeded,
                 wrote + "at most " + std::to_string(kMostCarried) +
                     " bytes (64 MiB) can be sent back, regardless of limit.maxDiskBytes",
                 "write less, or compress the files" + mount);
  if (files > kMostFiles)
    return plain(
        Code::LimitExceeded,
        wrote + "at most " + std::to_string(kMostFiles) + " files can be sent back, regardless of limit.maxFiles",
        "write fewer files, e.g. one archive with tar" + mount);
  if (bytes > limits.maxDiskBytes)
    return plain(Code::LimitExceeded, wrote + "limit.maxDiskBytes is " + std::to_string(limits.maxDiskBytes),
                 raise(at_ceiling, "maxDiskBytes", bytes) + "write less");
  return plain(Code::LimitExceeded, wrote + "limit.maxFiles is " + std::to_string(limits.maxFiles),
               raise(at_ceiling, "maxFiles", files) + "write fewer files");
}

void judge(const Evidence& evidence, const EffectiveLimits& limits, Answer& answer) {
  std::visit(base::Overloaded{
                 [&](const Exited& exited) {
                   answer.exit_status = exited.status;
                   if (exited.status == 0) return take_output(evidence, limits, answer);
                   answer.error = met_limit(evidence, limits, exited.status, answer);
                   if (!answer.error) answer.error = script_failed(evidence, limits, exited.status, answer);
                 },
                 [&](const Killed& killed) {
                   answer.exit_status = 128 + killed.signal;
                   const std::string ended = "the script was killed by signal " + std::to_string(killed.signal);
                   answer.error = met_limit(evidence, limits, 128 + killed.signal, answer);
                   if (answer.error) return;
                   const std::optional<Spent> limit = spent(evidence, limits);
                   answer.error =
                       limit ? failed_after(*limit, ended)
                             : plain(Code::ScriptFailed, ended, hint_of_status(128 + killed.signal, answer.stderr_log));
                 },
                 [&](const TimedOut&) {
                   answer.error = plain(
                       Code::Timeout,
                       "the script ran longer than limit.maxRuntimeMs (" + std::to_string(limits.maxRuntimeMs) + " ms)",
                       raise(evidence, "maxRuntimeMs") + "do less");
                 },
                 [&](const Cancelled& cancelled) {
                   answer.error = plain(Code::Cancelled, "the execution ended: " + cancelled.why);
                 },
                 [&](const SetupFailed& failed) { answer.error = failed.error; },
             },
             evidence.ending);
}

}  // namespace band::run
