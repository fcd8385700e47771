#include "server/gateway/http_body.h"

#include <limits>

namespace band::gateway {

HttpBody::HttpBody(http1::BodyPlan plan) : frame_(plan, std::numeric_limits<std::uint64_t>::max()) {}

Result<std::size_t> HttpBody::feed(std::string_view bytes) {
  if (bytes.empty()) return std::size_t{0};
  if (frame_.done())
    return Error{.code = Code::PermissionDenied,
                 .doing = "a second request on one connection",
                 .hint = "send each request on its own connection: the first answer had Connection: close"};
  std::size_t taken = 0;
  while (taken < bytes.size() && !frame_.done() && !frame_.failed()) {
    std::string_view content;
    taken += frame_.consume(bytes.substr(taken), content);
  }
  if (frame_.failed())
    return Error{.code = Code::BadRequest,
                 .doing = "the body's chunks do not follow RFC 9112",
                 .hint = "leave out chunk extensions and trailers, or send a Content-Length"};
  return taken;
}

}  // namespace band::gateway
