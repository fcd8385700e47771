// The messages between client and server (design section 11; wire.schema.json and openapi.yaml describe the same).
// Both ends check what they get: *_from_json never trusts its argument.
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
  // When the content was last modified: microseconds since 1970, 0 to kMostModifiedUs. Absent: not known, and the file
  // has the time at which the receiver made it.
  std::optional<std::int64_t> modified_us = {};
};

bool is_safe_relative_path(std::string_view path);
bool is_script_name(
    std::string_view name);  // "skill/script", each 1 to 64 of A-Z a-z 0-9 . _ -, first a letter or digit
// May `path`, relative to the skill, travel with `script` ("skill/script")? What lies in scripts/SCRIPT but run.sh, and
// below assets and references.
bool may_be_skill_file(std::string_view path, std::string_view script);

// The window of a terminal, in characters.
struct TerminalSize {
  std::uint16_t columns = 80, rows = 24;  // neither is 0
  bool operator==(const TerminalSize&) const = default;
};

inline constexpr std::int64_t kMostTerminalSide = 10'000;

// The terminal that an execution gets: a pseudo-terminal (pty(7)) of its own.
struct TerminalRequest {
  TerminalSize size;
  std::string type = "dumb";  // $TERM; 1 to 64 of A-Z a-z 0-9 . _ + -
  // In place of the script a bash, where the script would run. Its output is null, and what the rules insist on is not
  // asked for.
  bool shell = false;
};

bool is_terminal_type(std::string_view name);

struct ExecRequest {
  std::string script;                      // "github/issue-create"
  std::string source;                      // the text of run.sh
  std::vector<ShippedFile> lib;            // scripts/_lib, read-only in the sandbox
  std::vector<ShippedFile> skill_files;    // read-only in the sandbox; see may_be_skill_file
  JsonValue input = JsonValue::object();   // already checked by the caller; the server checks size and JSON only
  JsonValue config = JsonValue::object();  // the band's own config key
  Rules rules;
  std::map<std::string, std::string> env;      // values of rules.env that are no secrets
  std::map<std::string, std::string> secrets;  // values of rules.env that are
  std::vector<ShippedFile> files;              // what allow.read opens of the workspace
  bool stdin_open = false;                     // POST /v1/exec/{id}/input brings its standard input; else it is empty
  bool keep_partial = false;                   // the answer of a run that failed has its files, too
  // stdout and stderr are sent whole, as they are, and the script waits for a client that does not take them. Without
  // it what is sent is text, and capped, as the logs of the answer are in any case.
  bool raw_logs = false;
  // The script's descriptors 0 to 2 are a terminal, which has one output ("stdout"): as with stdin_open and raw_logs.
  // The input is made of TerminalInput's frames.
  std::optional<TerminalRequest> terminal;

  bool takes_input() const { return stdin_open || terminal; }
  bool sends_raw() const { return raw_logs || terminal; }
  bool runs_shell() const { return terminal && terminal->shell; }
};

Json request_to_json(const ExecRequest& request);
// What a file of the workspace adds to a request as text: its name, base64, and what stands around them.
std::size_t bytes_in_request(std::string_view path, std::size_t content_bytes);
Result<ExecRequest> request_from_json(Json value);

// A file of the workspace that has another name at the end.
struct RenamedFile {
  std::string from, to;
  bool operator==(const RenamedFile&) const = default;
};

// What the ledger tells of an execution. Grows with the rooms that write it (commands, connections).
struct LedgerEntry {
  std::string kind;  // "net", "write", "limit", ...
  std::string text;  // for people: "wrote out/part-1.txt", "refused 3 packets (no allow.net)"
  JsonValue details = JsonValue::object();
};

// Does the entry say that the walls refused something to the script: a command line, a command that the band does not
// declare, a connection, packets?
bool is_refusal(const LedgerEntry& entry);

// What the time of an execution went to, without that in the queue; of a sandbox that was made ahead without its
// making.
struct StepTimes {
  double slot = 0;      // the request read, its rules compiled, limits set
  double chain = 0;     // network: firewall, gateway
  double stage = 0;     // the tree of the script's view, with its files
  double views = 0;     // processes started in script view and command view
  double start = 0;     // from there to the script's first instruction
  double script = 0;    // until it and all of its processes had ended
  double teardown = 0;  // what it changed is read, and everything taken away
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
  bool warm = false;  // it ran in a sandbox that was made ahead
  StepTimes steps;    // in milliseconds
};

// A new member stands in answer.cc, in wire.schema.json and openapi.yaml, and in server/evidence/mask.cc, which takes
// secrets out of all texts.
struct Answer {
  std::string id;                  // of the execution, 16 hex digits
  std::optional<Error> error;      // absent: success
  JsonValue data;                  // the script's output; null when it failed
  std::vector<ShippedFile> files;  // created or changed, and opened by allow.write
  // What happened in the workspace's copy and does not come back; of each kind at most 100 are named, `unnamed` counts
  // the others.
  std::vector<std::string> not_written;   // created or changed, but not opened by allow.write
  std::vector<std::string> removed;       // shipped, and not there at the end
  std::vector<RenamedFile> renamed;       // shipped, and there under another name
  std::vector<std::string> mode_changed;  // shipped with another mode; or created as a program, and carried as 0644
  std::uint64_t unnamed = 0;
  std::string stdout_log, stderr_log;            // capped; valid UTF-8
  std::uint64_t stdout_cut = 0, stderr_cut = 0;  // bytes that did not fit
  std::optional<int> exit_status;                // of the script, if it ran to its end; 128+N for death by signal N
  Metrics metrics;
  std::vector<LedgerEntry> ledger;
};

Json answer_to_json(Answer answer);
Result<Answer> answer_from_json(const Json& value);

// {"error": {"code", "message", "hint", "details"}}: the one shape everywhere.
Json error_to_json(const Error& error);
std::string error_text(const Error& error);  // the same as text, with a newline behind it
Status error_from_json(const Json& value, Error& error);

// The proof that a server knows a token (design section 11). The token string is `band_<id>_<secret>`: id 8 and secret
// 64 lower-case hex digits. The server keeps only SHA-256(token); both sides compute
// HMAC-SHA256(key = SHA-256(token), "band-proof-v1\n" + nonce + "\n" + server port in decimal), hex.
// The port stops another local program from passing the question on to the real server.
struct TokenParts {
  std::string id;
};
std::optional<TokenParts> split_token(std::string_view token);
std::string token_hash(std::string_view token);  // 64 hex digits
std::string proof_of(std::string_view token_hash_hex, std::string_view nonce_hex, std::uint16_t port);
bool equal_in_constant_time(std::string_view a, std::string_view b);
Result<std::string> random_hex(std::size_t bytes);  // of the kernel (getentropy(3)); at most 256 bytes

}  // namespace band
