// Which protocol a client speaks, from its first bytes. Pure.
//
// What is neither TLS nor HTTP may pass unread on a port that a rule names, so a mistake in that direction opens a way
// around the checks of SNI and Host. Hence everything is Tls or Http that some server in the world takes for it, also
// what no standard allows: the strict readers behind (client_hello.h, http_head.h) refuse it then.
// Not covered: a method that is no token, which Python's http.server takes (it could be the beginning of anything);
// protocols that turn into TLS or HTTP later (STARTTLS, the PROXY protocol, tunnels).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace band::gateway {

enum class Kind {
  More,   // not decided; also: nothing was sent yet
  Tls,    // a TLS record of any type, or an SSLv2 ClientHello
  Http,   // a first line that says HTTP/ (RTSP/, ICE/), has a target, or is too long for anything else
  Http2,  // the preface of cleartext HTTP/2
  Other,
};

// Of the line in which HTTP shows itself, empty lines before it included. What some server accepts must not be longer:
// nginx and Apache take 8 KiB, Node 16, Jetty and Go more when told to.
inline constexpr std::size_t kMaxFirstLine = 64 << 10;

// `first` is everything that the client has sent so far. Once not More, more bytes change nothing.
Kind recognise(std::string_view first);
// The request of git's own protocol (git-daemon(1): `0033git-upload-pack /repo\0host=...\0`), which never ends its
// line. HTTP servers (gunicorn) take it for a method and a target: only for a port on which nobody has those.
inline constexpr std::uint16_t kGitPort = 9418;
bool is_git(std::string_view first);
// `all` is everything that the client will ever send (it has shut down its side): never More. A protocol that does not
// end its lines is Other, a request line that the end cuts is Http.
Kind recognise_whole(std::string_view all);

}  // namespace band::gateway
