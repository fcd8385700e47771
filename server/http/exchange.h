// One admitted request: what is answered, without a word of HTTP. serve.cc gives these to cpp-httplib.
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
  std::unique_ptr<Upload> upload;  // until the engine has read it, which its first line says
  std::string note;                // for the log
};

// A short answer, or the refusal that was already sent (nullopt).
struct Page {
  std::string body, type;
};
std::optional<Page> proof(Exchange& exchange);
std::optional<Page> ask(Exchange& exchange);  // health, metrics, cancel
// The body into the execution's standard input, no faster than the script reads, until its end or until nobody reads
// it.
std::optional<Page> pass_input(Exchange& exchange);

// The body into a sealed memfd, a bounded piece at a time, each wiped: it may hold secrets. False: refused.
bool read_upload(Exchange& exchange);
// Hands the body to the engine and waits for its first line. Null: refused, or the client is gone.
std::shared_ptr<ReplyReader> start_exec(Exchange& exchange);
// Called until it says End or Broken; appends what the client gets next to `out`.
enum class Flow { More, End, Broken };
Flow next_piece(Exchange& exchange, ReplyReader& reply, ReplyFilter& filter, std::string& out);

}  // namespace band::http
