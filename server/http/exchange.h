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

// The body and the Content-Type of a short answer. proof(), ask() and pass_input() return nullopt when a refusal was
// already sent, or when the client has disconnected.
struct Page {
  std::string body, type;
};
// GET /v1/proof: {"proof":"...","now":...,"source":"...","features":[...]}. The proof is an HMAC over the client's
// nonce and the server's port. Its key is the hash of the token that the request names, so the proof shows that the
// server has this hash. If no token has the id in the request, the key is made from Services::decoy_key, so that the
// answer does not reveal which ids exist.
std::optional<Page> proof(Exchange& exchange);
std::optional<Page> ask(Exchange& exchange);  // health, metrics, cancel
// Passes the request's body to the execution's standard input, no faster than the script reads. Returns when the script
// has received the whole body or no longer reads, when the engine refuses the request, or when the client disconnects.
std::optional<Page> pass_input(Exchange& exchange);

// Creates exchange.upload and reads the body of an exec into it, in pieces of bounded size. The buffer of each piece is
// wiped afterwards, because it may contain secrets. Returns false when the body is not complete: no memory was free,
// the body was malformed or too slow, or the client disconnected. The request was then refused (Connection::refuse()).
bool read_upload(Exchange& exchange);
// Seals the body's memfd, sends it to the engine, and waits for the engine's first line, for as long as the request is
// in the engine's queue. Returns null when the request was refused or the client disconnected.
std::shared_ptr<ReplyReader> start_exec(Exchange& exchange);
// Waits for the engine, and appends the next bytes for the client to `out`. `filter` converts the engine's lines to
// these bytes (reply_reader.h). Call next_piece() until it returns End (the answer is complete) or Broken (the client
// or the engine disconnected, or the engine's answer is malformed).
enum class Flow { More, End, Broken };
Flow next_piece(Exchange& exchange, ReplyReader& reply, ReplyFilter& filter, std::string& out);

}  // namespace band::http
