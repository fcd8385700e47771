// The messages between client and server (docs/architecture.md 6.9): requests, answers, errors, tokens. They are also
// described in wire.schema.json and openapi.yaml. Each function *_from_json checks its argument completely, because
// client and server do not trust each other. It returns Code::BadRequest for an invalid argument.
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

// A file of the workspace or of the skill, in a request or an answer.
struct ShippedFile {
  std::string path;           // relative to the workspace or the skill; is_safe_relative_path(path) is true
  std::uint32_t mode = 0644;  // permission bits 0777 only
  std::string content;        // bytes; base64 on the wire
  // The modification time: microseconds since 1970, from 0 to kMostModifiedUs. If absent, the file gets the time at
  // which the receiver creates the file.
  std::optional<std::int64_t> modified_us = {};
};

// Returns whether `path` is valid UTF-8 of at most 4096 bytes, without control characters (C0, DEL, C1), and consists
// of segments joined by '/', each of 1 to 255 bytes and neither `.` nor `..`.
bool is_safe_relative_path(std::string_view path);
// Returns whether `name` is "SKILL/SCRIPT", where each part has 1 to 64 of the characters A-Z a-z 0-9 . _ - and begins
// with a letter or digit.
bool is_script_name(std::string_view name);
// Returns whether a request for `script` ("SKILL/SCRIPT") may include the skill's file `path`: a file below
// scripts/SCRIPT except run.sh, or a file below assets or references.
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
  // If true, an interactive bash runs in the sandbox instead of the script. The output (Answer::data) is then null, and
  // insist rules are not evaluated.
  bool shell = false;
};

// Returns whether `name` has the form of TerminalRequest::type.
bool is_terminal_type(std::string_view name);

struct ExecRequest {
  std::string script;                    // "github/issue-create"
  std::string source;                    // the text of run.sh
  std::vector<ShippedFile> lib;          // scripts/_lib, read-only in the sandbox
  std::vector<ShippedFile> skill_files;  // read-only in the sandbox; see may_be_skill_file
  // The input of the script. The client has checked it against the input schema; the server checks only its size and
  // that it is JSON.
  JsonValue input = JsonValue::object();
  JsonValue config = JsonValue::object();  // the configuration: the value of the key with the band's name
  Rules rules;
  std::map<std::string, std::string> env;      // values of the variables of rules.env that are not secret
  std::map<std::string, std::string> secrets;  // values of the secret variables of rules.env
  std::vector<ShippedFile> files;              // the files of the workspace that the rules of `read` allow
  // If true, the body of POST /v1/exec/{id}/input is the standard input of the script; if false, standard input is
  // empty.
  bool stdin_open = false;
  bool keep_partial = false;  // if true, the answer of a failed run also has the files that the run changed
  // If true, the content of Answer::files is not masked. The client then finds the files that contain a secret.
  bool whole_files = false;
  // If true, stdout and stderr are streamed completely and unchanged; while the client does not read, the script
  // blocks. If false, the streamed output is UTF-8 text up to a maximum size. The logs in the answer are always UTF-8
  // text up to a maximum size.
  bool raw_logs = false;
  // If present, descriptors 0 to 2 of the script are a terminal, and all output is in the stream "stdout". Implies
  // stdin_open and raw_logs. The input consists of frames (terminal_input.h).
  std::optional<TerminalRequest> terminal;

  bool takes_input() const { return stdin_open || terminal; }
  bool sends_raw() const { return raw_logs || terminal; }
  bool runs_shell() const { return terminal && terminal->shell; }
};

Json request_to_json(const ExecRequest& request);
// Returns the number of bytes that a file of the workspace adds to the JSON of a request: path, base64 and syntax.
std::size_t bytes_in_request(std::string_view path, std::size_t content_bytes);
Result<ExecRequest> request_from_json(Json value);
// The same for the text of a request. Returns input and configuration as json_of_text(). Uses less memory than
// parse_json() and request_from_json(): besides the result, as little as the request has without input, configuration
// and the content of large files.
Result<ExecRequest> request_from_text(std::string_view text);

// A file of the workspace to which the run gave another name.
struct RenamedFile {
  std::string from, to;
  bool operator==(const RenamedFile&) const = default;
};

// A file that the run changed and that is not in Answer::files for a reason that the request does not show.
struct RefusedFile {
  std::string path;
  std::string reason;  // "the server's ceiling denies it: ...", "it is a symbolic link"
  bool operator==(const RefusedFile&) const = default;
};

// One record of the ledger, which is the server's record of what an execution did: an event such as a command or a
// connection.
struct LedgerEntry {
  std::string kind;  // "net", "write", "limit", ...
  std::string text;  // human-readable: "wrote out/part-1.txt", "refused 3 packets (no rule of allow.net)"
  JsonValue details = JsonValue::object();
};

