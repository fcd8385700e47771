// The messages between client and server (docs/architecture.md 6.9), also described by wire.schema.json and
// openapi.yaml. Client and server check what they receive: *_from_json does not trust its argument.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schemas/core/json_value.h"
#include "schemas/core/largest.h"
#include "schemas/core/result.h"
#include "schemas/rules/rules.h"

namespace band {

inline constexpr std::uint16_t kDefaultPort = 7433;

// A file of the workspace or of the skill. Path: relative, '/'-joined, no empty, `.` or `..` segment, no control
// character (C0, DEL, C1), valid UTF-8, at most 4096 bytes, a segment at most 255; see is_safe_relative_path.
struct ShippedFile {
  std::string path;
  std::uint32_t mode = 0644;  // permission bits 0777 only
  std::string content;        // bytes; base64 on the wire
  // The modification time: microseconds since 1970, 0 to kMostModifiedUs. If absent, the file has the time at which the
  // receiver creates it.
  std::optional<std::int64_t> modified_us = {};
};

bool is_safe_relative_path(std::string_view path);
bool is_script_name(
    std::string_view name);  // "skill/script", each 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit
// Returns whether `path`, relative to the skill, may be sent with `script` ("skill/script"): files of scripts/SCRIPT
// except run.sh, and files below assets and references.
bool may_be_skill_file(std::string_view path, std::string_view script);

// The window of a terminal, in characters.
struct TerminalSize {
  std::uint16_t columns = 80, rows = 24;  // neither is 0
  bool operator==(const TerminalSize&) const = default;
};

inline constexpr std::int64_t kMostTerminalSide = 10'000;

// The pseudo-terminal (pty(7)) of an execution.
struct TerminalRequest {
  TerminalSize size;
  std::string type = "dumb";  // $TERM; 1 to 64 of A-Z a-z 0-9 . _ + -
  // Run an interactive bash instead of the script, in the script's sandbox. The output is null, and the insist rules
  // are not evaluated.
  bool shell = false;
};

bool is_terminal_type(std::string_view name);

struct ExecRequest {
  std::string script;                      // "github/issue-create"
  std::string source;                      // the text of run.sh
  std::vector<ShippedFile> lib;            // scripts/_lib, read-only in the sandbox
  std::vector<ShippedFile> skill_files;    // read-only in the sandbox; see may_be_skill_file
  JsonValue input = JsonValue::object();   // the client has checked it; the server checks only its size and JSON form
  JsonValue config = JsonValue::object();  // the value of the key with the band's name
  Rules rules;
  std::map<std::string, std::string> env;      // values of the variables of rules.env that are not secret
  std::map<std::string, std::string> secrets;  // values of the secret variables of rules.env
  std::vector<ShippedFile> files;              // the files of the workspace that allow.read opens
  bool stdin_open = false;                     // POST /v1/exec/{id}/input carries standard input; else it is empty
  bool keep_partial = false;                   // the answer of a failed run has its files, too
  // stdout and stderr are streamed completely and unchanged, and the script blocks while the client does not read.
  // Otherwise the streamed output is UTF-8 text with a maximum size, like the logs of the answer in both cases.
  bool raw_logs = false;
  // The script's descriptors 0 to 2 are a terminal, whose only output is "stdout". Implies stdin_open and raw_logs; the
  // input consists of frames (TerminalInput).
  std::optional<TerminalRequest> terminal;

