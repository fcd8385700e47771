// Answers one admitted request. Uses no type of cpp-httplib: serve.cc passes the results to cpp-httplib.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "server/http/admission.h"
#include "server/http/connection.h"
#include "server/http/reply_reader.h"
#include "server/http/serve.h"

namespace band::http {

struct Exchange {
  Connection& connection;
  const Services& services;
  const Admitted& request;
  std::unique_ptr<Upload> upload;  // the body of an exec; null after the engine has sent the first line of its answer
  std::string note;                // for the log
};

// A short answer. proof(), ask() and pass_input() return nullopt when a refusal was already sent, or when the client
// has disconnected.
struct Page {
  std::string body, type;
};
std::optional<Page> proof(Exchange& exchange);
std::optional<Page> ask(Exchange& exchange);  // health, metrics, cancel
// Passes the request's body to the execution's standard input, no faster than the script reads. Returns when the whole
// body was passed on, or when the script no longer reads.
std::optional<Page> pass_input(Exchange& exchange);

// Reads the body into exchange.upload, a memfd, in pieces of bounded size. The buffer of each piece is wiped
// afterwards, because it may contain secrets. Returns false when the request was refused.
bool read_upload(Exchange& exchange);
// Seals the body's memfd, sends it to the engine, and waits for the engine's first line. Returns null when the request
// was refused or the client disconnected.
std::shared_ptr<ReplyReader> start_exec(Exchange& exchange);
// Appends the next bytes for the client to `out`. Call it until it returns End (the answer is complete) or Broken (the
// client or the engine disconnected, or the engine's answer is malformed).
enum class Flow { More, End, Broken };
Flow next_piece(Exchange& exchange, ReplyReader& reply, ReplyFilter& filter, std::string& out);

}  // namespace band::http
