// Determines a client's protocol from its first bytes. Pure.
//
// On a port that a rule names, protocols other than TLS and HTTP are forwarded without inspection. If TLS or HTTP were
// taken for another protocol, the checks of SNI and Host would be bypassed. The result is therefore Tls or Http when
// any existing server reads the input as TLS or HTTP, even where no standard allows this. The strict readers
// (client_hello.h, http_head.h) then refuse input that the standards do not allow.
//
// Not covered: an HTTP request whose method is not a token (RFC 9110), or whose first line is one word. Some servers
// accept such requests, but any protocol can begin with such bytes: head_watch.h finds the end of their heads. Also not
// covered: protocols that switch to TLS or HTTP later (STARTTLS, tunnels).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::gateway {

enum class Kind {
  More,  // more bytes are needed; also for empty input
  Tls,   // any bytes that begin as a TLS alert or handshake; another TLS record; an SSLv2 ClientHello
  Http,  // a first line that has a version (HTTP/, RTSP/, ICE/) or a target, or does not end within kMaxFirstLine bytes
  Http2,  // the preface of cleartext HTTP/2
  // A first line of two or more words without version and target, other than that of SSH. Some servers (the JDK's
  // HttpServer, waitress) read it as HTTP: `POST %2f `. If the server has sent data before, it is another protocol.
  Words,
  Other,  // any other protocol
};

// Limit for the first line of HTTP, together with the empty lines before this line. Line ends and blanks,
// a method, or a method and a target that do not end within the limit are Http: nginx and Node skip any number of line
// ends before a request, and Go reads a line of 1 MiB.
inline constexpr std::size_t kMaxFirstLine = 64 << 10;

// `first` is everything that the client has sent so far. Once the result is not More, further bytes do not change it.
Kind recognise(std::string_view first);
// The separators of words for lenient servers: Python's servers accept further characters besides the space.
constexpr bool parts_words(unsigned char c) {
  return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n') || (c >= 0x1c && c <= 0x1f) || c == 0x85 || c == 0xa0;
}
// Returns true for the request of git's own protocol (git-daemon(1): `0033git-upload-pack /repo\0host=...\0`). This
// request has no line end, so recognise() would return More for it. Call is_git() only for connections to kGitPort,
// where no HTTP server is expected: some HTTP servers (gunicorn) read such a request as a method and a target.
inline constexpr std::uint16_t kGitPort = 9418;
bool is_git(std::string_view first);
// Use it for a client that has sent `all` and then EOF. Never returns More. Returns Other for a protocol without line
// ends, and Http for a request line that ends with EOF.
Kind recognise_whole(std::string_view all);

}  // namespace band::gateway