  bool takes_input() const { return stdin_open || terminal; }
  bool sends_raw() const { return raw_logs || terminal; }
  bool runs_shell() const { return terminal && terminal->shell; }
};

Json request_to_json(const ExecRequest& request);
// Returns the number of bytes that a file of the workspace adds to the JSON of a request: path, base64 and syntax.
std::size_t bytes_in_request(std::string_view path, std::size_t content_bytes);
Result<ExecRequest> request_from_json(Json value);

// A file of the workspace that has another name after the run.
struct RenamedFile {
  std::string from, to;
  bool operator==(const RenamedFile&) const = default;
};

// One record of the ledger: an event of an execution, such as a command or a connection.
struct LedgerEntry {
  std::string kind;  // "net", "write", "limit", ...
  std::string text;  // human-readable: "wrote out/part-1.txt", "refused 3 packets (no allow.net)"
  JsonValue details = JsonValue::object();
};

// Returns whether the entry records a refusal: of a command line, an undeclared command, a connection or packets.
bool is_refusal(const LedgerEntry& entry);

// The durations of the steps of an execution, without the time in the queue. For a sandbox that was made ahead, without
// the time for making it.
struct StepTimes {
  double slot = 0;      // reading the request, compiling its rules, setting limits
  double chain = 0;     // network: firewall, gateway
  double stage = 0;     // creating the tree of the script's view, with its files
  double views = 0;     // starting processes in the script view and the command view
  double start = 0;     // from there to the first instruction of the script
  double script = 0;    // until the script and all of its processes have exited
  double teardown = 0;  // reading changed files, removing the sandbox
};
inline constexpr std::array<std::pair<const char*, double StepTimes::*>, 7> kStepTimes{
    {{"slot", &StepTimes::slot},
     {"chain", &StepTimes::chain},
     {"stage", &StepTimes::stage},
     {"views", &StepTimes::views},
     {"start", &StepTimes::start},
     {"script", &StepTimes::script},
     {"teardown", &StepTimes::teardown}}};

struct Metrics {
  double queueMs = 0, setupMs = 0, runMs = 0, teardownMs = 0, totalMs = 0;
  std::int64_t outputBytes = 0, maxMemoryBytes = 0, shippedFiles = 0, changedFiles = 0;
  double cpuMs = 0;
  bool warm = false;  // ran in a sandbox that was made ahead
  StepTimes steps;    // in milliseconds
};

// A new member must also be added to answer.cc, wire.schema.json, openapi.yaml, and server/evidence/mask.cc, which
// masks secrets in all texts.
struct Answer {
  std::string id;                  // the execution's id, 16 hex digits
  std::optional<Error> error;      // absent: success
  JsonValue data;                  // the script's output; null when it failed
  std::vector<ShippedFile> files;  // created or changed, and opened by allow.write
  // Changes in the copy of the workspace that are not written back. At most 100 of each kind are listed; `unnamed`
  // counts the others.
  std::vector<std::string> not_written;   // created or changed, but not opened by allow.write
  std::vector<std::string> removed;       // shipped, and missing after the run
  std::vector<RenamedFile> renamed;       // shipped, and renamed by the run
  std::vector<std::string> mode_changed;  // shipped with another mode; or created as executable, and sent as 0644
  std::uint64_t unnamed = 0;
  std::string stdout_log, stderr_log;            // capped; valid UTF-8
  std::uint64_t stdout_cut = 0, stderr_cut = 0;  // bytes that did not fit
  std::optional<int> exit_status;                // the exit status if the script exited; 128+N if signal N killed it
  Metrics metrics;
  std::vector<LedgerEntry> ledger;
};

Json answer_to_json(Answer answer);
Result<Answer> answer_from_json(const Json& value);

// {"error": {"code", "message", "hint", "details"}}: the form of every error.
Json error_to_json(const Error& error);
std::string error_text(const Error& error);  // the same as text, with a newline at the end
Status error_from_json(const Json& value, Error& error);

// The proof that a server has a token's hash (docs/architecture.md 5). A token is `band_<id>_<secret>`: id has 8 and
// secret 64 lower-case hex digits. The server stores only SHA-256(token). Client and server compute
// HMAC-SHA256(key = SHA-256(token), "band-proof-v1\n" + nonce + "\n" + server port in decimal), hex.
// The port prevents another local program from relaying the nonce to the real server.
struct TokenParts {
  std::string id;
};
std::optional<TokenParts> split_token(std::string_view token);
std::string token_hash(std::string_view token);  // 64 hex digits
std::string proof_of(std::string_view token_hash_hex, std::string_view nonce_hex, std::uint16_t port);
bool equal_in_constant_time(std::string_view a, std::string_view b);
Result<std::string> random_hex(std::size_t bytes);  // from the kernel (getentropy(3)); at most 256 bytes

}  // namespace band