// Returns whether the entry records that something was refused: a command line, an undeclared command, a connection or
// packets.
bool is_refusal(const LedgerEntry& entry);
// Returns how many refusals the entry records: an entry of connections or packets can record many. 0: none.
std::uint64_t refusals_in(const LedgerEntry& entry);

// The durations of the steps of an execution, in milliseconds. Not included: the time in the queue and, if the sandbox
// was made ahead of the request (docs/architecture.md 2), the time for making it. A view is the namespaces in which the
// script (script view) or its declared commands (command view) run.
struct StepTimes {
  double slot = 0;      // compiling the rules of the request, setting limits
  double chain = 0;     // preparing the network: firewall, gateway
  double stage = 0;     // creating the file tree of the script view
  double views = 0;     // starting processes in the script view and the command view
  double start = 0;     // from the end of `views` to the first instruction of the script
  double script = 0;    // from the end of `start` until the script and all of its processes have exited
  double teardown = 0;  // from the end of `script` to the answer; the file trees are usually removed after the answer
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
  bool warm = false;  // the sandbox was made ahead of the request
  StepTimes steps;
};

// The answer to a request. To add a member, add it also to answer.cc, wire.schema.json and openapi.yaml, and to
// server/evidence/mask.cc, which masks the secrets in all texts of an answer.
struct Answer {
  std::string id;              // the execution's id, 16 hex digits
  std::optional<Error> error;  // absent: success
  JsonValue data;              // the output of the script; null when the run failed
  // The places in `data` at which secrets were masked, as JSON Pointers (RFC 6901): at most 20 of them. A pointer of
  // more than 256 bytes is replaced by that of an object or array that contains the place.
  std::vector<std::string> masked;
  // The files that the run created or changed and that the rules of `write` allow. Their content is masked unless
  // ExecRequest::whole_files is set.
  std::vector<ShippedFile> files;
  // Changes that the run made to the copy of the workspace and that the client does not repeat in the workspace. Each
  // list has at most 100 files; `unnamed` is the number of further files.
  // Files that the run created or changed and that no rule of `write` allows; and empty directories that it created,
  // with `/` at the end.
  std::vector<std::string> not_written;
  // The entries of `not_written` that the operator's ceiling refuses, and those that are not regular files, such as
  // empty directories.
  std::vector<RefusedFile> refused;
  std::vector<std::string> removed;  // files of the request that no longer exist after the run
  std::vector<RenamedFile> renamed;  // files of the request that the run renamed
  // Files of the request whose mode the run changed; and files that the run created as executable, which are in `files`
  // with the mode 0644.
  std::vector<std::string> mode_changed;
  std::uint64_t unnamed = 0;
  // Files that the run left in a home directory, which is removed: at most eight, as "~/.notes/db"
  // (server/view/homes.h).
  std::vector<std::string> home_files;
  std::string stdout_log, stderr_log;            // valid UTF-8, cut to a maximum size
  std::uint64_t stdout_cut = 0, stderr_cut = 0;  // the number of bytes that were cut off
  std::optional<int> exit_status;                // the exit status if the script exited; 128+N if signal N killed it
  Metrics metrics;
  std::vector<LedgerEntry> ledger;
};

Json answer_to_json(Answer answer);
Result<Answer> answer_from_json(const Json& value);

// The form of every error in a message: {"error": {"code", "message", "hint", "details"}}.
Json error_to_json(const Error& error);
std::string error_text(const Error& error);  // the JSON text of error_to_json(), with a newline at the end
// Sets `error`. An unknown code, as from a newer server, becomes Code::Internal.
Status error_from_json(const Json& value, Error& error);

// Tokens, and the proof by which a server shows that it has the hash of a token (docs/architecture.md 5).
//
// A token is `band_<id>_<secret>`: the id has 8 and the secret 64 lower-case hexadecimal digits. The server stores only
// SHA-256(token). The client sends a nonce (random digits), and the server answers with the proof:
// HMAC-SHA256(key = SHA-256(token), "band-proof-v1\n" + nonce + "\n" + server port in decimal), in hexadecimal digits.
// The proof includes the port, because otherwise another local program could pretend to be the server on another port:
// the program would pass the nonce on to the real server and return the real server's proof.
struct TokenParts {
  std::string id;
};
std::optional<TokenParts> split_token(std::string_view token);  // nullopt if it is not a token
std::string sha256_hex(std::string_view bytes);                 // 64 hexadecimal digits
std::string token_hash(std::string_view token);                 // sha256_hex(token)
// Returns "" when an argument has a wrong form; the nonce must have 32 to 128 digits.
std::string proof_of(std::string_view token_hash_hex, std::string_view nonce_hex, std::uint16_t port);
bool equal_in_constant_time(std::string_view a, std::string_view b);
// Returns `bytes` random bytes (at most 256) of getentropy(3) as hexadecimal digits.
Result<std::string> random_hex(std::size_t bytes);

}  // namespace band
