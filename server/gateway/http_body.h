// What a client may still send behind a head: one body, and then nothing. Pure.
#pragma once

#include <cstddef>
#include <string_view>

#include "schemas/core/result.h"
#include "server/http1/body.h"

namespace band::gateway {

class HttpBody {
 public:
  explicit HttpBody(http1::BodyPlan plan);

  // How many of these bytes, from the front, are the body's and can be passed on as they are: all but what stands
  // behind its end. An error: the framing is broken, or the body has ended and there are more bytes (a second request).
  Result<std::size_t> feed(std::string_view bytes);
  bool done() const { return frame_.done(); }

 private:
  http1::BodyFrame frame_;
};

}  // namespace band::gateway
