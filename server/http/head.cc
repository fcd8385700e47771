#include "server/http/head.h"

#include <algorithm>

namespace band::http {
namespace {

bool is_token_char(unsigned char c) {
  if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(static_cast<char>(c)) != std::string_view::npos;
}

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_char); }

// Bytes over 0x7f are allowed in values (RFC 9110 obs-text); nothing that band reads has any.
bool is_value(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\t' || (c >= 0x20 && c != 0x7f); });
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return "";
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

Refusal malformed(std::string message) {
  return refusal(400, Code::BadRequest, std::move(message), "send HTTP/1.1 as RFC 9112 writes it");
}

bool parse_request_line(std::string_view line, Head& head, Refusal& no) {
  const auto first = line.find(' ');
  const auto last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || !is_token(line.substr(0, first))) {
    no = malformed("the request line is not METHOD TARGET HTTP/1.1");
    return false;
  }
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (line.substr(last + 1) != "HTTP/1.1") {
    no = refusal(505, Code::BadRequest, "the request is not HTTP/1.1", "use a client that speaks HTTP/1.1");
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
  no.error = Error{code, "", std::move(message), 0, std::move(hint), ""};
  return no;
}

const std::string* Head::find(std::string_view lower_name) const {
  for (const auto& [name, value] : headers)
    if (name == lower_name) return &value;
  return nullptr;
}

std::size_t Head::count(std::string_view lower_name) const {
  return static_cast<std::size_t>(
      std::count_if(headers.begin(), headers.end(), [&](const auto& header) { return header.first == lower_name; }));
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

std::variant<Head, Refusal> parse_head(std::string_view text) {
  Head head;
  Refusal no;
  bool request_line = true;
  while (!text.empty()) {
    const auto end = text.find("\r\n");
    if (end == std::string_view::npos) return malformed("a header line does not end with CR LF");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 2);
    // A lone CR or LF ends a line for some parsers and not for others.
    if (!is_value(line)) return malformed("a control character in the request line or a header");
    if (request_line) {
      if (!parse_request_line(line, head, no)) return no;
      request_line = false;
      continue;
    }
    if (line.empty()) {
      if (!text.empty()) return malformed("bytes behind the empty line that ends the headers");
      return head;
    }
    const auto colon = line.find(':');
    // Also refuses a folded line and a space in front of the colon.
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
      return malformed("a header is not NAME: VALUE");
    if (head.headers.size() == kMaxHeaders)
      return refusal(431, Code::BadRequest, "more than " + std::to_string(kMaxHeaders) + " headers", "send fewer");
    head.headers.emplace_back(lower(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
  return malformed("the headers do not end with an empty line");
}

}  // namespace band::http
