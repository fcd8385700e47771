#include "server/http/head.h"

#include <algorithm>

namespace band::http {
namespace {

Refusal malformed(std::string message) {
  return refusal(400, Code::BadRequest, std::move(message), "send HTTP/1.1 as RFC 9112 defines it");
}

bool parse_request_line(std::string_view line, Head& head, Refusal& no) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !http1::is_token(line.substr(0, first))) {
    no = malformed("the request line is not METHOD TARGET HTTP/1.1");
    return false;
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (line.substr(last + 1) != "HTTP/1.1") {
    no = refusal(505, Code::BadRequest, "the request is not HTTP/1.1", "use a client for HTTP/1.1");
    return false;
  }
  const bool printable =
      std::all_of(target.begin(), target.end(), [](unsigned char c) { return c > 0x20 && c < 0x7f && c != '#'; });
  if (target.empty() || target[0] != '/' || !printable) {
    no = malformed("the request target is not a path in printable ASCII");
    return false;
  }
  const auto question = target.find('?');
  head.method = line.substr(0, first);
  head.path = target.substr(0, question);
  head.has_query = question != std::string_view::npos;
  if (head.has_query) head.query = target.substr(question + 1);
  return true;
}

}  // namespace

Refusal refusal(int status, Code code, std::string message, std::string hint) {
  Refusal no;
  no.status = status;
  no.error = Error{.code = code, .doing = std::move(message), .hint = std::move(hint)};
  return no;
}

std::variant<Head, Refusal> parse_head(std::string_view text) {
  auto lines = http1::read_lines(text, kMaxHeaders);
  if (const auto* bad = std::get_if<http1::BadLines>(&lines))
    return bad->too_many ? refusal(431, Code::BadRequest, bad->what, "send fewer headers") : malformed(bad->what);
  Head head;
  static_cast<http1::Lines&>(head) = std::get<http1::Lines>(std::move(lines));
  Refusal no;
  if (!parse_request_line(head.first, head, no)) return no;
  return head;
}

}  // namespace band::http
