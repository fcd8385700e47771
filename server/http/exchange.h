// Answers one admitted request, independent of HTTP. serve.cc passes the results to cpp-httplib.
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
  std::unique_ptr<Upload> upload;  // until the engine has read it, which its first line confirms
  std::string note;                // for the log
};

// A short answer. The functions below return nullopt when a refusal was already sent, or when the client disconnected.
struct Page {
  std::string body, type;
};
std::optional<Page> proof(Exchange& exchange);
std::optional<Page> ask(Exchange& exchange);  // health, metrics, cancel
// Passes the body to the execution's standard input, no faster than the script reads it. Ends at EOF, or when the input
// is no longer read.
std::optional<Page> pass_input(Exchange& exchange);

// Reads the body into a sealed memfd, in pieces of bounded size. Each piece is wiped: it may hold secrets. Returns
// false when the request was refused.
bool read_upload(Exchange& exchange);
// Sends the body to the engine and waits for its first line. Returns null when the request was refused or the client
// disconnected.
std::shared_ptr<ReplyReader> start_exec(Exchange& exchange);
// Appends the next bytes for the client to `out`. Call it until it returns End or Broken.
enum class Flow { More, End, Broken };
Flow next_piece(Exchange& exchange, ReplyReader& reply, ReplyFilter& filter, std::string& out);

}  // namespace band::http
