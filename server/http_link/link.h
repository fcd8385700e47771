// How the http process and the engine talk. http is not trusted: the engine checks every message as if a stranger had
// sent it, and http checks what comes back only for its form.
//
// The control channel is a SOCK_SEQPACKET pair (server/base/channel.h), descriptor 3 of band-http; each message is one
// JSON object. Requests carry their own reply socket (SOCK_STREAM), so answers never mix.
//
//   http -> engine
//     {"op":"listening","port":7433}
//     {"op":"configured","number":3}               the config with this number holds for every request from now on
//     {"op":"exec","token":"laptop","token_id":"8 hex"}               fds: body (memfd, sealed against all changes),
//     reply
//     {"op":"cancel","token":"laptop","token_id":"8 hex","id":"..."}  fds: reply
//     {"op":"input","token":"laptop","token_id":"8 hex","id":"..."}   fds: reply, on which the standard input comes as
//     well (input.h)
//     {"op":"health"} {"op":"metrics"}             fds: reply
//   engine -> http
//     {"op":"config","number":3,"address":"127.0.0.1","port":7433,"connections":64,
//      "tokens":[{"name":"laptop","id":"8 hex","hash":"64 hex"}]}     first, and again whenever tokens change.
//                 The next one is sent when this one has been answered by "configured", or not at all
//
// On a reply socket the engine writes JSON lines and closes. The first line decides the HTTP status:
//     {"status":200}                                               events follow
//     {"status":200,"stall_ms":60000}                              the same; the client may leave the events unread for
//                                                                  so long
//     {"status":503,"retry_after":2,"error":{...}}                 nothing follows
// Then for health: {"event":"result","body":{...}}; for metrics {"event":"result","text":"..."}; for exec any number of
//     {"event":"limit","text":"..."} {"event":"started","id":"..."} {"event":"stdout","data":"..."}
//     {"event":"stderr","data":"..."} {"event":"stdout","base64":"..."}
// and last
//     {"event":"result","answer":{...}}
// For cancel and input nothing but the result follows. Lines are as dump_json() writes them, without white space,
// "event" first and then "answer": http passes an answer on by its place in the line, unparsed, because it may have 90
// MiB. An answer without its last line is broken off towards the client too. Events with other names ("command", "net")
// are passed on as they are.
//
// http closing its end of an exec's reply socket means that the client is gone: the engine ends the execution.
#pragma once

namespace band::http {

inline constexpr int kControlFd = 3;

}  // namespace band::http
