// http's end of the control channel (link.h): questions out, each with a reply socket of its own.
#pragma once

#include <cstdint>
#include <string_view>

#include "schemas/result.h"
#include "server/base/fd.h"

namespace band::http {

class Engine {
 public:
  explicit Engine(int control) : control_(control) {}

  Status listening(std::uint16_t port) const;
  // Each returns the reply socket.
  Result<base::Fd> exec(std::string_view token, int body) const;
  Result<base::Fd> cancel(std::string_view token, std::string_view id) const;
  Result<base::Fd> health() const;
  Result<base::Fd> metrics() const;

 private:
  Result<base::Fd> ask(std::string_view text, int body) const;
  int control_;
};

}  // namespace band::http
