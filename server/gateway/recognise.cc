#include "server/gateway/recognise.h"

#include <algorithm>
#include <string>

#include "schemas/core/hex.h"
#include "server/http1/fields.h"

namespace band::gateway {
namespace {

unsigned char byte(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

// Returns Tls, Other (the bytes are not TLS) or More (further bytes decide).
Kind as_tls(std::string_view first) {
  const unsigned char type = byte(first, 0);
  // Alert, handshake. Go reads records of any version below 16.0, and JSSE records of any version; both skip an alert
  // before the ClientHello.
  if (type == 0x15 || type == 0x16) return Kind::Tls;
  // Change cipher spec, application data, heartbeat. Only a handshake or an alert should come first.
  if (type >= 0x14 && type <= 0x18) {
    if (first.size() < 2) return Kind::More;
    return byte(first, 1) == 3 ? Kind::Tls : Kind::Other;
  }
  // SSLv2's framing, which current servers still read: length with the top bit set, type 1. GnuTLS reads any version.
  if (type < 0x80) return Kind::Other;
  if (first.size() < 3) return Kind::More;
  return byte(first, 2) == 1 ? Kind::Tls : Kind::Other;
}

// Returns true when a word begins with HTTP/, RTSP/ or ICE/ (upper or lower case) and a digit. llhttp, the parser of
// Node, accepts all three.
bool says_version(std::string_view line) {
  for (std::size_t at = 0; (at = line.find('/', at)) != std::string_view::npos; ++at) {
    if (at + 1 == line.size() || line[at + 1] < '0' || line[at + 1] > '9') continue;
    for (const std::string_view name : {"http", "rtsp", "ice"}) {
      if (at <= name.size() || !parts_words(byte(line, at - name.size() - 1))) continue;
      if (http1::lower(line.substr(at - name.size(), name.size())) == name) return true;
    }
  }
  return false;
}

const char* skip_token(const char* from, const char* end) {
  return std::find_if_not(from, end, [](unsigned char c) { return http1::is_token_char(c); });
}

// HTTP/0.9 has no version and no fields, but llhttp and Python's http.server read a Host header after such a line.
// Python's http.server accepts any single word after GET. Precondition: begins_like_request(line).
bool has_target(std::string_view line) {
  const char* const end = line.data() + line.size();
  const char* const method_end = skip_token(line.data(), end);
  const char* const start = std::find_if_not(method_end, end, parts_words);
  if (start == end) return false;
  if (*start == '/' || *start == '*' || *start == '?') return true;
  if (std::string_view(skip_token(start, end), end).starts_with("://")) return true;
  const std::string_view method(line.data(), method_end);
  if (method == "GET") return std::find_if_not(std::find_if(start, end, parts_words), end, parts_words) == end;
  // In NATS, JSON follows CONNECT.
  return http1::lower(method) == "connect" && *start != '{';
}

// Returns true for LDAP (RFC 4511): a sequence that begins with a number, and whose length byte has the value of a
// separator. Any other control character may begin a target: some servers (gunicorn, Python's http.server) accept any
// target, and any token as a method.
bool is_ldap(std::string_view line) {
  return line.size() > 3 && line[0] == '0' && parts_words(byte(line, 1)) && line.substr(2).starts_with("\x02\x01");
}

// Returns true for the identification of an SSH client with a comment of one word (RFC 4253, 4.2):
// `SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3`. No known server reads such a line as a request and then reads `Host`.
bool is_ssh(std::string_view line) {
  const auto comment = static_cast<std::size_t>(std::find_if(line.begin(), line.end(), parts_words) - line.begin());
  if (!line.starts_with("SSH-") || line.substr(comment, 1) != " ") return false;
  std::string_view word = line.substr(comment + 1);
  if (word.ends_with('\r')) word.remove_suffix(1);
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' || c == '+' ||
           c == '_' || c == '.' || c == '~';
  });
}

// Returns true when a separator other than the CR of the line's end follows the method.
bool has_words(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return std::any_of(line.begin(), line.end(), parts_words);
}

// Returns true when `line` is a method, separators and a target, or the beginning of such a line.
bool begins_like_request(std::string_view line) {
  const auto byte_of = [](char c) { return static_cast<unsigned char>(c); };
  const auto method_end =
      std::find_if_not(line.begin(), line.end(), [&](char c) { return http1::is_token_char(byte_of(c)); });
  if (method_end == line.end()) return true;
  if (method_end == line.begin() || !parts_words(byte_of(*method_end))) return false;
  return !is_ldap(line);
}

Kind as_http(std::string_view first) {
  // Servers skip empty lines before a request, some also blanks.
  const auto start =
      std::find_if(first.begin(), first.end(), [](unsigned char c) { return c != '\n' && !parts_words(c); });
  const std::string_view text(start, first.end());
  const auto end = text.find('\n');
  const bool whole = end != std::string_view::npos;
  const std::string_view line = text.substr(0, end);
  if (!begins_like_request(line)) return Kind::Other;
  if (!whole && first.size() < kMaxFirstLine) return Kind::More;
  if (line.starts_with("PRI * HTTP/2")) return Kind::Http2;
  // nginx and Node skip any number of line ends before a request, and Go reads a method of 1 MiB. Another protocol that
  // begins with 64 KiB of this form is refused, too.
  if (!whole) return Kind::Http;
  if (says_version(line) || has_target(line)) return Kind::Http;
  return has_words(line) && !is_ssh(line) ? Kind::Words : Kind::Other;
}

}  // namespace

bool is_git(std::string_view first) {
  constexpr std::string_view kService = "git-";
  constexpr std::size_t kLength = 4;
  return first.size() > kLength + kService.size() && first.substr(kLength).starts_with(kService) &&
         is_hex(first.substr(0, kLength), kLength);
}

Kind recognise(std::string_view first) {
  if (first.empty()) return Kind::More;
  const Kind tls = as_tls(first);
  if (tls == Kind::Tls) return tls;
  const Kind http = as_http(first.substr(0, kMaxFirstLine));
  return http == Kind::Other ? tls : http;
}

Kind recognise_whole(std::string_view all) {
  Kind kind = recognise(all);
  if (kind == Kind::More) kind = recognise(std::string(all) + '\n');
  return kind == Kind::More ? Kind::Other : kind;
}

}  // namespace band::gateway
