// band-http's end of the control channel (server/http_link/link.h): sends messages to the engine, the process that runs
// the executions, and makes a reply socket for each request.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::http {

// The engine identifies a caller by its token. A token that was removed and created again under the same name has
// another id, so it is another caller.
struct Caller {
  std::string_view name, id;
};

class EngineClient {
 public:
  explicit EngineClient(int control) : control_(control) {}

  Status listening(std::uint16_t port) const;
  // Confirms to the engine that every request from now on uses the config with this number.
  Status configured(std::int64_t number) const;
  // Each of the following functions sends one message and returns the reply socket for its answer. Returns an error
  // when the message cannot be sent, for example because the engine has exited. `body`: the memfd of the request's
  // body. `events`: the client requests the events before the result.
  Result<base::Fd> exec(const Caller& caller, bool events, int body) const;
  Result<base::Fd> cancel(const Caller& caller, std::string_view id) const;
  // band-http writes the standard input of the execution `id` to the returned socket (server/http_link/input.h).
  Result<base::Fd> input(const Caller& caller, std::string_view id) const;
  Result<base::Fd> health(const Caller& caller) const;
  Result<base::Fd> metrics() const;

 private:
  Result<base::Fd> ask(std::string_view text, int body) const;
  int control_;
};

}  // namespace band::http
