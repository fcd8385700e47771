// libFuzzer: clang++ -fsanitize=fuzzer,address,undefined. A plain HTTP request can be any bytes: reading it ends, the
// rewritten head parses as the same request, and the forwarded body is the same for any split of the bytes.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "server/gateway/http_body.h"
#include "server/gateway/http_head.h"
#include "server/gateway/proxy.h"
#include "server/gateway/recognise.h"

using namespace band::gateway;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

struct Passed {
  std::size_t bytes = 0;
  bool done = false, failed = false;
};

Passed pass(band::http1::BodyPlan plan, std::string_view bytes, std::size_t step) {
  HttpBody body(plan);
  Passed passed;
  while (passed.bytes < bytes.size() && !passed.failed) {
    const auto n = body.feed(bytes.substr(passed.bytes, step));
    passed.failed = !n.ok();
    if (n.ok()) require(*n > 0 && *n <= step);
    if (n.ok()) passed.bytes += *n;
  }
  passed.done = body.done();
  return passed;
}

void check_normalised(const HttpRequest& request, std::string_view head) {
  const std::string text = request.normalised();
  require(head_bytes(text) == text.size());
  // The rewritten head can be longer than the one read (Connection: close): only then may parsing it fail.
  auto again = read_http_request(text);
  if (!again.ok()) {
    require(text.size() > kMaxHeadBytes || request.fields.size() + 3 > kMaxHeaders);
    return;
  }
  require(again->method == request.method && again->target == request.target && again->host == request.host);
  require(again->port == request.port && again->minor == request.minor && again->fields == request.fields);
  require(again->body.kind == request.body.kind && again->body.length == request.body.length);
  require(again->normalised() == text);
  require(recognise(head) == Kind::Http && recognise(text) == Kind::Http);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::size_t step = data[0] + std::size_t{1};
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  ProxyAnswer answer;
  for (std::size_t at = 0; at < bytes.size(); at += step) answer.feed(bytes.substr(at, step));

  const auto end = head_bytes(bytes);
  if (!end) return 0;
  require(*end > 0 && *end <= bytes.size());
  require(head_bytes(bytes.substr(0, *end)) == end &&
          (*end == 1 || bytes.size() > kMaxHeadBytes || !head_bytes(bytes.substr(0, *end - 1))));
  const auto request = read_http_request(bytes.substr(0, *end));
  if (!request.ok()) {
    require(!request.error().doing.empty() && !request.error().hint.empty());
    return 0;
  }
  check_normalised(*request, bytes.substr(0, *end));

  const std::string_view behind = bytes.substr(*end);
  const Passed whole = pass(request->body, behind, behind.size() + 1), pieces = pass(request->body, behind, step);
  require(whole.failed == pieces.failed);
  require(whole.done == pieces.done);
  if (whole.done) require(whole.bytes == pieces.bytes && whole.failed == (whole.bytes < behind.size()));
  if (request->body.kind == band::http1::BodyPlan::Kind::Length) require(whole.bytes <= request->body.length);
  if (request->body.kind == band::http1::BodyPlan::Kind::Chunked && whole.done)
    require(behind.substr(0, whole.bytes).ends_with("0\r\n\r\n"));
  return 0;
}
