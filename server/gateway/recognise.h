// Determines a client's protocol from its first bytes. Pure.
//
// A protocol other than TLS and HTTP may pass unread on a port that a rule names, so taking TLS or HTTP for another
// protocol would bypass the checks of SNI and Host. Input is therefore Tls or Http if any existing server reads it as
// such, even where no standard allows it. The strict readers (client_hello.h, http_head.h) then refuse it.
//
// Not covered: a method that is not a token, which Python's http.server accepts (it could be the beginning of any
// protocol); protocols that switch to TLS or HTTP later (STARTTLS, the PROXY protocol, tunnels).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::gateway {

enum class Kind {
  More,   // undecided; also for empty input
  Tls,    // a TLS record of any type, or an SSLv2 ClientHello
  Http,   // a first line with a version HTTP/ (RTSP/, ICE/), with a target, or too long for anything else
  Http2,  // the preface of cleartext HTTP/2
  Other,
};

// Limit of the line that identifies HTTP, preceding empty lines included. It must be at least what any server accepts:
// nginx and Apache accept 8 KiB, Node 16, Jetty and Go more if configured.
inline constexpr std::size_t kMaxFirstLine = 64 << 10;

// `first` is everything that the client has sent so far. Once the result is not More, further bytes do not change it.
Kind recognise(std::string_view first);
// Recognises the request of git's own protocol (git-daemon(1): `0033git-upload-pack /repo\0host=...\0`), which has no
// line end. HTTP servers (gunicorn) read it as a method and a target, so it is only recognised on git's port, where no
// HTTP server is expected.
inline constexpr std::uint16_t kGitPort = 9418;
bool is_git(std::string_view first);
// `all` is everything that the client will ever send (it has sent EOF). Never returns More: a protocol without line
// ends is Other, a request line that EOF truncates is Http.
Kind recognise_whole(std::string_view all);

}  // namespace band::gateway
