// Limits what a client may send after the head of an HTTP request: one body, and nothing after the body. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "schemas/core/result.h"
#include "server/http1/body.h"

namespace band::gateway {

class HttpBody {
 public:
  explicit HttpBody(http1::BodyPlan plan);

  // Returns how many bytes from the front of `bytes` belong to the body; these can be forwarded unchanged. Returns an
  // error when the framing is broken, or when bytes follow the end of the body (a second request).
  Result<std::size_t> feed(std::string_view bytes);
  bool done() const { return frame_.done(); }

 private:
  http1::BodyFrame frame_;
};

}  // namespace band::gateway
