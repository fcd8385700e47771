// http's end of the control channel (link.h): questions out, each with a reply socket of its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/core/result.h"
#include "server/base/fd.h"

namespace band::http {

// A token that was removed and made again under the same name has another id, and is another caller.
struct Caller {
  std::string_view name, id;
};

class EngineClient {
 public:
  explicit EngineClient(int control) : control_(control) {}

  Status listening(std::uint16_t port) const;
  // The config with this number holds: every request from now on is judged by it.
  Status configured(std::int64_t number) const;
  // Each returns the reply socket.
  Result<base::Fd> exec(const Caller& caller, int body) const;
  Result<base::Fd> cancel(const Caller& caller, std::string_view id) const;
  // The other end takes the standard input of the execution `id`, too (server/http_link/input.h).
  Result<base::Fd> input(const Caller& caller, std::string_view id) const;
  Result<base::Fd> health() const;
  Result<base::Fd> metrics() const;

 private:
  Result<base::Fd> ask(std::string_view text, int body) const;
  int control_;
};

}  // namespace band::http
