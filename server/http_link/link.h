// The protocol between the http process and the engine. http is not trusted: the engine checks every message as
// untrusted input. http checks only the form of the engine's messages.
//
// The control channel is a SOCK_SEQPACKET pair (server/base/channel.h), descriptor 3 of band-http; each message is one
// JSON object. Each request has its own reply socket (SOCK_STREAM), so answers never mix.
//
//   http -> engine
//     {"op":"listening","port":7433}
//     {"op":"configured","number":3}               from now on every request uses the config with this number
//     {"op":"exec","token":"laptop","token_id":"8 hex"}               fds: body (memfd, sealed against all changes),
//     reply
//     {"op":"cancel","token":"laptop","token_id":"8 hex","id":"..."}  fds: reply
//     {"op":"input","token":"laptop","token_id":"8 hex","id":"..."}   fds: reply, on which http also writes the
//     standard input (input.h)
//     {"op":"health"} {"op":"metrics"}             fds: reply
//   engine -> http
//     {"op":"config","number":3,"address":"127.0.0.1","port":7433,"connections":64,
//      "tokens":[{"name":"laptop","id":"8 hex","hash":"64 hex"}]}     first, and again when tokens change. The engine
//                 sends the next one only after "configured" has confirmed this one
//
// On a reply socket the engine writes JSON lines and closes. The first line decides the HTTP status:
//     {"status":200}                                               events follow
//     {"status":200,"stall_ms":60000}                              the same; the client may leave the events unread for
//                                                                  this time
//     {"status":503,"retry_after":2,"error":{...}}                 nothing follows
// Then for health: {"event":"result","body":{...}}; for metrics {"event":"result","text":"..."}; for exec any number of
//     {"event":"limit","text":"..."} {"event":"started","id":"..."} {"event":"stdout","data":"..."}
//     {"event":"stderr","data":"..."} {"event":"stdout","base64":"..."}
// and last
//     {"event":"result","answer":{...}}
// For cancel and input only the result follows. Lines are in the form of dump_json(), without white space, "event"
// first and then "answer": http finds an answer by its position in the line and does not parse it, because it may have
// 90 MiB. Without its last line, an answer is also truncated for the client. Events with other names ("command", "net")
// are passed on unchanged.
//
// When http closes its end of an exec's reply socket, the client has disconnected: the engine ends the execution.
#pragma once

namespace band::http {

inline constexpr int kControlFd = 3;

}  // namespace band::http
